/// `IMF-fixdate`, such as `Sun, 06 Nov 1994 08:49:37 GMT`. RFC 9110 §5.6.7.
enum HTTPDate {
    /// - Parameter seconds: since 1970 in UTC, without leap seconds.
    static func text(_ seconds: Int) -> String {
        let (days, date, second) = moment(seconds)
        let weekday = weekdays[((days + 4) % 7 + 7) % 7]
        return "\(weekday), \(two(date.day)) \(months[date.month - 1]) \(date.year) \(clock(second)) GMT"
    }

    /// As access logs have it: `06/Nov/1994:08:49:37 +0000`.
    ///
    /// - Parameter milliseconds: since 1970 in UTC.
    static func log(_ milliseconds: Int64) -> String {
        let (_, date, second) = moment(split(milliseconds).seconds)
        return "\(two(date.day))/\(months[date.month - 1])/\(date.year):\(clock(second)) +0000"
    }

    /// To the millisecond: `1994-11-06T08:49:37.123Z`. https://www.rfc-editor.org/rfc/rfc3339
    ///
    /// - Parameter milliseconds: since 1970 in UTC.
    static func rfc3339(_ milliseconds: Int64) -> String {
        let (seconds, rest) = split(milliseconds)
        let (_, date, second) = moment(seconds)
        let fraction = "\(rest < 100 ? "0" : "")\(two(rest))"
        return "\(date.year)-\(two(date.month))-\(two(date.day))T\(clock(second)).\(fraction)Z"
    }

    private static func split(_ milliseconds: Int64) -> (seconds: Int, rest: Int) {
        let rest = (milliseconds % 1000 + 1000) % 1000
        return (Int((milliseconds - rest) / 1000), Int(rest))
    }

    /// The day since 1970, its date, and the second of that day.
    private static func moment(
        _ seconds: Int
    ) -> (days: Int, date: (year: Int, month: Int, day: Int), second: Int) {
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        return (days, civil(days), seconds - days * 86_400)
    }

    private static func clock(_ second: Int) -> String {
        "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
    }

    /// The Gregorian date of a day since 1970.
    /// https://howardhinnant.github.io/date_algorithms.html#civil_from_days
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
