#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        private static let limits = 1...200

        func leaks(_ query: LeakQuery, now: Int64) throws(StoreError) -> LeakPage {
            guard Self.limits.contains(query.limit) else {
                throw StoreError(.invalidArgument, "a page has 1 to 200 rows, not \(query.limit)")
            }
            let cursor = try query.cursor.map { text throws(StoreError) in try PageCursor(text, for: query) }
            let first = Calendar.day(of: now) - LeakRow.trendDays + 1
            return try snapshot { connection throws(StoreError) in
                let known = try knownRows(app: query.app, on: connection)
                let selection = LeakSelection(query, known: known)
                var apart = query
                apart.state = .known
                let answers = try connection.run(
                    [
                        query.isOfAllLeaks ? Self.totals(query.app) : selection.totals,
                        query.isOfAllLeaks
                            ? Self.firstOfAll(query, known, after: cursor, limit: query.limit + 1)
                            : selection.page(after: cursor, limit: query.limit + 1),
                    ] + (Self.isFiltered(query, known) ? [LeakSelection(apart, known: known).totals] : []))
                var rows: [LeakRow] = []
                var cursors: [PageCursor] = []
                for row in answers[1] {
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
                let trends = try Self.trends(of: cursors.map(\.row), from: first, on: connection)
                for index in rows.indices {
                    rows[index].mark(known.matches[cursors[index].row])
                    rows[index].trendFrom = first
                    rows[index].trend =
                        trends[cursors[index].row] ?? [Int](repeating: 0, count: LeakRow.trendDays)
                }
                let totals = answers[0].first
                var page = LeakPage(
                    leaks: rows, next: next, total: totals?.int(0) ?? 0, reports: totals?.int(1) ?? 0)
                if query.state == .toFix {
                    if query.isOfAllLeaks {
                        page.known = known.totals
                        page.total -= known.totals.leaks
                        page.reports -= known.totals.reports
                    } else if answers.count > 2, let left = answers[2].first {
                        page.known = KnownTotals(leaks: left.int(0), reports: left.int(1))
                    }
                }
                return page
            }
        }

        /// Whether filters decide which of the known leaks a list leaves out.
        private static func isFiltered(_ query: LeakQuery, _ known: KnownRows) -> Bool {
            query.state == .toFix && !query.isOfAllLeaks && known.totals.leaks > 0
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
            _ query: LeakQuery, _ known: KnownRows, after cursor: PageCursor?, limit: Int
        ) -> Query {
            let (primary, secondary) = query.sort.columns
            let columns = [primary, secondary].compactMap { $0 }.joined(separator: ", ")
            let start = cursor ?? PageCursor(primary: .max, secondary: .max, row: .max)
            var values: [Parameter] = [
                .text(query.app), .integer(limit), .integer(start.row), .integer(start.primary),
            ]
            if secondary != nil { values.append(.integer(start.secondary)) }
            let excluded = query.state == .toFix ? known.rows : []
            var others = ""
            if !excluded.isEmpty {
                values.append(.integers(excluded.map { $0 }))
                others = "and id <> all($\(values.count)::bigint[])"
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
        static func trends(
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
            version == nil && (state == .toFix || state == .any) && kind == nil && className == nil
                && (search ?? "").isEmpty
        }
    }

    /// A list's filters and order as SQL: literals here, values numbered.
    private struct LeakSelection {
        /// From `from` on.
        private var source: String
        private var values: [Parameter] = []
        private let reports: String
        private let installs: String
        /// The release whose share is shown.
        private let lookedAt: String
        private let primary: String
        private let secondary: String

        init(_ query: LeakQuery, known: KnownRows) {
            source = "from leak l join app a on a.id = l.app"
            if query.version == nil {
                (reports, installs, lookedAt) = ("l.reports", "l.installs", "l.last_release")
            } else {
                (reports, installs, lookedAt) = ("n.reports", "n.installs", "n.release")
            }
            switch query.sort {
            case .impact: (primary, secondary) = ("coalesce(n.installs, 0)", reports)
            case .reports: (primary, secondary) = (reports, "0::bigint")
            case .installs: (primary, secondary) = (installs, reports)
            case .lastSeen: (primary, secondary) = ("l.last_seen", "0::bigint")
            case .firstSeen: (primary, secondary) = ("l.first_seen", "0::bigint")
            }
            if let version = query.version {
                source += """
                     join leak_release n on n.leak = l.id
                     and n.release = (select id from release where app = l.app and version = \(bind(.text(version))))
                    """
            } else {
                // Only the order by impact needs it; PostgreSQL leaves out a left join that nothing reads.
                source += """
                     left join leak_release n on n.leak = l.id and n.release = a.newest_release
                    """
            }
            filter(by: query, known: known.rows)
        }

        private mutating func filter(by query: LeakQuery, known: [Int64]) {
            var conditions: [String] = []
            if let app = query.app {
                conditions.append("l.app = (select id from app where name = \(bind(.text(app))))")
            }
            switch query.state {
            case .open: conditions.append("not \(LeakRow.isSlow)")
            case .slow: conditions.append(LeakRow.isSlow)
            case .toFix, .known, .any, .regressed, .resolved, .ignored: break
            }
            if query.state == .known {
                conditions.append("l.id = any(\(bind(known)))")
            } else if query.state != .any && !known.isEmpty {
                conditions.append("l.id <> all(\(bind(known)))")
            }
            if let kind = query.kind { conditions.append("l.kind = \(bind(.text(kind)))") }
            if let className = query.className { conditions.append("l.class = \(bind(.text(className)))") }
            if let search = query.search, !search.isEmpty {
                let folded = bind(.text(SearchText.folded(search)))
                conditions.append(
                    """
                    (exists (select 1 from leak_text t where t.leak = l.id and strpos(t.search, \(folded)) > 0)
                     or exists (select 1 from sample s where s.leak = l.id and s.slot = \(SampleSlot.newest)
                       and strpos(s.message, \(folded)) > 0))
                    """)
            }
            if !conditions.isEmpty { source += " where " + conditions.joined(separator: " and ") }
        }

        private mutating func bind(_ rows: [Int64]) -> String {
            values.append(.integers(rows.map { $0 }))
            return "$\(values.count)::bigint[]"
        }

        /// - Returns: what stands for the value: `$1::text`, then `$2::text` …
        private mutating func bind(_ value: Parameter) -> String {
            values.append(value)
            return "$\(values.count)::text"
        }

        var totals: Query {
            Query(
                """
                select count(*), least(coalesce(sum(\(reports)), 0), 9007199254740991)::bigint \(source)
                """, values)
        }

        func page(after cursor: PageCursor?, limit: Int) -> Query {
            var values = values + [.integer(limit)]
            let limit = "$\(values.count)::bigint"
            var from = ""
            if let cursor {
                let next = values.count + 1
                from = "where (k1, k2, id) < ($\(next)::bigint, $\(next + 1)::bigint, $\(next + 2)::bigint)"
                values += [.integer(cursor.primary), .integer(cursor.secondary), .integer(cursor.row)]
            }
            return Query(
                """
                with matched as (
                  select l.id as id, \(primary) as k1, \(secondary) as k2, \(reports) as reports,
                    \(installs) as installs, \(lookedAt) as looked_at \(source)
                ), page as (select * from matched \(from) order by k1 desc, k2 desc, id desc limit \(limit))
                \(LeakRow.select)
                order by page.k1 desc, page.k2 desc, page.id desc
                """, values)
        }
    }
#endif
