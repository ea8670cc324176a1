/// A clock that counts the time during which the app could work. Time in the background, in a debugger's stop, in a suspended
/// process or while the queue of the checks is blocked does not count, so that it cannot use up a grace period.
///
/// A stop shows as a wake-up that comes much later than requested. The start of the stop is unknown, so the whole time since the
/// previous wake-up does not count. An app whose wake-ups are always late would then make no progress, so for the second late
/// wake-up in a row the requested time does count.
struct ActiveClock: Hashable, Sendable {
    /// The longest delay of a wake-up that is ordinary on a busy device.
    static let maxOrdinaryDelayMilliseconds = 500

    /// The time that has counted so far, in milliseconds.
    private(set) var milliseconds = 0
    private(set) var isPaused = false
    private var uptime: Int?
    /// The part of ``milliseconds`` that is certain: its value at the last wake-up, or at a request while no wake-up was
    /// pending.
    private var certainMilliseconds = 0
    private var wasLastWakeLate = false

    /// Advances the clock, unless it is paused. If the requested wake-up is overdue by more than an ordinary delay, the time after
    /// that delay does not count.
    ///
    /// - Parameters:
    ///   - uptime: milliseconds of a clock that only moves forward.
    ///   - wake: the uptime for which the next wake-up was requested; `nil` if none was requested.
    /// - Returns: the time of this clock in milliseconds.
    @discardableResult
    mutating func advance(to uptime: Int, expectingWakeAt wake: Int?) -> Int {
        defer { self.uptime = max(uptime, self.uptime ?? uptime) }
        guard let last = self.uptime, !isPaused else { return milliseconds }
        let latest = wake.map { min(uptime, $0 + Self.maxOrdinaryDelayMilliseconds) } ?? uptime
        milliseconds += max(latest - last, 0)
        return milliseconds
    }

    /// Advances the clock to a wake-up.
    ///
    /// - Parameter wake: the uptime for which the wake-up was requested.
    /// - Returns: the time of this clock in milliseconds. The result is less than a previous result if the wake-up came so late
    ///   that the time in between is not certain.
    mutating func wake(at uptime: Int, askedFor wake: Int) -> Int {
        let isLate = uptime > wake + Self.maxOrdinaryDelayMilliseconds
        advance(to: uptime, expectingWakeAt: wake)
        if isLate, !wasLastWakeLate { milliseconds = certainMilliseconds }
        wasLastWakeLate = isLate
        certainMilliseconds = milliseconds
        return milliseconds
    }

    /// Records that a wake-up is requested and none was pending before.
    mutating func recordFirstWakeRequest() { certainMilliseconds = milliseconds }

    /// Does not count the time since the last advance, if it is more than an ordinary delay.
    mutating func skip(to uptime: Int) {
        guard let last = self.uptime, uptime - last > Self.maxOrdinaryDelayMilliseconds else { return }
        self.uptime = uptime
    }

    /// Pauses the clock, as in the background.
    mutating func pause(at uptime: Int, expectingWakeAt wake: Int?) {
        advance(to: uptime, expectingWakeAt: wake)
        isPaused = true
    }

    mutating func resume(at uptime: Int) {
        guard isPaused else { return }
        advance(to: uptime, expectingWakeAt: nil)
        isPaused = false
    }
}
