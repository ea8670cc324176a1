import LeakMessage
import LeakPlatform

/// A point on a clock that only moves forward and stands still while the device sleeps.
///
/// In whole milliseconds from an arbitrary start. `ContinuousClock` would be newer than the oldest systems that this
/// library runs on.
struct Moment: Hashable, Comparable, Sendable {
    var milliseconds: Int

    static let distantPast = Moment(milliseconds: .min)

    static var now: Moment { Moment(milliseconds: Int(SystemTime.awake)) }

    /// Far ahead where the sum would pass what an `Int` holds.
    func advanced(byMilliseconds wait: Int) -> Moment {
        let (sum, isTooLarge) = milliseconds.addingReportingOverflow(wait)
        return Moment(milliseconds: isTooLarge ? .max : sum)
    }

    static func < (one: Moment, other: Moment) -> Bool { one.milliseconds < other.milliseconds }
}

/// The time by both clocks: ours stands still while the device sleeps, the wall clock can be set.
struct Now: Hashable, Sendable {
    var moment: Moment
    var wallTime: WireTime

    static var now: Now { Now(moment: .now, wallTime: .now) }
}
