#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The two clocks of a loop, read once per turn. On Linux those that the kernel sets with its own tick, four milliseconds
/// on most machines: half the price, and finer than any limit.
enum Clock {
    #if canImport(Darwin)
        private static let monotonic = CLOCK_MONOTONIC
        private static let wall = CLOCK_REALTIME
    #else
        private static let monotonic = CLOCK_MONOTONIC_COARSE
        private static let wall = CLOCK_REALTIME_COARSE
    #endif

    /// Milliseconds on a clock that never jumps: for what may take how long.
    static var milliseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(monotonic, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// Nanoseconds on the same clock: for how long something took.
    static var nanoseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Milliseconds since 1970 in UTC: for logs.
    static var wallMilliseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Seconds since 1970 in UTC: for `Date`.
    static var wallSeconds: Int {
        var time = timespec()
        unsafe clock_gettime(wall, &time)
        return time.tv_sec
    }
}

extension Duration {
    /// Whole milliseconds, rounded down, never negative.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = max(self, .zero).components
        let whole = UInt64(min(seconds, 1 << 40))
        return whole * 1000 + UInt64(attoseconds / 1_000_000_000_000_000)
    }
}
