/// What a reader found out about decided leaks, for as long as no report and no decision changes it: where a reader would
/// add up all versions of each for every list, it adds up those of the few that were seen since.
package struct StandingCache {
    /// 4 MiB.
    private static let capacity = 20_000

    private var standings: [Int64: (decision: Int64, reports: Int, standing: Standing)] = [:]
    private var last: (leaks: [DecidedLeak], verdicts: Verdicts?, app: ByteText?, state: Int64)?

    package init() {}

    /// What was found last, where it was for the same app and the same state of the database.
    package func leaks(app: String?, state: Int64) -> [DecidedLeak]? {
        guard let last, last.state == state, last.app == app.map({ ByteText($0) }) else { return nil }
        return last.leaks
    }

    package func verdicts(app: String?, state: Int64, now: Int64) -> Verdicts? {
        guard leaks(app: app, state: state) != nil, let verdicts = last?.verdicts, verdicts.span.contains(now)
        else { return nil }
        return verdicts
    }

    package mutating func keep(_ leaks: [DecidedLeak], app: String?, state: Int64) {
        last = (leaks, nil, app.map { ByteText($0) }, state)
    }

    /// For the same app and state as the leaks that were kept last.
    package mutating func keep(_ verdicts: Verdicts) { last?.verdicts = verdicts }

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
