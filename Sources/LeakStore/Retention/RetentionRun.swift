/// The progress of one run by the ``RetentionRule``, step by step: first it deletes names (leaks and versions) that were not seen
/// for long, then it combines counts by day to counts by week.
///
/// Each step leaves all totals right, so the process may end after any step. The next run finds the data that is left.
struct RetentionRun {
    /// The time of the system clock, in milliseconds since 1970.
    let now: Int64
    /// Row ID of the last app that was searched and has no leak or release to delete.
    fileprivate var lastApp: Int64 = 0
    /// `true` once all apps were searched for leaks and releases to delete.
    fileprivate var areNamesDone = false
    /// `true` if the next step may delete the rows of a release.
    fileprivate var deletesReleases = false
    /// Row ID of the last leak whose days were combined.
    fileprivate var lastLeak: Int64 = 0

    /// Number of steps so far that changed something.
    fileprivate var changeCount = 0
    /// Maximum of ``changeCount``, because other maintenance waits for the end of the run. The next run continues the work.
    fileprivate let maxChanges: Int

    init(now: Int64, maxChanges: Int = 500) {
        self.now = now
        self.maxChanges = maxChanges
    }
}

extension Writer {
    /// Number of apps that a step searches for names to delete.
    private static let maxSearchedApps = 20
    /// Number of leaks that a step searches for days to combine. A leak has up to a few thousand older counts by week.
    private static let maxSearchedLeaks = 100
    /// Maximum number of counts by day that a step moves to the first day of their week. For each, a row is deleted and another row
    /// is changed or inserted.
    private static let maxCombinedDays = 1_000

    /// Deletes some names, or combines some days, in a transaction of its own.
    ///
    /// - Returns: `true` if another step is needed.
    func runStep(of run: inout RetentionRun) throws(StoreError) -> Bool {
        guard run.changeCount < run.maxChanges else { return false }
        // With foreign keys on, SQLite would search the counts of all leaks for rows that refer to the deleted release. The
        // transaction deletes these rows itself.
        let areForeignKeysOff = run.deletesReleases
        if areForeignKeysOff { try connection.execute("pragma foreign_keys = off") }
        defer { if areForeignKeysOff { try? connection.execute("pragma foreign_keys = on") } }
        do throws(StoreError) {
            var next = run
            let isLeft = try connection.transaction(.immediate) { () throws(StoreError) -> Bool in
                try clearCachesIfOthersWrote()
                let times = RetentionRule.Times(retention, now: try clock(at: next.now).expiryTime)
                guard next.areNamesDone else {
                    try deleteNames(&next, times)
                    return true
                }
                return try combineDays(&next, times)
            }
            run = next
            return isLeft
        } catch {
            clearCaches()
            throw error
        }
    }

    // MARK: Names

    /// Deletes some leaks, or a part of a release, of the first app that has any to delete. Searches only ``maxSearchedApps`` apps;
    /// the next step searches the apps after them.
    private func deleteNames(_ run: inout RetentionRun, _ times: RetentionRule.Times) throws(StoreError) {
        guard retention.unseenDays != nil else { return run.areNamesDone = true }
        let apps = try numbers(
            "select id from app where id > ? order by id limit ?", run.lastApp, Self.maxSearchedApps)
        for app in apps {
            var deletion = LeakDeletion()
            deletion.keepsEvents = true
            if try deleteSomeNames(of: app, &run, times, by: &deletion) {
                run.changeCount += 1
                try addOverLimitCounts(of: deletion, to: app)
                try finish(deletion)
                try reindexAll()
                try recordDeletion()
                // Cached entries refer to rows that do not exist any more.
                caches.removeAll()
                return
            }
            run.lastApp = app
        }
        run.areNamesDone = apps.count < Self.maxSearchedApps
    }

    /// Deletes some old leaks of an app; if there are none, a part of an old release.
    ///
    /// - Returns: `true` if there was a leak or a release to delete.
    private func deleteSomeNames(
        of app: Int64, _ run: inout RetentionRun, _ times: RetentionRule.Times,
        by deletion: inout LeakDeletion
    ) throws(StoreError) -> Bool {
        if try !unseenLeaks(of: app, times, limit: 1).isEmpty {
            // The log may have newer counts of a leak, so that it is not old.
            try flushLogs()
            let formerChanges = connection.totalChanges
            let leaks = try unseenLeaks(of: app, times, limit: Self.maxUndoneRows)
            for leak in leaks where connection.totalChanges - formerChanges < Self.maxForgottenRows {
                try deleteSome(ofLeak: leak, by: &deletion)
            }
            if !leaks.isEmpty { return true }
        }
        guard try unseenRelease(of: app, times) != nil else { return false }
        try flushLogs()
        guard let release = try unseenRelease(of: app, times) else { return false }
        deletion.keepsTimes = true
        _ = try deleteSome(ofRelease: release, deletesReleases: &run.deletesReleases, by: &deletion)
        if deletion.counts.versions > 0 { run.deletesReleases = false }
        return true
    }

    /// Returns the row IDs of some leaks to delete, the least recently seen first.
    private func unseenLeaks(
        of app: Int64, _ times: RetentionRule.Times, limit: Int
    ) throws(StoreError) -> [Int64] {
        let condition = RetentionRule.leakCondition(isOther: Self.isOtherLeakSQL, unseenBefore: "?2")
        // The index by the time when a leak was last seen lacks leaks with recent counts.
        return try composedNumbers(
            """
            select id from (
              select l.id, l.last_seen from leak l
              where l.app = ?1 and l.is_unindexed = 0 and l.rank_last_seen < ?2 and \(condition)
              union all select l.id, l.last_seen from leak l where l.app = ?1 and l.is_unindexed = 1 and \(condition))
            order by last_seen, id limit ?3
            """, app, times.unseenBefore, limit)
    }

    /// Returns the row ID of the first release to delete.
    private func unseenRelease(of app: Int64, _ times: RetentionRule.Times) throws(StoreError) -> Int64? {
        let old = """
            select r.id from app a join release r on r.app = a.id where a.id = ?1
              and \(RetentionRule.oldReleaseCondition(unseenBefore: "?2", firstSeenLeaks: "r.new_leaks"))
            """
        // Without this check, SQLite would run the subqueries of `undecided` even if no release is old enough.
        guard try !composedNumbers("\(old) limit 1", app, times.unseenBefore).isEmpty else { return nil }
        let undecided = SQLDialect.sqlite.sql(
            RetentionRule.undecidedReleaseCondition(isInScope: "l.app = ?1"))
        return try composedNumbers(
            "\(old) and \(undecided) order by r.id limit 1", app, times.unseenBefore
        ).first
    }

    private func composedNumbers<each Value: Bindable>(
        _ sql: String, _ values: repeat each Value
    ) throws(StoreError) -> [Int64] {
        let select = try connection.statement(composed: sql)
        defer { select.reset() }
        try select.bind(repeat each values)
        var numbers: [Int64] = []
        while try select.step() { numbers.append(select.int64(0)) }
        return numbers
    }

    private func addOverLimitCounts(of deletion: LeakDeletion, to app: Int64) throws(StoreError) {
        // Only the row ID of the entry is used.
        let entry = AppEntry(id: app, key: AppKey(""))
        let counts = deletion.counts
        if counts.leaks > 0 { try addOverLimitCount(counts.leaks, of: .deletedLeaks, to: entry) }
        if counts.versions > 0 { try addOverLimitCount(counts.versions, of: .deletedReleases, to: entry) }
    }

    // MARK: Days

    /// Adds some counts by day to the count of the first day of their week. The caches of the writer do not refer to these rows.
    ///
    /// - Returns: `true` if another step is needed.
    private func combineDays(_ run: inout RetentionRun, _ times: RetentionRule.Times) throws(StoreError)
        -> Bool
    {
        // Earlier runs have combined all days before `first`. No counts were added to them since, because a report arrives at most
        // 30 days late.
        let first = combinedDaysBefore ?? 0
        guard times.combinedBefore > first else { return false }
        let last = try numbers(
            """
            select max(id) from (select id from leak where id > ? order by id limit ?) as part having max(id) is not null
            """, run.lastLeak, Self.maxSearchedLeaks
        ).first
        guard let last else {
            combinedDaysBefore = times.combinedBefore
            return false
        }
        // Both statements select the same rows: they have the same order and limit, and the first statement changes only rows of
        // Mondays, which are not selected.
        let rows = """
            select d.leak, d.day, d.release, d.reports from leak l cross join leak_day d on d.leak = l.id
            where l.id > ?1 and l.id <= ?2 and \(RetentionRule.dayCondition(from: "?3", before: "?4"))
            order by l.id, d.day, d.release limit \(Self.maxCombinedDays)
            """
        try connection.statement(
            composed: """
                insert into leak_day (leak, day, release, reports)
                select leak, \(RetentionRule.weekSQL("day")), release, cast(min(total(reports), LARGEST_TOTAL) as integer)
                from (\(rows)) where true group by 1, 2, 3
                on conflict (leak, day, release) do update set reports = min(reports + excluded.reports, LARGEST_TOTAL)
                """
        ).run(run.lastLeak, last, first, times.combinedBefore)
        guard connection.changes > 0 else {
            run.lastLeak = last
            return true
        }
        try connection.statement(
            composed:
                "delete from leak_day where (leak, day, release) in (select leak, day, release from (\(rows)))"
        ).run(run.lastLeak, last, first, times.combinedBefore)
        if connection.changes < Self.maxCombinedDays { run.lastLeak = last }
        run.changeCount += 1
        return true
    }
}
