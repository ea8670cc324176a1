extension SQLiteReader {
    /// The allowed range for the number of rows of a page.
    private static let rowLimits = 1...1_000

    func leaks(_ query: LeakQuery, now: Int64) throws(StoreError) -> LeakPage {
        guard Self.rowLimits.contains(query.limit) else {
            throw StoreError(.invalidArgument, "a page has 1 to 1,000 rows, not \(query.limit)")
        }
        let cursor = try query.cursor.map { text throws(StoreError) in try PageCursor(text, for: query) }
        return try snapshot { connection throws(StoreError) in
            let leakStates = try leakStates(app: query.scope, now: now, on: connection)
            let start = cursor?.isAmongOthers(of: query) == true ? PageCursor.end(of: query) : cursor
            var (rows, cursors, listedTotals) =
                query.isReadFromIndex
                ? try pageFromIndexes(query, leakStates, after: start, limit: query.limit + 1)
                : try page(
                    of: LeakListSQL(query, leakStates, part: .named, now: now), after: start,
                    limit: query.limit + 1)
            let others = try otherLeaks(query, leakStates, now: now)
            if !query.isReadFromIndex { listedTotals.add(others.totals) }
            let totals = try totals(of: query, listedTotals, leakStates, now: now)
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
            return LeakPage(
                leaks: rows, next: next, total: totals.listed.leaks, reports: totals.listed.reports,
                known: totals.known, resolved: totals.resolved, ignored: totals.ignored,
                slow: totals.slow, resolvedSeen: totals.resolvedSeen)
        }
    }

    /// Totals of the leaks in a list, and of the leaks that are set aside, by state.
    private struct Totals {
        var listed: LeakTotals
        var known = LeakTotals()
        var resolved = LeakTotals()
        var ignored = LeakTotals()
        var slow = LeakTotals()
        /// ``LeakPage/resolvedSeen``.
        var resolvedSeen = LeakTotals()
    }

    private func totals(
        of query: LeakQuery, _ listed: LeakTotals, _ leakStates: LeakStates, now: Int64
    ) throws(StoreError) -> Totals {
        func setAside(_ state: LeakState, _ filter: LeakQuery.StateFilter) throws(StoreError) -> LeakTotals {
            guard query.state == .toFix, leakStates.totals(state).leaks > 0 else { return LeakTotals() }
            guard !query.isReadFromIndex else { return leakStates.totals(state) }
            var setAsideQuery = query
            (setAsideQuery.state, setAsideQuery.countsReportsBeforeDecision) = (filter, true)
            return try totals(of: LeakListSQL(setAsideQuery, leakStates, now: now))
        }
        var sums = Totals(
            listed: listed, known: try setAside(.known, .known), resolved: try setAside(.resolved, .resolved),
            ignored: try setAside(.ignored, .ignored), slow: try setAside(.slow, .slow))
        if sums.resolved.leaks > 0 {
            sums.resolvedSeen = try totals(of: LeakListSQL(query.ofResolvedSeen, leakStates, now: now))
        }
        if query.isReadFromIndex {
            for part in [sums.known, sums.resolved, sums.ignored, sums.slow] {
                sums.listed.leaks = max(sums.listed.leaks - part.leaks, 0)
                sums.listed.reports = max(sums.listed.reports - part.reports, 0)
            }
        }
        return sums
    }

    private func totals(of list: LeakListSQL) throws(StoreError) -> LeakTotals {
        let select = try connection.statement(
            composed:
                "select count(*), cast(min(total(\(list.reportsSQL)), LARGEST_TOTAL) as integer) \(list.sourceSQL)"
        )
        defer { select.reset() }
        try select.bind(all: list.values)
        return try select.step() ? LeakTotals(leaks: select.int(0), reports: select.int(1)) : LeakTotals()
    }

    /// Reads the leaks that count all others of their app. They are the last rows of a list, whatever its order.
    private func otherLeaks(
        _ query: LeakQuery, _ leakStates: LeakStates, now: Int64
    ) throws(StoreError) -> OtherLeaks {
        var others = OtherLeaks()
        guard OtherLeaks.areListed(query, leakStates) else { return others }
        let (rows, cursors, totals) = try page(
            of: LeakListSQL(query, leakStates, part: .others, now: now), after: nil,
            limit: leakStates.others.count)
        others.rows = zip(rows, cursors).map { ($0, $1.leakRowID) }
        others.totals = totals
        return others
    }

    /// Reads a page together with the totals of all leaks that match, because reading these leaks takes most of the time of a
    /// page.
    private func page(
        of list: LeakListSQL, after cursor: PageCursor?, limit: Int
    ) throws(StoreError) -> ([LeakRow], [PageCursor], LeakTotals) {
        var values = list.sortKeyValues + list.values
        var condition = ""
        let (order, operatorAfter, _) = list.direction
        if let cursor = try cursor.map({ (cursor) throws(StoreError) in try updated(cursor, in: list) }) {
            condition = "where (k1, k2, id) \(operatorAfter) (?, ?, ?)"
            values += [cursor.primary, cursor.secondary, cursor.leakRowID]
        }
        let select = try connection.statement(
            composed: """
                with matched as materialized (
                  select l.id as id, \(list.primarySortKeySQL) as k1, \(list.secondarySortKeySQL) as k2,
                    \(list.reportsSQL) as reports, \(list.installsSQL) as installs,
                    \(list.rateReleaseSQL) as rate_release \(list.sourceSQL)
                ), page as (select * from matched \(condition) order by k1 \(order), k2 \(order), id \(order) limit ?)
                \(LeakRow.selectSQL(with: """
                    , (select count(*) from matched),
                      (select cast(min(total(reports), LARGEST_TOTAL) as integer) from matched)
                    """))
                order by page.k1 \(order), page.k2 \(order), page.id \(order)
                """)
        defer { select.reset() }
        try select.bind(all: values + [limit])
        var rows: [LeakRow] = []
        var cursors: [PageCursor] = []
        var totals = LeakTotals()
        while try select.step() {
            let row = NamedRow(select, of: LeakRow.Column.self)
            rows.append(try LeakRow(row, isOfPeriod: list.isOfPeriod))
            cursors.append(PageCursor(row))
            totals = LeakTotals(
                leaks: select.int(LeakRow.Column.count), reports: select.int(LeakRow.Column.count + 1))
        }
        // A page past the end has no rows, so its totals need a separate query.
        if rows.isEmpty, cursor != nil { totals = try self.totals(of: list) }
        return (rows, cursors, totals)
    }

    /// Returns the cursor at the current position of its leak: ``PageCursor/moved(toNamePosition:isListed:isAscending:)``.
    private func updated(_ cursor: PageCursor, in list: LeakListSQL) throws(StoreError) -> PageCursor {
        guard list.isByName else { return cursor }
        let select = try connection.statement(
            composed: """
                with matched as materialized (select t.title as title, \(list.primarySortKeySQL) as k1 \(list.sourceSQL))
                select coalesce(max(case when m.title <= c.title then m.k1 end), 0), coalesce(max(m.title = c.title), 0),
                  count(c.leak)
                from leak_text c left join matched m where c.leak = ?
                """)
        defer { select.reset() }
        try select.bind(all: list.sortKeyValues + list.values + [cursor.leakRowID])
        // A leak that was merged has no name any more.
        guard try select.step(), select.int(2) > 0 else { return cursor }
        return cursor.moved(
            toNamePosition: select.int64(0), isListed: select.int(1) == 1,
            isAscending: list.direction.keyword == "asc")
    }

    /// Reads a page of all leaks of an app, or of all apps. Reads the next leaks of each app from the index of the sort order,
    /// reads its unindexed leaks (`is_unindexed = 1`), and merges both. Skips leaks that are set aside if the list is of leaks
    /// to fix.
    private func pageFromIndexes(
        _ query: LeakQuery, _ leakStates: LeakStates, after cursor: PageCursor?, limit: Int
    ) throws(StoreError) -> ([LeakRow], [PageCursor], LeakTotals) {
        let apps = try connection.statement(
            "select id from app where environment = ?2 and (?1 is null or name = ?1)")
        defer { apps.reset() }
        try apps.bind(query.app, query.environment)
        let statements = [
            try connection.statement(composed: query.pageSQL(of: "is_unindexed = 0", rank: "rank_")),
            try connection.statement(composed: query.pageSQL(of: "is_unindexed = 1", rank: "")),
        ]
        let start = cursor ?? .start(of: query)
        var cursors: [PageCursor] = []
        while try apps.step() {
            for select in statements {
                defer { select.reset() }
                try select.bind(apps.int64(0), start.primary, start.secondary, start.leakRowID)
                var count = 0
                while count < limit, try select.step() {
                    let rowID = select.int64(2)
                    if query.state == .toFix, leakStates.isSetAside(rowID) { continue }
                    if leakStates.others.contains(rowID) { continue }
                    cursors.append(
                        PageCursor(primary: select.int64(0), secondary: select.int64(1), leakRowID: rowID))
                    count += 1
                }
            }
        }
        cursors.sort()
        if !query.isAscending { cursors.reverse() }
        let rows = try connection.rows(cursors.prefix(limit).map(\.leakRowID))
        // A leak without a row of `leak_text` is damaged, and is left out.
        cursors = cursors.prefix(limit).filter { rows[$0.leakRowID] != nil }
        return (
            cursors.compactMap { rows[$0.leakRowID] }, cursors,
            try connection.read(StoreQueries.totals(query.scope)) ?? LeakTotals()
        )
    }
}

extension LeakQuery {
    /// Returns SQL for the sort keys and row IDs of the next leaks of an app.
    ///
    /// - Parameters:
    ///   - leaks: the SQL condition for indexed or unindexed leaks.
    ///   - rank: the prefix of the columns that the order uses for these leaks.
    func pageSQL(of leaks: String, rank: String) -> String {
        let (primary, secondary): (String, String?) =
            switch sort {
            // Of these orders, only `impact` has an index. This function is not called for the others
            // (``LeakQuery/isReadFromIndex``).
            case .impact, .cost, .name, .state, .recent: (rank + "impact", rank + "reports")
            case .reports: (rank + "reports", nil)
            case .installs: (rank + "installs", rank + "reports")
            case .lastSeen: (rank + "last_seen", nil)
            case .firstSeen: ("first_seen", nil)
            }
        let (order, operatorAfter, operatorFrom) = direction
        return """
            select \(primary), \(secondary ?? "0"), id from leak
            where app = ?1 and \(leaks) and \(primary) \(operatorFrom) ?2
              and (\(primary), \(secondary ?? "0"), id) \(operatorAfter) (?2, ?3, ?4)
            order by \(primary) \(order), \(secondary.map { "\($0) \(order), " } ?? "")id \(order)
            """
    }
}
