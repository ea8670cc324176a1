import LeakMessage
import LeakPlatform

/// A point in time on a clock that never goes back and that stops while the device sleeps.
///
/// Whole milliseconds since an arbitrary start. `ContinuousClock` is not available on the oldest systems that this library
/// supports.
struct Moment: Hashable, Comparable, Sendable {
    var milliseconds: Int

    static let distantPast = Moment(milliseconds: .min)

    static var now: Moment { Moment(milliseconds: Int(SystemTime.awake)) }

    /// Returns the moment `wait` milliseconds later, or the latest possible moment if the sum overflows.
    func advanced(byMilliseconds wait: Int) -> Moment {
        let (sum, isTooLarge) = milliseconds.addingReportingOverflow(wait)
        return Moment(milliseconds: isTooLarge ? .max : sum)
    }

    static func < (one: Moment, other: Moment) -> Bool { one.milliseconds < other.milliseconds }
}

/// The time by both clocks: the monotonic clock stops while the device sleeps, and the wall clock can be set.
struct Now: Hashable, Sendable {
    var moment: Moment
    var wallTime: WireTime

    static var now: Now { Now(moment: .now, wallTime: .now) }
}
