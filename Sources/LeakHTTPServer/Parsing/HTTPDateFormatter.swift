internal import LeakPlatform

/// Formatter of `IMF-fixdate`, such as `Sun, 06 Nov 1994 08:49:37 GMT`. RFC 9110 §5.6.7.
enum HTTPDateFormatter {
    /// Returns the text of a time.
    ///
    /// - Parameter seconds: the seconds since 1970 in UTC, without leap seconds.
    static func text(ofSeconds seconds: Int) -> String {
        let time = CivilTime(milliseconds: Int64(seconds) * 1000)
        let day = time.date
        let date = "\(weekdays[day.weekday]), \(twoDigits(day.day)) \(months[day.month - 1]) \(day.year)"
        return "\(date) \(twoDigits(time.hour)):\(twoDigits(time.minute)):\(twoDigits(time.second)) GMT"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
