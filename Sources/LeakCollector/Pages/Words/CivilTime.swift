/// A moment as a UTC calendar shows it.
struct CivilTime: Hashable, Sendable {
    static let dayMilliseconds: Int64 = 86_400_000

    var year: Int
    /// 1 to 12.
    var month: Int
    /// 1 to 31.
    var day: Int
    var hour = 0
    var minute = 0
    var second = 0

    /// - Parameter days: days since 1970-01-01 in the proleptic Gregorian calendar.
    ///   https://howardhinnant.github.io/date_algorithms.html#civil_from_days
    init(days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// - Parameter milliseconds: since 1970; what is left of the second is dropped.
    init(milliseconds: Int64) {
        let days = milliseconds.dividedFloor(by: Self.dayMilliseconds)
        self.init(days: Int(days))
        let seconds = Int((milliseconds - days * Self.dayMilliseconds) / 1000)
        hour = seconds / 3600
        minute = seconds / 60 % 60
        second = seconds % 60
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
    /// `2026-11-20 12:00:03 UTC`
    var full: String { "\(date) \(clock) UTC" }
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

extension Int64 {
    fileprivate func dividedFloor(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
