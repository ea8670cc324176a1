/// Buckets of time, counted from 1970 in UTC.
enum Calendar {
    static let hourMilliseconds: Int64 = 3_600_000
    static let dayMilliseconds = 24 * hourMilliseconds
    /// The grain of "the last 24 hours": ten minutes keep that figure honest to 0.7 %.
    static let slotMilliseconds: Int64 = 600_000

    static func hour(of time: Int64) -> Int { Int(floored(time, hourMilliseconds)) }
    static func day(of time: Int64) -> Int { Int(floored(time, dayMilliseconds)) }
    static func slot(of time: Int64) -> Int { Int(floored(time, slotMilliseconds)) }

    private static func floored(_ time: Int64, _ step: Int64) -> Int64 {
        time / step - (time % step < 0 ? 1 : 0)
    }
}
