/// `IMF-fixdate`, such as `Sun, 06 Nov 1994 08:49:37 GMT`. RFC 9110 §5.6.7.
enum HTTPDate {
    /// - Parameter seconds: since 1970 in UTC, without leap seconds.
    static func text(_ seconds: Int) -> String {
        let time = CivilTime(seconds: seconds)
        let date = "\(weekdays[time.weekday]), \(two(time.day)) \(months[time.month - 1]) \(time.year)"
        return "\(date) \(two(time.second / 3600)):\(two(time.second / 60 % 60)):\(two(time.second % 60)) GMT"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
