/// The time in which the app could work: what the background, a debugger's stop, a suspended process or a blocked queue
/// took away does not count, so that it cannot eat a grace period.
///
/// A stop shows as a wake-up that comes much later than asked for. When it began is not known, so nothing counts of the
/// time since the one before. An app whose wake-ups are always late would never get anywhere: of a second one in a row the
/// time asked for does count.
struct ActiveClock: Hashable, Sendable {
    /// A wake-up this late is ordinary on a busy device.
    static let ordinaryDelayMilliseconds = 500

    /// Active milliseconds so far.
    private(set) var milliseconds = 0
    private(set) var isPaused = false
    private var uptime: Int?
    /// What is certain: active milliseconds when the last wake-up came, or when the first one was asked for.
    private var certain = 0
    private var wasLate = false

    /// Moves on.
    ///
    /// - Parameters:
    ///   - uptime: milliseconds of a clock that only moves forward.
    ///   - wake: when on that clock the next wake-up was asked for; `nil` if none is.
    /// - Returns: the active milliseconds.
    @discardableResult
    mutating func advance(to uptime: Int, expectingWakeAt wake: Int?) -> Int {
        defer { self.uptime = max(uptime, self.uptime ?? uptime) }
        guard let last = self.uptime, !isPaused else { return milliseconds }
        let latest = wake.map { min(uptime, $0 + Self.ordinaryDelayMilliseconds) } ?? uptime
        milliseconds += max(latest - last, 0)
        return milliseconds
    }

    /// Moves on to a wake-up.
    ///
    /// - Parameter wake: when it was asked for.
    /// - Returns: the active milliseconds: fewer than before, if it came so late that they are not certain.
    mutating func wake(at uptime: Int, askedFor wake: Int) -> Int {
        let isLate = uptime > wake + Self.ordinaryDelayMilliseconds
        advance(to: uptime, expectingWakeAt: wake)
        if isLate, !wasLate { milliseconds = certain }
        wasLate = isLate
        certain = milliseconds
        return milliseconds
    }

    /// Says that a wake-up is asked for, and none was before.
    mutating func begin() { certain = milliseconds }

    /// Leaves out what passed since it was moved, if that is more than an ordinary delay.
    mutating func skip(to uptime: Int) {
        guard let last = self.uptime, uptime - last > Self.ordinaryDelayMilliseconds else { return }
        self.uptime = uptime
    }

    /// Stops, as in the background.
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
