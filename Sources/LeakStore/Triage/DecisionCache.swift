/// A reader's cache of leaks with a decision. A cached status is valid until the leak has more reports or another decision. Without the
/// cache, each list would add up the counts of all versions of each such leak; with the cache, only those of the few leaks with new
/// reports, and of those that may be resolved again.
package struct DecisionCache {
    /// Maximum number of cached leaks. They need about 4 MiB.
    private static let capacity = 20_000
    private static let appLimit = 4

    private var decisionStatuses: [Int64: (decision: Int64, reports: Int, decisionStatus: DecisionStatus)] =
        [:]
    /// Leaks with a decision, by app; `nil` for all apps. All entries are of the same state of the database.
    private var cachedLeaks: [AppScope: (leaks: [DecidedLeak], leakStates: LeakStates?)] = [:]
    private var state: Int64?

    package init() {}

    /// Returns the cached leaks for the same app and the same state of the database.
    package func leaks(app: AppScope, state: Int64) -> [DecidedLeak]? {
        guard self.state == state else { return nil }
        return cachedLeaks[app]?.leaks
    }

    package func leakStates(app: AppScope, state: Int64, now: Int64) -> LeakStates? {
        guard self.state == state, let leakStates = cachedLeaks[app]?.leakStates,
            leakStates.span.contains(now)
        else { return nil }
        return leakStates
    }

    package mutating func keep(_ leaks: [DecidedLeak], app: AppScope, state: Int64) {
        // One page needs the leaks of all apps and those of one app.
        if self.state != state || cachedLeaks.count >= Self.appLimit { cachedLeaks.removeAll() }
        self.state = state
        cachedLeaks[app] = (leaks, nil)
    }

    /// Caches the states of the leaks of an app. The cache must contain the app's leaks for the same state of the database.
    package mutating func keep(_ leakStates: LeakStates, app: AppScope) {
        cachedLeaks[app]?.leakStates = leakStates
    }

    package func decisionStatus(of row: Int64, decision: Int64, reports: Int) -> DecisionStatus? {
        guard let entry = decisionStatuses[row], entry.decision == decision, entry.reports == reports else {
            return nil
        }
        return entry.decisionStatus
    }

    /// Caches a status.
    ///
    /// - Parameter mayExpire: `true` if a release that was known at the decision contradicts it. The status is not cached then: the
    ///   leak may be resolved again when the hours of the day of its decision expire (``ContradictingReports``), without a report.
    package mutating func keep(
        _ decisionStatus: DecisionStatus, of row: Int64, decision: Int64, reports: Int, mayExpire: Bool
    ) {
        guard !mayExpire else { return decisionStatuses[row] = nil }
        if decisionStatuses.count >= Self.capacity { decisionStatuses.removeAll() }
        decisionStatuses[row] = (decision, reports, decisionStatus)
    }
}

/// A cache of the numbers of leaks that the previous (`former`) release has and a release does not have. A number is valid until one of
/// the two releases has more leaks.
package struct GoneLeaksCache {
    /// Number of releases, of many apps; 0.5 MiB.
    private static let capacity = 5_000

    private var counts: [Int64: (leaks: Int, former: Int64, formerLeaks: Int, gone: Int)] = [:]

    package init() {}

    package func goneLeakCount(in release: Int64, leaks: Int, from former: Int64, formerLeaks: Int) -> Int? {
        guard let entry = counts[release],
            (entry.leaks, entry.former, entry.formerLeaks) == (leaks, former, formerLeaks)
        else { return nil }
        return entry.gone
    }

    package mutating func keep(
        _ gone: Int, in release: Int64, leaks: Int, from former: Int64, formerLeaks: Int
    ) {
        if counts.count >= Self.capacity { counts.removeAll() }
        counts[release] = (leaks, former, formerLeaks, gone)
    }
}
