internal import LeakMessage

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The time of day, for what leaves the device.
enum WallTime {
    static var now: WireTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WireTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    static func newID() -> String { SightingID.make(at: now) }
}
