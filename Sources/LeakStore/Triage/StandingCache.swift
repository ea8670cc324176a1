/// What a reader found out about decided leaks, for as long as no report and no decision changes it: where a reader would
/// add up all versions of each for every list, it adds up those of the few that were seen since.
package struct StandingCache {
    /// 4 MiB.
    private static let capacity = 20_000
    private static let appLimit = 4

    private var standings: [Int64: (decision: Int64, reports: Int, standing: Standing)] = [:]
    /// By app; of one state of the database.
    private var found: [ByteText?: (leaks: [DecidedLeak], verdicts: Verdicts?)] = [:]
    private var state: Int64?

    package init() {}

    /// What was found for the same app and the same state of the database.
    package func leaks(app: String?, state: Int64) -> [DecidedLeak]? {
        guard self.state == state else { return nil }
        return found[app.map { ByteText($0) }]?.leaks
    }

    package func verdicts(app: String?, state: Int64, now: Int64) -> Verdicts? {
        guard self.state == state, let verdicts = found[app.map { ByteText($0) }]?.verdicts,
            verdicts.span.contains(now)
        else { return nil }
        return verdicts
    }

    package mutating func keep(_ leaks: [DecidedLeak], app: String?, state: Int64) {
        // One page asks for all apps and for one.
        if self.state != state || found.count >= Self.appLimit { found.removeAll() }
        self.state = state
        found[app.map { ByteText($0) }] = (leaks, nil)
    }

    /// - Parameter app: whose leaks were kept, in the same state.
    package mutating func keep(_ verdicts: Verdicts, app: String?) {
        found[app.map { ByteText($0) }]?.verdicts = verdicts
    }

    package func standing(of row: Int64, decision: Int64, reports: Int) -> Standing? {
        guard let known = standings[row], known.decision == decision, known.reports == reports else {
            return nil
        }
        return known.standing
    }

    package mutating func keep(_ standing: Standing, of row: Int64, decision: Int64, reports: Int) {
        if standings.count >= Self.capacity { standings.removeAll() }
        standings[row] = (decision, reports, standing)
    }
}

/// How many leaks of a release the next one does not have, for as long as neither has more.
package struct GoneCache {
    /// Of many apps; 0.5 MiB.
    private static let capacity = 5_000

    private var counts: [Int64: (leaks: Int, former: Int64, formerLeaks: Int, gone: Int)] = [:]

    package init() {}

    package func gone(in release: Int64, _ leaks: Int, from former: Int64, _ formerLeaks: Int) -> Int? {
        guard let known = counts[release],
            (known.leaks, known.former, known.formerLeaks) == (leaks, former, formerLeaks)
        else { return nil }
        return known.gone
    }

    package mutating func keep(
        _ gone: Int, in release: Int64, _ leaks: Int, from former: Int64, _ formerLeaks: Int
    ) {
        if counts.count >= Self.capacity { counts.removeAll() }
        counts[release] = (leaks, former, formerLeaks, gone)
    }
}
