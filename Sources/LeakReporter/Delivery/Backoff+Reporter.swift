import LeakPlatform

extension Backoff {
    /// A collector that restarts is back within a second or two; one that has been away for hours is not helped by asking more
    /// often.
    static let ofReporter = Backoff(firstMilliseconds: 1_000, longestMilliseconds: 3_600_000)
}
