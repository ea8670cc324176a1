#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        private static let titlesShown = 3
        /// Releases read of one app: years of them, where each costs the counting of its leaks.
        private static let releaseLimit = 200

        func overview(app: String?, period: Period, now: Int64) throws(StoreError) -> Overview {
            let first = SlotWindow.first(now: now)
            return try snapshot { connection throws(StoreError) in
                let newest = try Self.releasesOfOneApp(app, limit: 2, on: connection)
                let known = try knownRows(app: app, on: connection)
                let answers = try connection.run([
                    Self.newLeaks(app, but: known.rows), Self.recentSlots(app, from: first),
                    Self.recentLeaks(app, from: first),
                    Self.totals(app), Self.dropped(app), Self.beyond(app),
                    Self.newLeakCount(app, but: known.rows),
                ])
                let recent = try Self.recent(answers[1], connection)
                let totals = answers[3].first
                return Overview(
                    newest: newest.first, previous: newest.count > 1 ? newest[1] : nil,
                    newLeaks: answers[6].first?.int(0) ?? 0, newTitles: answers[0].map { $0.text(0) },
                    recentReports: recent.reports, recentInstalls: recent.installs,
                    recentLeaks: answers[2].first?.int(0) ?? 0, leaks: totals?.int(0) ?? 0,
                    reports: totals?.int(1) ?? 0, known: known.totals,
                    dropped: answers[4].map {
                        Submission.Dropped(app: $0.text(0), reason: $0.text(1), count: $0.int(2))
                    }, beyond: try Self.beyond(answers[5], connection))
            }
        }

        func releases(app: String) throws(StoreError) -> [Release] {
            try snapshot { connection throws(StoreError) in
                try Self.releases(app, limit: Self.releaseLimit, on: connection)
            }
        }

        /// Versions of different apps do not compare: without a name, only of the one app that there is.
        private static func releasesOfOneApp(
            _ app: String?, limit: Int, on connection: Connection
        ) throws(StoreError) -> [Release] {
            if let app { return try releases(app, limit: limit, on: connection) }
            let names = try connection.run(Query("select name from app limit 2")).map { $0.text(0) }
            return names.count == 1 ? try releases(names[0], limit: limit, on: connection) : []
        }

        private static func releases(
            _ app: String, limit: Int, on connection: Connection
        ) throws(StoreError) -> [Release] {
            let rows = try connection.run(
                Query(
                    """
                    select r.id, r.version, r.reports, r.leaks, r.new_leaks, r.installs, r.sessions,
                      r.leaky_sessions, r.checks, r.first_seen, r.last_seen
                    from app a join release r on r.app = a.id where a.name = $1::text
                    order by r.order_key desc limit $2::bigint
                    """, .text(app), .integer(limit)))
            let built = try connection.run(
                Query(
                    """
                    select release, name from build where release = any($1::bigint[]) and name <> ''
                    order by order_key
                    """, .integers(rows.map { $0.int64(0) })))
            var builds: [Int64: [String]] = [:]
            for row in built { builds[row.int64(0), default: []].append(row.text(1)) }
            return rows.map { row in
                Release(
                    version: row.text(1), builds: builds[row.int64(0)] ?? [], reports: row.int(2),
                    leaks: row.int(3), newLeaks: row.int(4), installs: row.int(5), sessions: row.int(6),
                    leakySessions: row.int(7), checks: row.int(8), firstSeen: row.int64(9),
                    lastSeen: row.int64(10))
            }
        }

        /// - Parameter known: rows of leaks that are left out.
        private static func newLeakCount(_ app: String?, but known: [Int64]) -> Query {
            Query(
                """
                select coalesce(sum(r.new_leaks), 0)::bigint - (select count(*) from leak l join app a on a.id = l.app
                  where l.id = any($2::bigint[]) and l.first_release = a.newest_release)
                from app a join release r on r.id = a.newest_release
                where $1::text is null or a.name = $1::text
                """, .text(app), .integers(known.map { $0 }))
        }

        private static func newLeaks(_ app: String?, but known: [Int64]) -> Query {
            Query(
                """
                select t.title from app a
                cross join lateral (select id, reports from leak where first_release = a.newest_release
                    and id <> all($3::bigint[])
                  order by reports desc, id limit $2::bigint) l
                join leak_text t on t.leak = l.id
                where $1::text is null or a.name = $1::text
                order by l.reports desc, l.id limit $2::bigint
                """, .text(app), .integer(titlesShown), .integers(known.map { $0 }))
        }

        private static func beyond(_ app: String?) -> Query {
            Query(
                """
                select a.name, b.name, b.count from app a join beyond b on b.app = a.id
                where $1::text is null or a.name = $1::text order by a.name, b.name
                """, .text(app))
        }

        private static func beyond(
            _ rows: Rows, _ connection: Connection
        ) throws(StoreError) -> [BeyondLimit] {
            var beyond: [BeyondLimit] = []
            for row in rows {
                guard let limit = BeyondLimit.Name(rawValue: row.text(1)) else {
                    throw .unreadable("a limit", in: connection.name)
                }
                beyond.append(BeyondLimit(app: row.text(0), limit: limit, count: row.int(2)))
            }
            return beyond
        }

        private static func recentSlots(_ app: String?, from first: Int) -> Query {
            Query(
                """
                select s.reports, i.members from app a join app_slot s on s.app = a.id and s.slot >= $2::bigint
                left join install_set i on i.scope = $3::bigint and i.owner = s.app and i.part = s.slot
                where $1::text is null or a.name = $1::text
                """, .text(app), .integer(first), .integer(InstallScope.slot(app: 0, slot: 0).row.scope))
        }

        private static func recent(
            _ rows: Rows, _ connection: Connection
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

        private static func recentLeaks(_ app: String?, from first: Int) -> Query {
            Query(
                """
                select count(*) from leak l join app a on a.id = l.app
                where ($1::text is null or a.name = $1::text) and l.last_seen >= $2::bigint
                """, .text(app), .integer(Int64(first) * Calendar.slotMilliseconds))
        }

        private static func dropped(_ app: String?) -> Query {
            Query(
                """
                select a.name, d.reason, d.count from app a join dropped d on d.app = a.id
                where $1::text is null or a.name = $1::text order by a.name, d.count desc, d.reason
                """, .text(app))
        }
    }
#endif
