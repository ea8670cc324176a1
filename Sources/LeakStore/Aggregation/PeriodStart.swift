/// Where a period begins: at a whole day, today being its last; the last 24 hours at the first hour that lies wholly
/// within them.
extension Period {
    package func firstDay(now: Int64) -> Int { Calendar.day(of: now) - days + 1 }

    /// An hour for ``day``, a day otherwise.
    package func firstBucket(now: Int64) -> Int {
        guard self == .day else { return firstDay(now: now) }
        return Calendar.hour(of: now - Calendar.dayMilliseconds - 1) + 1
    }

    /// Milliseconds since 1970.
    package func start(now: Int64) -> Int64 {
        let bucket = Int64(firstBucket(now: now))
        return bucket * (self == .day ? Calendar.hourMilliseconds : Calendar.dayMilliseconds)
    }

    /// Where it begins among the days that an app's slots are added to; the last 24 hours are counted by slots alone.
    package func firstAppDay(now: Int64) -> Int { self == .day ? .max : firstDay(now: now) }

    /// Where it begins among slots.
    package func firstSlot(now: Int64) -> Int { Int(start(now: now) / Calendar.slotMilliseconds) }
}

/// The slots of ten minutes that the last 24 hours are counted from.
package enum SlotWindow {
    /// Slots before this one may be deleted: an hour more than 24 hours, for a clock that is set back.
    package static func oldestKept(now: Int64) -> Int {
        Calendar.slot(of: now - Calendar.dayMilliseconds - 1) + 1 - 6
    }
}
