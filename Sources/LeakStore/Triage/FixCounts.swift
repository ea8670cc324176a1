internal import LeakStatistics

/// Reports and checks of a resolved leak, by version.
package struct FixCounts: Sendable {
    /// One build of a version, as read from a store.
    package struct Build: Sendable {
        package var version: String
        /// `false` for a version that is older than the fix.
        package var isSince: Bool
        /// `true` if the version had reports of the leak when it was resolved. Its checks before and after the decision cannot be told
        /// apart, so they neither prove nor refute the fix. New reports of the version still make the leak regressed.
        package var isMixed: Bool
        /// Checks of the class of the leak.
        package var checks: BucketCounts
        package var reports: BucketCounts

        package init(
            version: String, isSince: Bool, isMixed: Bool, checks: BucketCounts, reports: BucketCounts
        ) {
            self.version = version
            self.isSince = isSince
            self.isMixed = isMixed
            self.checks = checks
            self.reports = reports
        }
    }

    private struct Counts {
        var checks = BucketCounts()
        var reports = BucketCounts()

        mutating func add(_ other: Counts) {
            checks.add(other.checks)
            reports.add(other.reports)
        }

        /// `true` if the counts tell a rate: a version without checks would raise the rate of the other versions, and a version without reports
        /// would lower it.
        var isRate: Bool {
            let (reportCount, checkCount) = (reports.counts.reduce(0, +), checks.counts.reduce(0, +))
            return reportCount > 0 && reportCount <= checkCount
        }

        var hasReports: Bool { reports.counts.contains { $0 > 0 } }

        var bucketed: BucketedCounts { BucketedCounts(events: reports.counts, trials: checks.counts) }
    }

    /// Versions that are older than the fix, oldest first.
    private var before: [(version: String, counts: Counts)] = []
    /// Versions that had reports of the leak when it was resolved, and are not older than the fix.
    private var mixed = Counts()
    /// Other versions that are not older than the fix, oldest first.
    private var since: [(version: String, counts: Counts)] = []

    package init() {}

    /// - Parameter build: a build of the same version as the last one that was added, or of a newer one.
    package mutating func add(_ build: Build) {
        let counts = Counts(checks: build.checks, reports: build.reports)
        if !build.isSince {
            Self.add(counts, of: build.version, to: &before)
        } else if build.isMixed {
            mixed.add(counts)
        } else {
            Self.add(counts, of: build.version, to: &since)
        }
    }

    private static func add(
        _ counts: Counts, of version: String, to versions: inout [(version: String, counts: Counts)]
    ) {
        if versions.last?.version != version { versions.append((version, Counts())) }
        versions[versions.count - 1].counts.add(counts)
    }

    /// - Parameter regressedIn: ``DecisionStatus/regressedIn``
    package func status(regressedIn: String?) -> FixStatus {
        var earlier = Counts()
        for version in self.before where version.counts.isRate { earlier.add(version.counts) }
        // A leak that was first seen in the version that should have the fix.
        if !earlier.hasReports { earlier = mixed }
        let before = earlier.bucketed
        let seenAgainOrder = regressedIn.map(VersionOrder.init)
        var clean = Counts()
        var seenAgain: Counts?
        func progress() -> FixProgress {
            FixProgress(before: before, clean: clean.bucketed, seenAgain: seenAgain?.bucketed)
        }
        var steps: [FixStatus.Step] = []
        for (version, counts) in since {
            if let seenAgainOrder, VersionOrder(version) >= seenAgainOrder {
                seenAgain = seenAgain ?? Counts()
                // Checks of versions without a report would lower the rate of the versions with reports.
                if counts.hasReports { seenAgain?.add(counts) }
            } else {
                clean.add(counts)
            }
            let step = FixStatus.Step(version: version, progress: progress())
            if step.progress.stage != steps.last?.progress.stage { steps.append(step) }
        }
        if regressedIn != nil, seenAgain == nil { seenAgain = Counts() }
        return FixStatus(progress: progress(), version: since.first?.version, steps: steps)
    }
}

extension FixCounts {
    /// Returns SQL for the builds of resolved leaks. They begin with the version in which the leak was first seen, or with the fix if that
    /// is older still.
    ///
    /// - Parameters:
    ///   - leaks: SQL for the leaks, as `l`.
    ///   - smallest: the SQL function that returns the smallest of its parameters.
    package static func select(from leaks: String, smallest: String) -> String {
        """
        select l.id, r.version, r.order_key >= d.fix_from, s.release is not null, k.buckets, p.buckets
        from \(leaks) join decision d on d.id = l.state and d.kind = 'resolve'
        join release f on f.id = l.first_release
        join release r on r.app = l.app and r.order_key >= \(smallest)(f.order_key, d.fix_from)
        join build b on b.release = r.id
        left join build_check k on k.build = b.id and k.class = l.class
        left join leak_build p on p.leak = l.id and p.build = b.id
        left join decision_release s on s.decision = d.id and s.release = r.id
        where k.build is not null or p.leak is not null
        order by l.id, r.order_key, r.id
        """
    }

    /// Adds a row of ``select(from:smallest:)``.
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
                isMixed: row.int64(3) != 0, checks: checks, reports: reports))
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
