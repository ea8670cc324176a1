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

    struct Leak {
        /// The number of reports of each version, by its index in ``versions``; 0 for a version that has only freed objects.
        var reports: [Int: Int] = [:]
        var freed = 0
        /// The lowest rank of a version with the fix, and ``reports`` when the leak was resolved.
        var resolved: (minRank: Int, reportsAtDecision: [Int: Int])?
        /// The limit, and ``total`` when the leak was ignored.
        var ignored: (limit: Decision.IgnoreLimit?, totalAtDecision: Int)?

        var total: Int { reports.values.reduce(0, +) }

        /// Indices of the versions with reports that contradict the fix.
        var contradictingVersions: [Int] {
            guard let resolved else { return [] }
            return reports.filter { index, count in
                TriageModel.versions[index].rank >= resolved.minRank
                    && count > resolved.reportsAtDecision[index] ?? 0
            }.keys.sorted()
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

    mutating func count(_ name: String, in version: Int, _ count: Int, isFreed: Bool) {
        leaks[name, default: Leak()].reports[version, default: 0] += isFreed ? 0 : count
        if isFreed { leaks[name]?.freed += count }
    }

    /// Indices of the versions that were seen.
    var seenVersions: [Int] { Set(leaks.values.flatMap(\.reports.keys)).sorted() }

    mutating func decide(_ action: Decision.Action, about name: String) {
        guard var leak = leaks[name], let newest = seenVersions.last else { return }
        let rank = Self.versions[newest].rank
        switch action {
        case .resolve(let fix):
            let from =
                switch fix {
                case .newestVersion: rank
                case .nextVersion: rank + 1
                case .version(let text, _): Self.versions.first { $0.text == text }?.rank ?? 0
                case .newerThan(let text): (Self.versions.first { $0.text == text }?.rank ?? 0) + 1
                }
            (leak.resolved, leak.ignored) = ((from, leak.reports), nil)
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
                        && leaks[name]?.reports.keys.min() == seenVersions.last
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
            guard let reports = leak.reports[version], reports > 0 else { continue }
            let state = state(name, now: now)
            let isMended = state == .resolved && rank >= leak.resolved?.minRank ?? 0
            if leak.contradictingVersions.contains(version) {
                check.regressed.insert(name)
            } else if state == .known || state == .ignored || isMended {
                check.setAside += 1
            } else if base != nil,
                leak.reports.keys.allSatisfy({
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
