internal import Dispatch
internal import LeakPlatform

/// A clock with timers that fire at a given uptime.
protocol WakeClock: Sendable {
    /// Milliseconds since an arbitrary start. They never decrease.
    var uptime: Int { get }

    /// The uptime, up to a few milliseconds old, for the most frequent calls: reading it takes a fifth of the time that
    /// ``uptime`` takes.
    var roughUptime: Int { get }

    /// `true` if objects are checked on the main queue.
    var isMainQueue: Bool { get }

    /// Makes a timer that is not set.
    ///
    /// - Parameter fire: called on the queue where objects may be checked.
    func makeTimer(_ fire: @escaping @Sendable () -> Void) -> any WakeTimer

    /// Calls `body` after a delay, on the queue where objects may be checked.
    func call(afterMilliseconds milliseconds: Int, _ body: @escaping @Sendable () -> Void)
}

/// A timer that fires once each time it is set.
protocol WakeTimer: Sendable {
    /// Sets the timer to a new uptime of its clock.
    func set(at uptime: Int)
}

/// The clock of a dispatch queue. It does not advance while the device sleeps.
struct QueueClock: WakeClock {
    let queue: DispatchQueue
    var isMainQueue: Bool { queue === DispatchQueue.main }

    var uptime: Int { Int(SystemTime.awake) }
    var roughUptime: Int { Int(SystemTime.coarseAwake) }

    func makeTimer(_ fire: @escaping @Sendable () -> Void) -> any WakeTimer { QueueTimer(self, fire) }

    func call(afterMilliseconds milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: body)
    }
}

private final class QueueTimer: WakeTimer, @unchecked Sendable {
    // `Sendable` is unchecked: a dispatch source may be used from any thread.
    private let source: any DispatchSourceTimer
    private let clock: QueueClock

    init(_ clock: QueueClock, _ fire: @escaping @Sendable () -> Void) {
        self.clock = clock
        source = DispatchSource.makeTimerSource(queue: clock.queue)
        source.setEventHandler(handler: fire)
        source.schedule(deadline: .distantFuture)
        source.activate()
    }

    deinit { source.cancel() }

    /// Sets an explicit leeway: otherwise Apple's systems use a tenth of the wait.
    func set(at uptime: Int) {
        let wait = max(uptime - clock.uptime, 0)
        source.schedule(deadline: .now() + .milliseconds(wait), leeway: .milliseconds(20))
    }
}
