/// The checkers of one detector: one for objects that may be checked on any queue, and one for objects that must be checked on
/// the main queue. Both are the same checker if the first checker checks on the main queue. Both exist from the start, so that
/// pauses and ignored objects apply to screens too, even if no screen was watched when they were set.
final class ExpirationCheckers: Sendable {
    let onAnyQueue: ExpirationChecker
    let onMainQueue: ExpirationChecker
    private let all: [ExpirationChecker]

    /// - Parameter second: a checker that checks objects on the main queue; `nil` if the first checker does.
    init(_ first: ExpirationChecker, _ second: ExpirationChecker?) {
        onAnyQueue = first
        onMainQueue = second ?? first
        all = [first] + [second].compactMap { $0 }
    }

    func pause() {
        for checker in all { checker.pause() }
    }

    func resume() {
        for checker in all { checker.resume() }
    }

    func ignore(_ object: AnyObject) {
        for checker in all { checker.ignore(object) }
    }

    func stop() {
        for checker in all { checker.stop() }
    }

    var isStopped: Bool { all.allSatisfy { $0.isStopped } }

    func use(_ object: AnyObject) {
        for checker in all { checker.use(object) }
    }

    var counts: LeakDetector.Counts { all.map(\.counts).reduce(into: LeakDetector.Counts()) { $0.add($1) } }

    func takeChecks() -> [CheckCounts.OfType] { all.flatMap { $0.takeChecks() } }

    func takeUnseenOfOtherTypes() -> Int { all.reduce(0) { $0 + $1.takeUnseenOfOtherTypes() } }
}
