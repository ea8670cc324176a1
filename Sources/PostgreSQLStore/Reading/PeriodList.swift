#if PostgreSQL
    internal import LeakStore

    /// A list of the leaks with reports in a period, of an app or of all apps.
    ///
    /// A leak has no more reports in a period than in all, so that the indexes of the orders, which have all reports, bound
    /// the leaks of a page. Totals come from an index and from sums that are kept.
    struct PeriodList {
        private let query: LeakQuery
        private let counts: RunningCounts
        private let now: Int64
        private let period: Period
        private let excluded: [Int64]

        /// Leaks looked at for a bound, of all apps together.
        private static let candidates = 1_000

        init(_ query: LeakQuery, _ period: Period, _ verdicts: Verdicts, now: Int64) {
            self.query = query
            self.period = period
            self.now = now
            counts = RunningCounts.of(period)
            excluded = verdicts.rows(query.state.leftOut)
        }

        private var startHour: Int64 { period.start(now: now) / Calendar.hourMilliseconds }

        /// Leaks and their reports, with those that are left out: the leaks by their last hours, the reports by the slots
        /// and days of apps.
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

        /// The keys of a leak that no leak of the page comes later than: the last one of a page of the leaks that come next
        /// by all their reports. No row if these do not fill a page.
        ///
        /// If a leak comes later than these keys by all its reports, it does by those of the period.
        func bound(after cursor: PageCursor?, limit: Int) -> Query {
            let next = NextLeaks(query, after: cursor, limit: limit)
            var values = Values(next.values)
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

        /// - Parameter bound: no leak of the page comes later than these keys; `nil` looks at all leaks.
        func page(after cursor: PageCursor?, from bound: PageCursor?, limit: Int) -> Query {
            var values = Values()
            let reports = reports(&values)
            let (k1, k2) = (key(primary, reports), key(secondary, reports))
            var conditions = [
                query.app.map { "l.app = (select id from app where name = \(values.bind($0)))" }
                    // All of them, since the indexes begin with the app.
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

        /// - Parameter reports: those of the period, in the place of all reports.
        private func key(_ column: String?, _ reports: String) -> String {
            column == "reports" ? reports : column.map { "l.\($0)" } ?? "0::bigint"
        }

        /// Reports of leak `l` in the period.
        private func reports(_ values: inout Values) -> String {
            "(\(counts.reports(since: values.bind(period.start(now: now)), values.bind(Int64(period.firstBucket(now: now))))))"
        }

        private func others(_ values: inout Values) -> String {
            excluded.isEmpty ? "" : "and l.id not in (select unnest(\(values.bind(excluded))))"
        }
    }

    /// Values of a query, and the text that stands for each.
    private struct Values {
        private(set) var all: [Parameter]

        init(_ first: [Parameter] = []) { all = first }

        mutating func bind(_ number: Int64) -> String { bind(.integer(number), "bigint") }
        mutating func bind(_ text: String) -> String { bind(.text(text), "text") }
        mutating func bind(_ rows: [Int64]) -> String { bind(.integers(rows.map { $0 }), "bigint[]") }

        private mutating func bind(_ value: Parameter, _ type: String) -> String {
            all.append(value)
            return "$\(all.count)::\(type)"
        }
    }
#endif
