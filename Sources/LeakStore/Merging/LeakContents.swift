/// All counts and samples of a leak, which a merge by hand saves so that it can be undone. The format is the same in both stores,
/// except that of ``Sample/body``.
package struct LeakContents: Hashable, Sendable {
    /// The values that are not stored by release.
    package struct Leak: Hashable, Sendable {
        package struct Value: Hashable, Sendable {
            package var kind: Int
            package var value: String
            package var reports: Int
        }

        /// The decision in force: its row ID in `decision`, and its column `reports_then`.
        package struct DecisionInForce: Hashable, Sendable {
            package var row: Int64
            package var reportsThen: Int?
        }

        package var kind = ""
        package var className: String?
        package var quality = ""
        package var title = ""
        package var module: String?
        /// The stack, the children, the cycle and the stack of the grouping key, packed as in `leak_text`.
        package var paths: [[UInt8]] = []
        package var groupedVersion = 0
        package var groupedClass = ""
        package var search = ""
        package var reports = 0
        package var freed = 0
        package var sightings = 0
        package var maxAlive: Int?
        package var firstSeen: Int64 = 0
        package var lastSeen: Int64 = 0
        /// The ``VersionOrder/key`` of the first version.
        package var firstOrder: [UInt8] = []
        package var madeBy: Int64?
        package var madeAt: Int64?
        package var isShared = false
        package var values: [Value] = []
        package var lived = DurationHistogram()
        /// Row IDs of the decisions and notes.
        package var decisions: [Int64] = []
        package var decisionInForce: DecisionInForce?
        /// The ids of leaks that were merged into the leak. Their old addresses redirect to it.
        package var redirects: [LeakID] = []
    }

    /// The counts of a leak in one release.
    package struct Release: Hashable, Sendable {
        package struct Build: Hashable, Sendable {
            package var reports = 0
            package var freed = 0
            package var buckets = BucketCounts()
            package var installs = InstallSet()

            var isEmpty: Bool { reports == 0 && freed == 0 && installs.isEmpty }
        }

        /// The reports that the release had when the decision in force was made, which do not contradict the decision: a row of
        /// `decision_release`.
        package struct AtDecision: Hashable, Sendable {
            package var reports: Int
            package var hourReports: Int
        }

        /// Counts by row ID in `build`.
        package var builds: [Int64: Build] = [:]
        /// Reports by hour since 1970.
        package var hours: [Int: Int] = [:]
        /// Reports by day since 1970.
        package var days: [Int: Int] = [:]
        package var recentInstalls = RecentInstalls()
        /// The day for which the stored number of recent installs was counted.
        package var recentDay = 0
        package var atDecision: AtDecision?

        package var reports: Int { builds.values.reduce(into: 0) { $0.addBounded($1.reports) } }
        package var freed: Int { builds.values.reduce(into: 0) { $0.addBounded($1.freed) } }
        package var installs: InstallSet {
            builds.values.reduce(into: InstallSet()) { $0.merge($1.installs) }
        }
    }

    /// A sample report.
    package struct Sample: Hashable, Sendable {
        package var slot = 0
        package var ordinal = 0
        package var at: Int64 = 0
        package var version = ""
        package var build: String?
        package var system: String?
        package var model: String?
        package var installHash: Int64?
        package var install: String?
        package var user: String?
        /// The bytes in the column, which are compressed in SQLite.
        package var body: [UInt8] = []

        /// Returns `true` if both are the same report, perhaps with other slots and ordinals.
        func isSameReport(as other: Sample) -> Bool {
            at == other.at && version == other.version && build == other.build
                && installHash == other.installHash
                && body == other.body
        }
    }

    package var leak = Leak()
    /// Counts by row ID in `release`.
    package var releases: [Int64: Release] = [:]
    package var samples: [Sample] = []

    package var reports: Int { releases.values.reduce(into: 0) { $0.addBounded($1.reports) } }
    package var freed: Int { releases.values.reduce(into: 0) { $0.addBounded($1.freed) } }
    package var installs: InstallSet { releases.values.reduce(into: InstallSet()) { $0.merge($1.installs) } }
    var buildCount: Int { releases.values.reduce(0) { $0 + $1.builds.count } }

    /// Removes data from the copy of a merge's target that undoing the merge does not need, so that this copy is not much larger
    /// than that of the source. Undoing subtracts the counts of the source, so it needs no counts of the target. Sets of installs
    /// cannot be subtracted, so the copy keeps the target's sets for the builds that the source has too.
    ///
    /// - Parameter other: row ID of the release `other`, to which an eviction may move counts of the source.
    mutating func removeUnneededData(toUndoMergeOf source: LeakContents, other: Int64?) {
        leak.values = []
        leak.lived = DurationHistogram()
        for (id, release) in releases {
            var kept = Release()
            kept.atDecision = release.atDecision
            if let theirs = source.releases[id] {
                kept.builds =
                    id == other ? release.builds : release.builds.filter { theirs.builds[$0.key] != nil }
            } else if id == other {
                kept.builds = release.builds
            }
            if source.releases[id] != nil || id == other {
                (kept.recentInstalls, kept.recentDay) = (release.recentInstalls, release.recentDay)
            }
            releases[id] = kept == Release() ? nil : kept
        }
    }
}

// MARK: Stored form

extension PackedWriter {
    fileprivate mutating func append(_ number: Int?) {
        append(number == nil ? 0 : 1)
        if let number { append(number) }
    }

    fileprivate mutating func append(_ text: String?) {
        append(text == nil ? 0 : 1)
        if let text { append(text) }
    }
}

extension PackedReader {
    fileprivate mutating func optionalNumber() -> Int?? {
        switch number() {
        case 0: .some(nil)
        case 1: number().map { .some($0) }
        default: nil
        }
    }

    fileprivate mutating func optionalText() -> String?? {
        switch number() {
        case 0: .some(nil)
        case 1: text().map { .some($0) }
        default: nil
        }
    }

    /// Reads a list; `nil` if an element cannot be read.
    fileprivate mutating func list<Element>(_ element: (inout PackedReader) -> Element?) -> [Element]? {
        guard let count = number() else { return nil }
        var elements: [Element] = []
        for _ in 0..<count {
            guard let next = element(&self) else { return nil }
            elements.append(next)
        }
        return elements
    }
}

extension LeakContents.Leak {
    package var bytes: [UInt8] {
        var writer = PackedWriter()
        writer.append(kind)
        writer.append(className)
        writer.append(quality)
        writer.append(title)
        writer.append(module)
        for path in paths { writer.append(path) }
        writer.append(groupedVersion)
        writer.append(groupedClass)
        writer.append(search)
        for number in [reports, freed, sightings, Int(firstSeen), Int(lastSeen), isShared ? 1 : 0] {
            writer.append(number)
        }
        for number in [maxAlive, madeBy.map(Int.init), madeAt.map(Int.init)] { writer.append(number) }
        writer.append(firstOrder)
        writer.append(values.count)
        for value in values {
            writer.append(value.kind)
            writer.append(value.value)
            writer.append(value.reports)
        }
        writer.append(lived.bytes)
        writer.append(decisions.count)
        for decision in decisions { writer.append(Int(decision)) }
        writer.append(decisionInForce.map { Int($0.row) })
        writer.append(decisionInForce?.reportsThen)
        writer.append(redirects.count)
        for id in redirects { writer.append(id.bytes) }
        return writer.bytes
    }

    /// Parses ``bytes``; `nil` for invalid bytes.
    package init?(bytes: [UInt8]) {
        var reader = PackedReader(bytes)
        guard let kind = reader.text(), let className = reader.optionalText(), let quality = reader.text(),
            let title = reader.text(), let module = reader.optionalText(), let stack = reader.blob(),
            let children = reader.blob(), let cycle = reader.blob(), let groupedStack = reader.blob(),
            let groupedVersion = reader.number(), let groupedClass = reader.text(),
            let search = reader.text(),
            let reports = reader.number(), let freed = reader.number(), let sightings = reader.number(),
            let firstSeen = reader.number(), let lastSeen = reader.number(), let isShared = reader.number(),
            let maxAlive = reader.optionalNumber(), let madeBy = reader.optionalNumber(),
            let madeAt = reader.optionalNumber(), let firstOrder = reader.blob(),
            let values = reader.list({ reader -> Value? in
                guard let kind = reader.number(), let value = reader.text(), let reports = reader.number()
                else {
                    return nil
                }
                return Value(kind: kind, value: value, reports: reports)
            }),
            let lived = reader.blob().flatMap({ DurationHistogram(bytes: $0) }),
            let decisions = reader.list({ $0.number() }), let decision = reader.optionalNumber(),
            let reportsThen = reader.optionalNumber(),
            let redirects = reader.list({ $0.blob().flatMap { LeakID(blob: $0) } }), reader.isAtEnd
        else { return nil }
        (self.kind, self.className, self.quality, self.title) = (kind, className, quality, title)
        (self.module, paths) = (module, [stack, children, cycle, groupedStack])
        (self.groupedVersion, self.groupedClass, self.search) = (groupedVersion, groupedClass, search)
        (self.reports, self.freed, self.sightings) = (reports, freed, sightings)
        (self.firstSeen, self.lastSeen, self.isShared) = (Int64(firstSeen), Int64(lastSeen), isShared == 1)
        (self.maxAlive, self.madeBy, self.madeAt) = (maxAlive, madeBy.map(Int64.init), madeAt.map(Int64.init))
        self.firstOrder = firstOrder
        (self.values, self.lived, self.decisions) = (values, lived, decisions.map(Int64.init))
        decisionInForce = decision.map { DecisionInForce(row: Int64($0), reportsThen: reportsThen) }
        self.redirects = redirects
    }
}

extension LeakContents.Release {
    package var bytes: [UInt8] {
        var writer = PackedWriter()
        writer.append(builds.count)
        for (id, build) in builds.sorted(by: { $0.key < $1.key }) {
            for number in [Int(id), build.reports, build.freed] { writer.append(number) }
            writer.append(build.buckets.bytes)
            writer.append(build.installs.bytes)
        }
        for counts in [hours, days] {
            writer.append(counts.count)
            var previous = 0
            for (time, reports) in counts.sorted(by: { $0.key < $1.key }) {
                writer.append(time - previous)
                writer.append(reports)
                previous = time
            }
        }
        writer.append(recentInstalls.isEmpty ? [] : recentInstalls.bytes)
        writer.append(recentDay)
        writer.append(atDecision?.reports)
        writer.append(atDecision?.hourReports)
        return writer.bytes
    }

    /// Parses ``bytes``; `nil` for invalid bytes.
    package init?(bytes: [UInt8]) {
        func counts(_ reader: inout PackedReader) -> [Int: Int]? {
            var time = 0
            let rows = reader.list { reader -> (Int, Int)? in
                guard let step = reader.number(), let reports = reader.number(), step < 1 << 32 else {
                    return nil
                }
                time += step
                return (time, reports)
            }
            return rows.map { Dictionary($0, uniquingKeysWith: +) }
        }
        var reader = PackedReader(bytes)
        let builds = reader.list { reader -> (Int64, Build)? in
            guard let id = reader.number(), let reports = reader.number(), let freed = reader.number(),
                let buckets = reader.blob().flatMap({ BucketCounts(bytes: $0) }),
                let installs = reader.blob().flatMap({ InstallSet(bytes: $0) })
            else { return nil }
            return (Int64(id), Build(reports: reports, freed: freed, buckets: buckets, installs: installs))
        }
        guard let builds, let hours = counts(&reader), let days = counts(&reader), let recent = reader.blob(),
            let recentDay = reader.number(), let reports = reader.optionalNumber(),
            let hourReports = reader.optionalNumber(), reader.isAtEnd
        else { return nil }
        self.builds = Dictionary(builds) { $1 }
        (self.hours, self.days, self.recentDay) = (hours, days, recentDay)
        // A set of recent installs that cannot be parsed becomes empty. It is complete again after a week.
        recentInstalls = RecentInstalls(bytes: recent) ?? RecentInstalls()
        if let reports, let hourReports {
            atDecision = AtDecision(reports: reports, hourReports: hourReports)
        }
    }

    /// Adds the counts of another release to this release. The counts of all its builds are added to one build.
    mutating func add(_ other: LeakContents.Release, to build: Int64) {
        var sum = builds[build] ?? Build()
        for counts in other.builds.values {
            sum.reports.addBounded(counts.reports)
            sum.freed.addBounded(counts.freed)
            sum.buckets.add(counts.buckets)
            sum.installs.merge(counts.installs)
        }
        builds[build] = sum
        hours.merge(other.hours) { Total.bounded($0 + $1) }
        days.merge(other.days) { Total.bounded($0 + $1) }
        recentInstalls.merge(other.recentInstalls)
        recentDay = max(recentDay, other.recentDay)
    }

    /// - Returns: `true` if the release had the install.
    mutating func remove(install: UInt64) -> Bool {
        var isChanged = recentInstalls.remove(install)
        for id in builds.keys where builds[id]?.installs.remove(install) == true { isChanged = true }
        return isChanged
    }
}
