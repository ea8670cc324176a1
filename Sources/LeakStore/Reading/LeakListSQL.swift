/// The filters and the order of a list as SQL. The text consists of literals; values are bound.
struct LeakListSQL {
    /// The SQL from the `from` clause on.
    let source: String
    let values: [any Bindable]
    let reports: String
    let installs: String
    /// The release whose share is shown.
    let lookedAt: String
    let primary: String
    let secondary: String

    init(_ query: LeakQuery, _ leakStates: LeakStates, now: Int64) {
        var values: [any Bindable] = []
        var joins = "leak l"
        if let state = query.state.assigned {
            // Starts with these few rows, whatever the other filters are.
            joins = "json_each(?) k cross join leak l on l.id = k.value"
            values.append(leakStates.rows([state]).list)
        }
        if let period = query.period {
            let part = Self.reports(of: period, in: query, from: joins, now: now)
            joins = "\(part.source) w cross join leak l on l.id = w.leak"
            values = part.values + values + [period.start(now: now)]
        }
        joins = "from \(joins) join app a on a.id = l.app"
        if let version = query.version {
            joins += """
                 join leak_release n on n.leak = l.id
                 and n.release = (select id from release where app = l.app and version = ?)
                """
            values.append(version)
            (installs, lookedAt) = ("n.installs", "n.release")
        } else {
            // Only the order by impact needs it; SQLite leaves out a left join that nothing reads.
            joins += " left join leak_release n on n.leak = l.id and n.release = a.newest_release"
            (installs, lookedAt) = ("l.installs", "l.last_release")
        }
        reports =
            query.period != nil ? "w.reports" : query.version == nil ? "l.reports" : "n.reports"
        var conditions: [String] = []
        if let app = query.app {
            conditions.append("l.app = (select id from app where name = ? and environment = ?)")
            values += [app, query.environment]
        } else {
            conditions.append("a.environment = ?")
            values.append(query.environment)
        }
        switch query.state {
        case .open: conditions.append("not \(LeakRow.isSlow)")
        case .slow: conditions.append(LeakRow.isSlow)
        case .new: conditions.append("l.first_release = a.newest_release")
        case .toFix, .known, .any, .regressed, .resolved, .ignored: break
        }
        let excluded = leakStates.rows(query.state.excluded)
        if !excluded.isEmpty {
            conditions.append("l.id not in (select value from json_each(?))")
            values.append(excluded.list)
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
                (exists (select 1 from leak_text t where t.leak = l.id
                   and (instr(t.search, ?) > 0 or instr(lower(t.module || '.' || l.class), ?) > 0
                     or length(t.stack) + length(t.children) + length(t.cycle) > \(SearchText.pathBytes)
                       and instr(lower(t.stack || t.children || t.cycle), ?) > 0))
                 or exists (select 1 from (select cast(body as text) as body from sample where id = 1 << 40 | l.id)
                   where case when json_valid(body) then instr(lower(json_extract(body, '$.message')), ?) > 0 end))
                """)
            values += [folded, folded, folded, folded]
        }
        if !conditions.isEmpty { joins += " where " + conditions.joined(separator: " and ") }
        source = joins
        self.values = values
        switch query.sort {
        case .impact: (primary, secondary) = ("coalesce(n.installs, 0)", reports)
        case .reports: (primary, secondary) = (reports, "0")
        case .installs: (primary, secondary) = (installs, reports)
        case .cost:
            let cost = "l.retained_bytes * 1.0 * max(coalesce(l.alive_at_most, 1), 1) * \(installs)"
            (primary, secondary) = ("cast(min(\(cost), LARGEST_TOTAL) as integer)", reports)
        case .lastSeen: (primary, secondary) = ("l.last_seen", "0")
        case .firstSeen: (primary, secondary) = ("l.first_seen", "0")
        }
    }

    /// Returns SQL for the leaks with reports in a period, with the number of their reports. Each number is added up once, however
    /// often the enclosing SQL reads it.
    ///
    /// - Parameter leaks: SQL for the leaks to search, as `l`. The returned values are bound first, then those of `leaks`, then
    ///   the start of the period.
    private static func reports(
        of period: Period, in query: LeakQuery, from leaks: String, now: Int64
    ) -> (source: String, values: [any Bindable]) {
        let (table, bucket) = period == .day ? ("leak_hour", "hour") : ("leak_day", "day")
        var ever = "l.reports"
        var version = ""
        if query.version != nil {
            version = "and p.release = (select id from release where app = l.app and version = ?)"
            ever = "(select p.reports from leak_release p where p.leak = l.id \(version))"
        }
        let named: [any Bindable] = query.version.map { [$0] } ?? []
        // A leak that was first seen in the period has all its reports there.
        let source = """
            (with seen as materialized (
              select l.id as leak, case when l.first_seen >= ? then \(ever) else
                  (select cast(min(total(p.reports), LARGEST_TOTAL) as integer)
                  from \(table) p where p.leak = l.id \(version) and p.\(bucket) >= ?) end as reports
              from \(leaks) where l.last_seen >= ?)
            select leak, reports from seen where reports > 0)
            """
        return (source, [period.start(now: now)] + named + named + [period.firstBucket(now: now)])
    }
}
