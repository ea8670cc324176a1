#if PostgreSQL
    internal import LeakStore

    /// A list with filters: its leaks, and their reports, in one pass over the rows of `leak` or, for a version, of
    /// `leak_release`.
    struct LeakSelection {
        private let query: LeakQuery
        private let now: Int64
        /// Leaks that the list is limited to, and leaks that it leaves out.
        private let told: [Int64]?
        private let leftOut: [Int64]

        /// Number of leaks that are looked at to find a bound, of all apps together.
        private static let candidates = 500

        init(_ query: LeakQuery, _ verdicts: Verdicts, now: Int64) {
            self.query = query
            self.now = now
            told = query.state.told.map { verdicts.rows([$0]) }
            leftOut = verdicts.rows(query.state.leftOut)
        }

        // MARK: Queries

        /// Counts leaks and reports.
        var totals: Query {
            var values = QueryValues()
            return Query(
                "select count(*), \(Self.sum("reports")) from (\(matched(&values))) m", values.all)
        }

        private static func sum(_ column: String) -> String {
            "least(coalesce(sum(\(column)), 0), 9007199254740991)::bigint"
        }

        /// - Parameters:
        ///   - row: the first of a page.
        ///   - isFirst: whether that is the first page: without a row nothing matches then.
        func totals(
            behind row: Row?, isFirst: Bool, on connection: Connection
        ) throws(StoreError) -> KnownTotals {
            guard row == nil, !isFirst else { return KnownTotals(row, from: LeakRow.columnCount) }
            return KnownTotals(try connection.run(totals).first)
        }

        /// Sort keys that no leak of a page is below.
        struct Bound {
            var keys: PageCursor
            /// True if at least half of the leaks that were looked at are in the list.
            var isCommon: Bool

            /// - Parameter row: of ``LeakSelection/bound(after:limit:)``.
            init(_ row: Row) {
                keys = PageCursor(primary: row.int64(0), secondary: row.int64(1), row: row.int64(2))
                isCommon = row.bool(3)
            }
        }

        /// Finds a ``Bound``: the keys of the last leak that fills a page among some of the next leaks by total reports. No
        /// row if they do not fill one.
        func bound(after cursor: PageCursor?, limit: Int) -> Query {
            let next = NextLeaks(query, after: cursor, limit: limit)
            var values = QueryValues(next.values)
            let most = "greatest($2::bigint, \(Self.candidates) / (select count(*) from app))"
            let matched = matched(&values, only: "candidate.id")
            // The next leaks of a version are others than the next by total reports.
            let rest = cursor.map { cursor in
                let keys = [cursor.primary, cursor.secondary, cursor.row].map { values.bind($0) }
                return "where (m.k1, \(secondary("m")), m.id) < (\(keys.joined(separator: ", ")))"
            }
            return Query(
                """
                select m.k1, \(secondary("m")), m.id, count(*) over () * 2 >= \(most)
                from (\(next.select("id", limit: most))) candidate
                cross join lateral (\(matched)) m \(rest ?? "")
                order by 1 desc, 2 desc, 3 desc offset $2::bigint - 1 limit 1
                """, values.all)
        }

        /// Finds the leaks of a page. Totals follow the columns of each row.
        func page(after cursor: PageCursor?, from bound: Bound?, limit: Int) -> Query {
            var values = QueryValues()
            let matched = matched(&values, texts: texts(bound))
            let keys = "(m.k1, \(secondary("m")), m.id)"
            let limits = [(">=", bound?.keys), ("<", cursor)].compactMap { sign, keys in
                keys.map { keys in
                    let keys = [keys.primary, keys.secondary, keys.row].map { values.bind($0) }
                    return (sign: sign, keys: "(\(keys.joined(separator: ", ")))")
                }
            }
            let isNear = limits.map { "\(keys) \($0.sign) \($0.keys)" }.joined(separator: " and ")
            // Arrays of the few rows above the bound take less time than a table of all rows that is read twice.
            let arrays = ["id", "k1", "reports"].map { "array_agg(\($0)) filter (where is_near)" }
            let (installs, lookedAt, release) =
                query.version.map { version in
                    (
                        "n.installs", "n.release",
                        """
                        join leak_release n on n.leak = m.id
                        and n.release = (select id from release where app = l.app and version = \(values.bind(version)))
                        """
                    )
                } ?? ("l.installs", "l.last_release", "")
            return Query(
                """
                with found (leaks, all_reports, ids, k1s, reports) as materialized (
                  select count(*), \(Self.sum("reports")), \(arrays.joined(separator: ", "))
                  from (select m.*, \(isNear.isEmpty ? "true" : isNear) as is_near from (\(matched)) m) m
                ), listed as (
                  select m.id, m.k1, \(secondary("m")) as k2, m.reports, found.leaks, found.all_reports
                  from found cross join unnest(found.ids, found.k1s, found.reports) as m (id, k1, reports)
                  order by k1 desc, k2 desc, id desc limit \(values.bind(Int64(limit)))
                ), page as (
                  select m.*, \(installs) as installs, \(lookedAt) as looked_at
                  from listed m join leak l on l.id = m.id \(release)
                )
                \(LeakRow.select(with: ", page.leaks, page.all_reports"))
                order by page.k1 desc, page.k2 desc, page.id desc
                """, values.all)
        }

        private func texts(_ bound: Bound?) -> SearchCondition.Reading {
            // A version may have few of the next leaks by total reports, and many others.
            bound.map { $0.isCommon ? .most : .some } ?? (query.version == nil ? .few : .some)
        }

        // MARK: Parts

        /// The second sort key, of a table with `reports`.
        private func secondary(_ table: String) -> String {
            switch query.sort {
            case .impact, .installs, .cost: "\(table).reports"
            case .reports, .lastSeen, .firstSeen: "0::bigint"
            }
        }

        /// Selects `id`, the first sort key as `k1`, and `reports` of all leaks of the list.
        ///
        /// The offset makes PostgreSQL find the reports once.
        ///
        /// - Parameter leak: `nil`, or the leak to look at.
        private func matched(
            _ values: inout QueryValues, only leak: String? = nil, texts: SearchCondition.Reading = .some
        ) -> String {
            let row = query.version == nil ? "l" : "n"
            let id = query.version == nil ? "l.id" : "n.leak"
            var conditions = leak.map { ["\(id) = \($0)"] } ?? []
            var reports = "\(row).reports"
            if let period = query.period {
                reports = self.reports(in: period, of: row, &values)
                let start = values.bind(period.start(now: now) / Calendar.hourMilliseconds)
                conditions.append("\(row).last_hour >= \(start)")
            }
            if let told { conditions.append("\(id) = any(\(values.bind(told)))") }
            if !leftOut.isEmpty {
                conditions.append("\(id) not in (select unnest(\(values.bind(leftOut))))")
            }
            let ofLeak = leakConditions(&values)
            if let search = query.search, !search.isEmpty {
                let condition = SearchCondition(search: search)
                conditions.append(condition.sql(id, leak == nil ? texts : .one, &values))
            }
            var source = "leak l"
            if let version = query.version {
                let app = query.app.map { " and app = (select id from app where name = \(values.bind($0)))" }
                let version = "version = \(values.bind(version))\(app ?? "")"
                conditions.append("n.release = any(array(select id from release where \(version)))")
                let needsLeak = !ofLeak.isEmpty || [.lastSeen, .firstSeen, .cost].contains(query.sort)
                source = needsLeak ? "leak_release n join leak l on l.id = n.leak" : "leak_release n"
            } else {
                if let period = query.period {
                    conditions.append("l.last_seen >= \(values.bind(period.start(now: now)))")
                }
                // Names all apps, because the indexes begin with the app.
                conditions.append(
                    query.app.map { "l.app = (select id from app where name = \(values.bind($0)))" }
                        ?? "l.app = any(array(select id from app))")
            }
            conditions += ofLeak
            let primary =
                switch query.sort {
                case .impact: query.version == nil ? "l.impact" : "n.installs"
                case .reports: reports
                case .installs: "\(row).installs"
                case .cost:
                    "least(l.retained_bytes::float8 * greatest(l.alive_at_most, 1) * \(row).installs, 9007199254740991)::bigint"
                case .lastSeen: "l.last_seen"
                case .firstSeen: "l.first_seen"
                }
            return """
                select id, \(query.sort == .reports ? "reports" : "k1") as k1, reports from (
                  select \(id) as id, \(query.sort == .reports ? "0" : primary) as k1, \(reports) as reports from \(source)
                  where \(conditions.isEmpty ? "true" : conditions.joined(separator: " and ")) offset 0) matched
                """
        }

        /// Conditions on columns that `leak` alone has.
        private func leakConditions(_ values: inout QueryValues) -> [String] {
            var conditions: [String] = []
            switch query.state {
            case .open: conditions.append("not \(LeakRow.isSlow)")
            case .slow: conditions.append(LeakRow.isSlow)
            case .toFix, .known, .any, .regressed, .resolved, .ignored: break
            }
            if let kind = query.kind { conditions.append("l.kind = \(values.bind(kind))") }
            if let className = query.className { conditions.append("l.class = \(values.bind(className))") }
            return conditions
        }

        /// Reports of a row in a period.
        private func reports(in period: Period, of row: String, _ values: inout QueryValues) -> String {
            let counts = RunningCounts.of(period)
            let first = values.bind(Int64(period.firstBucket(now: now)))
            let hour = values.bind(Int64(Calendar.hour(of: now)))
            let sum: String
            if query.version == nil {
                let start = values.bind(period.start(now: now))
                sum = """
                    (select \(counts.reports(since: start, first))
                      from (select) one left join \(counts.table) r on r.leak = l.id)
                    """
            } else {
                sum = """
                    (select \(Self.sum("c.reports")) from \(counts.source) c
                      where c.leak = n.leak and c.\(counts.bucket) >= \(first) and c.release = n.release)
                    """
            }
            return PeriodColumns.reports(row, in: period, from: first, to: hour, else: sum)
        }
    }

#endif
