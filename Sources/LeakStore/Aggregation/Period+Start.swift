/// A period starts at the beginning of a day, except ``day``, the last 24 hours, which starts with the first full hour in these
/// 24 hours.
extension Period {
    /// Returns the first day of the period, in days since 1970.
    package func firstDay(now: Int64) -> Int { Calendar.day(of: now) - days + 1 }

    /// Returns the first hour for ``day``, and the first day for the other periods, both counted from 1970.
    package func firstBucket(now: Int64) -> Int {
        guard self == .day else { return firstDay(now: now) }
        return Calendar.hour(of: now - Calendar.dayMilliseconds - 1) + 1
    }

    /// Returns the start in milliseconds since 1970.
    package func startTime(now: Int64) -> Int64 {
        let bucket = Int64(firstBucket(now: now))
        return bucket * (self == .day ? Calendar.hourMilliseconds : Calendar.dayMilliseconds)
    }

    /// Returns the first of an app's days that are added up for the period. Returns `Int.max` for ``day``, because that period
    /// is added up from ten-minute slots and not from days.
    package func firstAppDay(now: Int64) -> Int { self == .day ? .max : firstDay(now: now) }

    /// Returns the number of the first ten-minute slot.
    package func firstSlot(now: Int64) -> Int { Int(startTime(now: now) / Calendar.slotMilliseconds) }
}

/// The ten-minute slots from which the counts of the last 24 hours are added up.
package enum SlotWindow {
    /// Returns the first ten-minute slot to keep; earlier slots may be deleted. Keeps 25 hours, because the clock may be set
    /// back.
    package static func oldestKept(now: Int64) -> Int {
        Calendar.slot(of: now - Calendar.dayMilliseconds - 1) + 1 - 6
    }
}
