/// Buckets of time, counted from 1970 in UTC.
package enum Calendar {
    package static let hourMilliseconds: Int64 = 3_600_000
    package static let dayMilliseconds = 24 * hourMilliseconds
    /// Length of a slot: ten minutes. Reports and installs of the last 24 hours are stored and deleted by slot. The 24 hours
    /// begin at a whole hour, as in the list of leaks.
    package static let slotMilliseconds: Int64 = 600_000

    package static func hour(of time: Int64) -> Int { Int(floorDivide(time, by: hourMilliseconds)) }
    /// Returns the hour that a report counts in. A report that arrives more than two days late counts in the first hour of its
    /// day: otherwise late reports of one leak could add a row for each hour of a month.
    package static func countedHour(of time: Int64, arrival: Int64) -> Int {
        time < arrival - 2 * dayMilliseconds ? day(of: time) * 24 : hour(of: time)
    }
    package static func day(of time: Int64) -> Int { Int(floorDivide(time, by: dayMilliseconds)) }
    package static func slot(of time: Int64) -> Int { Int(floorDivide(time, by: slotMilliseconds)) }

    package static let slotsPerDay = Int(dayMilliseconds / slotMilliseconds)
    package static func day(ofSlot slot: Int) -> Int { slot / slotsPerDay }

    /// Returns the Monday of the week of a day. The day 0 is a Thursday.
    package static func firstDayOfWeek(_ day: Int) -> Int { day - (day + 3) % 7 }

    private static func floorDivide(_ time: Int64, by step: Int64) -> Int64 {
        time / step - (time % step < 0 ? 1 : 0)
    }
}
