#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        private static let maxTitlesShown = 3

        func overview(app: AppScope, period: Period, now: Int64) throws(StoreError) -> Overview {
            try snapshot { connection throws(StoreError) in
                let leakStates = try leakStates(app: app, now: now, on: connection)
                let regressed = leakStates.regressed
                let (current, previous) = try currentReleases(ofOnly: app, on: connection)
                // The leaks `other` are never new.
                let setAside = leakStates.others.union(leakStates.rowIDs(LeakState.setAside)).sorted()
                let (newTitles, newCount, regressedTitles, recent, recentLeaks, totals, dropped, overLimit) =
                    try connection.readAll(
                        Self.newLeaks(app, excluding: setAside), Self.newLeakCount(app, excluding: setAside),
                        Self.titles(of: regressed), Self.recentCounts(app, period, now: now),
                        Self.recentLeaks(app, period, now: now), StoreQueries.totals(app),
                        StoreQueries.droppedReports(of: app), StoreQueries.overLimitCounts(app))
                return Overview(
                    currentRelease: current, previousRelease: previous,
                    lastSessions: current?.sessions == 0
                        ? try connection.read(StoreQueries.lastSessions(app)) : nil,
                    newLeaks: Int(newCount.first ?? 0), newLeakTitles: newTitles,
                    regressedLeaks: regressed.count, regressedLeakTitles: regressedTitles,
                    period: period, recentReports: recent.reports, recentInstalls: recent.installs.count,
                    recentLeaks: Int(recentLeaks.first ?? 0), leaks: totals?.leaks ?? 0,
                    reports: totals?.reports ?? 0, known: leakStates.totals(.known),
                    resolved: leakStates.totals(.resolved), ignored: leakStates.totals(.ignored),
                    slow: leakStates.totals(.slow), dropped: dropped, overLimit: overLimit)
            }
        }

        private static func titles(of leaks: [Int64]) -> StoreRead<[String]> {
            StoreRead<[String]>.texts(
                """
                select t.title from leak l join leak_text t on t.leak = l.id where l.id = any($1::bigint[])
                order by l.reports desc, l.id limit $2::bigint
                """, .integers(leaks), .int(maxTitlesShown))
        }

        /// - Parameter setAside: row IDs of leaks that are not counted.
        private static func newLeakCount(_ app: AppScope, excluding setAside: [Int64]) -> StoreRead<[Int64]> {
            StoreRead<[Int64]>.numbers(
                .composed(
                    """
                    select coalesce(sum(r.new_leaks), 0)::bigint - (select count(*) from leak l join app a on a.id = l.app
                      where l.id = any($3::bigint[]) and l.first_release = a.newest_release)
                    from app a join release r on r.id = a.newest_release where \(StoreQueries.isInScopeSQL)
                    """), .text(app.app), .text(app.environment), .integers(setAside))
        }

        private static func newLeaks(_ app: AppScope, excluding setAside: [Int64]) -> StoreRead<[String]> {
            StoreRead<[String]>.texts(
                .composed(
                    """
                    select t.title from app a
                    cross join lateral (select id, reports from leak where first_release = a.newest_release
                        and id not in (select unnest($3::bigint[]))
                      order by reports desc, id limit $4::bigint) l
                    join leak_text t on t.leak = l.id where \(StoreQueries.isInScopeSQL)
                    order by l.reports desc, l.id limit $4::bigint
                    """), .text(app.app), .text(app.environment), .integers(setAside), .int(maxTitlesShown))
        }

        /// Reads reports and installs in parts. For the last 24 hours, the parts are ten-minute slots. For other periods, they
        /// are days, and the slots that have not been added to their day yet.
        private static func recentCounts(
            _ app: AppScope, _ period: Period, now: Int64
        ) -> StoreRead<StoreQueries.RecentCounts> {
            StoreQueries.recentCounts(
                .composed(
                    """
                    select s.reports, i.members from app a join app_slot s on s.app = a.id and s.slot >= $3::bigint
                    left join install_set i on i.scope = $4::bigint and i.owner = s.app and i.part = s.slot
                    where \(StoreQueries.isInScopeSQL)
                    union all
                    select d.reports, i.members from app a join app_day d on d.app = a.id and d.day >= $5::bigint
                    left join install_set i on i.scope = $6::bigint and i.owner = d.app and i.part = d.day
                    where \(StoreQueries.isInScopeSQL)
                    """), .text(app.app), .text(app.environment), .int(period.firstSlot(now: now)),
                .integer(InstallScope.slot(app: 0, slot: 0).row.scope),
                .int(period.firstAppDay(now: now)),
                .integer(InstallScope.day(app: 0, day: 0).row.scope))
        }

        private static func recentLeaks(
            _ app: AppScope, _ period: Period, now: Int64
        ) -> StoreRead<[Int64]> {
            StoreRead<[Int64]>.numbers(
                .composed(
                    """
                    select coalesce(sum(h.seen), 0)::bigint from app a join app_last_hour h on h.app = a.id
                    where h.hour >= $3::bigint and \(StoreQueries.isInScopeSQL)
                    """), .text(app.app), .text(app.environment),
                .integer(period.startTime(now: now) / Calendar.hourMilliseconds))
        }
    }
#endif
