/// A day of the proleptic Gregorian calendar.
///
/// Uses the algorithms of Howard Hinnant, “chrono-Compatible Low-Level Date Algorithms”,
/// https://howardhinnant.github.io/date_algorithms.html. In them, years start in March, so that the leap day comes last.
public struct CivilDate: Hashable, Sendable {
    public static let dayMilliseconds: Int64 = 86_400_000

    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int

    /// - Returns: `nil` for a day that the calendar does not have.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Creates the date of a day.
    ///
    /// - Parameter days: the days since 1970-01-01. Numbers near the ends of `Int64` overflow; times in milliseconds never give
    ///   such numbers.
    public init(days: Int64) {
        let (era, dayOfEra) = Self.floorDivide(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))
    }

    /// - Parameter milliseconds: any number of milliseconds since 1970.
    public init(milliseconds: Int64) {
        self.init(days: Self.floorDivide(milliseconds, by: Self.dayMilliseconds).quotient)
    }

    /// Returns the milliseconds since midnight, for any number of milliseconds since 1970.
    public static func timeOfDay(milliseconds: Int64) -> Int64 {
        floorDivide(milliseconds, by: dayMilliseconds).remainder
    }

    /// Days since 1970-01-01.
    public var days: Int64 {
        let (era, yearOfEra) = Self.floorDivide(Int64(month <= 2 ? year - 1 : year), by: 400)
        let monthFromMarch = Int64(month + (month > 2 ? -3 : 9))
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day of the week, from 0 for Sunday.
    public var weekday: Int { Int(Self.floorDivide(days + 4, by: 7).remainder) }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Divides and rounds down. No value overflows.
    private static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64)
    {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
