/// The sweepers of one detector: one for any object, and one that looks on the main queue. They are the same if the first looks
/// there. Both exist from the start, so that settings made before any screen is watched apply to screens too.
final class Sweepers: Sendable {
    let first: Sweeper
    let onMainQueue: Sweeper
    private let all: [Sweeper]

    /// - Parameter second: a sweeper that looks on the main queue; `nil` if the first one does.
    init(_ first: Sweeper, _ second: Sweeper?) {
        self.first = first
        onMainQueue = second ?? first
        all = [first] + [second].compactMap { $0 }
    }

    func pause() {
        for sweeper in all { sweeper.pause() }
    }

    func resume() {
        for sweeper in all { sweeper.resume() }
    }

    func ignore(_ object: AnyObject) {
        for sweeper in all { sweeper.ignore(object) }
    }

    func stop() {
        for sweeper in all { sweeper.stop() }
    }

    var isStopped: Bool { all.allSatisfy { $0.isStopped } }

    func use(_ object: AnyObject) {
        for sweeper in all { sweeper.use(object) }
    }

    var counts: LeakDetector.Counts { all.map(\.counts).reduce(into: LeakDetector.Counts()) { $0.add($1) } }

    func takeChecks() -> [CheckCounts.OfType] { all.flatMap { $0.takeChecks() } }

    func takeUnseenOfOthers() -> Int { all.reduce(0) { $0 + $1.takeUnseenOfOthers() } }
}
