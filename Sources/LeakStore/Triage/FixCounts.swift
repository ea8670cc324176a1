internal import LeakStatistics

/// Reports and checks of a resolved leak, by version.
package struct FixCounts: Sendable {
    /// One build of a version, as read from a store.
    package struct Build: Sendable {
        package var version: String
        /// `false` for a version that is older than the fix.
        package var isSince: Bool
        /// `true` if the version had reports of the leak when it was resolved, perhaps reports that arrived later. Its checks before and after the decision cannot be told
        /// apart, so they neither prove nor refute the fix. New reports of the version still make the leak regressed.
        package var hadReports: Bool
        /// Number of earlier decisions that resolved the leak in this version or an older version. A decision does not count if another decision
        /// replaced it before any version with its fix was used, and for a version that had the leak when it was made. 0 for a version
        /// that is not older than the fix.
        package var earlierFixes: Int
        /// ``FixStatus/Step/firstUse``
        package var firstUse: Int64
        /// ``FixStatus/Step/seenAgainDay``
        package var seenAgainDay: Int?
        /// Checks of the class of the leak.
        package var checks: BucketCounts
        package var reports: BucketCounts

        package init(
            version: String, isSince: Bool, hadReports: Bool = false, earlierFixes: Int = 0,
            firstUse: Int64 = 0, seenAgainDay: Int? = nil, checks: BucketCounts, reports: BucketCounts
        ) {
            self.version = version
            self.isSince = isSince
            self.hadReports = hadReports
            self.earlierFixes = earlierFixes
            self.firstUse = firstUse
            self.seenAgainDay = seenAgainDay
            self.checks = checks
            self.reports = reports
        }
    }

    /// Counts of one version.
    private struct Version {
        var build: Build
        var counts = Counts()
    }

    private struct Counts {
        var checks = BucketCounts()
        var reports = BucketCounts()

        mutating func add(_ other: Counts) {
            checks.add(other.checks)
            reports.add(other.reports)
        }

        /// `true` if the counts give a rate: a version without checks, or with more reports than checks, would raise the rate of the
        /// other versions.
        var isRate: Bool {
            let (reportCount, checkCount) = (reports.counts.reduce(0, +), checks.counts.reduce(0, +))
            return checkCount > 0 && reportCount <= checkCount
        }

        var hasReports: Bool { reports.counts.contains { $0 > 0 } }

        var bucketed: BucketedCounts { BucketedCounts(events: reports.counts, trials: checks.counts) }
    }

    /// Versions that are older than the fix, oldest first.
    private var before: [Version] = []
    /// Versions that had reports of the leak when it was resolved, and are not older than the fix, oldest first.
    private var hadReports: [Version] = []
    /// Other versions that are not older than the fix, oldest first.
    private var since: [Version] = []

    package init() {}

    /// - Parameter build: a build of the same version as the build that was added last, or of a newer version.
    package mutating func add(_ build: Build) {
        let counts = Counts(checks: build.checks, reports: build.reports)
        if !build.isSince {
            Self.add(counts, of: build, to: &before)
        } else if build.hadReports {
            Self.add(counts, of: build, to: &hadReports)
        } else {
            Self.add(counts, of: build, to: &since)
        }
    }

    private static func add(_ counts: Counts, of build: Build, to versions: inout [Version]) {
        if versions.last?.build.version != build.version { versions.append(Version(build: build)) }
        versions[versions.count - 1].counts.add(counts)
    }

    /// Counts of the versions before the fix, from the first to the last one with the leak. If the leak was resolved before, only
    /// versions since that fix count: the versions before it may have had another rate. Versions between them without a report count,
    /// too: without them a rare leak would seem to be frequent.
    private var countsBefore: Counts {
        let versions = before.filter(\.counts.isRate)
        let lastFix = versions.last(where: \.counts.hasReports)?.build.earlierFixes
        let sinceLastFix = versions.filter { $0.build.earlierFixes == lastFix }
        var counts = Counts()
        if let first = sinceLastFix.firstIndex(where: \.counts.hasReports),
            let last = sinceLastFix.lastIndex(where: \.counts.hasReports)
        {
            for version in sinceLastFix[first...last] { counts.add(version.counts) }
        }
        // A leak that was first seen in the version that should have the fix.
        return counts.hasReports ? counts : hadReports.reduce(into: Counts()) { $0.add($1.counts) }
    }

    /// - Parameter regressedIn: ``DecisionStatus/regressedIn``
    package func status(regressedIn: String?) -> FixStatus {
        let before = countsBefore.bucketed
        let seenAgainOrder = regressedIn.map(VersionOrder.init)
        var withoutLeak = Counts()
        var seenAgain: Counts?
        func progress() -> FixProgress {
            FixProgress(before: before, withoutLeak: withoutLeak.bucketed, seenAgain: seenAgain?.bucketed)
        }
        var steps: [FixStatus.Step] = []
        func addStep(_ build: Build) {
            let step = FixStatus.Step(
                version: build.version, firstUse: build.firstUse, seenAgainDay: build.seenAgainDay,
                progress: progress())
            if step.progress.stage != steps.last?.progress.stage { steps.append(step) }
        }
        // The leak may be seen again in a version whose counts say nothing. Later versions are not to blame for that.
        let silentVersion = hadReports.first { $0.build.version == regressedIn }
        for version in since {
            if let seenAgainOrder, VersionOrder(version.build.version) >= seenAgainOrder {
                if seenAgain == nil {
                    seenAgain = Counts()
                    if let silentVersion { addStep(silentVersion.build) }
                }
                // Checks of versions without a report would lower the rate of the versions with reports.
                if version.counts.hasReports { seenAgain?.add(version.counts) }
            } else {
                withoutLeak.add(version.counts)
            }
            addStep(version.build)
        }
        if regressedIn != nil, seenAgain == nil {
            seenAgain = Counts()
            if let silentVersion { addStep(silentVersion.build) }
        }
        return FixStatus(progress: progress(), version: since.first?.build.version, steps: steps)
    }

    /// Returns the evidence for the fix of a decision that is not in force any more.
    package func pastStatus() -> FixStatus {
        // Without a day, the reports were made before the decision, and arrived late.
        status(
            regressedIn: since.first { $0.counts.hasReports && $0.build.seenAgainDay != nil }?.build.version)
    }
}

extension FixCounts {
    /// The decisions whose counts are read.
    package enum Decisions {
        /// The decisions in force. The key of a row is the row of its leak.
        case current
        /// The newest decisions that are not in force any more. The key of a row is that of the decision.
        case past

        /// Maximum number of past decisions per leak.
        private static let pastLimit = 20

        fileprivate var key: String {
            switch self {
            case .current: "l.id"
            case .past: "d.id"
            }
        }

        fileprivate var join: String {
            switch self {
            case .current: "join decision d on d.id = l.state and d.kind = 'resolve'"
            case .past:
                """
                join decision d on d.leak = l.id and d.id in (select id from decision
                  where leak = l.id and kind = 'resolve' and id <> l.state order by id desc limit \(Self.pastLimit))
                left join decision n on n.id = (select min(id) from decision
                  where leak = l.id and kind = 'resolve' and id > d.id)
                """
            }
        }

        /// The condition on the versions. Versions from the fix of the next decision on belong to the next decision, except versions in which the
        /// leak was seen again before it.
        fileprivate var condition: String {
            switch self {
            case .current: ""
            case .past:
                """
                and (n.id is null or r.order_key < n.fix_from or (r.first_seen < n.at and exists (
                  select 1 from leak_day y where y.leak = l.id and y.release = r.id and y.reports > 0
                    and y.day between d.at / 86400000 and n.at / 86400000)))
                """
            }
        }

        /// Reports before a past decision are not stored. A version that was in use before it and has the leak may have had it then.
        fileprivate func hadReports(smallest: String) -> String {
            switch self {
            case .current:
                """
                exists (select 1 from leak_release c \(ContradictingReports.join)
                  where c.leak = l.id and c.release = r.id and c.reports > 0
                    and (s.reports > 0 or \(ContradictingReports.sql(smallest: smallest)) <= 0))
                """
            case .past:
                """
                (r.first_seen < d.at and exists (
                  select 1 from leak_release s where s.leak = l.id and s.release = r.id and s.reports > 0))
                """
            }
        }
    }

    /// Returns SQL for the builds of resolved leaks. They begin with the version in which the leak was first seen, or with the fix if that
    /// is older still.
    ///
    /// - Parameters:
    ///   - decisions: the decisions that resolved the leaks.
    ///   - leaks: SQL for the leaks, as `l`.
    ///   - smallest: the SQL function that returns the smallest of its parameters.
    package static func select(_ decisions: Decisions, from leaks: String, smallest: String) -> String {
        """
        with used_fix as materialized (
          select e.leak, e.id, e.at, e.fix_from
          from (select o.leak, o.id, o.kind, o.at, o.fix_from, l.app, min(o.at) over (partition by o.leak order by o.id
                rows between 1 following and unbounded following) as next_at
              from \(leaks) join decision o on o.leak = l.id and o.kind <> 'note') e
          where e.kind = 'resolve' and exists (select 1 from release u where u.app = e.app
            and u.order_key >= e.fix_from and u.first_seen >= e.at and u.first_seen < e.next_at))
        select \(decisions.key), r.version, r.order_key >= d.fix_from, \(decisions.hadReports(smallest: smallest)), k.buckets, p.buckets,
          case when r.order_key < d.fix_from then
            (select count(*) from used_fix e where e.leak = l.id and e.id < d.id and e.fix_from <= r.order_key
              and not (r.first_seen < e.at and p.leak is not null)) else 0 end,
          r.first_seen,
          case when p.leak is not null and r.order_key >= d.fix_from then
            (select min(y.day) from leak_day y
              where y.leak = l.id and y.release = r.id and y.day >= d.at / 86400000 and y.reports > 0) end
        from \(leaks) \(decisions.join)
        join release f on f.id = l.first_release
        join release r on r.app = l.app and r.order_key >= \(smallest)(f.order_key, d.fix_from)
        join build b on b.release = r.id
        left join build_check k on k.build = b.id and k.class = l.class
        left join leak_build p on p.leak = l.id and p.build = b.id
        where (k.build is not null or p.leak is not null) \(decisions.condition)
        order by \(decisions.key), r.order_key, r.id
        """
    }

    /// Adds a row of ``select(_:from:smallest:)``.
    ///
    /// - Parameters:
    ///   - database: the path of the database, for the error.
    ///   - counts: parses the counts by bucket.
    package mutating func add(
        _ row: some StoredRow, in database: String, counts: ([UInt8]) -> BucketCounts?
    ) throws(StoreError) {
        guard let checks = row.isNull(4) ? BucketCounts() : counts(row.bytes(4)),
            let reports = row.isNull(5) ? BucketCounts() : counts(row.bytes(5))
        else { throw .unreadable("counts by bucket", in: database) }
        add(
            Build(
                version: String(decoding: row.bytes(1), as: UTF8.self), isSince: row.int64(2) != 0,
                hadReports: row.int64(3) != 0, earlierFixes: Int(row.int64(6)), firstUse: row.int64(7),
                seenAgainDay: row.isNull(8) ? nil : Int(row.int64(8)), checks: checks, reports: reports))
    }
}

extension LeakRow {
    /// `true` if the current decision is "resolved".
    package var hasFix: Bool {
        guard case .resolved = decisionStatus?.decision.action else { return false }
        return true
    }

    /// Sets the evidence for the fix of a resolved leak.
    ///
    /// - Parameter counts: `nil` if no version has reports or checks.
    package mutating func addFix(_ counts: FixCounts?) {
        guard hasFix else { return }
        fix = (counts ?? FixCounts()).status(regressedIn: decisionStatus?.regressedIn)
    }
}

extension LeakDetail {
    /// Sets the evidence for the fixes of the decisions in ``history``.
    ///
    /// - Parameters:
    ///   - decisions: the rows of the decisions in ``history``, in the same order.
    ///   - counts: the counts of past decisions, by row.
    package mutating func addFixes(_ decisions: [Int64], _ counts: [Int64: FixCounts]) {
        for (index, decision) in decisions.enumerated() {
            fixes[index] =
                row.hasFix && history[index] == row.decisionStatus?.decision
                ? row.fix : counts[decision]?.pastStatus()
        }
    }
}
