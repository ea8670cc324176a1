internal import Threads

/// The sweepers of one detector: one for any object, and one that looks on the main queue, made when screens are watched.
/// They are the same if the first looks there.
final class Sweepers: Sendable {
    private struct Second {
        var sweeper: Sweeper?
        var isPaused = false
    }

    let first: Sweeper
    private let mainClock: (any WakeClock)?
    private let make: @Sendable (any WakeClock) -> Sweeper
    private let second = Guarded(Second())

    /// - Parameter mainClock: the clock of the main queue; `nil` if the first looks there.
    init(
        _ first: Sweeper, mainClock: (any WakeClock)?, make: @escaping @Sendable (any WakeClock) -> Sweeper
    ) {
        self.first = first
        self.mainClock = mainClock
        self.make = make
    }

    var onMainQueue: Sweeper {
        guard let mainClock else { return first }
        return second.with { second in
            if let sweeper = second.sweeper { return sweeper }
            let sweeper = make(mainClock)
            if second.isPaused { sweeper.pause() }
            second.sweeper = sweeper
            return sweeper
        }
    }

    func pause() {
        first.pause()
        second.with {
            $0.isPaused = true
            $0.sweeper?.pause()
        }
    }

    func resume() {
        first.resume()
        second.with {
            $0.isPaused = false
            $0.sweeper?.resume()
        }
    }

    func ignore(_ object: AnyObject) {
        for sweeper in all { sweeper.ignore(object) }
    }

    func stop() {
        for sweeper in all { sweeper.stop() }
    }

    func use(_ object: AnyObject) {
        for sweeper in all { sweeper.use(object) }
    }

    var counts: LeakDetector.Counts { all.map(\.counts).reduce(into: LeakDetector.Counts()) { $0.add($1) } }

    func takeChecks() -> [(type: AnyClass, count: Int)] { all.flatMap { $0.takeChecks() } }

    private var all: [Sweeper] { [first] + [second.with { $0.sweeper }].compactMap { $0 } }
}
