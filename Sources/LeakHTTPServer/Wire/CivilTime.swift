internal import LeakPlatform

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
        let date = CivilDate(milliseconds: milliseconds)
        let rest = Int(CivilDate.timeOfDay(milliseconds: milliseconds))
        (year, month, day, weekday) = (date.year, date.month, date.day, date.weekday)
        (second, millisecond) = (rest / 1000, rest % 1000)
    }

    /// - Parameter seconds: since 1970.
    init(seconds: Int) { self.init(milliseconds: Int64(seconds) * 1000) }
}
