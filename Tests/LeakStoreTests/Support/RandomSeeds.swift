#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The seeds of tests that make random changes to a store. The tests find most faults in their first seeds, and each seed takes
/// seconds.
enum RandomSeeds {
    /// `make soak` tries 20 seeds (`STORE_SEEDS`).
    private static let count = unsafe getenv("STORE_SEEDS").flatMap { unsafe UInt64(String(cString: $0)) }

    /// Returns the seeds of a test.
    ///
    /// - Parameter count: the number of seeds without `STORE_SEEDS`.
    static func upTo(_ count: UInt64) -> ClosedRange<UInt64> { 1...(Self.count ?? count) }
}
