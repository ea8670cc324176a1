/// A moment on the Gregorian calendar, in UTC without leap seconds.
struct CivilTime {
    let year: Int
    /// 1 to 12.
    let month: Int
    /// 1 to 31.
    let day: Int
    /// From Sunday, 0, on.
    let weekday: Int
    /// Of the day.
    let second: Int
    let millisecond: Int

    /// - Parameter milliseconds: since 1970.
    init(milliseconds: Int64) {
        let rest = (milliseconds % 1000 + 1000) % 1000
        self.init(seconds: Int((milliseconds - rest) / 1000), millisecond: Int(rest))
    }

    /// https://howardhinnant.github.io/date_algorithms.html#civil_from_days
    ///
    /// - Parameter seconds: since 1970.
    init(seconds: Int, millisecond: Int = 0) {
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        weekday = ((days + 4) % 7 + 7) % 7
        second = seconds - days * 86_400
        self.millisecond = millisecond
    }
}
