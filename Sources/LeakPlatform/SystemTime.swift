#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The clocks of the system, in milliseconds.
public enum SystemTime {
    /// A year. A longer wait is woken earlier, so that its sum with any time of the clock does not overflow.
    static let longestWait: Int64 = 365 * 86_400_000

    #if canImport(Darwin)
        private static let (awakeClock, coarseAwakeClock) = (CLOCK_UPTIME_RAW, CLOCK_UPTIME_RAW_APPROX)
        private static let (coarseClock, coarseWallClock) = (CLOCK_MONOTONIC, CLOCK_REALTIME)
    #else
        private static let (awakeClock, coarseAwakeClock) = (CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE)
        private static let (coarseClock, coarseWallClock) = (CLOCK_MONOTONIC_COARSE, CLOCK_REALTIME_COARSE)
    #endif

    /// A clock that cannot be set, from an arbitrary start: waits measured with it last as long as they should when the wall clock
    /// is put back.
    public static var monotonic: Int64 { milliseconds(CLOCK_MONOTONIC) }

    /// The same clock, at half the cost: on Linux as old as the kernel's last tick, four milliseconds on most machines.
    public static var coarseMonotonic: Int64 { milliseconds(coarseClock) }

    /// The same clock in nanoseconds, for measuring how long something took.
    public static var monotonicNanoseconds: UInt64 {
        let time = time(of: CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// A clock that cannot be set and that stands still while the device sleeps, from an arbitrary start.
    public static var awake: Int64 { milliseconds(awakeClock) }

    /// The same clock, a few milliseconds old, at a fifth of the cost.
    public static var coarseAwake: Int64 { milliseconds(coarseAwakeClock) }

    /// Milliseconds since 1970-01-01 00:00 UTC. The user or the system may set this clock.
    public static var wall: Int64 { milliseconds(CLOCK_REALTIME) }

    /// The same clock, at half the cost: on Linux as old as the kernel's last tick.
    public static var coarseWall: Int64 { milliseconds(coarseWallClock) }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        let time = time(of: clock)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func time(of clock: clockid_t) -> timespec {
        var time = Self.timespec(milliseconds: 0)
        unsafe clock_gettime(clock, &time)
        return time
    }

    static func timespec(milliseconds: Int64) -> timespec {
        .init(tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
    }
}
