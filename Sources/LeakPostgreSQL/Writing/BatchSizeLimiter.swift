#if PostgreSQL
    /// The number of submissions per transaction: halved after a transaction that took too long, doubled after each one that did
    /// not.
    struct BatchSizeLimiter {
        /// More than a caller ever passes.
        private static let unlimited = 1 << 16

        private(set) var most = BatchSizeLimiter.unlimited

        /// - Parameter count: submissions of the transaction that took too long.
        mutating func slow(down count: Int) { most = max(1, count / 2) }

        mutating func succeed() { most = min(most * 2, Self.unlimited) }
    }
#endif
