internal import LeakPlatform
internal import LeakMessage

/// A moment as a UTC calendar shows it.
struct CivilTime: Hashable, Sendable {
    let year: Int
    /// 1 to 12.
    let month: Int
    /// 1 to 31.
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int

    /// - Parameter days: days since 1970-01-01; the moment is their last one's midnight.
    init(days: Int) {
        self.init(CivilDate(days: Int64(days)), seconds: 0)
    }

    /// - Parameter milliseconds: since 1970; what is left of the second is dropped.
    init(milliseconds: Int64) {
        self.init(
            CivilDate(milliseconds: milliseconds),
            seconds: Int(CivilDate.timeOfDay(milliseconds: milliseconds) / 1000))
    }

    private init(_ date: CivilDate, seconds: Int) {
        (year, month, day) = (date.year, date.month, date.day)
        (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
    }

    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `2026-11-20`
    var date: String { "\(padded(year, 4))-\(padded(month))-\(padded(day))" }
    /// `12:00:03`
    var clock: String { "\(padded(hour)):\(padded(minute)):\(padded(second))" }
    /// `2026-11-20T12:00:03Z`: https://www.rfc-editor.org/rfc/rfc3339
    var rfc3339: String { "\(date)T\(clock)Z" }
    /// `2026-11-20 12:00 UTC`
    var full: String { "\(date) \(padded(hour)):\(padded(minute)) UTC" }
    /// `20 Nov`
    var dayAndMonth: String { "\(day)\u{A0}\(Self.monthNames[month - 1])" }
    /// `20 Nov 2026`
    var dayMonthYear: String { "\(dayAndMonth)\u{A0}\(year)" }

    /// `20 Nov 13:00`
    var dayAndHour: String { "\(dayAndMonth) \(padded(hour)):00" }

    private func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
