/// A reader's cache of leaks with a decision. A cached status is valid until the leak has more reports or another decision.
/// Without the cache, each list would add up the counts of all versions of each leak with a decision. With the cache, a list
/// does this only for leaks with new reports, and for leaks that may become resolved again; both are few.
package struct DecisionCache {
    /// Maximum number of cached leaks. They need about 4 MiB.
    private static let capacity = 20_000
    /// Maximum number of apps whose leaks are cached.
    private static let appLimit = 4

    /// Statuses by row ID of the leak, each with the decision and the number of reports for which it is valid.
    private var decisionStatuses: [Int64: (decision: Int64, reports: Int, decisionStatus: DecisionStatus)] =
        [:]
    /// Leaks with a decision, by app or for all apps. All entries are of the same state of the database.
    private var cachedLeaks: [AppScope: (leaks: [DecidedLeak], leakStates: LeakStates?)] = [:]
    /// The ``StoreReader/changeCounter()`` when ``cachedLeaks`` were read.
    private var changeCounter: Int64?

    package init() {}

    /// Returns the cached leaks with a decision of an app; `nil` if they are from another state of the database, or not cached.
    package func leaks(app: AppScope, changeCounter: Int64) -> [DecidedLeak]? {
        guard self.changeCounter == changeCounter else { return nil }
        return cachedLeaks[app]?.leaks
    }

    /// Returns the cached states of an app's leaks; `nil` if they are not cached, or not valid at the time `now`.
    package func leakStates(app: AppScope, changeCounter: Int64, now: Int64) -> LeakStates? {
        guard self.changeCounter == changeCounter, let leakStates = cachedLeaks[app]?.leakStates,
            leakStates.span.contains(now)
        else { return nil }
        return leakStates
    }

    /// Caches the leaks with a decision of an app. Leaks from another state of the database are removed.
    package mutating func keep(_ leaks: [DecidedLeak], app: AppScope, changeCounter: Int64) {
        // One page needs the leaks of all apps and those of one app.
        if self.changeCounter != changeCounter || cachedLeaks.count >= Self.appLimit {
            cachedLeaks.removeAll()
        }
        self.changeCounter = changeCounter
        cachedLeaks[app] = (leaks, nil)
    }

    /// Caches the states of the leaks of an app. The cache must contain the app's leaks for the same state of the database.
    package mutating func keep(_ leakStates: LeakStates, app: AppScope) {
        cachedLeaks[app]?.leakStates = leakStates
    }

    /// Returns the cached status of a leak; `nil` if it is not cached for this decision and this number of reports.
    package func decisionStatus(of row: Int64, decision: Int64, reports: Int) -> DecisionStatus? {
        guard let entry = decisionStatuses[row], entry.decision == decision, entry.reports == reports else {
            return nil
        }
        return entry.decisionStatus
    }

    /// Caches a status.
    ///
    /// - Parameter mayExpire: `true` if a release that the store already had when the decision was made contradicts the
    ///   decision. The status is not cached then, because the leak may be resolved again without a report: when the counts by
    ///   hour of the decision's day expire (``ContradictingReports``).
    package mutating func keep(
        _ decisionStatus: DecisionStatus, of row: Int64, decision: Int64, reports: Int, mayExpire: Bool
    ) {
        guard !mayExpire else { return decisionStatuses[row] = nil }
        if decisionStatuses.count >= Self.capacity { decisionStatuses.removeAll() }
        decisionStatuses[row] = (decision, reports, decisionStatus)
    }
}
