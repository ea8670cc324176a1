internal import LeakMessage
internal import LeakPlatform

extension CivilDate {
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `2026-11-20`
    var text: String { "\(padded(year, 4))-\(padded(month))-\(padded(day))" }
    /// `20 Nov`
    var dayAndMonth: String { "\(day)\u{A0}\(Self.monthNames[month - 1])" }
    /// `20 Nov 2026`
    var dayMonthYear: String { "\(dayAndMonth)\u{A0}\(year)" }
}

extension CivilTime {
    /// `12:00:03`
    var clock: String { "\(padded(hour)):\(padded(minute)):\(padded(second))" }
    /// `2026-11-20T12:00:03Z`: https://www.rfc-editor.org/rfc/rfc3339
    var rfc3339: String { "\(date.text)T\(clock)Z" }
    /// `2026-11-20 12:00 UTC`
    var full: String { "\(date.text) \(padded(hour)):\(padded(minute)) UTC" }
    /// `20 Nov 13:00`
    var dayAndHour: String { "\(date.dayAndMonth) \(padded(hour)):00" }
}

private func padded(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// The system's clock. Most functions get the time as a parameter instead.
public enum WallClock {
    /// Returns the milliseconds since 1970-01-01 00:00 UTC.
    public static func milliseconds() -> Int64 { SystemTime.wall }

    /// Parses a time such as `2026-11-20T12:00:00Z`, in milliseconds since 1970.
    ///
    /// - Returns: `nil` for a text that is not a time of RFC 3339.
    public static func milliseconds(rfc3339 text: String) -> Int64? { WireTime(rfc3339: text)?.milliseconds }

    /// Returns the day in UTC: `2026-11-20`.
    public static func day(_ milliseconds: Int64) -> String { CivilDate(milliseconds: milliseconds).text }
}
