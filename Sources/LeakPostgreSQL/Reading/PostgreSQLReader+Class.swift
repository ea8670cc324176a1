#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        func leakClass(_ name: String, app: AppScope, now: Int64) throws(StoreError) -> LeakClass? {
            try snapshot { connection throws(StoreError) in
                let answers = try connection.run([
                    Self.totals(ofClass: name, app), Self.modules(ofClass: name, app),
                    Self.leaks(ofClass: name, app), Self.lifetimes(ofClass: name, app),
                    Self.installs(ofClass: name, app), Self.related(toClass: name, app),
                ])
                guard let totals = answers[0].first, totals.int(0) > 0 else { return nil }
                return LeakClass(
                    name: name, modules: answers[1].map { $0.text(0) },
                    leaks: try rows(
                        answers[2].map { $0.int64(0) }, ofClass: name, app: app, now: now, on: connection),
                    total: totals.int(0), reports: totals.int(1), freed: totals.int(2),
                    installs: min(try Self.unionCount(of: answers[4], connection), totals.int(1)),
                    lived: try Self.percentiles(answers[3], connection), firstSeen: totals.int64(3),
                    lastSeen: totals.int64(4), related: Self.related(answers[5], to: name))
            }
        }

        /// SQL for the `from` clause: leaks `l` of a class, with the class and the app as `$1` and `$2`.
        private static let fromClauseSQL = """
            from app a join leak l on l.app = a.id and l.class = $1::text
            """
        private static let appConditionSQL =
            "a.environment = $3::text and ($2::text is null or a.name = $2::text)"

        private static func totals(ofClass name: String, _ app: AppScope) -> Query {
            Query(
                """
                select count(*), least(coalesce(sum(l.reports), 0), LARGEST_TOTAL)::bigint,
                  least(coalesce(sum(l.freed), 0), LARGEST_TOTAL)::bigint, min(l.first_seen), max(l.last_seen)
                \(fromClauseSQL) where \(appConditionSQL)
                """, .text(name), .text(app.app), .text(app.environment))
        }

        private static func modules(ofClass name: String, _ app: AppScope) -> Query {
            Query(
                """
                select distinct t.module collate "C" as module \(fromClauseSQL) join leak_text t on t.leak = l.id
                where \(appConditionSQL) and t.module is not null order by module limit $4::bigint
                """, .text(name), .text(app.app), .text(app.environment), .integer(LeakClass.maxNamesShown))
        }

        private static func leaks(ofClass name: String, _ app: AppScope) -> Query {
            Query(
                "select l.id \(fromClauseSQL) where \(appConditionSQL) order by l.reports desc, l.id limit $4::bigint",
                .text(name), .text(app.app), .text(app.environment), .integer(LeakClass.maxLeaksShown))
        }

        private static func lifetimes(ofClass name: String, _ app: AppScope) -> Query {
            Query(
                "select d.histogram \(fromClauseSQL) join leak_lived d on d.leak = l.id where \(appConditionSQL)",
                .text(name), .text(app.app), .text(app.environment))
        }

        /// Selects the sets of installs of a class's leaks. For a leak without a set of its own, the sets of its builds are
        /// selected.
        private static func installs(ofClass name: String, _ app: AppScope) -> Query {
            Query(
                """
                select i.members \(fromClauseSQL) join install_set i on i.scope = $4::bigint and i.owner = l.id and i.part = 0
                where \(appConditionSQL)
                union all
                select i.members \(fromClauseSQL) join install_set i on i.scope = $5::bigint and i.owner = l.id
                where \(appConditionSQL) and not exists (
                  select 1 from install_set o where o.scope = $4::bigint and o.owner = l.id and o.part = 0)
                """, .text(name), .text(app.app), .text(app.environment),
                .integer(InstallScope.leak(rowID: 0).row.scope),
                .integer(InstallScope.leakBuild(leak: 0, build: 0).row.scope))
        }

        private static func related(toClass name: String, _ app: AppScope) -> Query {
            Query(
                """
                select l.class, count(*), least(sum(l.reports), LARGEST_TOTAL)::bigint
                from app a join leak l on l.app = a.id and substring(l.class from '[^.]*$') = $1::text
                where \(appConditionSQL) and l.class <> $4::text group by l.class order by l.class
                """, .text(LeakClass.innermost(of: name)), .text(app.app), .text(app.environment), .text(name)
            )
        }

        private func rows(
            _ numbers: [Int64], ofClass name: String, app: AppScope, now: Int64,
            on connection: PostgreSQLConnection
        ) throws(StoreError) -> [LeakRow] {
            let answer = try connection.run(
                Query(
                    """
                    with page as (
                      select id, 0 as k1, 0 as k2, reports, installs,
                        \(LeakRow.rateReleaseSQL(of: "leak")) as rate_release from leak
                      where id = any($1::bigint[])
                    )
                    \(LeakRow.selectSQL)
                    """, .integers(numbers.map { $0 })))
            var rows: [Int64: LeakRow] = [:]
            for row in answer { rows[row.int64(0)] = try LeakRow(row, in: connection.name) }
            let leakStates = LeakStates(
                known: knownLeaks.namesClass(name)
                    ? try knownRows(app: app, on: connection) : KnownLeakRows(),
                decided: try decidedLeaks(among: numbers, on: connection), now: now)
            let foundNumbers = numbers.filter { rows[$0] != nil }
            var leaks = foundNumbers.compactMap { rows[$0] }
            try Self.addStatesAndTrends(
                to: &leaks, rowIDs: foundNumbers, leakStates: leakStates, now: now, on: connection)
            return leaks
        }

        private static func percentiles(
            _ rows: Rows, _ connection: PostgreSQLConnection
        ) throws(StoreError) -> Percentiles? {
            var mergedHistogram = DurationHistogram()
            for row in rows {
                guard let histogram = DurationHistogram(bytes: row.bytes(0)) else {
                    throw .unreadable("a histogram", in: connection.name)
                }
                mergedHistogram.merge(histogram)
            }
            return mergedHistogram.percentiles
        }

        /// Returns the number of members of the union of sets of installs.
        private static func unionCount(
            of rows: Rows, _ connection: PostgreSQLConnection
        ) throws(StoreError) -> Int {
            var mergedSet = InstallSet()
            for row in rows {
                guard let set = InstallSet(bytes: row.bytes(0)) else {
                    throw .unreadable("a set of installs", in: connection.name)
                }
                mergedSet.merge(set)
            }
            return mergedSet.count
        }

        private static func related(_ rows: Rows, to name: String) -> [LeakClass.Related] {
            let related = rows.filter { LeakClass.areRelated(name, $0.text(0)) }
            return related.prefix(LeakClass.maxNamesShown).map {
                LeakClass.Related(name: $0.text(0), leaks: $0.int(1), reports: $0.int(2))
            }
        }
    }
#endif
