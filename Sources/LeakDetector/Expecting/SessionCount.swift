import LeakMessage

/// Cuts the detector's running counts into sessions.
struct SessionCount: Hashable, Sendable {
    private(set) var startedAt: WireTime
    private var before = LeakDetector.Counts()

    init(startedAt: WireTime) { self.startedAt = startedAt }

    /// Ends a session and starts the next.
    ///
    /// - Parameter counts: since the detector was made.
    /// - Returns: `nil` when nothing was checked in it.
    mutating func take(_ counts: LeakDetector.Counts, id: String, at now: WireTime) -> EndedSession? {
        defer { (startedAt, before) = (now, counts) }
        let checks = counts.checked - before.checked
        guard checks > 0 else { return nil }
        return EndedSession(
            id: id, startedAt: startedAt, checks: checks, leaks: max(counts.leaked - before.leaked, 0))
    }
}
