/// A reader's cache of decided leaks, valid while no report and no decision changes them. Without it, every list would add up all
/// versions of each decided leak; with it, only those of the few leaks that were seen since.
package struct DecisionCache {
    /// Number of leaks; 4 MiB.
    private static let capacity = 20_000
    private static let appLimit = 4

    private var decisionStatuses: [Int64: (decision: Int64, reports: Int, decisionStatus: DecisionStatus)] =
        [:]
    /// Decided leaks by app; all entries are of the same state of the database.
    private var found: [AppScope: (leaks: [DecidedLeak], leakStates: LeakStates?)] = [:]
    private var state: Int64?

    package init() {}

    /// Returns the cached leaks for the same app and the same state of the database.
    package func leaks(app: AppScope, state: Int64) -> [DecidedLeak]? {
        guard self.state == state else { return nil }
        return found[app]?.leaks
    }

    package func leakStates(app: AppScope, state: Int64, now: Int64) -> LeakStates? {
        guard self.state == state, let leakStates = found[app]?.leakStates,
            leakStates.span.contains(now)
        else { return nil }
        return leakStates
    }

    package mutating func keep(_ leaks: [DecidedLeak], app: AppScope, state: Int64) {
        // One page needs the leaks of all apps and those of one app.
        if self.state != state || found.count >= Self.appLimit { found.removeAll() }
        self.state = state
        found[app] = (leaks, nil)
    }

    /// - Parameter app: the app whose leaks were cached, for the same state of the database.
    package mutating func keep(_ leakStates: LeakStates, app: AppScope) {
        found[app]?.leakStates = leakStates
    }

    package func decisionStatus(of row: Int64, decision: Int64, reports: Int) -> DecisionStatus? {
        guard let known = decisionStatuses[row], known.decision == decision, known.reports == reports else {
            return nil
        }
        return known.decisionStatus
    }

    package mutating func keep(_ decisionStatus: DecisionStatus, of row: Int64, decision: Int64, reports: Int)
    {
        if decisionStatuses.count >= Self.capacity { decisionStatuses.removeAll() }
        decisionStatuses[row] = (decision, reports, decisionStatus)
    }
}

/// A cache of the number of leaks that a release has and the next release does not have; valid while neither has more leaks.
package struct GoneLeaksCache {
    /// Number of releases, of many apps; 0.5 MiB.
    private static let capacity = 5_000

    private var counts: [Int64: (leaks: Int, former: Int64, formerLeaks: Int, gone: Int)] = [:]

    package init() {}

    package func gone(in release: Int64, leaks: Int, from former: Int64, formerLeaks: Int) -> Int? {
        guard let known = counts[release],
            (known.leaks, known.former, known.formerLeaks) == (leaks, former, formerLeaks)
        else { return nil }
        return known.gone
    }

    package mutating func keep(
        _ gone: Int, in release: Int64, leaks: Int, from former: Int64, formerLeaks: Int
    ) {
        if counts.count >= Self.capacity { counts.removeAll() }
        counts[release] = (leaks, former, formerLeaks, gone)
    }
}
