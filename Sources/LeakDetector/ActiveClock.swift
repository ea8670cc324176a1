/// The time in which the app could work: what a debugger's stop, a suspended process or a blocked queue took away
/// does not count, so that it cannot eat a grace period.
///
/// A stop shows as a wake-up that comes much later than asked for.
struct ActiveClock: Hashable, Sendable {
    /// A wake-up this late is ordinary on a busy device; the rest of a longer delay was no active time.
    static let ordinaryDelayMilliseconds = 500

    /// Active milliseconds so far.
    private(set) var milliseconds = 0
    private var uptime: Int?

    /// Moves on.
    ///
    /// - Parameters:
    ///   - uptime: milliseconds of a clock that only moves forward.
    ///   - wake: when on that clock the next wake-up was asked for; `nil` if none is.
    /// - Returns: the active milliseconds.
    mutating func advance(to uptime: Int, expectingWakeAt wake: Int?) -> Int {
        defer { self.uptime = max(uptime, self.uptime ?? uptime) }
        guard let last = self.uptime else { return milliseconds }
        let latest = wake.map { min(uptime, max($0, last) + Self.ordinaryDelayMilliseconds) } ?? uptime
        milliseconds += max(latest - last, 0)
        return milliseconds
    }
}
