import LeakPlatform

extension Backoff {
    /// The back-off of the reporter. A collector that restarts is back within a second or two; for one that has been away for
    /// hours, more frequent attempts do not help.
    static let ofReporter = Backoff(firstMilliseconds: 1_000, longestMilliseconds: 3_600_000)
}
