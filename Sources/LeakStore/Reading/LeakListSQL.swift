/// The filters and the order of a list as SQL. The SQL text contains no values of the query: they are bound as parameters.
struct LeakListSQL {
    /// The SQL from the `from` clause on.
    let sourceSQL: String
    /// The values of the parameters in ``sourceSQL``.
    let values: [any Bindable]
    /// SQL for the number of reports that a row shows.
    let reportsSQL: String
    /// SQL for the number of installs that a row shows.
    let installsSQL: String
    /// SQL for the release whose rate (``LeakRow/rate``) the row shows.
    let rateReleaseSQL: String
    /// SQL that the list is sorted by.
    let primarySortKeySQL: String
    /// SQL that rows with the same primary sort key are sorted by.
    let secondarySortKeySQL: String
    /// The values of the parameters in ``primarySortKeySQL``.
    let sortKeyValues: [any Bindable]
    /// ``LeakQuery/direction``.
    let direction: (keyword: String, operatorAfter: String, operatorFrom: String)
    /// `true` if the list is sorted by name.
    let isByName: Bool
    /// `true` if only the reports of a period count.
    let isOfPeriod: Bool

    init(_ query: LeakQuery, _ leakStates: LeakStates, part: LeakListPart = .all, now: Int64) {
        var values: [any Bindable] = []
        var fromClause = "leak l"
        if let state = query.state.assigned {
            // Reads first the leaks in this state, which are few. The other filters then apply to these leaks.
            fromClause = "json_each(?) k cross join leak l on l.id = k.value"
            values.append(leakStates.rowIDs([state]).jsonArray)
        }
        if let period = query.period {
            let periodReports = Self.reportsSubquery(
                of: period, in: query, from: fromClause, now: now)
            fromClause = "\(periodReports.sql) w cross join leak l on l.id = w.leak"
            values = periodReports.values + values + [period.startTime(now: now)]
        }
        fromClause = "from \(fromClause) join app a on a.id = l.app"
        if let version = query.version {
            fromClause += """
                 join leak_release n on n.leak = l.id
                 and n.release = (select id from release where app = l.app and version = ?)
                """
            values.append(version)
            (installsSQL, rateReleaseSQL) = ("n.installs", "n.release")
        } else {
            (installsSQL, rateReleaseSQL) = ("l.installs", LeakRow.rateReleaseSQL(of: "l"))
        }
        isOfPeriod = query.period != nil
        reportsSQL =
            query.period != nil ? "w.reports" : query.version == nil ? "l.reports" : "n.reports"
        if query.sort == .name { fromClause += " join leak_text t on t.leak = l.id" }
        var conditions: [String] = []
        if let app = query.app {
            conditions.append("l.app = (select id from app where name = ? and environment = ?)")
            values += [app, query.environment]
        } else {
            conditions.append("a.environment = ?")
            values.append(query.environment)
        }
        switch query.state {
        case .open: conditions.append("not \(LeakRow.isSlowSQL)")
        case .slow: conditions.append(LeakRow.isSlowSQL)
        case .new: conditions.append("l.first_release = a.newest_release")
        case .toFix, .known, .any, .regressed, .resolved, .ignored: break
        }
        if part == .others {
            conditions.append("l.id in (select value from json_each(?))")
            values.append(leakStates.others.sorted().jsonArray)
        }
        let excluded = leakStates.rowIDs(excludedFrom: part, of: query.state)
        if !excluded.isEmpty {
            conditions.append("l.id not in (select value from json_each(?))")
            values.append(excluded.jsonArray)
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
            let foldedSearch = SearchText.folded(search)
            conditions.append(
                """
                (exists (select 1 from leak_text t where t.leak = l.id
                   and (instr(t.search, ?) > 0 or instr(folded(t.module || '.' || l.class), ?) > 0
                     or length(t.stack) + length(t.children) + length(t.cycle) > \(SearchText.maxPathBytes)
                       and instr(folded(t.stack || t.children || t.cycle), ?) > 0))
                 or exists (select 1 from (select cast(sample_json(body) as text) as body from sample where id = 1 << 40 | l.id)
                   where case when json_valid(body) then instr(folded(json_extract(body, '$.message')), ?) > 0 end))
                """)
            values += [foldedSearch, foldedSearch, foldedSearch, foldedSearch]
        }
        if !conditions.isEmpty { fromClause += " where " + conditions.joined(separator: " and ") }
        sourceSQL = fromClause
        self.values = values
        direction = query.direction
        isByName = query.sort == .name
        var sortKeyValues: [any Bindable] = []
        switch query.sort {
        case .impact:
            (primarySortKeySQL, secondarySortKeySQL) = (
                query.version == nil ? "l.impact" : "n.installs", reportsSQL
            )
        case .reports: (primarySortKeySQL, secondarySortKeySQL) = (reportsSQL, "0")
        case .installs: (primarySortKeySQL, secondarySortKeySQL) = (installsSQL, reportsSQL)
        case .cost:
            let cost = "l.retained_bytes * 1.0 * max(coalesce(l.alive_at_most, 1), 1) * \(installsSQL)"
            (primarySortKeySQL, secondarySortKeySQL) = (
                "cast(min(\(cost), LARGEST_TOTAL) as integer)", reportsSQL
            )
        case .lastSeen: (primarySortKeySQL, secondarySortKeySQL) = ("l.last_seen", "0")
        case .firstSeen: (primarySortKeySQL, secondarySortKeySQL) = ("l.first_seen", "0")
        case .name: (primarySortKeySQL, secondarySortKeySQL) = ("dense_rank() over (order by t.title)", "0")
        case .state:
            let key = leakStates.sortKeySQL(isNewSQL: "l.first_release = a.newest_release") { rows in
                sortKeyValues.append(rows.jsonArray)
                return "l.id in (select value from json_each(?))"
            }
            (primarySortKeySQL, secondarySortKeySQL) = (key, reportsSQL)
        case .recent:
            let firstDay = Calendar.day(of: now) - LeakRow.trendDays + 1
            sortKeyValues = [Int64(firstDay) * Calendar.dayMilliseconds, firstDay]
            let recentReports = """
                case when l.last_seen < ? then 0 else
                  (select cast(min(total(p.reports), LARGEST_TOTAL) as integer) from leak_day p
                   where p.leak = l.id and p.day >= ?) end
                """
            (primarySortKeySQL, secondarySortKeySQL) = (recentReports, reportsSQL)
        }
        self.sortKeyValues = sortKeyValues
    }

    /// Returns SQL for the leaks with reports in a period, each with the number of its reports in the period. Each number is
    /// computed once, even if the enclosing SQL reads it several times.
    ///
    /// - Parameter leaks: SQL for the leaks to search, as `l`. The returned values are bound first, then those of `leaks`, then
    ///   the start of the period.
    private static func reportsSubquery(
        of period: Period, in query: LeakQuery, from leaks: String, now: Int64
    ) -> (sql: String, values: [any Bindable]) {
        let (table, bucket) = period == .day ? ("leak_hour", "hour") : ("leak_day", "day")
        var totalReports = "l.reports"
        var version = ""
        if query.version != nil {
            version = "and p.release = (select id from release where app = l.app and version = ?)"
            totalReports = "(select p.reports from leak_release p where p.leak = l.id \(version))"
        }
        let versionValues: [any Bindable] = query.version.map { [$0] } ?? []
        let reports: (String) -> String =
            query.countsSinceDecision
            ? {
                "min(\($0), l.reports - coalesce((select reports_then from decision where id = l.state), 0))"
            }
            : { $0 }
        // A leak that was first seen in the period has all its reports in the period.
        let periodReports = """
            case when l.first_seen >= ? then \(totalReports) else
                  (select cast(min(total(p.reports), LARGEST_TOTAL) as integer)
                  from \(table) p where p.leak = l.id \(version) and p.\(bucket) >= ?) end
            """
        let sql = """
            (with seen as materialized (
              select l.id as leak, \(reports(periodReports)) as reports
              from \(leaks) where l.last_seen >= ?)
            select leak, reports from seen where reports > 0)
            """
        return (
            sql, [period.startTime(now: now)] + versionValues + versionValues + [period.firstBucket(now: now)]
        )
    }
}
