/// The slots of ten minutes that make up the last 24 hours.
package enum SlotWindow {
    /// The first slot that lies wholly within them: the figure never holds anything older, and at most ten minutes
    /// less.
    package static func first(now: Int64) -> Int { Calendar.slot(of: now - Calendar.dayMilliseconds - 1) + 1 }

    /// Slots before this one may be deleted: an hour more than needed, for a clock that is set back.
    package static func oldestKept(now: Int64) -> Int { first(now: now) - 6 }
}
