#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        private static let limits = 1...200

        func leaks(_ query: LeakQuery, now: Int64) throws(StoreError) -> LeakPage {
            guard Self.limits.contains(query.limit) else {
                throw StoreError(.invalidArgument, "a page has 1 to 200 rows, not \(query.limit)")
            }
            let cursor = try query.cursor.map { text throws(StoreError) in try PageCursor(text, for: query) }
            return try snapshot { connection throws(StoreError) in
                let verdicts = try verdicts(app: query.app, now: now, on: connection)
                let selection = LeakSelection(query, verdicts, now: now)
                let apart = Self.countedApart(query, verdicts)
                let answers = try connection.run(
                    [
                        query.isOfAllLeaks
                            ? Self.firstOfAll(query, verdicts, after: cursor, limit: query.limit + 1)
                            : selection.page(after: cursor, limit: query.limit + 1)
                    ] + apart.map { LeakSelection(query.of($0), verdicts, now: now).totals })
                var rows: [LeakRow] = []
                var cursors: [PageCursor] = []
                for row in answers[0] {
                    rows.append(try LeakRow(row, connection))
                    cursors.append(
                        PageCursor(primary: row.int64(1), secondary: row.int64(2), row: row.int64(0)))
                }
                var next: String?
                if rows.count > query.limit {
                    rows.removeLast()
                    cursors.removeLast()
                    next = cursors.last?.text(for: query)
                }
                try Self.complete(&rows, cursors.map(\.row), verdicts, now: now, on: connection)
                let totals =
                    query.isOfAllLeaks
                    ? KnownTotals(try connection.run(Self.totals(query.app)).first)
                    : try selection.totals(behind: answers[0].first, isFirst: cursor == nil, on: connection)
                var page = LeakPage(leaks: rows, next: next, total: totals.leaks, reports: totals.reports)
                guard query.state == .toFix else { return page }
                if query.isOfAllLeaks {
                    page.leaveOut(verdicts)
                } else {
                    page.note(zip(apart, answers.dropFirst()).map { ($0, KnownTotals($1.first)) })
                }
                return page
            }
        }

        /// Adds what the columns of a row do not say.
        ///
        /// - Parameter numbers: rows of `leak`, of the same leaks.
        static func complete(
            _ rows: inout [LeakRow], _ numbers: [Int64], _ verdicts: Verdicts, now: Int64,
            on connection: Connection
        ) throws(StoreError) {
            let first = Calendar.day(of: now) - LeakRow.trendDays + 1
            let trends = try trends(of: numbers, from: first, on: connection)
            for (index, number) in numbers.enumerated() {
                verdicts.mark(&rows[index], number, now: now)
                rows[index].trendFrom = first
                rows[index].trend = trends[number] ?? [Int](repeating: 0, count: LeakRow.trendDays)
            }
        }

        /// What filters may have left of the leaks that a list leaves out.
        private static func countedApart(_ query: LeakQuery, _ verdicts: Verdicts) -> [LeakQuery.StateFilter]
        {
            guard query.state == .toFix, !query.isOfAllLeaks else { return [] }
            return [.known, .resolved, .ignored].filter { filter in
                filter.told.map { verdicts.totals($0).leaks > 0 } ?? false
            }
        }

        /// Of all leaks, kept with each app.
        static func totals(_ app: String?) -> Query {
            Query(
                """
                select least(coalesce(sum(leaks), 0), 9007199254740991)::bigint,
                  least(coalesce(sum(reports), 0), 9007199254740991)::bigint
                from app where $1::text is null or name = $1::text
                """, .text(app))
        }

        /// A page of all leaks of an app, or of all apps: of each app those that come next by the index of the order,
        /// then the first of these.
        private static func firstOfAll(
            _ query: LeakQuery, _ verdicts: Verdicts, after cursor: PageCursor?, limit: Int
        ) -> Query {
            let (primary, secondary) = query.sort.columns
            let columns = [primary, secondary].compactMap { $0 }.joined(separator: ", ")
            let start = cursor ?? PageCursor(primary: .max, secondary: .max, row: .max)
            var values: [Parameter] = [
                .text(query.app), .integer(limit), .integer(start.row), .integer(start.primary),
            ]
            if secondary != nil { values.append(.integer(start.secondary)) }
            let excluded = verdicts.rows(query.state.leftOut)
            var others = ""
            if !excluded.isEmpty {
                values.append(.integers(excluded.map { $0 }))
                // Looked up in a table of hashes, however many they are, where `<> all` would compare with each.
                others = "and id not in (select unnest($\(values.count)::bigint[]))"
            }
            return Query(
                """
                with page as (
                  select next.* from app a cross join lateral (
                    select id, \(primary) as k1, \(secondary ?? "0::bigint") as k2, reports, installs,
                      last_release as looked_at
                    from leak where app = a.id
                      and (\(columns), id) < ($4::bigint, \(secondary == nil ? "" : "$5::bigint, ")$3::bigint) \(others)
                    order by \(primary) desc, \(secondary.map { "\($0) desc, " } ?? "")id desc limit $2::bigint
                  ) next where $1::text is null or a.name = $1::text
                  order by k1 desc, k2 desc, id desc limit $2::bigint
                )
                \(LeakRow.select)
                order by page.k1 desc, page.k2 desc, page.id desc
                """, values)
        }

        /// Reports per day of the last days, by row of `leak`.
        private static func trends(
            of leaks: [Int64], from first: Int, on connection: Connection
        ) throws(StoreError) -> [Int64: [Int]] {
            let rows = try connection.run(
                Query(
                    """
                    select leak, day, reports from leak_day
                    where leak = any($1::bigint[]) and day between $2::bigint and $3::bigint
                    """, .integers(leaks.map { $0 }), .integer(first),
                    .integer(first + LeakRow.trendDays - 1)))
            var trends: [Int64: [Int]] = [:]
            let empty = [Int](repeating: 0, count: LeakRow.trendDays)
            for row in rows {
                trends[row.int64(0), default: empty][row.int(1) - first].addBounded(row.int(2))
            }
            return trends
        }
    }

    extension LeakQuery.Sort {
        /// Columns of `leak`, in an index behind the app.
        fileprivate var columns: (primary: String, secondary: String?) {
            switch self {
            case .impact: ("impact", "reports")
            case .reports: ("reports", nil)
            case .installs: ("installs", "reports")
            case .lastSeen: ("last_seen", nil)
            case .firstSeen: ("first_seen", nil)
            }
        }
    }

    extension LeakQuery {
        /// Whether nothing but the app limits the list.
        fileprivate var isOfAllLeaks: Bool {
            version == nil && (state == .toFix || state == .any) && period == nil && kind == nil
                && className == nil && (search ?? "").isEmpty
        }

        fileprivate func of(_ state: StateFilter) -> LeakQuery {
            var query = self
            query.state = state
            return query
        }
    }

    extension KnownTotals {
        /// - Parameter row: leaks, then reports, from a column on; no row is none.
        init(_ row: Row?, from first: Int32 = 0) {
            self.init(leaks: row?.int(first) ?? 0, reports: row?.int(first + 1) ?? 0)
        }
    }

    extension LeakPage {
        /// Takes from all leaks those that a list leaves out.
        fileprivate mutating func leaveOut(_ verdicts: Verdicts) {
            known = verdicts.totals(.known)
            resolved = verdicts.totals(.resolved)
            ignored = verdicts.totals(.ignored)
            let all = verdicts.totals(of: LeakState.setAside)
            total -= all.leaks
            reports = max(reports - all.reports, 0)
        }

        /// What filters have left of the leaks that a list leaves out.
        fileprivate mutating func note(_ apart: [(LeakQuery.StateFilter, KnownTotals)]) {
            for (state, totals) in apart {
                switch state {
                case .known: known = totals
                case .resolved: resolved = totals
                case .ignored: ignored = totals
                case .toFix, .open, .regressed, .slow, .any: break
                }
            }
        }
    }
#endif
