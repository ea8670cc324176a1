#if PostgreSQL
    internal import LeakStore

    /// A list of the leaks with reports in a period, of an app or of all apps.
    ///
    /// A leak never has more reports in a period than in total. The indexes of the orders sort by total reports, so they
    /// limit which leaks can be on a page. Totals of the list come from an index and from stored sums.
    struct PeriodList {
        private let query: LeakQuery
        private let counts: RunningCounts
        private let now: Int64
        private let period: Period
        private let excluded: [Int64]

        /// Number of leaks that are read to find a bound, of all apps together.
        private static let candidates = 1_000

        init(_ query: LeakQuery, _ period: Period, _ verdicts: Verdicts, now: Int64) {
            self.query = query
            self.period = period
            self.now = now
            counts = RunningCounts.of(period)
            excluded = verdicts.rows(query.state.leftOut)
        }

        private var startHour: Int64 { period.start(now: now) / Calendar.hourMilliseconds }

        /// Counts leaks and reports of the period, those of leaks that the list leaves out included. Leaks are counted by
        /// their last hours, reports by the slots and days of their apps.
        var totals: Query {
            Query(
                """
                select least(coalesce(sum(seen.leaks), 0), 9007199254740991)::bigint,
                  least(coalesce(sum(slots.reports), 0) + coalesce(sum(days.reports), 0), 9007199254740991)::bigint
                from app a
                cross join lateral (select count(*) as leaks from leak
                  where app = a.id and last_seen >= $2::bigint and last_hour >= $3::bigint) seen
                cross join lateral (select sum(reports) as reports from app_slot
                  where app = a.id and slot >= $4::bigint) slots
                cross join lateral (select sum(reports) as reports from app_day
                  where app = a.id and day >= $5::bigint) days
                where $1::text is null or a.name = $1::text
                """, .text(query.app), .integer(period.start(now: now)), .integer(startHour),
                .integer(period.firstSlot(now: now)), .integer(period.firstAppDay(now: now)))
        }

        /// Finds the lowest sort keys that a leak of the page can have. Reads the next leaks by total reports and returns the
        /// keys of the last one that would fill a page; no row if they do not fill one.
        ///
        /// A leak below these keys by its total reports is below them by its reports of the period too.
        func bound(after cursor: PageCursor?, limit: Int) -> Query {
            let next = NextLeaks(query, after: cursor, limit: limit)
            var values = QueryValues(next.values)
            let reports = reports(&values)
            let most = "greatest($2::bigint, \(Self.candidates) / (select count(*) from app))"
            // The offset makes PostgreSQL look up each of these few rows by its index.
            return Query(
                """
                select \(key(primary, reports)) as k1, \(key(secondary, reports)) as k2, l.id
                from (\(next.select("l.*", limit: most))) l
                left join lateral (select * from \(counts.table) where leak = l.id offset 0) r on true
                where l.last_hour >= \(values.bind(startHour)) \(others(&values))
                order by k1 desc, k2 desc, l.id desc offset $2::bigint - 1 limit 1
                """, values.all)
        }

        /// - Parameter bound: the lowest sort keys that a leak of the page can have; `nil` reads all leaks.
        func page(after cursor: PageCursor?, from bound: PageCursor?, limit: Int) -> Query {
            var values = QueryValues()
            let reports = reports(&values)
            let (k1, k2) = (key(primary, reports), key(secondary, reports))
            var conditions = [
                query.app.map { "l.app = (select id from app where name = \(values.bind($0)))" }
                    // Names all apps, because the indexes begin with the app.
                    ?? "l.app = any(array(select id from app))",
                "l.last_seen >= \(values.bind(period.start(now: now)))",
                "l.last_hour >= \(values.bind(startHour))",
            ]
            if let bound {
                let keys = [(primary, bound.primary), (secondary, bound.secondary), ("id", bound.row)]
                    .compactMap { column, key in column.map { (column: "l." + $0, key: key) } }
                conditions.append(
                    """
                    (\(keys.map(\.column).joined(separator: ", ")))
                      >= (\(keys.map { values.bind($0.key) }.joined(separator: ", ")))
                    """)
            }
            var rest = ""
            if let cursor {
                let keys = [cursor.primary, cursor.secondary, cursor.row].map { values.bind($0) }
                rest = "where (k1, k2, id) < (\(keys.joined(separator: ", ")))"
            }
            let joined = "left join \(counts.table) r on r.leak = l.id"
            // The offset makes PostgreSQL compute the keys of each leak once, and read all leaks before it sorts them.
            return Query(
                """
                with first as (
                  select * from (
                    select l.id, \(k1) as k1, \(k2) as k2 from leak l \(joined)
                    where \(conditions.joined(separator: " and ")) \(others(&values)) offset 0) l \(rest)
                  order by k1 desc, k2 desc, id desc limit \(values.bind(Int64(limit)))
                ), page as (
                  select l.id, first.k1, first.k2, \(reports) as reports, l.installs, l.last_release as looked_at
                  from first join leak l on l.id = first.id \(joined)
                )
                \(LeakRow.select)
                order by page.k1 desc, page.k2 desc, page.id desc
                """, values.all)
        }

        private var primary: String? { query.sort.columns.primary }
        private var secondary: String? { query.sort.columns.secondary }

        /// - Parameter reports: SQL for the reports of the period, which takes the place of total reports.
        private func key(_ column: String?, _ reports: String) -> String {
            column == "reports" ? reports : column.map { "l.\($0)" } ?? "0::bigint"
        }

        /// Reports of leak `l` in the period.
        private func reports(_ values: inout QueryValues) -> String {
            "(\(counts.reports(since: values.bind(period.start(now: now)), values.bind(Int64(period.firstBucket(now: now))))))"
        }

        private func others(_ values: inout QueryValues) -> String {
            excluded.isEmpty ? "" : "and l.id not in (select unnest(\(values.bind(excluded))))"
        }
    }
#endif
