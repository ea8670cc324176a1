/// A date and time of the proleptic Gregorian calendar, in UTC without leap seconds.
public struct CivilTime: Hashable, Sendable {
    public let date: CivilDate
    public let hour: Int
    public let minute: Int
    public let second: Int
    public let millisecond: Int

    /// - Parameter milliseconds: any number of milliseconds since 1970.
    public init(milliseconds: Int64) {
        date = CivilDate(milliseconds: milliseconds)
        let rest = Int(CivilDate.timeOfDay(milliseconds: milliseconds))
        (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60)
        millisecond = rest % 1_000
    }
}
