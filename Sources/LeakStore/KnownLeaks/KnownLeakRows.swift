/// The leaks of an app, or of all apps, that rules of ``KnownLeaks`` describe, by row ID in `leak`.
package struct KnownLeakRows: Sendable {
    package private(set) var matches: [Int64: KnownMatch] = [:]
    /// Row IDs of the leaks that only the system causes.
    package private(set) var rowIDs: [Int64] = []
    /// Totals of the leaks that only the system causes.
    package private(set) var totals = LeakTotals()

    package init() {}

    /// Adds a match. ``rowIDs`` and ``totals`` change only with the first match of a leak, and only if
    /// ``KnownMatch/coversAllReports``.
    package mutating func add(_ match: KnownMatch, reports: Int, of rowID: Int64) {
        guard matches.updateValue(match, forKey: rowID) == nil, match.coversAllReports else { return }
        rowIDs.append(rowID)
        totals.leaks += 1
        totals.reports.addBounded(reports)
    }
}

/// A reader's cache of the ``KnownMatch`` of each leak. A cached match is valid until the leak has more reports. Without the
/// cache, each list would read the systems of all leaks whose class a rule names, such as a thousand leaks of text fields; with
/// the cache, each list reads only the systems of the few leaks with new reports.
package struct KnownLeakCache {
    /// Maximum number of leaks in the cache, which then takes about 2 MiB.
    private static let capacity = 20_000

    /// Matches by row ID of the leak, each with the number of reports for which it is valid; `match` is `nil` if no rule
    /// matches the leak.
    private var cachedMatches: [Int64: (reports: Int, match: KnownMatch?)] = [:]
    private var lastResult: (rows: KnownLeakRows, app: AppScope, changeCounter: Int64)?

    package init() {}

    /// Returns the last result if it is for the same app and the same state of the database. One page needs the result three
    /// times.
    ///
    /// - Parameter changeCounter: ``StoreReader/changeCounter()``.
    package func rows(app: AppScope, changeCounter: Int64) -> KnownLeakRows? {
        guard let lastResult, lastResult.changeCounter == changeCounter, lastResult.app == app else {
            return nil
        }
        return lastResult.rows
    }

    package mutating func keep(_ rows: KnownLeakRows, app: AppScope, changeCounter: Int64) {
        lastResult = (rows, app, changeCounter)
    }

    /// Returns the cached match of a leak.
    ///
    /// - Returns: `isCached` is `true` if the cache has a valid entry for this leak; `match` is the cached match, `nil` if no
    ///   rule matches the leak.
    package func cached(on rowID: Int64, reports: Int) -> (isCached: Bool, match: KnownMatch?) {
        guard let entry = cachedMatches[rowID], entry.reports == reports else { return (false, nil) }
        return (true, entry.match)
    }

    package mutating func keep(_ match: KnownMatch?, reports: Int, on rowID: Int64) {
        if cachedMatches.count >= Self.capacity { cachedMatches.removeAll() }
        cachedMatches[rowID] = (reports, match)
    }
}
