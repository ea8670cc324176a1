#if PostgreSQL
    internal import LeakStore

    extension SQLDialect {
        static let postgreSQL = SQLDialect(
            untypedParameters: false,
            words: ["INNERMOST_CLASS": "substring(l.class from '[^.]*$')"],
            functions: [
                "BOUNDED_SUM": { "least(coalesce(sum(\($0)), 0), \(Total.largest))::bigint" },
                "BUCKET_TOTAL": { BucketCountsNumeric.totalSQL(ofColumn: $0) },
                "SAMPLES": { "(select * from sample where leak = \($0))" },
            ])
    }

    extension PostgreSQLConnection: StoreConnection {
        var database: String { name }

        func read<Result>(_ read: StoreRead<Result>) throws(StoreError) -> Result {
            try run(Query(read)).result(of: read)
        }

        func readAll<each Result>(
            _ reads: repeat StoreRead<each Result>
        ) throws(StoreError) -> (repeat each Result) {
            var queries: [Query] = []
            for read in repeat each reads { queries.append(Query(read)) }
            let answers = try run(queries)
            var index = -1
            func next() -> Rows {
                index += 1
                return answers[index]
            }
            return (repeat try next().result(of: each reads))
        }

        /// Does nothing: a commit writes all values.
        func addLoggedValues(to values: inout LeakValues, of leaks: [Int64]) {}

        static func decisionStatuses(of leaks: [Int64]) -> StoreRead<[StoreQueries.LeakStatus]> {
            StoreQueries.decisionStatuses(
                """
                select d.leak, coalesce(since.reports, greatest(l.reports - d.reports_then, 0)) as reports_since,
                  since.back_in as regressed_in,
                  (select \(ContradictingReports.buildSQL)
                    from leak_release c join release r on r.id = c.release
                    \(ContradictingReports.joinSQL) where c.leak = d.leak and c.release = since.back_in_release)
                    as regressed_in_build,
                  coalesce(since.may_expire, false) as may_expire, \(PastDecision.Column.columnsSQL)
                from leak l join decision d on d.id = l.state
                left join lateral (
                  select least(coalesce(sum(c.reports), 0), LARGEST_TOTAL)::bigint as reports,
                    (array_agg(c.version order by c.rank, c.build_key, c.order_key))[1] as back_in,
                    (array_agg(c.release order by c.rank, c.build_key, c.order_key))[1] as back_in_release,
                    bool_or(c.is_known) as may_expire
                  from (
                    select c.release, r.version, \(ContradictingReports.sql) as reports,
                      r.id <= d.known_release as is_known, \(ContradictingReports.orderColumnsSQL)
                    from leak_release c join release r on r.id = c.release and r.order_key >= d.fix_from
                    \(ContradictingReports.joinSQL)
                    where c.leak = d.leak) c
                  where c.reports > 0
                ) since on d.fix_from is not null
                where l.id = any($1::bigint[])
                """, of: leaks)
        }

        static var leaksInClassRangesSQL: String {
            """
            select l.id, l.class, l.kind, l.reports
            from unnest($3::text[], $4::text[]) as range (first, last) cross join app a
            join leak l on l.app = a.id and l.class between range.first and range.last
            where \(StoreQueries.isInScopeSQL)
            """
        }

        static func installs(ofClass name: String, _ app: AppScope) -> StoreRead<ClassInstalls> {
            StoreQueries.installs(
                """
                select l.id, i.members from app a join leak l on l.app = a.id and l.class = $3::text
                join install_set i on i.scope = $4::bigint and i.owner = l.id and i.part = 0
                where \(StoreQueries.isInScopeSQL)
                union all
                select l.id, i.members from app a join leak l on l.app = a.id and l.class = $3::text
                join install_set i on i.scope = $5::bigint and i.owner = l.id
                where \(StoreQueries.isInScopeSQL) and not exists (
                  select 1 from install_set o where o.scope = $4::bigint and o.owner = l.id and o.part = 0)
                """,
                [
                    .text(app.app), .text(app.environment), .text(name),
                    .integer(InstallScope.leak(rowID: 0).row.scope),
                    .integer(InstallScope.leakBuild(leak: 0, build: 0).row.scope),
                ])
        }

        /// Does nothing: a commit writes all installs.
        func addLoggedInstalls(to installs: inout ClassInstalls) {}
    }
#endif
