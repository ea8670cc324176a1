/// The slots of ten minutes that the last 24 hours are counted from.
package enum SlotWindow {
    /// Slots before this one may be deleted: an hour more than 24 hours, for a clock that is set back.
    package static func oldestKept(now: Int64) -> Int {
        Calendar.slot(of: now - Calendar.dayMilliseconds - 1) + 1 - 6
    }
}
