#if PostgreSQL
    /// The maximum number of submissions per transaction: half of those in the last transaction that took too long, doubled after
    /// each transaction that was committed.
    struct BatchSizeLimiter {
        /// More submissions than a caller passes in one call.
        private static let unlimited = 1 << 16

        private(set) var limit = BatchSizeLimiter.unlimited

        /// - Parameter count: the number of submissions in the transaction that took too long.
        mutating func recordTimeout(of count: Int) { limit = max(1, count / 2) }

        mutating func recordSuccess() { limit = min(limit * 2, Self.unlimited) }
    }
#endif
