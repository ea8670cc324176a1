#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        private static let allowedLimits = 1...1_000

        func leaks(_ query: LeakQuery, now: Int64) throws(StoreError) -> LeakPage {
            guard Self.allowedLimits.contains(query.limit) else {
                throw StoreError(.invalidArgument, "a page has 1 to 1,000 rows, not \(query.limit)")
            }
            let cursor = try query.cursor.map { text throws(StoreError) in try PageCursor(text, for: query) }
            return try snapshot { connection throws(StoreError) in
                let leakStates = try leakStates(app: query.scope, now: now, on: connection)
                let start = cursor?.isAmongOthers(of: query) == true ? PageCursor.end(of: query) : cursor
                let foundPage = try Self.page(query, leakStates, after: start, now: now, on: connection)
                let others = try Self.otherLeaks(query, leakStates, now: now, on: connection)
                var rows: [LeakRow] = []
                var cursors: [PageCursor] = []
                for found in foundPage.rows {
                    let row = NamedRow(found, of: LeakRow.Column.self)
                    rows.append(try LeakRow(row, isOfPeriod: query.period != nil))
                    cursors.append(PageCursor(row))
                }
                var next: String?
                if rows.count > query.limit {
                    rows.removeLast()
                    cursors.removeLast()
                    next = cursors.last?.text(for: query)
                } else {
                    next = others.append(to: &rows, &cursors, of: query, after: cursor)?.text(for: query)
                }
                try connection.addStatesAndTrends(
                    to: &rows, rowIDs: cursors.map(\.leakRowID), leakStates: leakStates, now: now)
                var page = LeakPage(
                    leaks: rows, next: next, total: foundPage.totals.leaks, reports: foundPage.totals.reports)
                if !foundPage.countsOthers {
                    page.total += others.totals.leaks
                    page.reports.addBounded(others.totals.reports)
                }
                page.add(foundPage.setAside)
                if page.resolved.leaks > 0 {
                    page.resolvedSeen = LeakTotals(
                        try connection.run(
                            FilteredList(query.ofResolvedSeen, leakStates, now: now).totals()
                        ).first)
                }
                return page
            }
        }

        /// The rows of a page, the first row of the next page, and the totals of the list.
        private struct FoundPage {
            var rows: Rows
            var totals: LeakTotals
            /// `true` if ``totals`` include the leaks `other` (``LeakStates/others``).
            var countsOthers = false
            /// Totals of leaks that the list leaves out, by the state for which they are left out.
            var setAside: [(state: LeakQuery.StateFilter, totals: LeakTotals)]

            init(
                rows: Rows, totals: LeakTotals, setAside: [(state: LeakQuery.StateFilter, totals: LeakTotals)]
            ) {
                (self.rows, self.totals, self.setAside) = (rows, totals, setAside)
            }

            /// - Parameter all: totals of all leaks, including those that the list leaves out.
            init(
                rows: Rows, all: LeakTotals, setAside: [(state: LeakQuery.StateFilter, totals: LeakTotals)]
            ) {
                self.init(rows: rows, totals: all, setAside: setAside)
                countsOthers = true
                for (_, part) in setAside {
                    totals.leaks = max(totals.leaks - part.leaks, 0)
                    totals.reports = max(totals.reports - part.reports, 0)
                }
            }
        }

        private static func page(
            _ query: LeakQuery, _ leakStates: LeakStates, after cursor: PageCursor?, now: Int64,
            on connection: PostgreSQLConnection
        ) throws(StoreError) -> FoundPage {
            let limit = query.limit + 1
            let setAside = setAsideStates(query, leakStates)
            var ofAllTime = query
            ofAllTime.period = nil
            // The indexes give upper limits of the reports of a period, which do not help to find the leaks with the fewest
            // reports.
            guard ofAllTime.isReadFromIndex, query.period == nil || !query.isAscending else {
                let selection = FilteredList(query, leakStates, part: .named, now: now)
                let setAsideTotals = setAside.map {
                    FilteredList(query.with($0), leakStates, now: now).totals()
                }
                let answers = try connection.run(
                    [selection.bound(after: cursor, limit: limit)] + setAsideTotals)
                let bound = answers[0].first.map { FilteredList.Bound($0) }
                var cursor = cursor
                if query.sort == .name, let named = cursor,
                    let position = try run(selection.namePosition(of: named), on: connection).first,
                    position.bool(2)
                {
                    cursor = named.moved(
                        toNamePosition: position.int64(0), isListed: position.bool(1),
                        isAscending: query.isAscending)
                }
                let rows = try run(
                    selection.page(after: cursor, from: bound, limit: limit), on: connection)
                return FoundPage(
                    rows: rows,
                    totals: try selection.totals(
                        inPageRow: rows.first, isFirstPage: cursor == nil, from: bound, on: connection),
                    setAside: zip(setAside, answers.dropFirst()).map { ($0, LeakTotals($1.first)) })
            }
            guard let period = query.period else {
                let answers = try connection.run([
                    pageOfAllLeaks(query, leakStates, after: cursor, limit: limit),
                    Query(StoreQueries.totals(query.scope)),
                ])
                return FoundPage(
                    rows: answers[0], all: LeakTotals(answers[1].first),
                    setAside: setAside.map { ($0, $0.setAside.map { leakStates.totals($0) } ?? LeakTotals()) }
                )
            }
            let list = PeriodList(query, in: period, leakStates: leakStates, now: now)
            let answers = try connection.run(
                [list.bound(after: cursor, limit: limit), list.totals]
                    + setAside.map { FilteredList(query.with($0), leakStates, now: now).totals() })
            let bound = answers[0].first.map { PeriodList.Bound($0) }
            let rows = try run(list.page(after: cursor, from: bound, limit: limit), on: connection)
            return FoundPage(
                rows: rows, all: LeakTotals(answers[1].first),
                setAside: zip(setAside, answers.dropFirst(2)).map { ($0, LeakTotals($1.first)) })
        }

        /// Returns the leaks `other`, which come last in a list, whatever its order.
        private static func otherLeaks(
            _ query: LeakQuery, _ leakStates: LeakStates, now: Int64, on connection: PostgreSQLConnection
        ) throws(StoreError) -> OtherLeaks {
            var others = OtherLeaks()
            guard OtherLeaks.areListed(query, leakStates) else { return others }
            let rows = try run(
                FilteredList(query, leakStates, part: .others, now: now)
                    .page(after: nil, from: nil, limit: leakStates.others.count), on: connection)
            for found in rows {
                let row = NamedRow(found, of: LeakRow.Column.self)
                others.rows.append(
                    (try LeakRow(row, isOfPeriod: query.period != nil), row.int64(.row)))
            }
            others.totals = LeakTotals(rows.first, from: LeakRow.Column.count)
            return others
        }

        /// Runs a query whose fastest plan depends on the number of matching leaks: PostgreSQL makes a new plan for its values.
        ///
        /// PostgreSQL joins the tables in the order in which the query names them. Comparing the orders of a dozen tables takes
        /// longer than reading a page of a thousand leaks.
        private static func run(_ query: Query, on connection: PostgreSQLConnection) throws(StoreError)
            -> Rows
        {
            try connection.run([
                planning("force_custom_plan", joinsCompared: 1), query,
                planning("force_generic_plan", joinsCompared: 8),
            ])[1]
        }

        /// - Parameter joinsCompared: the number of explicitly joined tables whose order PostgreSQL may change; its default is 8.
        private static func planning(_ mode: String, joinsCompared: Int) -> Query {
            Query(
                """
                select set_config('plan_cache_mode', $1::text, true), set_config('join_collapse_limit', $2::text, true)
                """, .text(mode), .text("\(joinsCompared)"))
        }

        /// Returns the states whose leaks a list leaves out and counts separately.
        private static func setAsideStates(_ query: LeakQuery, _ leakStates: LeakStates) -> [LeakQuery
            .StateFilter]
        {
            guard query.state == .toFix else { return [] }
            return [.known, .resolved, .ignored, .slow].filter { filter in
                filter.setAside.map { leakStates.totals($0).leaks > 0 } ?? false
            }
        }

        /// Selects a page of the leaks of an app, or of all apps, with no filter but the state. Reads the next `limit` leaks of
        /// each app from the index of the sort order, and selects the first `limit` of all of them.
        private static func pageOfAllLeaks(
            _ query: LeakQuery, _ leakStates: LeakStates, after cursor: PageCursor?, limit: Int
        ) -> Query {
            let next = NextLeaks(query, after: cursor, limit: limit)
            var values = next.values
            let excluded = leakStates.rowIDs(excludedFrom: .named, of: query.state)
            let order = query.direction.keyword
            var exclusion = ""
            if !excluded.isEmpty {
                values.append(.integers(excluded.map { $0 }))
                // The excluded leaks are looked up in a hash table; `<> all` would compare with each of them.
                exclusion = "and l.id not in (select unnest($\(values.count)::bigint[]))"
            }
            let columns = "id, reports, installs, \(LeakRow.rateReleaseSQL(of: "l")) as rate_release"
            return Query(
                """
                with page as (
                  \(next.selectSQL(columns: columns, limitSQL: "$2::bigint", exclusionSQL: exclusion))
                  order by k1 \(order), k2 \(order), id \(order) limit $2::bigint
                )
                \(LeakRow.selectSQL)
                order by page.k1 \(order), page.k2 \(order), page.id \(order)
                """, values)
        }
    }

    /// SQL that reads the next leaks of each app in the sort order of a list, from the index of that order.
    struct NextLeaks {
        private let primary: String
        private let secondary: String?
        private let direction: (keyword: String, operatorAfter: String, operatorFrom: String)
        /// `$1` is the app, `$2` the limit, `$3` the environment; the other parameters are the sort keys of the leak before the page.
        let values: [Parameter]

        init(_ query: LeakQuery, after cursor: PageCursor?, limit: Int) {
            (primary, secondary) = query.sort.columns
            direction = query.direction
            let start = cursor ?? .start(of: query)
            let keys = [start.primary] + (secondary == nil ? [] : [start.secondary])
            values =
                [.text(query.app), .integer(limit), .text(query.environment), .integer(start.leakRowID)]
                + keys.map { .integer($0) }
        }

        /// - Parameters:
        ///   - columns: the selected columns of `leak`, which has the alias `l`. The sort keys `k1` and `k2` follow them.
        ///   - exclusionSQL: further conditions, each preceded by `and`.
        func selectSQL(columns: String, limitSQL: String, exclusionSQL: String = "") -> String {
            let keys = [primary, secondary].compactMap { $0 }
            let order = direction.keyword
            return """
                select next.* from app a cross join lateral (
                    select \(columns), \(primary) as k1, \(secondary ?? "0::bigint") as k2 from leak l where app = a.id
                      and (\(keys.joined(separator: ", ")), id) \(direction.operatorAfter) ($5::bigint, \(secondary == nil ? "" : "$6::bigint, ")$4::bigint)
                      \(exclusionSQL)
                    order by \(keys.map { "\($0) \(order), " }.joined())id \(order) limit \(limitSQL)
                  ) next where a.environment = $3::text and ($1::text is null or a.name = $1::text)
                """
        }
    }

    extension LeakQuery.Sort {
        /// The columns by which an index sorts the leaks of an app. The secondary column sorts leaks with equal primary values.
        var columns: (primary: String, secondary: String?) {
            switch self {
            case .impact: ("impact", "reports")
            // No index has these orders, so such lists are sorted as a whole, and do not use the columns.
            case .cost, .name, .state, .recent: ("impact", "reports")
            case .reports: ("reports", nil)
            case .installs: ("installs", "reports")
            case .lastSeen: ("last_seen", nil)
            case .firstSeen: ("first_seen", nil)
            }
        }
    }

    extension LeakQuery {
        fileprivate func with(_ state: StateFilter) -> LeakQuery {
            var query = self
            (query.state, query.countsReportsBeforeDecision) = (state, true)
            return query
        }
    }

    extension LeakTotals {
        /// - Parameter row: number of leaks, then of reports, from column `first` on; a missing row counts as 0.
        init(_ row: Row?, from first: Int32 = 0) {
            self.init(leaks: row?.int(first) ?? 0, reports: row?.int(first + 1) ?? 0)
        }
    }

    extension LeakPage {
        /// Stores the totals of leaks that a list leaves out.
        fileprivate mutating func add(_ setAside: [(state: LeakQuery.StateFilter, totals: LeakTotals)]) {
            for (state, totals) in setAside {
                switch state {
                case .known: known = totals
                case .resolved: resolved = totals
                case .ignored: ignored = totals
                case .slow: slow = totals
                case .toFix, .new, .open, .regressed, .any: break
                }
            }
        }
    }
#endif
