/// The leaks of a list that entries of ``KnownLeaks`` describe, by row of `leak`.
package struct KnownLeakRows: Sendable {
    package private(set) var matches: [Int64: KnownMatch] = [:]
    /// Rows of the leaks that only the system causes.
    package private(set) var rows: [Int64] = []
    /// Totals of the leaks that only the system causes.
    package private(set) var totals = LeakTotals()

    package init() {}

    /// Adds a match. Rows and totals stay as they are if the leak has a match already.
    package mutating func add(_ match: KnownMatch, reports: Int, of row: Int64) {
        guard matches.updateValue(match, forKey: row) == nil, match.isAll else { return }
        rows.append(row)
        totals.leaks += 1
        totals.reports.addBounded(reports)
    }
}

/// A reader's cache of matches, each valid while no report changes the leak. Without it, every list would read the systems of all
/// leaks whose class an entry names, such as a thousand leaks of text fields; with it, only those of the few leaks that were seen
/// since.
package struct KnownLeakCache {
    /// Number of leaks; 2 MiB.
    private static let capacity = 20_000

    private var cachedMatches: [Int64: (reports: Int, match: KnownMatch?)] = [:]
    private var last: (rows: KnownLeakRows, app: AppScope, state: Int64)?

    package init() {}

    /// Returns the last result, if it is for the same app and the same state of the database: one page needs it three times.
    package func rows(app: AppScope, state: Int64) -> KnownLeakRows? {
        guard let last, last.state == state, last.app == app else { return nil }
        return last.rows
    }

    package mutating func keep(_ rows: KnownLeakRows, app: AppScope, state: Int64) {
        last = (rows, app, state)
    }

    /// - Returns: `isKnown` is `true` if the cache has a valid entry for this leak; `match` is its content.
    package func cached(on row: Int64, reports: Int) -> (isKnown: Bool, match: KnownMatch?) {
        guard let cached = cachedMatches[row], cached.reports == reports else { return (false, nil) }
        return (true, cached.match)
    }

    package mutating func keep(_ match: KnownMatch?, reports: Int, on row: Int64) {
        if cachedMatches.count >= Self.capacity { cachedMatches.removeAll() }
        cachedMatches[row] = (reports, match)
    }
}
