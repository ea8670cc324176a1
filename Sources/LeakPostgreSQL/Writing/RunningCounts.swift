#if PostgreSQL
    internal import LeakStore

    /// A table that has, for each leak, the number of its reports before each of its days (``days``) or hours (``hours``). The
    /// reports of a period are then a difference of two numbers instead of a sum over rows of another table.
    ///
    /// A row lists the days of a window that have reports and, for each, the reports of the leak before that day. More reports
    /// on the last of these days change nothing in the row: a row is written once a day, and when reports arrive for an earlier
    /// day. The reports of a leak without a row are summed from the source.
    struct RunningCounts: Sendable {
        /// The table of the running counts.
        let table: String
        /// The table whose rows are added up.
        let source: String
        /// The column of ``source`` with the day or the hour.
        let bucket: String
        /// The milliseconds of a day or an hour.
        let bucketMilliseconds: Int64
        /// The number of buckets that a row covers, which is that of the longest period.
        let window: Int

        static let days = RunningCounts(
            table: "leak_day_running", source: "leak_day", bucket: "day",
            bucketMilliseconds: Calendar.dayMilliseconds, window: Period.quarter.days)
        /// The window has 25 hours: the 24 before the current one, and the current one.
        static let hours = RunningCounts(
            table: "leak_hour_running", source: "leak_hour", bucket: "hour",
            bucketMilliseconds: Calendar.hourMilliseconds, window: 25)

        static let all = [days, hours]

        static func of(_ period: Period) -> RunningCounts { period == .day ? hours : days }

        // MARK: Writing

        /// Returns a query that updates the rows of leaks. It runs after the writes to `leak` and to ``source``.
        ///
        /// A leak whose reports are all in one bucket needs no row.
        ///
        /// - Parameter rows: the counts that were added to the source, in new or existing rows.
        func refreshQuery(after rows: [CountRow]) -> Query? {
            guard !rows.isEmpty else { return nil }
            return Query(
                insertionSQL(
                    ofLeaks: """
                        (select distinct new.leak as id from unnest($1::bigint[], $2::bigint[]) as new (leak, bucket)
                          join leak l on l.id = new.leak left join \(table) r on r.leak = new.leak
                          where r.last is distinct from new.bucket
                            and (r.leak is not null or l.first_seen < new.bucket * \(bucketMilliseconds)))
                        """), .integers(rows.map(\.leak)), .integers(rows.map(\.periodOrKind)))
        }

        /// Statements that recompute all rows.
        var rebuildStatements: [String] {
            ["delete from \(table)", insertionSQL(ofLeaks: "(select id from leak)"), "analyze \(table)"]
        }

        /// Returns queries that create all rows of a leak again. They run after the writes to `leak`, `leak_day` and `leak_hour`.
        ///
        /// - Parameter deletedLeak: another leak, whose rows are deleted.
        static func rebuildQueries(_ leak: Int64, without deletedLeak: Int64) -> [Query] {
            all.flatMap { counts in
                [
                    Query(
                        "delete from \(counts.table) where leak = any($1::bigint[])",
                        .integers([Optional(leak), deletedLeak])),
                    Query(counts.insertionSQL(ofLeaks: "(select $1::bigint as id)"), .integer(leak)),
                ]
            } + PeriodColumns.rebuildStatements(of: "$1::bigint").map { Query($0, .integer(leak)) }
        }

        /// Returns SQL that inserts or replaces the rows of leaks.
        ///
        /// - Parameter leaks: SQL that selects the row IDs of the leaks.
        private func insertionSQL(ofLeaks leaks: String) -> String {
            """
            insert into \(table) (leak, last, buckets, before)
            select l.id, newest.bucket, listed.buckets, listed.before
            from \(leaks) as changed join leak l on l.id = changed.id
            cross join lateral (select max(\(bucket)) as bucket from \(source) where leak = l.id) as newest
            cross join lateral (
              select array_agg(bucket::integer order by bucket) as buckets, array_agg(before::bigint order by bucket) as before
              from (select \(bucket) as bucket, l.reports - sum(sum(reports)) over (order by \(bucket) desc) as before
                from \(source) where leak = l.id and \(bucket) > newest.bucket - \(window) group by \(bucket)) as bucket
            ) as listed
            where l.first_seen < newest.bucket * \(bucketMilliseconds) and l.reports < LARGEST_TOTAL
            on conflict (leak) do update
              set last = excluded.last, buckets = excluded.buckets, before = excluded.before
            """
        }

        var creationSQL: String {
            """
            create table if not exists \(table) (
              leak bigint primary key,
              last bigint not null,
              buckets integer[] not null,
              before bigint[] not null
            ) with (fillfactor = 80)
            """
        }

        // MARK: Reading

        /// Returns SQL for the reports of leak `l` since a bucket, with its row of ``table`` as `r`.
        ///
        /// - Parameters:
        ///   - sinceSQL: SQL for the first millisecond.
        ///   - firstBucketSQL: SQL for the first bucket.
        func reportsSQL(sinceSQL: String, firstBucketSQL: String) -> String {
            // A leak that was first seen in the period has all its reports in it.
            """
            case when l.first_seen >= \(sinceSQL) then l.reports
              when r.leak is null or l.reports >= LARGEST_TOTAL or r.last - \(firstBucketSQL) >= \(window) then
                (select least(coalesce(sum(c.reports), 0), LARGEST_TOTAL)::bigint from \(source) c
                  where c.leak = l.id and c.\(bucket) >= \(firstBucketSQL))
              when r.last < \(firstBucketSQL) then 0
              else l.reports - r.before[width_bucket((\(firstBucketSQL) - 1)::integer, r.buckets) + 1] end
            """
        }

        /// A sentence that is true for every row of an undamaged database, and a query that counts the rows for which it is
        /// false. Hours that were deleted are not compared.
        var check: (sentence: String, sql: String) {
            (
                "reports of a leak before each of its \(bucket)s are its total without the reports since then",
                """
                select count(*) from \(table) r left join leak l on l.id = r.leak
                where l.id is null or l.reports < LARGEST_TOTAL and (
                  exists (select 1 from \(source) c where c.leak = r.leak and c.\(bucket) > r.last - \(window)
                    and c.\(bucket) <> all(r.buckets))
                  or exists (select 1 from unnest(r.buckets, r.before) as listed (bucket, before)
                    where exists (select 1 from \(source) c where c.leak = r.leak and c.\(bucket) = listed.bucket)
                      and listed.before <> l.reports
                        - (select sum(reports) from \(source) c where c.leak = r.leak and c.\(bucket) >= listed.bucket)))
                """
            )
        }
    }
#endif
