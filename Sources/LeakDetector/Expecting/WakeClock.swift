internal import Dispatch

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A clock that can be told to wake somebody.
protocol WakeClock: Sendable {
    /// Milliseconds that only grow.
    var uptime: Int { get }

    /// The same, a few milliseconds old, for those who cannot wait: reading it costs a fifth.
    var roughUptime: Int { get }

    /// Calls `body` at `uptime` or later, on the queue where objects may be looked at.
    func wake(at uptime: Int, _ body: @escaping @Sendable () -> Void)
}

/// The clock of a dispatch queue. It stands still while the device sleeps.
struct QueueClock: WakeClock {
    let queue: DispatchQueue

    #if canImport(Darwin)
        var uptime: Int { unsafe Int(clock_gettime_nsec_np(CLOCK_UPTIME_RAW) / 1_000_000) }
        var roughUptime: Int { unsafe Int(clock_gettime_nsec_np(CLOCK_UPTIME_RAW_APPROX) / 1_000_000) }
    #else
        var uptime: Int { Self.milliseconds(CLOCK_MONOTONIC) }
        var roughUptime: Int { Self.milliseconds(CLOCK_MONOTONIC_COARSE) }

        private static func milliseconds(_ clock: clockid_t) -> Int {
            var time = timespec()
            unsafe clock_gettime(clock, &time)
            return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
        }
    #endif

    func wake(at uptime: Int, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(max(uptime - self.uptime, 0)), execute: body)
    }
}
