#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The clocks of the system, in milliseconds.
public enum SystemTime {
    /// The longest wait in milliseconds: one year. Longer waits are shortened to it, so that their sum with the time of a clock
    /// does not overflow.
    static let longestWait: Int64 = 365 * 86_400_000

    #if canImport(Darwin)
        private static let (awakeClock, coarseAwakeClock) = (CLOCK_UPTIME_RAW, CLOCK_UPTIME_RAW_APPROX)
        private static let (coarseClock, coarseWallClock) = (CLOCK_MONOTONIC, CLOCK_REALTIME)
    #else
        private static let (awakeClock, coarseAwakeClock) = (CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE)
        private static let (coarseClock, coarseWallClock) = (CLOCK_MONOTONIC_COARSE, CLOCK_REALTIME_COARSE)
    #endif

    /// Milliseconds since an arbitrary start, on a clock that cannot be set: a change of the wall clock does not affect waits
    /// that are measured with it.
    public static var monotonic: Int64 { milliseconds(CLOCK_MONOTONIC) }

    /// The time of ``monotonic``. On Linux, reading it takes half as long, and it is the time of the kernel's last tick, on
    /// most machines up to four milliseconds ago.
    public static var coarseMonotonic: Int64 { milliseconds(coarseClock) }

    /// The time of ``monotonic`` in nanoseconds, for measuring durations.
    public static var monotonicNanoseconds: UInt64 {
        let time = time(of: CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Milliseconds since an arbitrary start, on a clock that cannot be set and that stops while the device sleeps.
    public static var awake: Int64 { milliseconds(awakeClock) }

    /// The time of ``awake`` up to a few milliseconds ago, which takes less time to read.
    public static var coarseAwake: Int64 { milliseconds(coarseAwakeClock) }

    /// Milliseconds since 1970-01-01 00:00 UTC. The user or the system may set this clock.
    public static var wall: Int64 { milliseconds(CLOCK_REALTIME) }

    /// The time of ``wall``. On Linux, reading it takes half as long, and it is the time of the kernel's last tick.
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
