internal import Dispatch

/// A clock that can be told to wake somebody.
protocol WakeClock: Sendable {
    /// Milliseconds that only grow.
    var uptime: Int { get }

    /// Calls `body` at `uptime` or later, on the queue where objects may be looked at.
    func wake(at uptime: Int, _ body: @escaping @Sendable () -> Void)
}

/// The clock of a dispatch queue.
struct QueueClock: WakeClock {
    let queue: DispatchQueue

    var uptime: Int { Int(DispatchTime.now().uptimeNanoseconds / 1_000_000) }

    func wake(at uptime: Int, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(max(uptime - self.uptime, 0)), execute: body)
    }
}
