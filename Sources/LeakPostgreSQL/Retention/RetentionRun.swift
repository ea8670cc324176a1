#if PostgreSQL
    internal import LeakStore

    /// The progress of one run by the ``RetentionRule``, step by step: first it deletes names (leaks and versions) that were not
    /// seen for long, then it combines counts by day to counts by week.
    ///
    /// Each step leaves all totals right, so the process may end after any step. The next run finds the data that is left.
    struct RetentionRun {
        /// The time of the system clock, in milliseconds since 1970.
        let now: Int64
        /// `nil` until the first step has read the clock.
        fileprivate var times: RetentionRule.Times?
        /// Row ID of the last app that was searched and has no leak or release to delete.
        fileprivate var lastApp: Int64 = 0
        /// `true` once all apps were searched for leaks and releases to delete.
        fileprivate var areNamesDone = false
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
        /// Maximum number of counts by day that a step moves to the first day of their week.
        private static let maxCombinedDays = 1_000

        /// Deletes some names, or combines some days, in a transaction of its own that locks their app, as a merge of leaks does.
        ///
        /// - Returns: `true` if another step is needed.
        func runStep(of run: inout RetentionRun) throws(StoreError) -> Bool {
            guard run.changeCount < run.maxChanges else { return false }
            var next = run
            let times: RetentionRule.Times
            if let known = run.times {
                times = known
            } else {
                times = RetentionRule.Times(retention, now: try writeClock(at: run.now).expiryTime)
                next.times = times
            }
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                try Migration.requireKnownVersion(
                    connection.run([Migration.sharedLockQuery, Migration.versionQuery])[1], connection)
                let isLeft =
                    try next.areNamesDone
                    ? combineDays(&next, times, on: connection) : deleteNames(&next, times, on: connection)
                try connection.run(Query("commit"))
                run = next
                return isLeft
            } catch {
                connector.reset()
                throw error
            }
        }

        private func lock(app: Int64, on connection: PostgreSQLConnection) throws(StoreError) {
            try connection.run(
                Query("select id from app where id = $1::bigint for no key update", .integer(app)))
        }

        // MARK: Names

        /// Deletes some leaks, or a part of a release, of the first app that has any to delete. Searches only ``maxSearchedApps``
        /// apps; the next step searches the apps after them.
        ///
        /// - Returns: `true`, because further steps combine days.
        private func deleteNames(
            _ run: inout RetentionRun, _ times: RetentionRule.Times, on connection: PostgreSQLConnection
        ) throws(StoreError) -> Bool {
            guard retention.unseenDays != nil else {
                run.areNamesDone = true
                return true
            }
            let apps = try connection.run(
                Query(
                    "select id from app where id > $1::bigint order by id limit $2::bigint",
                    .integer(run.lastApp), .integer(Self.maxSearchedApps))
            ).map { $0.int64(0) }
            let found = try connection.run(
                apps.flatMap {
                    [
                        Self.unseenLeaksQuery(of: $0, times, limit: 1),
                        Self.unseenReleaseQuery(of: $0, times, ignoresDecisions: true),
                    ]
                })
            for (index, app) in apps.enumerated() {
                run.lastApp = app
                guard found[2 * index].count + found[2 * index + 1].count > 0 else { continue }
                try lock(app: app, on: connection)
                // Read after the lock, so that the app does not change any more.
                let locked = try connection.run([
                    Self.unseenLeaksQuery(of: app, times, limit: Self.maxUndoneRows),
                    Self.unseenReleaseQuery(of: app, times, ignoresDecisions: false),
                ])
                var deletion = LeakDeletion(app: app, connection: connection)
                deletion.keepsEvents = true
                if locked[0].count > 0 {
                    try deleteSome(
                        ofLeaks: locked[0].map { $0.int64(0) }, limit: Self.maxUndoneRows, by: &deletion)
                } else if let release = locked[1].first?.int64(0) {
                    deletion.keepsTimes = true
                    _ = try deleteSome(ofRelease: release, by: &deletion)
                } else {
                    continue
                }
                try deletion.finish()
                let counts = deletion.counts
                var queries = [InstallErasure.deletionMark, InstallErasure.cacheInvalidation]
                if counts.leaks > 0 {
                    queries.append(.overLimitIncrement(counts.leaks, of: .deletedLeaks, app: app))
                }
                if counts.versions > 0 {
                    queries.append(.overLimitIncrement(counts.versions, of: .deletedReleases, app: app))
                }
                _ = try connection.run(queries)
                run.lastApp = app - 1
                run.changeCount += 1
                return true
            }
            run.areNamesDone = apps.count < Self.maxSearchedApps
            return true
        }

        /// Returns a query for the row IDs of some leaks to delete, the least recently seen first.
        private static func unseenLeaksQuery(
            of app: Int64, _ times: RetentionRule.Times, limit: Int
        ) -> Query {
            Query(
                """
                select l.id from leak l where l.app = $1::bigint and
                  \(RetentionRule.leakCondition(isOther: isOtherLeakSQL, unseenBefore: "$2::bigint"))
                order by l.last_seen, l.id limit $3::bigint
                """, .integer(app), .integer(times.unseenBefore), .integer(limit))
        }

        /// Returns a query for the row ID of the first release to delete.
        ///
        /// - Parameter ignoresDecisions: `true` leaves out the condition that no decision keeps the release. This takes less time:
        ///   PostgreSQL would run the subqueries of the condition even if no release is old enough.
        private static func unseenReleaseQuery(
            of app: Int64, _ times: RetentionRule.Times, ignoresDecisions: Bool
        ) -> Query {
            let old = RetentionRule.oldReleaseCondition(
                unseenBefore: "$2::bigint", firstSeenLeaks: "r.new_leaks")
            let undecided = RetentionRule.undecidedReleaseCondition(isInScope: "l.app = $1::bigint")
            return Query(
                """
                select r.id from app a join release r on r.app = a.id where a.id = $1::bigint and \(old)
                  and \(ignoresDecisions ? "true" : undecided) order by r.id limit 1
                """, .integer(app), .integer(times.unseenBefore))
        }

        // MARK: Days

        /// Adds some counts by day of one app to the counts of the first day of their week.
        ///
        /// - Returns: `true` if another step is needed.
        private func combineDays(
            _ run: inout RetentionRun, _ times: RetentionRule.Times, on connection: PostgreSQLConnection
        ) throws(StoreError) -> Bool {
            // Earlier runs have combined all days before `first`. No counts were added to them since, because a report arrives at
            // most 30 days late.
            let first = combinedDaysBefore ?? 0
            guard times.combinedBefore > first else { return false }
            let condition = RetentionRule.dayCondition(from: "$3::bigint", before: "$4::bigint")
            let bounds: [Parameter] = [
                .integer(run.lastLeak), .integer(Self.maxSearchedLeaks), .integer(first),
                .integer(times.combinedBefore),
            ]
            // The limits in the lateral queries make PostgreSQL search an index for the days of each leak.
            let part = "select id, app from leak where id > $1::bigint order by id limit $2::bigint"
            let found = try connection.run(
                Query(
                    """
                    with part as materialized (\(part))
                    select (select max(id) from part), (select part.app from part
                      cross join lateral (select 1 from leak_day d where d.leak = part.id and \(condition) limit 1) as found
                      order by part.id limit 1)
                    """, bounds)
            ).first
            guard let found, let last = found.optionalInt64(0) else {
                combinedDaysBefore = times.combinedBefore
                return false
            }
            guard let app = found.optionalInt64(1) else {
                run.lastLeak = last
                return true
            }
            try lock(app: app, on: connection)
            let week = RetentionRule.weekSQL("day")
            let moved = try connection.run(
                Query(
                    """
                    with part as materialized (\(part)),
                      chosen as materialized (select d.leak, d.day, d.release from part
                        cross join lateral (select d.leak, d.day, d.release from leak_day d
                          where d.leak = part.id and \(condition)
                          order by d.day, d.release limit \(Self.maxCombinedDays)) as d
                        where part.app = $5::bigint
                        order by d.leak, d.day, d.release limit \(Self.maxCombinedDays)),
                      gone as (delete from leak_day d using chosen c
                        where d.leak = c.leak and d.day = c.day and d.release = c.release
                        returning d.leak, d.day, d.release, d.reports),
                      combined as (insert into leak_day as known (leak, day, release, reports)
                        select leak, \(week), release, least(sum(reports), LARGEST_TOTAL)::bigint from gone group by 1, 2, 3
                        on conflict (leak, day, release) do update set
                          reports = least(known.reports + excluded.reports, LARGEST_TOTAL))
                    select leak, day, release from gone order by 1, 2, 3
                    """, bounds + [.integer(app)]))
            try updateColumns(after: moved, before: times.combinedBefore, on: connection)
            run.changeCount += 1
            return true
        }

        /// Updates the columns that depend on days that were combined: `last_hour` of leaks and releases that had their last
        /// reports on these days, and ``PeriodColumns`` of leaks and releases whose longest period may include these days.
        ///
        /// - Parameters:
        ///   - moved: the leaks, former days and releases of the counts.
        ///   - day: the day before which days are combined.
        private func updateColumns(
            after moved: Rows, before day: Int, on connection: PostgreSQLConnection
        ) throws(StoreError) {
            let leaks = Parameter.integers(Set(moved.map { $0.int64(0) }).sorted().map(Optional.some))
            // Leaks whose last reports are from a day that is combined.
            let last = try connection.run(
                Query(
                    "select id from leak where id = any($1::bigint[]) and last_hour < $2::bigint order by id",
                    leaks,
                    .integer(day * 24)))
            let lastLeaks = Parameter.integers(last.map { Optional($0.int64(0)) })
            let windowEnd = day + Period.quarter.days
            _ = try connection.run([
                Query(
                    """
                    update leak_release n set \(PeriodColumns.unknownAssignmentsSQL), last_hour =
                      case n.last_hour / 24 when m.day then \(RetentionRule.weekSQL("m.day")) * 24 else n.last_hour end
                    from (select leak, release, max(day) as day
                      from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as m (leak, day, release)
                      group by leak, release) as m
                    where n.leak = m.leak and n.release = m.release and n.last_hour < $4::bigint
                    """, .integers(moved.map { Optional($0.int64(0)) }), .integers(moved.map { $0.int(1) }),
                    .integers(moved.map { Optional($0.int64(2)) }), .integer(windowEnd * 24)),
                Query(
                    """
                    update leak set \(PeriodColumns.unknownAssignmentsSQL)
                    where id = any($1::bigint[]) and last_hour < $2::bigint
                    """, leaks, .integer(windowEnd * 24)),
                Query(
                    "delete from leak_day_running where leak = any($1::bigint[]) and last < $2::bigint",
                    leaks,
                    .integer(windowEnd)),
                LastHours.countQuery(lastLeaks, sign: -1),
                Query(
                    """
                    update leak l set last_hour = greatest((select max(hour) from leak_hour where leak = l.id and reports > 0),
                      (select max(day) * 24 from leak_day where leak = l.id and reports > 0))
                    where id = any($1::bigint[])
                    """, lastLeaks),
                LastHours.countQuery(lastLeaks, sign: 1),
            ])
        }
    }
#endif
