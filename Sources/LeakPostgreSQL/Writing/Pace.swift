#if PostgreSQL
    /// How many submissions a transaction takes: half as many after one that took too long, twice as many after each
    /// that did not.
    struct Pace {
        /// More than a caller ever hands over.
        private static let unlimited = 1 << 16

        private(set) var most = Pace.unlimited

        /// - Parameter count: submissions of the transaction that took too long.
        mutating func slow(down count: Int) { most = max(1, count / 2) }

        mutating func succeed() { most = min(most * 2, Self.unlimited) }
    }
#endif
