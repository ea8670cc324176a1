#if PostgreSQL
    internal import LeakStore

    /// A list with filters. It reads its leaks and their reports in one pass over the rows of `leak` or, for a version, of
    /// `leak_release`.
    struct FilteredList {
        private let query: LeakQuery
        private let now: Int64
        /// Row IDs of the leaks that the list is limited to; `nil` without such a limit.
        private let assignedRowIDs: [Int64]?
        /// Row IDs of the leaks `other` (``LeakStates/others``), if the list is limited to them; otherwise `nil`.
        private let otherRowIDs: [Int64]?
        /// Row IDs of the leaks that the list leaves out.
        private let excludedRowIDs: [Int64]
        private let leakStates: LeakStates

        init(_ query: LeakQuery, _ leakStates: LeakStates, part: LeakListPart = .all, now: Int64) {
            self.query = query
            self.now = now
            self.leakStates = leakStates
            assignedRowIDs = query.state.assigned.map { leakStates.rowIDs([$0]) }
            otherRowIDs = part == .others ? leakStates.others.sorted() : nil
            excludedRowIDs = leakStates.rowIDs(excludedFrom: part, of: query.state)
        }

        // MARK: Queries

        /// Counts leaks and reports.
        ///
        /// - Parameter bound: decides only whether the searched texts are read one by one or all together. All leaks of the list
        ///   are counted.
        func totals(from bound: Bound? = nil) -> Query {
            var values = QueryValues()
            let matchingLeaks = matchingLeaksSQL(in: .counted, texts: textReading(bound), values: &values)
            return Query(
                "select count(*), \(Self.cappedSumSQL(of: "reports")) from (\(matchingLeaks)) m", values.all)
        }

        private static func cappedSumSQL(of column: String) -> String {
            "least(coalesce(sum(\(column)), 0), LARGEST_TOTAL)::bigint"
        }

        /// Returns the totals of the list: from the columns of a page, if the page counted all leaks, or else by another query.
        ///
        /// - Parameters:
        ///   - row: the first row of the page.
        ///   - isFirstPage: `true` for the first page, on which a missing row means that no leak matches.
        ///   - bound: the bound of that page.
        func totals(
            inPageRow row: Row?, isFirstPage: Bool, from bound: Bound?, on connection: PostgreSQLConnection
        ) throws(StoreError) -> LeakTotals {
            if range(from: bound) == .all, row != nil || isFirstPage {
                return LeakTotals(row, from: LeakRow.Column.count)
            }
            return LeakTotals(try connection.run(totals(from: bound)).first)
        }

        /// The place in the list at which a page ends at the latest: no leak of the page comes after these sort keys.
        struct Bound {
            var keys: PageCursor
            /// `true` if at least half of the leaks in the random sample have the searched text.
            var isTextCommon: Bool

            /// - Parameter row: a row of ``FilteredList/bound(after:limit:percent:)``.
            init(_ row: Row) {
                keys = PageCursor(primary: row.int64(0), secondary: row.int64(1), leakRowID: row.int64(2))
                isTextCommon = row.bool(3)
            }
        }

        /// Selects the ``Bound`` of a page: the sort keys of the last leak of a page that is filled with leaks of a random
        /// sample. Selects no row if the sample does not fill a page, or if the list is sorted by name.
        ///
        /// Any leaks of the list give a valid bound. A sample of 2 % bounds a page of 50 leaks to about the first 2,500 leaks of
        /// the list, for every order and every filter.
        ///
        /// - Parameter percent: the part of the table's blocks that the random sample reads, in percent; `nil` for 2, plus 1
        ///   for every 100 leaks of the page.
        func bound(after cursor: PageCursor?, limit: Int, percent: Int? = nil) -> Query {
            // In the order by name, the sort key is the position of a name among all names of the list. A sample does not give
            // this position.
            guard query.sort != .name else {
                return Query("select 0::bigint, 0::bigint, 0::bigint, false where false")
            }
            var values = QueryValues()
            let (order, operatorAfter, _) = query.direction
            let matchingLeaks = matchingLeaksSQL(
                in: .sample(percent: percent ?? 2 + limit / 100), texts: .one, values: &values)
            let cursorCondition =
                cursor.map { "and \(sortKeysSQL(of: "m")) \(operatorAfter) \(bind($0, &values))" } ?? ""
            return Query(
                """
                select m.k1, \(secondSortKeySQL(of: "m")), m.id, m.is_common
                from (select m.*, count(*) filter (where is_found) over () * 2 >= count(*) over () as is_common
                  from (\(matchingLeaks)) m) m
                where m.is_found \(cursorCondition) order by 1 \(order), 2 \(order), 3 \(order) offset \(values.bind(Int64(limit))) - 1 limit 1
                """, values.all)
        }

        /// Selects the values with which ``PageCursor/moved(toNamePosition:isListed:isAscending:)`` finds a cursor's present
        /// place in a list by name, and whether the leak of the cursor still exists.
        func namePosition(of cursor: PageCursor) -> Query {
            var values = QueryValues()
            let matchingLeaks = matchingLeaksSQL(in: .all, texts: textReading(nil), values: &values)
            return Query(
                """
                select coalesce(max(m.k1) filter (where m.title collate "C" <= c.title collate "C"), 0),
                  coalesce(bool_or(m.title = c.title), false), count(c.leak) > 0
                from leak_text c left join (
                  select m.k1, t.title from (\(matchingLeaks)) m join leak_text t on t.leak = m.id) m on true
                where c.leak = \(values.bind(cursor.leakRowID))
                """, values.all)
        }

        /// Selects the leaks of a page. The totals of the list follow the columns of each row.
        func page(after cursor: PageCursor?, from bound: Bound?, limit: Int) -> Query {
            var values = QueryValues()
            let range = range(from: bound)
            // If most leaks have the searched text, few leaks are above the bound.
            let readsFew = range != .all && bound?.isTextCommon == true
            let matchingLeaks = matchingLeaksSQL(
                in: range, texts: readsFew ? .one : textReading(bound), values: &values)
            let (order, operatorAfter, _) = query.direction
            let operatorUpTo = query.isAscending ? "<=" : ">="
            let limits = [(operatorUpTo, bound?.keys), (operatorAfter, cursor)].compactMap { sign, limit in
                limit.map { "\(sortKeysSQL(of: "m")) \(sign) \(bind($0, &values))" }
            }
            let nearCondition = limits.joined(separator: " and ")
            // Arrays of the few rows above the bound take less time than a table of all rows that is read twice.
            let arrays = ["id", "k1", "reports"].map { "array_agg(\($0)) filter (where is_near)" }
            let (installs, releaseColumn, release) =
                query.version.map { version in
                    (
                        "n.installs", "n.release",
                        """
                        join leak_release n on n.leak = m.id
                        and n.release = (select id from release where app = l.app and version = \(values.bind(version)))
                        """
                    )
                } ?? ("l.installs", LeakRow.rateReleaseSQL(of: "l"), "")
            return Query(
                """
                with found (leaks, all_reports, ids, k1s, reports) as materialized (
                  select count(*), \(Self.cappedSumSQL(of: "reports")), \(arrays.joined(separator: ", "))
                  from (select m.*, \(nearCondition.isEmpty ? "true" : nearCondition) as is_near from (\(matchingLeaks)) m) m
                ), listed as (
                  select m.id, m.k1, \(secondSortKeySQL(of: "m")) as k2, m.reports, found.leaks, found.all_reports
                  from found cross join unnest(found.ids, found.k1s, found.reports) as m (id, k1, reports)
                  order by k1 \(order), k2 \(order), id \(order) limit \(values.bind(Int64(limit)))
                ), page as (
                  select m.*, \(installs) as installs, \(releaseColumn) as rate_release
                  from listed m join leak l on l.id = m.id \(release)
                )
                \(LeakRow.selectSQL(with: ", page.leaks, page.all_reports"))
                order by page.k1 \(order), page.k2 \(order), page.id \(order)
                """, values.all)
        }

        private func textReading(_ bound: Bound?) -> SearchCondition.Reading {
            // A missing bound suggests that few leaks have the text. In a list of a version, the sample may also be too small.
            bound.map { $0.isTextCommon ? .most : .some } ?? (query.version == nil ? .few : .some)
        }

        // MARK: Parts

        /// Returns SQL for the second sort key of a row of a table that has the column `reports`.
        private func secondSortKeySQL(of table: String) -> String {
            switch query.sort {
            case .impact, .installs, .cost, .state, .recent: "\(table).reports"
            case .reports, .lastSeen, .firstSeen, .name: "0::bigint"
            }
        }

        /// Returns SQL for both sort keys and the row ID of a row of a table that has the columns `k1` and `reports`.
        private func sortKeysSQL(of table: String) -> String {
            "(\(table).k1, \(secondSortKeySQL(of: table)), \(table).id)"
        }

        /// Returns SQL that refers to both sort keys and the row ID of a cursor.
        private func bind(_ keys: PageCursor, _ values: inout QueryValues) -> String {
            let keys = [keys.primary, keys.secondary, keys.leakRowID].map { values.bind($0) }
            return "(\(keys.joined(separator: ", ")))"
        }

        /// Leaks of the list that a query reads.
        private enum Range: Equatable {
            case all
            /// All leaks, for a query that needs only their number and reports.
            case counted
            /// Leaks at or above a bound whose first key is a column of `leak`.
            case from(PageCursor)
            /// Leaks in randomly chosen blocks of the table, with and without the searched text.
            case sample(percent: Int)
        }

        /// Returns the range of leaks that a page needs. In a list of a version, an index of `leak` with the order of the list
        /// leads to the leaks at or above the bound.
        private func range(from bound: Bound?) -> Range {
            let hasIndex = query.sort == .lastSeen || query.sort == .firstSeen
            guard let bound, query.version != nil, hasIndex else { return .all }
            return .from(bound.keys)
        }

        /// Returns SQL that selects `id`, `k1` (the first sort key), `reports`, and `is_found` (`true` if the leak has the
        /// searched text).
        ///
        /// The `offset 0` makes PostgreSQL compute the reports once.
        private func matchingLeaksSQL(
            in range: Range, texts: SearchCondition.Reading, values: inout QueryValues
        ) -> String {
            let row = query.version == nil ? "l" : "n"
            let id = query.version == nil ? "l.id" : "n.leak"
            let key = range == .counted ? "0" : firstSortKeySQL(of: row, &values)
            let reports = reportsSQL(of: row, &values)
            var conditions = rowConditions(of: row, id: id, values: &values)
            var (isFound, sample) = ("true", "")
            if let search = query.search, !search.isEmpty {
                isFound = SearchCondition(search: search).sql(ofLeak: id, texts: texts, values: &values)
            }
            switch range {
            case .all, .counted: break
            case .from(let keys):
                let lowestKeys = "(\(values.bind(keys.primary)), \(values.bind(keys.leakRowID)))"
                conditions += [
                    "(\(key), l.id) \(query.isAscending ? "<=" : ">=") \(lowestKeys)",
                    query.scope.conditionSQL(on: "l.app", &values),
                ]
            case .sample(let percent): sample = "tablesample system (\(percent)) repeatable (0)"
            }
            if sample.isEmpty {
                conditions.append(isFound)
                isFound = "true"
            }
            let join = query.version.map { _ in self.join(range) }
            var source = join.map { "leak_release n \(sample) \($0.rawValue)" } ?? "leak l \(sample)"
            if query.sort == .name, range != .counted { source += " join leak_text t on t.leak = \(id)" }
            conditions += leakConditions(joinsLeakTable: join == nil || join == .allLeaks, &values)
            return """
                select id, \(query.sort == .reports ? "reports" : "k1") as k1, reports, is_found from (
                  select \(id) as id, \(key) as k1, \(reports) as reports, \(isFound) as is_found from \(source)
                  where \(conditions.joined(separator: " and ")) offset 0) matched
                \(query.countsSinceDecision ? "where reports > 0" : "")
                """
        }

        /// The rows of `leak` with which the rows of a version are joined.
        private enum Join: String {
            case noLeaks = ""
            /// Leaks with an explanation. An index contains them.
            case explainedLeaks = "left join leak l on l.id = n.leak and l.retained_bytes > 0"
            case allLeaks = "join leak l on l.id = n.leak"
        }

        private func join(_ range: Range) -> Join {
            if query.kind != nil || query.className != nil { return .allLeaks }
            if case .sample = range, query.state == .open || query.state == .slow { return .allLeaks }
            if range == .counted { return .noLeaks }
            switch query.sort {
            case .lastSeen, .firstSeen, .state, .recent: return .allLeaks
            case .cost: return .explainedLeaks
            case .impact, .reports, .installs, .name: return .noLeaks
            }
        }

        /// Returns SQL for the first sort key; 0 for the order by reports, for which ``matchingLeaksSQL(in:texts:values:)``
        /// uses the reports.
        private func firstSortKeySQL(of row: String, _ values: inout QueryValues) -> String {
            switch query.sort {
            case .impact: query.version == nil ? "l.impact" : "n.installs"
            case .reports: "0"
            case .installs: "\(row).installs"
            case .cost:
                """
                least(coalesce(l.retained_bytes, 0)::float8 * greatest(l.alive_at_most, 1) * \(row).installs,
                  LARGEST_TOTAL)::bigint
                """
            case .lastSeen: "l.last_seen"
            case .firstSeen: "l.first_seen"
            case .name: #"dense_rank() over (order by t.title collate "C")"#
            case .state:
                leakStates.sortKeySQL(isNewSQL: "l.id in (\(Self.newLeakIDsSQL))") {
                    "l.id in (select unnest(\(values.bind($0))))"
                } + "::bigint"
            case .recent: recentReportsSQL(&values)
            }
        }

        /// SQL that selects the row IDs of the leaks that are new in the current release of their app.
        private static let newLeakIDsSQL = """
            select l.id from app a join leak l on l.app = a.id and l.first_release = a.newest_release
            """

        /// Returns conditions on the period, the app or the version, and the decisions.
        private func rowConditions(of row: String, id: String, values: inout QueryValues) -> [String] {
            var conditions: [String] = []
            if let period = query.period {
                let start = values.bind(period.startTime(now: now) / Calendar.hourMilliseconds)
                conditions.append("\(row).last_hour >= \(start)")
            }
            if let otherRowIDs { conditions.append("\(id) = any(\(values.bind(otherRowIDs)))") }
            if let assignedRowIDs { conditions.append("\(id) = any(\(values.bind(assignedRowIDs)))") }
            if !excludedRowIDs.isEmpty {
                conditions.append("\(id) not in (select unnest(\(values.bind(excludedRowIDs))))")
            }
            if let version = query.version {
                let version =
                    "version = \(values.bind(version)) and \(query.scope.conditionSQL(on: "app", &values))"
                conditions.append("n.release = any(array(select id from release where \(version)))")
            } else {
                if let period = query.period {
                    conditions.append("l.last_seen >= \(values.bind(period.startTime(now: now)))")
                }
                conditions.append(query.scope.conditionSQL(on: "l.app", &values))
            }
            return conditions
        }

        /// Returns conditions on columns that only `leak` has.
        ///
        /// - Parameter joinsLeakTable: `false` for rows of `leak_release` that are not joined with all rows of `leak`. Such a
        ///   list is not filtered by kind or class.
        private func leakConditions(joinsLeakTable: Bool, _ values: inout QueryValues) -> [String] {
            var conditions: [String] = []
            // Few leaks are freed late, and an index contains these leaks.
            let slowCondition =
                joinsLeakTable
                ? LeakRow.isSlowSQL : "(n.leak in (select l.id from leak l where \(LeakRow.isSlowSQL)))"
            let newCondition = "(\(joinsLeakTable ? "l.id" : "n.leak") in (\(Self.newLeakIDsSQL)))"
            switch query.state {
            case .open: conditions.append("not \(slowCondition)")
            case .slow: conditions.append(slowCondition)
            case .new: conditions.append(newCondition)
            case .toFix, .known, .any, .regressed, .resolved, .ignored: break
            }
            if let kind = query.kind { conditions.append("l.kind = \(values.bind(kind))") }
            if let className = query.className { conditions.append("l.class = \(values.bind(className))") }
            return conditions
        }

        /// Returns SQL for the reports of leak `l` on the days of ``LeakRow/trend``.
        private func recentReportsSQL(_ values: inout QueryValues) -> String {
            let firstDay = Calendar.day(of: now) - LeakRow.trendDays + 1
            return """
                case when l.last_seen < \(values.bind(Int64(firstDay) * Calendar.dayMilliseconds)) then 0 else
                  (select \(Self.cappedSumSQL(of: "p.reports")) from leak_day p
                    where p.leak = l.id and p.day >= \(values.bind(Int64(firstDay)))) end
                """
        }

        /// Returns SQL for the reports of a row in the period.
        private func reportsSQL(of row: String, _ values: inout QueryValues) -> String {
            guard let period = query.period else { return "\(row).reports" }
            let counts = RunningCounts.of(period)
            let first = values.bind(Int64(period.firstBucket(now: now)))
            let hour = values.bind(Int64(Calendar.hour(of: now)))
            let sum: String
            if query.version == nil {
                let start = values.bind(period.startTime(now: now))
                sum = """
                    (select \(counts.reportsSQL(sinceSQL: start, firstBucketSQL: first))
                      from (select) one left join \(counts.table) r on r.leak = l.id)
                    """
            } else {
                sum = """
                    (select \(Self.cappedSumSQL(of: "c.reports")) from \(counts.source) c
                      where c.leak = n.leak and c.\(counts.bucket) >= \(first) and c.release = n.release)
                    """
            }
            let reports = PeriodColumns.reportsSQL(row, in: period, from: first, to: hour, elseSQL: sum)
            guard query.countsSinceDecision else { return reports }
            let id = query.version == nil ? "l.id" : "n.leak"
            return """
                least(\(reports), (select s.reports - d.reports_then from leak s join decision d on d.id = s.state where s.id = \(id)))
                """
        }
    }

#endif
