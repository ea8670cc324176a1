#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        private static let maxTitlesShown = 3

        func overview(app: AppScope, period: Period, now: Int64) throws(StoreError) -> Overview {
            try snapshot { connection throws(StoreError) in
                let leakStates = try leakStates(app: app, now: now, on: connection)
                let regressed = leakStates.regressed
                let (current, previous) = try currentReleases(
                    ofOnly: app, regressed: regressed, on: connection)
                let setAside = leakStates.rowIDs(LeakState.setAside)
                let answers = try connection.run([
                    Self.newLeaks(app, excluding: setAside), Self.newLeakCount(app, excluding: setAside),
                    Self.titles(of: regressed), Self.recentParts(app, period, now: now),
                    Self.recentLeaks(app, period, now: now), Self.totals(app), Self.droppedReports(of: app),
                    Self.overLimitCounts(app),
                ])
                let recent = try Self.sumRecentReportsAndInstalls(answers[3], in: connection)
                let totals = answers[5].first
                return Overview(
                    currentRelease: current, previousRelease: previous,
                    lastSessions: current?.sessions == 0
                        ? try readLastSessions(app, on: connection) : nil,
                    newLeaks: answers[1].first?.int(0) ?? 0, newLeakTitles: answers[0].map { $0.text(0) },
                    regressedLeaks: regressed.count, regressedLeakTitles: answers[2].map { $0.text(0) },
                    period: period, recentReports: recent.reports, recentInstalls: recent.installs,
                    recentLeaks: answers[4].first?.int(0) ?? 0, leaks: totals?.int(0) ?? 0,
                    reports: totals?.int(1) ?? 0, known: leakStates.totals(.known),
                    resolved: leakStates.totals(.resolved), ignored: leakStates.totals(.ignored),
                    slow: leakStates.totals(.slow),
                    dropped: answers[6].map {
                        Submission.Dropped(
                            app: $0.text(0), environment: app.environment, reason: $0.text(1),
                            count: $0.int(2))
                    }, overLimit: try Self.readOverLimitCounts(answers[7], of: app, connection))
            }
        }

        /// Returns the session counts of the highest version below the current release that has sessions, among the
        /// ``ReleaseSummary/maxListed`` highest versions below the current release.
        private func readLastSessions(
            _ app: AppScope, on connection: PostgreSQLConnection
        ) throws(StoreError) -> VersionSessions? {
            try connection.run(
                Query(
                    """
                    select version, sessions, leaky_sessions from (
                      select r.version, r.sessions, r.leaky_sessions, r.order_key
                      from app a join release n on n.id = a.newest_release
                      join release r on r.app = a.id and r.order_key < n.order_key
                      where a.environment = $3::text and ($1::text is null or a.name = $1::text)
                      order by r.order_key desc limit $2::bigint) below
                    where sessions > 0 order by order_key desc limit 1
                    """, .text(app.app), .integer(ReleaseSummary.maxListed), .text(app.environment))
            ).first.map {
                VersionSessions(version: $0.text(0), sessions: $0.int(1), leakySessions: $0.int(2))
            }
        }

        private static func titles(of leaks: [Int64]) -> Query {
            Query(
                """
                select t.title from leak l join leak_text t on t.leak = l.id where l.id = any($1::bigint[])
                order by l.reports desc, l.id limit $2::bigint
                """, .integers(leaks.map { $0 }), .integer(maxTitlesShown))
        }

        /// - Parameter setAside: row IDs of leaks that are not counted.
        private static func newLeakCount(_ app: AppScope, excluding setAside: [Int64]) -> Query {
            Query(
                """
                select coalesce(sum(r.new_leaks), 0)::bigint - (select count(*) from leak l join app a on a.id = l.app
                  where l.id = any($2::bigint[]) and l.first_release = a.newest_release)
                from app a join release r on r.id = a.newest_release
                where a.environment = $3::text and ($1::text is null or a.name = $1::text)
                """, .text(app.app), .integers(setAside.map { $0 }), .text(app.environment))
        }

        private static func newLeaks(_ app: AppScope, excluding setAside: [Int64]) -> Query {
            Query(
                """
                select t.title from app a
                cross join lateral (select id, reports from leak where first_release = a.newest_release
                    and id not in (select unnest($3::bigint[]))
                  order by reports desc, id limit $2::bigint) l
                join leak_text t on t.leak = l.id
                where a.environment = $4::text and ($1::text is null or a.name = $1::text)
                order by l.reports desc, l.id limit $2::bigint
                """, .text(app.app), .integer(maxTitlesShown), .integers(setAside.map { $0 }),
                .text(app.environment))
        }

        private static func overLimitCounts(_ app: AppScope) -> Query {
            Query(
                """
                select a.name, b.name, b.count from app a join over_limit b on b.app = a.id
                where a.environment = $2::text and ($1::text is null or a.name = $1::text) order by a.name, b.name
                """, .text(app.app), .text(app.environment))
        }

        private static func readOverLimitCounts(
            _ rows: Rows, of app: AppScope, _ connection: PostgreSQLConnection
        ) throws(StoreError) -> [OverLimitCount] {
            var counts: [OverLimitCount] = []
            for row in rows {
                guard let limit = OverLimitCount.Name(rawValue: row.text(1)) else {
                    throw .unreadable("a limit", in: connection.name)
                }
                counts.append(
                    OverLimitCount(
                        app: AppKey(row.text(0), environment: app.environment), limit: limit,
                        count: row.int(2)))
            }
            return counts
        }

        /// Selects reports and installs in parts. For the last 24 hours, the parts are ten-minute slots. For other periods,
        /// they are days, and the slots that have not been added to their day yet.
        private static func recentParts(_ app: AppScope, _ period: Period, now: Int64) -> Query {
            Query(
                """
                select s.reports, i.members from app a join app_slot s on s.app = a.id and s.slot >= $2::bigint
                left join install_set i on i.scope = $3::bigint and i.owner = s.app and i.part = s.slot
                where a.environment = $6::text and ($1::text is null or a.name = $1::text)
                union all
                select d.reports, i.members from app a join app_day d on d.app = a.id and d.day >= $4::bigint
                left join install_set i on i.scope = $5::bigint and i.owner = d.app and i.part = d.day
                where a.environment = $6::text and ($1::text is null or a.name = $1::text)
                """, .text(app.app), .integer(period.firstSlot(now: now)),
                .integer(InstallScope.slot(app: 0, slot: 0).row.scope),
                .integer(period.firstAppDay(now: now)),
                .integer(InstallScope.day(app: 0, day: 0).row.scope), .text(app.environment))
        }

        private static func sumRecentReportsAndInstalls(
            _ rows: Rows, in connection: PostgreSQLConnection
        ) throws(StoreError) -> (reports: Int, installs: Int) {
            var reports = 0
            var installs = InstallSet()
            for row in rows {
                reports.addBounded(row.int(0))
                guard !row.isNull(1) else { continue }
                guard let set = InstallSet(bytes: row.bytes(1)) else {
                    throw .unreadable("a set of installs", in: connection.name)
                }
                installs.merge(set)
            }
            return (reports, installs.count)
        }

        private static func recentLeaks(_ app: AppScope, _ period: Period, now: Int64) -> Query {
            Query(
                """
                select coalesce(sum(h.seen), 0)::bigint from app a join app_last_hour h on h.app = a.id
                where h.hour >= $2::bigint and a.environment = $3::text and ($1::text is null or a.name = $1::text)
                """, .text(app.app), .integer(period.startTime(now: now) / Calendar.hourMilliseconds),
                .text(app.environment))
        }

        private static func droppedReports(of app: AppScope) -> Query {
            Query(
                """
                select a.name, d.reason, d.count from app a join dropped d on d.app = a.id
                where a.environment = $2::text and ($1::text is null or a.name = $1::text)
                order by a.name, d.count desc, d.reason
                """, .text(app.app), .text(app.environment))
        }
    }
#endif
