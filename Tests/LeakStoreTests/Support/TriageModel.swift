@testable import LeakStore

/// A model of triage decisions without a database, for one app with few leaks and versions.
struct TriageModel {
    struct Version: Hashable {
        var text: String
        /// Position in the order of versions. Equal for versions of the same rank, such as 1.0 and 1.0.0.
        var rank: Int
    }

    /// Oldest first.
    static let versions = [
        Version(text: "unknown", rank: 0), Version(text: "0.9", rank: 1), Version(text: "1.0-rc.1", rank: 2),
        Version(text: "1.0", rank: 3), Version(text: "1.0.0", rank: 3), Version(text: "1.1", rank: 4),
        Version(text: "2.0", rank: 5),
    ]

    /// The builds of every version, in their order. A report without a build counts in the first one.
    static let builds: [String?] = [nil, "local", "7", "8", "9", "10"]

    /// A build of a version, by its index in ``versions`` and in ``builds``.
    struct Build: Hashable, Comparable {
        var version: Int
        var build: Int

        var name: String? { builds[build] }
        var isNumbered: Bool { name?.first?.isNumber == true }

        static func < (one: Self, other: Self) -> Bool {
            (one.version, one.build) < (other.version, other.build)
        }
    }

    /// A decision that resolved a leak.
    struct Resolution {
        /// The lowest rank of a version with the fix.
        var minRank: Int
        /// The lowest build of the version of ``minRank`` with the fix, by its index in ``builds``; `nil` for all builds.
        var minBuild: Int?
        /// ``Leak/reports`` when the leak was resolved.
        var reports: [Build: Int]
        /// The builds that were in use when the leak was resolved.
        var knownBuilds: Set<Build>

        /// Returns `true` if the fix is in a build of the version.
        func splits(_ version: Int) -> Bool {
            minBuild != nil && TriageModel.versions[version].rank == minRank
        }

        func hasFix(_ build: Build) -> Bool {
            TriageModel.versions[build.version].rank >= minRank
                && (!splits(build.version) || build.build >= minBuild ?? 0)
        }
    }

    struct Leak {
        /// The number of reports of each build; 0 for a build that has only freed objects.
        var reports: [Build: Int] = [:]
        var freed = 0
        var resolved: Resolution?
        /// The limit, and ``total`` when the leak was ignored.
        var ignored: (limit: Decision.IgnoreLimit?, totalAtDecision: Int)?

        var total: Int { reports.values.reduce(0, +) }

        /// Indices of the versions in which the leak was seen.
        var versions: Set<Int> { Set(reports.keys.map(\.version)) }

        func reports(of version: Int) -> Int {
            reports.reduce(0) { $0 + ($1.key.version == version ? $1.value : 0) }
        }

        /// The builds of a version that have reports and should have the fix, in their order.
        private func buildsWithFix(_ version: Int) -> [Build] {
            reports.filter { $0.key.version == version && $0.value > 0 && resolved?.hasFix($0.key) == true }
                .keys.sorted()
        }

        /// Returns the number of reports since the decision in builds with the fix.
        private func newReports(_ version: Int, onlyKnownBuilds: Bool = false) -> Int {
            buildsWithFix(version).reduce(0) { sum, build in
                guard let resolved, !onlyKnownBuilds || resolved.knownBuilds.contains(build) else {
                    return sum
                }
                return sum + (reports[build] ?? 0) - (resolved.reports[build] ?? 0)
            }
        }

        /// The builds with a name that may have the reports that contradict the fix, in their order.
        private func contradictingBuilds(_ version: Int) -> [Build] {
            let knownMayContradict = newReports(version, onlyKnownBuilds: true) > 0
            return buildsWithFix(version).filter {
                $0.name != nil && (knownMayContradict || resolved?.knownBuilds.contains($0) == false)
            }
        }

        /// Indices of the versions with reports that contradict the fix. Versions of one rank are in the order of their builds if
        /// the fix is in a build.
        var contradictingVersions: [Int] {
            guard let resolved else { return [] }
            func key(_ version: Int) -> (Int, Int, Int) {
                resolved.splits(version)
                    ? (0, contradictingBuilds(version).first?.build ?? 0, version) : (1, 0, version)
            }
            return versions.filter { newReports($0) > 0 }.sorted { key($0) < key($1) }
        }

        /// The build in which the leak is back; `nil` if it has no name, or if it is not known.
        var regressedInBuild: String? {
            guard let resolved, let version = contradictingVersions.first,
                let oldest = contradictingBuilds(version).first
            else { return nil }
            let knownBuilds = buildsWithFix(version).filter { resolved.knownBuilds.contains($0) }
            let hadReports = knownBuilds.contains { resolved.reports[$0] ?? 0 > 0 }
            let isCertain =
                !resolved.knownBuilds.contains(oldest) || knownBuilds.count == 1 || !hadReports
            return isCertain ? oldest.name : nil
        }

        /// Returns `true` if the leak is back in a build, as far as the reports of builds that were in use before can be told apart.
        func isBack(in build: Build) -> Bool {
            reports[build] ?? 0 > 0 && contradictingVersions.contains(build.version)
                && contradictingBuilds(build.version).contains(build)
        }

        func state(now: Int64, isKnown: Bool) -> LeakState {
            if resolved != nil { return contradictingVersions.isEmpty ? .resolved : .regressed }
            if let ignored {
                switch ignored.limit {
                case nil: return .ignored
                case .until(let end): if now < end { return .ignored }
                case .nextReports(let count): if total - ignored.totalAtDecision < count { return .ignored }
                }
            }
            if isKnown, total > 0 { return .known }
            return freed >= 1 && freed * 10 >= total * 9 ? .slow : .open
        }
    }

    /// Leaks by name.
    private(set) var leaks: [String: Leak] = [:]

    static func isKnown(_ name: String) -> Bool { name.hasPrefix("UI") }

    /// The builds that were used after a lower build of their version; only builds with a number.
    private var buildsWithLower: Set<Build> = []
    private(set) var usedBuilds: Set<Build> = []

    mutating func count(_ name: String, in build: Build, _ count: Int, isFreed: Bool) {
        let hasLower = usedBuilds.contains { $0.version == build.version && $0.isNumbered && $0 < build }
        if usedBuilds.insert(build).inserted, build.isNumbered, hasLower { buildsWithLower.insert(build) }
        leaks[name, default: Leak()].reports[build, default: 0] += isFreed ? 0 : count
        if isFreed { leaks[name]?.freed += count }
    }

    /// Returns the build in which the leak is new; `nil` if no lower build of its first version was in use before.
    func newInBuild(_ name: String) -> String? {
        leaks[name]?.reports.keys.min().flatMap { buildsWithLower.contains($0) ? $0.name : nil }
    }

    /// Indices of the versions that were seen.
    var seenVersions: [Int] { Set(leaks.values.flatMap(\.versions)).sorted() }

    mutating func decide(_ action: Decision.Action, about name: String) {
        guard var leak = leaks[name], let newest = seenVersions.last else { return }
        let rank = Self.versions[newest].rank
        switch action {
        case .resolve(let fix):
            let (from, build): (Int, String?) =
                switch fix {
                case .newestVersion: (rank, nil)
                case .nextVersion: (rank + 1, nil)
                case .version(let text, let build):
                    (Self.versions.first { $0.text == text }?.rank ?? 0, build)
                case .newerThan(let text): ((Self.versions.first { $0.text == text }?.rank ?? 0) + 1, nil)
                }
            leak.resolved = Resolution(
                minRank: from, minBuild: build.flatMap { Self.builds.firstIndex(of: $0) },
                reports: leak.reports, knownBuilds: usedBuilds)
            leak.ignored = nil
        case .ignore(let limit): (leak.resolved, leak.ignored) = (nil, (limit, leak.total))
        case .reopen: (leak.resolved, leak.ignored) = (nil, nil)
        case .note: break
        }
        leaks[name] = leak
    }

    func state(_ name: String, now: Int64) -> LeakState {
        leaks[name, default: Leak()].state(now: now, isKnown: Self.isKnown(name))
    }

    func names(_ filter: LeakQuery.StateFilter, now: Int64) -> Set<String> {
        Set(
            leaks.keys.filter { name in
                let state = state(name, now: now)
                return switch filter {
                case .any: true
                case .toFix: ![.known, .resolved, .ignored, .slow].contains(state)
                case .new:
                    ![.known, .resolved, .ignored, .slow].contains(state)
                        && leaks[name]?.versions.min() == seenVersions.last
                default: state.rawValue == filter.rawValue
                }
            })
    }

    /// The result of a release check.
    struct Check: Equatable {
        var baseline: String?
        var new: Set<String> = []
        var regressed: Set<String> = []
        var setAside = 0
    }

    private static func isNumbered(_ version: Int) -> Bool { versions[version].text.first?.isNumber == true }

    func check(_ version: Int, now: Int64) -> Check {
        let rank = Self.versions[version].rank
        // Versions with a number are compared only with versions with a number.
        let isNumbered = Self.isNumbered(version)
        let base = seenVersions.last {
            Self.versions[$0].rank < rank && (!isNumbered || Self.isNumbered($0))
        }
        var check = Check(baseline: base.map { Self.versions[$0].text })
        for (name, leak) in leaks {
            guard leak.reports(of: version) > 0 else { continue }
            let state = state(name, now: now)
            let isMended = state == .resolved && rank >= leak.resolved?.minRank ?? 0
            if leak.contradictingVersions.contains(version) {
                check.regressed.insert(name)
            } else if state == .known || state == .ignored || isMended {
                check.setAside += 1
            } else if base != nil,
                leak.versions.allSatisfy({
                    isNumbered && !Self.isNumbered($0)
                        || Self.versions[$0].rank > base.map { Self.versions[$0].rank } ?? -1
                })
            {
                check.new.insert(name)
            }
        }
        return check
    }

    /// The number of leaks that regressed in each version, newest version first.
    var regressedLeaks: [Int] {
        seenVersions.reversed().map { version in
            leaks.values.filter { $0.contradictingVersions.contains(version) }.count
        }
    }
}
