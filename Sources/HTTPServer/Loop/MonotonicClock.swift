#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Time for timeouts, which no change of the wall clock moves.
enum MonotonicClock {
    static func milliseconds() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}

/// The field `Date`, made once per second. RFC 9110 §6.6.1
struct DateField {
    private(set) var line: [UInt8] = []
    private var second: time_t = -1

    mutating func update() {
        var now = unsafe time(nil)
        guard now != second else { return }
        second = now
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        // Not strftime: its names of days follow the locale.
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (day, month, year) = unsafe (parts.tm_wday, parts.tm_mon, parts.tm_year)
        let clock = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        let text =
            unsafe "\(days[Int(day)]), \(two(parts.tm_mday)) \(months[Int(month)]) \(1900 + Int(year)) \(clock)"
        line = Array("Date: \(text) GMT\r\n".utf8)
    }
}
