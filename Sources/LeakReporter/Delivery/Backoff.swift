/// How long to wait between attempts that got no answer.
struct Backoff: Hashable, Sendable {
    /// A collector that restarts is back within a second or two.
    var firstMilliseconds = 1_000
    /// A collector that has been away for hours is not helped by asking more often.
    var longestMilliseconds = 3_600_000

    /// A key that is unknown, or may not write for the app, stays so until a person does something about it.
    var unauthorizedMilliseconds = 3_600_000

    /// How long to wait before the next attempt.
    ///
    /// - Parameters:
    ///   - failures: how many attempts have failed in a row, from 1.
    ///   - jitter: a number from 0 up to 1. The wait is this share of the full one, so that phones that lost the
    ///     collector together do not come back together.
    ///     https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ (“full jitter”)
    func milliseconds(afterFailures failures: Int, jitter: Double) -> Int {
        // Beyond 30 doublings every first wait of a millisecond or more has passed the longest.
        let doublings = min(max(failures, 1) - 1, 30)
        let (full, isTooLarge) = firstMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
        let bounded = isTooLarge ? longestMilliseconds : min(full, longestMilliseconds)
        return Int(Double(bounded) * min(max(jitter, 0), 1))
    }
}
