import LeakMessage

/// The field `Retry-After`, RFC 9110 §10.2.3: seconds, or a date.
enum RetryAfter {
    /// A collector may ask for this much and no more: a mistyped value must not silence an app for good.
    static let longestMilliseconds = 3_600_000

    /// Reads the field.
    ///
    /// - Parameter now: the wall clock, to tell how far a date is ahead.
    /// - Returns: milliseconds from 0 to ``longestMilliseconds``, or `nil` when it is neither form.
    static func milliseconds(_ field: String, now: WireTime) -> Int? {
        if !field.isEmpty, field.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More digits than an Int holds is more than the longest.
            return min(Int(field) ?? longestMilliseconds, longestMilliseconds / 1000) * 1000
        }
        guard let date = seconds(ofDate: field) else { return nil }
        let wait = date * 1000 - Int(now.milliseconds)
        return min(max(wait, 0), longestMilliseconds)
    }

    /// Seconds since 1970 of an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`. RFC 9110 §5.6.7.
    ///
    /// The two obsolete forms are left out: servers must not send them.
    private static func seconds(ofDate field: String) -> Int? {
        let parts = field.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), let year = Int(parts[3]) else {
            return nil
        }
        guard let month = months.firstIndex(of: String(parts[2])), (1...31).contains(day),
            (1970...9999).contains(year)
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]),
            (0...60).contains(clock[2])
        else { return nil }
        return days(year: year, month: month + 1, day: day) * 86_400 + clock[0] * 3600 + clock[1] * 60
            + clock[2]
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Days from 1970-01-01 to a date from then on. https://howardhinnant.github.io/date_algorithms.html
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
