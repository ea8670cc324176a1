/// A list's filters and order as SQL: literals here, values bound.
struct LeakSelection {
    /// From `from` on.
    let source: String
    let values: [any Bindable]
    let reports: String
    let installs: String
    /// The release whose share is shown.
    let lookedAt: String
    let primary: String
    let secondary: String

    init(_ query: LeakQuery, known: KnownRows = KnownRows()) {
        var joins = "from leak l join app a on a.id = l.app"
        var values: [any Bindable] = []
        let apart = known.rows
        if query.state == .known {
            // From these few on, whatever else is asked for.
            joins = "from json_each(?) k cross join leak l on l.id = k.value join app a on a.id = l.app"
            values.append(apart.list)
        }
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
        switch query.state {
        case .open: conditions.append("not (\(LeakRow.isSlow))")
        case .slow: conditions.append(LeakRow.isSlow)
        case .toFix, .known, .any, .regressed, .resolved, .ignored: break
        }
        if ![.known, .any].contains(query.state), !apart.isEmpty {
            conditions.append("l.id not in (select value from json_each(?))")
            values.append(apart.list)
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
