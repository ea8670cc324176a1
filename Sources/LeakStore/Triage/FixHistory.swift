/// The decisions that resolved a leak, and the versions that show whether its fixes worked.
///
/// Each fact is read once for a leak, not for each pair of a decision and a version: a leak may have 200 decisions and 200
/// versions.
package struct FixHistory: Sendable {
    /// A decision that resolved the leak.
    private struct Fix {
        /// Row ID of the decision.
        var row: Int64
        /// Time of the decision, in milliseconds since 1970.
        var decidedAt: Int64
        /// The least ``VersionOrder/key`` of a version that should have the fix.
        var order: [UInt8]
        /// The least ``VersionOrder/key`` of a build that should have the fix; `nil` for a fix in all builds.
        var buildOrder: [UInt8]?
        /// The newest row of `build` when the decision was made; `nil` if it is not known.
        var knownBuild: Int64?
        var isInForce: Bool
        /// `true` if a version or build with the fix was first used before another decision replaced this one.
        var wasUsed: Bool

        var day: Int64 { decidedAt / Calendar.dayMilliseconds }

        /// Returns `true` if the fix is in a build of this version.
        func splits(_ version: [UInt8]) -> Bool { buildOrder != nil && version.starts(with: order) }

        /// Returns `true` if the version or build should have the fix.
        func isFixed(_ version: Version) -> Bool {
            guard !version.order.lexicographicallyPrecedes(order) else { return false }
            guard let buildOrder, splits(version.order) else { return true }
            return !version.buildOrder.lexicographicallyPrecedes(buildOrder)
        }
    }

    /// All builds of a version that have checks of the class or rows of the leak. One of these builds if a decision names a
    /// build of the version.
    private struct Version {
        /// Row ID in `release`.
        var row: Int64
        var name: String
        /// ``VersionOrder/key`` of ``name``.
        var order: [UInt8]
        var build: String?
        /// ``VersionOrder/key`` of the build; empty for all builds.
        var buildOrder: [UInt8] = []
        /// Row ID in `build`; 0 for all builds.
        var buildRow: Int64 = 0
        var firstUse: Int64
        /// `true` if the version has rows of the leak. Freed objects have rows, too.
        var hasLeak = false
        var hasReports = false
        var counts = FixCounts.Counts()

        /// Returns `true` if the version or build was in use when a decision was made. The time of the first use of a build is
        /// not stored, so for a decision that was stored without the newest build of its time, the first use of the version
        /// counts.
        func wasUsed(before fix: Fix) -> Bool {
            guard !buildOrder.isEmpty, let knownBuild = fix.knownBuild else {
                return firstUse < fix.decidedAt
            }
            return buildRow <= knownBuild
        }
    }

    /// Ascending by row ID of the decision.
    private var fixes: [Fix] = []
    /// Oldest first, except the builds of versions that rank the same: ``sorted``.
    private var versions: [Version] = []
    /// Rows of the versions that had reports when the decision in force was made: ``FixCounts/Version/hadReports``.
    private var versionsWithEarlierReports: Set<Int64> = []
    /// The first day since each decision on which a version had the leak, by row of the version.
    private var firstDaysWithLeak: [Int64: [Int64]] = [:]

    package init() {}

    /// Counts for the decision in force; `nil` without such a decision, and if no version has reports or checks.
    package var current: FixCounts? {
        let history = sorted
        return fixes.firstIndex(where: \.isInForce).flatMap {
            history.counts(of: $0, history.firstVersionIndices)
        }
    }

    /// Counts for the newest decisions that are not in force any more, by row of the decision.
    package var past: [Int64: FixCounts] {
        let history = sorted
        let firstVersionIndices = history.firstVersionIndices
        var past: [Int64: FixCounts] = [:]
        for index in fixes.indices.filter({ !fixes[$0].isInForce }).suffix(Decisions.pastLimit) {
            past[fixes[index].row] = history.counts(of: index, firstVersionIndices)
        }
        return past
    }

    /// This history with the builds of versions that rank the same, such as 5.2 and 5.2.0, in the order of the builds.
    private var sorted: FixHistory {
        guard versions.contains(where: { !$0.buildOrder.isEmpty }) else { return self }
        var history = self
        history.versions = versions.map { (rank: VersionOrder($0.name).sameRankLowerBound, version: $0) }
            .sorted {
                one, other in
                guard one.rank == other.rank else { return one.rank.lexicographicallyPrecedes(other.rank) }
                let (order, otherOrder) = (one.version.buildOrder, other.version.buildOrder)
                guard order == otherOrder else { return order.lexicographicallyPrecedes(otherOrder) }
                return one.version.order.lexicographicallyPrecedes(other.version.order)
            }.map(\.version)
        return history
    }

    /// Returns the days with the leak in a version or build: ``firstDaysWithLeak``. The store knows the days by version, so those
    /// of a build are known only if no other build of its version has reports.
    private func daysWithLeak(of version: Version) -> [Int64] {
        guard let days = firstDaysWithLeak[version.row] else { return [] }
        guard !version.buildOrder.isEmpty else { return days }
        let isOnly = versions.allSatisfy {
            $0.row != version.row || $0.hasReports == ($0.buildOrder == version.buildOrder)
        }
        return isOnly ? days : []
    }

    /// For each fix, the index of the oldest version that should have the fix.
    private var firstVersionIndices: [Int] {
        fixes.map { fix in
            var (low, high) = (0, versions.count)
            while low < high {
                let middle = (low + high) / 2
                if fix.isFixed(versions[middle]) { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    /// Returns the counts that show whether the fix of a decision worked; `nil` if no version has reports or checks.
    ///
    /// - Parameters:
    ///   - index: the index of a decision in ``fixes``.
    ///   - first: ``firstVersionIndices``
    private func counts(of index: Int, _ first: [Int]) -> FixCounts? {
        let fix = fixes[index]
        let next = fix.isInForce || index + 1 == fixes.count ? nil : index + 1
        let firstWithLeak = versions.firstIndex(where: \.hasLeak) ?? versions.count
        var counts: FixCounts?
        for (number, version) in versions.enumerated() where number >= min(first[index], firstWithLeak) {
            // `other` counts the builds beyond a limit, with and without the fix, so its counts are no evidence.
            if version.build == StoreLimits.other, fix.splits(version.order) { continue }
            let hasFix = number >= first[index]
            let seenAgainDay = daysWithLeak(of: version).lazy.filter { $0 >= fix.day }.min()
            // All reports of a build that was first used after the decision were made after it, on days that may be unknown.
            let isNewBuild =
                !version.buildOrder.isEmpty && fix.knownBuild != nil && !version.wasUsed(before: fix)
            let isSeenAgain = seenAgainDay != nil || isNewBuild && version.hasReports
            // Versions that are not older than the fix of the next decision belong to that decision, except versions in which
            // the leak was seen again before that decision was made.
            if let next, number >= first[next] {
                guard version.wasUsed(before: fixes[next]), isSeenAgain,
                    seenAgainDay.map({ $0 <= fixes[next].day }) ?? true
                else { continue }
            }
            // The reports that a version had at a past decision are not stored. If a version or build with reports was in use
            // before the decision, its reports may be from before the decision. For the decision in force it is known for all
            // builds with the fix together whether they had reports.
            let hadReports =
                fix.isInForce
                ? versionsWithEarlierReports.contains(version.row)
                    && (version.buildOrder.isEmpty
                        || version.hasReports
                            && !(isNewBuild && fix.splits(version.order)))
                : version.hasReports && version.wasUsed(before: fix)
            let earlierFixes = (0..<(hasFix ? 0 : index)).count(where: { earlier in
                fixes[earlier].wasUsed && first[earlier] <= number
                    && !(version.hasLeak && version.wasUsed(before: fixes[earlier]))
            })
            counts = counts ?? FixCounts()
            counts?.add(
                FixCounts.Version(
                    version: version.name, build: version.build, hasFix: hasFix,
                    hadReports: hadReports, earlierFixes: earlierFixes, firstUse: version.firstUse,
                    isSeenAgain: hasFix && isSeenAgain,
                    seenAgainDay: hasFix ? seenAgainDay.map { Int($0) } : nil, counts: version.counts))
        }
        return counts
    }
}

extension FixHistory {
    /// The decisions whose counts are read.
    package enum Decisions {
        /// The decisions in force.
        case current
        /// The newest decisions that are not in force any more.
        case past

        /// Maximum number of past decisions per leak.
        fileprivate static let pastLimit = 20

        /// SQL that joins these decisions, as `d`, to a leak `l`.
        fileprivate var joinSQL: String {
            switch self {
            case .current: "join decision d on d.id = l.state and d.kind = 'resolve'"
            case .past:
                """
                join decision d on d.leak = l.id and d.id in (select id from decision
                  where leak = l.id and kind = 'resolve' and id <> l.state order by id desc limit \(Self.pastLimit))
                """
            }
        }
    }

    /// The parts of a history. Each part is read by one statement.
    package enum Part: CaseIterable {
        /// All decisions that resolved the leak, oldest first.
        case fixes
        /// The versions with reports from before the decision in force.
        case earlierReports
        /// The builds of the versions, oldest version first. They begin with the version in which the leak was first seen, or
        /// with the version of the oldest fix if that is lower.
        case builds
        /// For each version, the first day with the leak since each decision, up to the next decision.
        case days
    }

    /// Returns the SQL of the statement that reads a part.
    ///
    /// - Parameter leaks: SQL for the leaks, as `l`.
    package static func selectSQL(_ part: Part, of decisions: Decisions, from leaks: String) -> String {
        switch part {
        case .fixes:
            """
            select e.leak, e.id, e.at, e.fix_from, e.id = e.state as is_in_force,
              case when e.next_at is null then false else exists (select 1 from release r where r.app = e.app
                and r.order_key >= e.fix_from and r.first_seen >= e.at and r.first_seen < e.next_at)
                or e.build_from is not null and exists (select 1 from release r join build b on b.release = r.id
                where r.app = e.app and r.order_key >= e.fix_from
                  and substr(r.order_key, 1, length(e.fix_from)) = e.fix_from and b.order_key >= e.build_from
                  and b.id > e.known_build and b.id <= e.next_known_build) end as was_used,
              e.build_from, e.known_build
            from (select d.leak, d.id, d.kind, d.at, d.fix_from, d.build_from, d.known_build, l.app, l.state,
                min(d.at) over later as next_at, min(d.known_build) over later as next_known_build
              from \(leaks) join decision d on d.leak = l.id and d.kind <> 'note'
              window later as (partition by d.leak order by d.id rows between 1 following and unbounded following)) e
            where e.kind = 'resolve' order by e.leak, e.id
            """
        // The condition about earlier reports is computed once for each version. Computed for each build, it would read a number
        // of rows that is quadratic in the number of builds. It is computed only for versions that are not older than the fix.
        // Computed for all versions, it would read a number of days that is quadratic in the number of versions.
        case .earlierReports:
            """
            select l.id as leak, c.release from \(leaks) \(decisions.joinSQL)
            join leak_release c on c.leak = l.id join release r on r.id = c.release and r.order_key >= d.fix_from
            \(ContradictingReports.joinSQL)
            where c.reports > 0 and \(ContradictingReports.hadReportsSQL)
            """
        case .builds:
            """
            select l.id as leak, r.id as release, r.version, r.order_key, r.first_seen, k.buckets as checks,
              p.buckets as leaks, p.reports, b.name as build, b.order_key as build_order, b.id as build_row
            from \(leaks) join release f on f.id = l.first_release
            join release r on r.app = l.app and r.order_key >= least(coalesce(l.first_order, f.order_key),
              (select fix_from from decision where leak = l.id and kind = 'resolve' order by fix_from limit 1))
            join build b on b.release = r.id
            left join build_check k on k.build = b.id and k.class = l.class
            left join leak_build p on p.leak = l.id and p.build = b.id
            where k.build is not null or p.leak is not null
            order by l.id, r.order_key, r.id, b.order_key
            """
        case .days:
            """
            with span as (
              select leak, day as first_day, lead(day, 1, 9007199254740992) over (partition by leak order by day) as end_day
              from (select distinct d.leak, d.at / \(Calendar.dayMilliseconds) as day
                from \(leaks) \(decisions.joinSQL)) as decided)
            select y.leak, y.release, min(y.day) as day from span s cross join leak_day y
            where y.leak = s.leak and y.day >= s.first_day and y.day < s.end_day and y.reports > 0
            group by y.leak, y.release, s.first_day
            """
        }
    }

    private enum FixColumn: Int32, QueryColumn {
        case leak, id, at, fixFrom, isInForce, wasUsed, buildFrom, knownBuild
    }

    private enum EarlierReportsColumn: Int32, QueryColumn { case leak, release }

    private enum BuildColumn: Int32, QueryColumn {
        case leak, release, version, orderKey, firstSeen, checks, leaks, reports, build, buildOrder, buildRow
    }

    private enum DayColumn: Int32, QueryColumn { case leak, release, day }

    private mutating func add(_ row: NamedRow<FixColumn>) {
        fixes.append(
            Fix(
                row: row.int64(.id), decidedAt: row.int64(.at), order: row.bytes(.fixFrom),
                buildOrder: row.isNull(.buildFrom) ? nil : row.bytes(.buildFrom),
                knownBuild: row.optionalInt64(.knownBuild), isInForce: row.bool(.isInForce),
                wasUsed: row.bool(.wasUsed)))
    }

    private mutating func add(_ row: NamedRow<BuildColumn>) throws(StoreError) {
        let checks = row.isNull(.checks) ? BucketCounts() : try row.bucketCounts(.checks)
        let reports = row.isNull(.leaks) ? BucketCounts() : try row.bucketCounts(.leaks)
        let order = row.bytes(.orderKey)
        let isSplit = fixes.contains { $0.splits(order) }
        if versions.last?.row != row.int64(.release) || isSplit {
            var version = Version(
                row: row.int64(.release), name: row.text(.version), order: order,
                firstUse: row.int64(.firstSeen))
            if isSplit {
                let name = row.text(.build)
                (version.build, version.buildOrder) = (name.isEmpty ? nil : name, row.bytes(.buildOrder))
                version.buildRow = row.int64(.buildRow)
            }
            versions.append(version)
        }
        let last = versions.count - 1
        versions[last].counts.add(FixCounts.Counts(checks: checks, reports: reports))
        if !row.isNull(.reports) { versions[last].hasLeak = true }
        if row.int64(.reports) > 0 { versions[last].hasReports = true }
    }

    /// Histories by row ID in `leak`, while they are read.
    package final class Builder {
        package private(set) var histories: [Int64: FixHistory] = [:]
        private let decisions: Decisions
        private let leaks: [Int64]

        /// - Parameter leaks: row IDs in `leak`.
        package init(_ decisions: Decisions, of leaks: [Int64]) {
            (self.decisions, self.leaks) = (decisions, leaks)
        }

        package var fixes: StoreRead<Void> {
            read(.fixes) { (row: NamedRow<FixColumn>, _) in
                self.histories[row.int64(.leak), default: FixHistory()].add(row)
            }
        }

        /// Reads ``Part/earlierReports``. Not used for past decisions.
        package var earlierReports: StoreRead<Void> {
            read(.earlierReports) { (row: NamedRow<EarlierReportsColumn>, _) in
                self.histories[row.int64(.leak), default: FixHistory()].versionsWithEarlierReports
                    .insert(row.int64(.release))
            }
        }

        /// Reads ``Part/builds``. Must run after ``fixes``, which decide whether the builds of a version are kept apart.
        package var builds: StoreRead<Void> {
            read(.builds) { (row: NamedRow<BuildColumn>, _) throws(StoreError) in
                try self.histories[row.int64(.leak), default: FixHistory()].add(row)
            }
        }

        package var days: StoreRead<Void> {
            read(.days) { (row: NamedRow<DayColumn>, _) in
                self.histories[row.int64(.leak), default: FixHistory()]
                    .firstDaysWithLeak[row.int64(.release), default: []].append(row.int64(.day))
            }
        }

        private func read<Column: QueryColumn>(
            _ part: Part, _ add: @escaping (NamedRow<Column>, inout Void) throws(StoreError) -> Void
        ) -> StoreRead<Void> {
            let rows = "unnest($1::bigint[]) as j (value) /*! cross */ join leak l on l.id = j.value"
            return StoreRead(
                .composed(FixHistory.selectSQL(part, of: decisions, from: rows)), [.integers(leaks)],
                into: (), add: add)
        }
    }
}
