#if PostgreSQL
    internal import LeakStore

    /// A table that counts the leaks of each app by the hour in which they were last seen, and by the hour of their last report.
    /// The number of leaks of a period is then a sum over hours.
    enum LastHours {
        static let creationSQL = """
            create table if not exists app_last_hour (
              app bigint not null,
              hour bigint not null,
              seen bigint not null,
              reported bigint not null,
              primary key (app, hour)
            ) with (fillfactor = 50)
            """

        /// Statements that recompute all rows.
        static let rebuildStatements = [
            "delete from app_last_hour",
            """
            insert into app_last_hour (app, hour, seen, reported)
            select app, hour, sum(seen), sum(reported) from (
              select app, \(hourSQL(ofMilliseconds: "last_seen")) as hour, 1 as seen, 0 as reported from leak
              union all select app, last_hour, 0, 1 from leak where last_hour is not null) as leak
            group by app, hour
            """,
            "analyze app_last_hour",
        ]

        private static func hourSQL(ofMilliseconds milliseconds: String) -> String {
            "\(milliseconds) / \(Calendar.hourMilliseconds)"
        }

        /// Returns the query that moves leaks from their former hours to their new hours.
        ///
        /// - Parameters:
        ///   - lastSeen: milliseconds since 1970; a leak that was seen later keeps its hour.
        ///   - lastHours: the hour of the last report; `nil` without reports.
        static func moveQuery(leaks: [Int64], lastSeen: [Int64?], lastHours: [Int64?]) -> Query {
            // A leak with neither reports nor freed objects was inserted by this transaction and is not counted yet.
            Query(
                """
                insert into app_last_hour as known (app, hour, seen, reported)
                select l.app, moved.hour, sum(moved.seen), sum(moved.reported)
                from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as d (id, last_seen, last_hour)
                join leak l on l.id = d.id
                cross join lateral (values
                  (\(hourSQL(ofMilliseconds: "l.last_seen")), case when l.reports > 0 or l.freed > 0 then -1 else 0 end, 0),
                  (\(hourSQL(ofMilliseconds: "greatest(l.last_seen, d.last_seen)")), 1, 0),
                  (l.last_hour, 0, -1),
                  (greatest(l.last_hour, d.last_hour), 0, 1)) as moved (hour, seen, reported)
                where moved.hour is not null
                group by l.app, moved.hour having sum(moved.seen) <> 0 or sum(moved.reported) <> 0 order by 1, 2
                on conflict (app, hour) do update
                  set seen = known.seen + excluded.seen, reported = known.reported + excluded.reported
                """, .integers(leaks.map { $0 }), .integers(lastSeen), .integers(lastHours))
        }

        /// Returns the query that adds leaks to the counts of their hours, or removes them.
        ///
        /// - Parameter sign: 1 adds the leaks, -1 removes them.
        static func countQuery(_ leaks: Parameter, sign: Int) -> Query {
            Query(
                """
                insert into app_last_hour as known (app, hour, seen, reported)
                select l.app, last.hour, $2::bigint * sum(last.seen), $2::bigint * sum(last.reported)
                from leak l cross join lateral (values (\(hourSQL(ofMilliseconds: "l.last_seen")), 1, 0), (l.last_hour, 0, 1))
                  as last (hour, seen, reported)
                where l.id = any($1::bigint[]) and last.hour is not null
                group by l.app, last.hour order by 1, 2
                on conflict (app, hour) do update
                  set seen = known.seen + excluded.seen, reported = known.reported + excluded.reported
                """, leaks, .integer(sign))
        }

        /// A sentence that is true for every row of an undamaged database, and a query that counts the rows for which it is
        /// false.
        static var check: (sentence: String, sql: String) {
            (
                "leaks of an app by their last hours are counted correctly",
                """
                select count(*) from (
                  select app, hour from (
                    select app, hour, seen, reported from app_last_hour
                    union all select app, \(hourSQL(ofMilliseconds: "last_seen")), -1, 0 from leak
                    union all select app, last_hour, 0, -1 from leak where last_hour is not null) as counted
                  group by app, hour having sum(seen) <> 0 or sum(reported) <> 0) as wrong
                """
            )
        }
    }
#endif
