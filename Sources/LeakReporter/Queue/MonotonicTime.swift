import LeakMessage
import LeakPlatform

/// A point in time on a clock that never goes back and that stops while the device sleeps.
///
/// Whole milliseconds since an arbitrary start. `ContinuousClock` is not available on the oldest systems that this library
/// supports.
struct MonotonicTime: Hashable, Comparable, Sendable {
    var milliseconds: Int

    static let distantPast = MonotonicTime(milliseconds: .min)

    static var now: MonotonicTime { MonotonicTime(milliseconds: Int(SystemTime.awake)) }

    /// Returns the time `wait` milliseconds later, or the latest possible time if the sum overflows.
    func advanced(byMilliseconds wait: Int) -> MonotonicTime {
        let (sum, isTooLarge) = milliseconds.addingReportingOverflow(wait)
        return MonotonicTime(milliseconds: isTooLarge ? .max : sum)
    }

    static func < (one: MonotonicTime, other: MonotonicTime) -> Bool { one.milliseconds < other.milliseconds }
}

/// The time by both clocks: the monotonic clock stops while the device sleeps, and the wall clock can be set.
struct CurrentTime: Hashable, Sendable {
    var monotonicTime: MonotonicTime
    var wallTime: WireTime

    static var now: CurrentTime { CurrentTime(monotonicTime: .now, wallTime: .now) }
}
