extension SQLiteReader {
    static let limits = 1...200

    func leaks(_ query: LeakQuery, now: Int64) throws(StoreError) -> LeakPage {
        guard Self.limits.contains(query.limit) else {
            throw StoreError(.invalidArgument, "a page has 1 to 200 rows, not \(query.limit)")
        }
        let cursor = try query.cursor.map { text throws(StoreError) in try PageCursor(text, for: query) }
        let selection = LeakSelection(query)
        return try snapshot { () throws(StoreError) in
            let (total, reports) = query.isOfAllLeaks ? try totals(query.app) : try totals(of: selection)
            var (rows, cursors) =
                query.isOfAllLeaks
                ? try firstOfAll(query, after: cursor, limit: query.limit + 1)
                : try page(of: selection, after: cursor, limit: query.limit + 1)
            var next: String?
            if rows.count > query.limit {
                rows.removeLast()
                cursors.removeLast()
                next = cursors.last?.text(for: query)
            }
            let first = Calendar.day(of: now) - LeakRow.trendDays + 1
            let trends = try trends(of: cursors.map(\.row), from: first)
            for index in rows.indices {
                rows[index].trendFrom = first
                rows[index].trend =
                    trends[cursors[index].row] ?? [Int](repeating: 0, count: LeakRow.trendDays)
            }
            return LeakPage(leaks: rows, next: next, total: total, reports: reports)
        }
    }

    private func totals(of selection: LeakSelection) throws(StoreError) -> (leaks: Int, reports: Int) {
        let select = try connection.statement(
            composed:
                "select count(*), cast(min(total(\(selection.reports)), 0x1FFFFFFFFFFFFF) as integer) \(selection.source)"
        )
        defer { select.reset() }
        try select.bind(all: selection.values)
        return try select.step() ? (select.int(0), select.int(1)) : (0, 0)
    }

    private func page(
        of selection: LeakSelection, after cursor: PageCursor?, limit: Int
    ) throws(StoreError) -> ([LeakRow], [PageCursor]) {
        var values = selection.values
        var from = ""
        if let cursor {
            from = "where (k1, k2, id) < (?, ?, ?)"
            values += [cursor.primary, cursor.secondary, cursor.row]
        }
        let select = try connection.statement(
            composed: """
                with matched as (
                  select l.id as id, \(selection.primary) as k1, \(selection.secondary) as k2,
                    \(selection.reports) as reports, \(selection.installs) as installs,
                    \(selection.lookedAt) as looked_at \(selection.source)
                ), page as (select * from matched \(from) order by k1 desc, k2 desc, id desc limit ?)
                \(LeakRow.select)
                order by page.k1 desc, page.k2 desc, page.id desc
                """)
        defer { select.reset() }
        try select.bind(all: values + [limit])
        var rows: [LeakRow] = []
        var cursors: [PageCursor] = []
        while try select.step() {
            rows.append(try LeakRow(select, path: connection.path))
            cursors.append(
                PageCursor(primary: select.int64(1), secondary: select.int64(2), row: select.int64(0)))
        }
        return (rows, cursors)
    }

    /// A page of all leaks of an app, or of all apps: of each app those that come next by the index of the order, and
    /// those that no index has as they are moving; then the first of these.
    private func firstOfAll(
        _ query: LeakQuery, after cursor: PageCursor?, limit: Int
    ) throws(StoreError) -> ([LeakRow], [PageCursor]) {
        let apps = try connection.statement("select id from app where ?1 is null or name = ?1")
        defer { apps.reset() }
        try apps.bind(query.app)
        let parts = [
            try connection.statement(composed: query.sort.page(of: "moving = 0", rank: "rank_")),
            try connection.statement(composed: query.sort.page(of: "moving = 1", rank: "")),
        ]
        let start = cursor ?? PageCursor(primary: .max, secondary: .max, row: .max)
        var cursors: [PageCursor] = []
        while try apps.step() {
            for next in parts {
                defer { next.reset() }
                try next.bind(apps.int64(0), start.primary, start.secondary, start.row, limit)
                while try next.step() {
                    cursors.append(
                        PageCursor(primary: next.int64(0), secondary: next.int64(1), row: next.int64(2)))
                }
            }
        }
        cursors.sort { ($1.primary, $1.secondary, $1.row) < ($0.primary, $0.secondary, $0.row) }
        cursors = Array(cursors.prefix(limit))
        let rows = try rows(cursors.map(\.row))
        return (cursors.compactMap { rows[$0.row] }, cursors)
    }

    private func rows(_ leaks: [Int64]) throws(StoreError) -> [Int64: LeakRow] {
        let select = try connection.statement(
            composed: """
                with page as (
                  select l.id as id, 0 as k1, 0 as k2, l.reports as reports, l.installs as installs,
                    l.last_release as looked_at
                  from json_each(?) j cross join leak l on l.id = j.value
                )
                \(LeakRow.select)
                """)
        defer { select.reset() }
        try select.bind("[" + leaks.map(String.init).joined(separator: ",") + "]")
        var rows: [Int64: LeakRow] = [:]
        while try select.step() { rows[select.int64(0)] = try LeakRow(select, path: connection.path) }
        return rows
    }

    /// Reports per day of the last days, by row of `leak`.
    func trends(of leaks: [Int64], from first: Int) throws(StoreError) -> [Int64: [Int]] {
        let select = try connection.statement(
            """
            select d.leak, d.day, d.reports from json_each(?1) j
            cross join leak_day d on d.leak = j.value and d.day between ?2 and ?3
            """)
        defer { select.reset() }
        let list = "[" + leaks.map(String.init).joined(separator: ",") + "]"
        try select.bind(list, first, first + LeakRow.trendDays - 1)
        var trends: [Int64: [Int]] = [:]
        let empty = [Int](repeating: 0, count: LeakRow.trendDays)
        while try select.step() {
            let bucket = try select.bucket(1, from: first, count: LeakRow.trendDays)
            trends[select.int64(0), default: empty][bucket].addBounded(select.int(2))
        }
        return trends
    }
}

extension LeakQuery.Sort {
    /// Keys and rows of the leaks of an app that come next.
    ///
    /// - Parameter rank: what the columns of the order's index begin with.
    func page(of leaks: String, rank: String) -> String {
        let (primary, secondary): (String, String?) =
            switch self {
            case .impact: (rank + "impact", rank + "reports")
            case .reports: (rank + "reports", nil)
            case .installs: (rank + "installs", rank + "reports")
            case .lastSeen: (rank + "last_seen", nil)
            case .firstSeen: ("first_seen", nil)
            }
        return """
            select \(primary), \(secondary ?? "0"), id from leak
            where app = ?1 and \(leaks) and \(primary) <= ?2
              and (\(primary), \(secondary ?? "0"), id) < (?2, ?3, ?4)
            order by \(primary) desc, \(secondary.map { "\($0) desc, " } ?? "")id desc limit ?5
            """
    }
}

extension LeakQuery {
    /// Whether nothing but the app limits the list.
    fileprivate var isOfAllLeaks: Bool {
        version == nil && state == nil && kind == nil && className == nil && (search ?? "").isEmpty
    }
}

/// A list's filters and order as SQL: literals here, values bound.
private struct LeakSelection {
    /// From `from` on.
    let source: String
    let values: [any Bindable]
    let reports: String
    let installs: String
    /// The release whose share is shown.
    let lookedAt: String
    let primary: String
    let secondary: String

    init(_ query: LeakQuery) {
        var joins = "from leak l join app a on a.id = l.app"
        var values: [any Bindable] = []
        if let version = query.version {
            joins += """
                 join leak_release n on n.leak = l.id
                 and n.release = (select id from release where app = l.app and version = ?)
                """
            values.append(version)
            (reports, installs, lookedAt) = ("n.reports", "n.installs", "n.release")
        } else {
            // Only the order by impact needs it; SQLite leaves out a left join that nothing reads.
            joins += " left join leak_release n on n.leak = l.id and n.release = a.newest_release"
            (reports, installs, lookedAt) = ("l.reports", "l.installs", "l.last_release")
        }
        var conditions: [String] = []
        if let app = query.app {
            conditions.append("l.app = (select id from app where name = ?)")
            values.append(app)
        }
        if let state = query.state {
            conditions.append(state == .slow ? LeakRow.isSlow : "not (\(LeakRow.isSlow))")
        }
        if let kind = query.kind {
            conditions.append("l.kind = ?")
            values.append(kind)
        }
        if let className = query.className {
            conditions.append("l.class = ?")
            values.append(className)
        }
        if let search = query.search, !search.isEmpty {
            let folded = SearchText.folded(search)
            conditions.append(
                """
                (exists (select 1 from leak_text t where t.leak = l.id and instr(t.search, ?) > 0)
                 or exists (select 1 from (select cast(body as text) as body from sample where id = 1 << 40 | l.id)
                   where case when json_valid(body) then instr(lower(json_extract(body, '$.message')), ?) > 0 end))
                """)
            values += [folded, folded]
        }
        if !conditions.isEmpty { joins += " where " + conditions.joined(separator: " and ") }
        source = joins
        self.values = values
        switch query.sort {
        case .impact: (primary, secondary) = ("coalesce(n.installs, 0)", reports)
        case .reports: (primary, secondary) = (reports, "0")
        case .installs: (primary, secondary) = (installs, reports)
        case .lastSeen: (primary, secondary) = ("l.last_seen", "0")
        case .firstSeen: (primary, secondary) = ("l.first_seen", "0")
        }
    }
}
