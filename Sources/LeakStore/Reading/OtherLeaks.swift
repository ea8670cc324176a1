/// The last rows of a list: the leaks that count all others of their app (``LeakIdentity/isOverLimit``), in the order of their
/// row IDs.
package struct OtherLeaks {
    package var rows: [(row: LeakRow, leakRowID: Int64)] = []
    package var totals = LeakTotals()

    package init() {}

    /// Returns `true` if a list may have such leaks.
    package static func areListed(_ query: LeakQuery, _ leakStates: LeakStates) -> Bool {
        !leakStates.others.isEmpty && query.state != .new
    }

    /// Appends as many of ``rows`` as fit on a page. The page must contain the last leak that has sort keys of its own, or come
    /// after that leak.
    ///
    /// - Parameters:
    ///   - cursors: the positions of `rows`.
    ///   - cursor: the cursor of the page.
    /// - Returns: the cursor of the next page; `nil` if there is none.
    package func append(
        to rows: inout [LeakRow], _ cursors: inout [PageCursor], of query: LeakQuery,
        after cursor: PageCursor?
    ) -> PageCursor? {
        var position = PageCursor.beforeOthers(of: query)
        if let cursor, cursor.isAmongOthers(of: query) { position = cursor }
        let left = self.rows.map { (row: $0.row, cursor: position.moved(to: $0.leakRowID)) }
            .filter { query.isAscending ? position < $0.cursor : $0.cursor < position }
            .sorted { query.isAscending ? $0.cursor < $1.cursor : $1.cursor < $0.cursor }
        let appended = left.prefix(max(query.limit - rows.count, 0))
        rows += appended.map(\.row)
        cursors += appended.map(\.cursor)
        return appended.count < left.count ? appended.last?.cursor ?? position : nil
    }
}

extension PageCursor {
    /// The sort key of a row behind all rows that have sort keys of their own.
    private static func lastKey(of query: LeakQuery) -> Int64 { query.isAscending ? .max : .min }

    /// Returns a cursor behind all rows of a list that have sort keys of their own.
    package static func end(of query: LeakQuery) -> PageCursor {
        PageCursor(
            primary: lastKey(of: query), secondary: lastKey(of: query), leakRowID: lastKey(of: query))
    }

    /// Returns a cursor before the first of ``OtherLeaks``.
    fileprivate static func beforeOthers(of query: LeakQuery) -> PageCursor {
        PageCursor(
            primary: lastKey(of: query), secondary: lastKey(of: query),
            leakRowID: query.isAscending ? .min : .max)
    }

    /// `true` for a position before or among ``OtherLeaks``.
    package func isAmongOthers(of query: LeakQuery) -> Bool {
        primary == Self.lastKey(of: query) && secondary == Self.lastKey(of: query)
    }

    fileprivate func moved(to leakRowID: Int64) -> PageCursor {
        PageCursor(primary: primary, secondary: secondary, leakRowID: leakRowID)
    }
}

extension LeakTotals {
    package mutating func add(_ other: LeakTotals) {
        leaks += other.leaks
        reports.addBounded(other.reports)
    }
}

extension StoreQueries {
    /// Reads the row IDs of the leaks that count all others of their app.
    package static func otherLeaks(_ app: AppScope) -> StoreRead<[Int64]> {
        StoreRead<[Int64]>.numbers(
            .composed(
                """
                select l.id from leak l join app a on a.id = l.app where l.key < $3::uuid and \(isInScopeSQL)
                """), .text(app.app), .text(app.environment), .id(LeakID(high: 1, low: 0)))
    }
}
