/// The time in which the app could work: what the background, a debugger's stop, a suspended process or a blocked queue
/// took away does not count, so that it cannot eat a grace period.
///
/// A stop shows as a wake-up that comes much later than asked for. When it began is not known, so nothing counts of the
/// time since the clock was last moved. An app whose wake-ups are always late would never get anywhere: of a second one in
/// a row the time asked for does count.
struct ActiveClock: Hashable, Sendable {
    /// A wake-up this late is ordinary on a busy device.
    static let ordinaryDelayMilliseconds = 500

    /// Active milliseconds so far.
    private(set) var milliseconds = 0
    private(set) var isPaused = false
    private var uptime: Int?
    private var wasLate = false

    /// Moves on.
    ///
    /// - Parameters:
    ///   - uptime: milliseconds of a clock that only moves forward.
    ///   - wake: when on that clock the next wake-up was asked for; `nil` if none is.
    /// - Returns: the active milliseconds.
    mutating func advance(to uptime: Int, expectingWakeAt wake: Int?) -> Int {
        defer { self.uptime = max(uptime, self.uptime ?? uptime) }
        guard let last = self.uptime, !isPaused else { return milliseconds }
        milliseconds += max(latest(uptime, since: last, wake) - last, 0)
        return milliseconds
    }

    /// Stops, as in the background.
    mutating func pause(at uptime: Int, expectingWakeAt wake: Int?) {
        _ = advance(to: uptime, expectingWakeAt: wake)
        isPaused = true
    }

    mutating func resume(at uptime: Int) {
        _ = advance(to: uptime, expectingWakeAt: nil)
        isPaused = false
    }

    /// Up to when the time since `last` counts.
    private mutating func latest(_ uptime: Int, since last: Int, _ wake: Int?) -> Int {
        guard let wake, uptime >= wake else { return uptime }
        // Asked for in the past, it can come no sooner than now.
        let latest = max(wake, last) + Self.ordinaryDelayMilliseconds
        let isLate = uptime > latest
        defer { wasLate = isLate }
        guard isLate else { return uptime }
        return wasLate ? latest : last
    }
}
