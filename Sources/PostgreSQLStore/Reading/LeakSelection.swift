#if PostgreSQL
    internal import LeakStore

    /// A list's filters and order as SQL: literals here, values numbered.
    struct LeakSelection {
        /// From `from` on.
        private var source: String
        private var values = QueryValues()
        private let reports: String
        private let installs: String
        /// The release whose share is shown.
        private let lookedAt: String
        private let primary: String
        private let secondary: String

        init(_ query: LeakQuery, _ verdicts: Verdicts, now: Int64) {
            source = "from leak l join app a on a.id = l.app"
            let counted = query.version == nil ? "l" : "n"
            reports =
                query.period == nil
                ? "\(counted).reports" : query.version == nil ? "l.period_reports" : "p.reports"
            installs = "\(counted).installs"
            lookedAt = query.version == nil ? "l.last_release" : "n.release"
            switch query.sort {
            case .impact: (primary, secondary) = (query.version == nil ? "l.impact" : "n.installs", reports)
            case .reports: (primary, secondary) = (reports, "0::bigint")
            case .installs: (primary, secondary) = (installs, reports)
            case .lastSeen: (primary, secondary) = ("l.last_seen", "0::bigint")
            case .firstSeen: (primary, secondary) = ("l.first_seen", "0::bigint")
            }
            if let version = query.version {
                source += """
                     join leak_release n on n.leak = l.id
                     and n.release = (select id from release where app = l.app and version = \(values.bind(version)))
                    """
            }
            guard let period = query.period else {
                source += filter(by: query, verdicts, now: now)
                return
            }
            if query.version != nil {
                join(period, now: now)
                source += filter(by: query, verdicts, now: now)
            } else {
                // The offset keeps PostgreSQL from looking up the reports wherever they are named.
                let counts = RunningCounts.of(period)
                let start = values.bind(period.start(now: now))
                let first = values.bind(Int64(period.firstBucket(now: now)))
                source = """
                    from (select l.*, \(counts.reports(since: start, first)) as period_reports
                      from leak l left join \(counts.table) r on r.leak = l.id
                      \(filter(by: query, verdicts, now: now)) offset 0) l where l.period_reports > 0
                    """
            }
        }

        /// Adds `p`, with the reports of a version in a period, for leaks that have some.
        private mutating func join(_ period: Period, now: Int64) {
            let counts = RunningCounts.of(period)
            let first = values.bind(Int64(period.firstBucket(now: now)))
            // A leak first seen in the period has all its reports there. The offset keeps PostgreSQL from adding up
            // wherever the sum is named.
            source += """
                 join lateral (
                  select case when l.first_seen >= \(values.bind(period.start(now: now))) then n.reports else
                      (select least(coalesce(sum(c.reports), 0), 9007199254740991)::bigint from \(counts.source) c
                      where c.leak = l.id and c.\(counts.bucket) >= \(first) and c.release = n.release)
                    end as reports offset 0
                ) p on p.reports > 0
                """
        }

        /// - Returns: conditions on `l`, behind `where`; nothing without any.
        private mutating func filter(by query: LeakQuery, _ verdicts: Verdicts, now: Int64) -> String {
            var conditions: [String] = []
            if let period = query.period {
                // Most leaks of long ago need no closer look.
                conditions.append("l.last_seen >= \(values.bind(period.start(now: now)))")
            }
            if let app = query.app {
                conditions.append("l.app = (select id from app where name = \(values.bind(app)))")
            }
            switch query.state {
            case .open: conditions.append("not \(LeakRow.isSlow)")
            case .slow: conditions.append(LeakRow.isSlow)
            case .toFix, .known, .any, .regressed, .resolved, .ignored: break
            }
            if let told = query.state.told {
                conditions.append("l.id = any(\(values.bind(verdicts.rows([told]))))")
            }
            let leftOut = verdicts.rows(query.state.leftOut)
            if !leftOut.isEmpty { conditions.append("l.id not in (select unnest(\(values.bind(leftOut))))") }
            if let kind = query.kind { conditions.append("l.kind = \(values.bind(kind))") }
            if let className = query.className { conditions.append("l.class = \(values.bind(className))") }
            if let search = query.search, !search.isEmpty {
                let folded = values.bind(SearchText.folded(search))
                conditions.append(
                    """
                    (exists (select 1 from leak_text t where t.leak = l.id and (strpos(t.search, \(folded)) > 0
                       or strpos(lower(t.module || '.' || l.class), \(folded)) > 0
                       or octet_length(t.stack) + octet_length(t.children) + octet_length(t.cycle) > \(SearchText.pathBytes)
                         and strpos(lower(encode(t.stack || t.children || t.cycle, 'escape')),
                           lower(encode(convert_to(\(folded), 'UTF8'), 'escape'))) > 0))
                     or exists (select 1 from sample s where s.leak = l.id and s.slot = \(SampleSlot.newest)
                       and strpos(s.message, \(folded)) > 0))
                    """)
            }
            return conditions.isEmpty ? "" : " where " + conditions.joined(separator: " and ")
        }

        var totals: Query {
            Query("select count(*), \(Self.sum(reports)) \(source)", values.all)
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

        /// Totals follow the columns of each row, since it is all matching leaks that a page is taken from.
        func page(after cursor: PageCursor?, limit: Int) -> Query {
            var values = values
            let limit = values.bind(Int64(limit))
            var from = ""
            if let cursor {
                let keys = [cursor.primary, cursor.secondary, cursor.row].map { values.bind($0) }
                from = "where (k1, k2, id) < (\(keys.joined(separator: ", ")))"
            }
            return Query(
                """
                with matched as (
                  select l.id as id, \(primary) as k1, \(secondary) as k2, \(reports) as reports,
                    \(installs) as installs, \(lookedAt) as looked_at \(source)
                ), totals as materialized (select count(*) as leaks, \(Self.sum("reports")) as reports from matched),
                page as (select * from matched \(from) order by k1 desc, k2 desc, id desc limit \(limit))
                \(LeakRow.select(with: ", (select leaks from totals), (select reports from totals)"))
                order by page.k1 desc, page.k2 desc, page.id desc
                """, values.all)
        }
    }
#endif
