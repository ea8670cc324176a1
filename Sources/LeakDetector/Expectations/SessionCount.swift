import LeakMessage

/// The start of the current session and the counts at that time, which divide the detector's running counts into sessions.
struct SessionCount: Hashable, Sendable {
    private(set) var startedAt: WireTime
    private var countsAtStart = LeakDetector.Counts()

    init(startedAt: WireTime) { self.startedAt = startedAt }

    /// Ends a session and starts the next.
    ///
    /// - Parameters:
    ///   - id: the id that the ended session gets.
    ///   - counts: the counts since the detector was made.
    /// - Returns: the ended session; `nil` if nothing was checked or left out in it. Then the session continues.
    mutating func endSession(
        id: String, counts: LeakDetector.Counts, at now: WireTime
    ) -> EndedSession? {
        // A leak may come without a check of its own: its object was checked before, and was not reported while its owner was
        // reported.
        let leaks = max(counts.leaked - countsAtStart.leaked, 0)
        let checks = max(counts.checked - countsAtStart.checked, leaks)
        let unseen = max(counts.dropped - countsAtStart.dropped, 0)
        guard checks > 0 || unseen > 0 else { return nil }
        defer { (startedAt, countsAtStart) = (now, counts) }
        return EndedSession(id: id, startedAt: startedAt, checks: checks, leaks: leaks, unseen: unseen)
    }
}
