#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A clock that nobody sets: waits measured with it last as long as they should when the wall clock is put back.
public enum MonotonicTime {
    /// A year. A longer wait is woken before, and its sum with any time of the clock fits.
    static let longest: Int64 = 365 * 86_400_000

    /// Milliseconds from an arbitrary start.
    public static var now: Int64 {
        var time = timespec(milliseconds: 0)
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    static func timespec(milliseconds: Int64) -> timespec {
        .init(tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
    }
}
