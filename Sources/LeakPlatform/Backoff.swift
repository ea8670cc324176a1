/// Time to wait between failed attempts: a random time up to a limit that doubles with each failure, so that the clients of a
/// server that failed do not all retry at the same time.
///
/// https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ (“full jitter”)
public struct Backoff: Hashable, Sendable {
    public var firstMilliseconds: Int
    public var longestMilliseconds: Int

    public init(firstMilliseconds: Int, longestMilliseconds: Int) {
        self.firstMilliseconds = firstMilliseconds
        self.longestMilliseconds = longestMilliseconds
    }

    /// Returns the time to wait before the next attempt, in milliseconds.
    ///
    /// - Parameters:
    ///   - failures: the number of failed attempts in a row, from 1.
    ///   - jitter: the share of the limit to wait, from 0 up to 1.
    public func milliseconds(
        afterFailures failures: Int, jitter: Double = .random(in: 0..<1)
    ) -> Int {
        // 30 doublings turn a first wait of a millisecond into 12 days, more than any ``longestMilliseconds`` in use; more
        // doublings could overflow.
        let doublings = min(max(failures, 1) - 1, 30)
        let (full, isTooLarge) = firstMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
        let bounded = isTooLarge ? longestMilliseconds : min(full, longestMilliseconds)
        return Int(Double(bounded) * min(max(jitter, 0), 1))
    }
}
