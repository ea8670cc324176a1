/// Tracks the leaks whose counts have changed since the indexes for the sort orders of the list were last updated.
///
/// A leak whose counts change with every commit would change its position in five indexes each time, which takes more time than
/// all other writes for the leak. So the leak is removed from the indexes once (`is_unindexed = 1`), and reindexed later. Lists
/// read the unindexed leaks separately, so the number of unindexed leaks is limited.
struct DeferredIndexing {
    /// If there are more unindexed leaks than this number, all of them are reindexed. A list reads and sorts this number of
    /// leaks in a millisecond.
    private static let unindexedLimit = 1_024
    /// Time between two reindexes while reports arrive.
    private static let reindexIntervalMilliseconds: Int64 = 1_000

    /// Number of the current period, which ends with the next reindex; equals the number of reindexes so far.
    private(set) var period = 0
    /// Number of leaks that became unindexed since the last reindex. Leaks that another process left unindexed may be missing
    /// in this number; they are reindexed with the other leaks.
    private var unindexedCount = 0
    /// Milliseconds since 1970; `nil` before the first reindex.
    private var reindexedAt: Int64?

    /// Records that a leak became unindexed in the current period.
    mutating func add(_ leak: LeakEntry) {
        leak.deferredIn = period
        unindexedCount += 1
    }

    /// Adds leaks that another process has left unindexed.
    mutating func add(_ count: Int) { unindexedCount += count }

    /// `true` if there are more than ``unindexedLimit`` unindexed leaks.
    var hasTooManyUnindexedLeaks: Bool { unindexedCount > Self.unindexedLimit }

    /// Returns `true` if the unindexed leaks should be reindexed at the time `now`.
    func isDue(now: Int64) -> Bool {
        guard let reindexedAt else { return true }
        return hasTooManyUnindexedLeaks || !(0..<Self.reindexIntervalMilliseconds).contains(now - reindexedAt)
    }

    /// Records that all leaks were reindexed.
    ///
    /// - Parameter time: milliseconds since 1970; `nil` does not change the time of the last reindex.
    mutating func recordReindex(at time: Int64?) {
        period += 1
        unindexedCount = 0
        reindexedAt = time ?? reindexedAt
    }
}

extension Writer {
    /// Reindexes the unindexed leaks if ``DeferredIndexing/isDue(now:)``.
    func reindex(now: Int64) throws(StoreError) {
        guard caches.deferredIndexing.isDue(now: now) else { return }
        try reindexAll()
        caches.deferredIndexing.recordReindex(at: now)
    }

    /// Reindexes the unindexed leaks if there are too many of them.
    func reindexIfTooManyUnindexed() throws(StoreError) {
        guard caches.deferredIndexing.hasTooManyUnindexedLeaks else { return }
        try reindexAll()
        caches.deferredIndexing.recordReindex(at: nil)
    }

    /// Copies the counts of all unindexed leaks into the columns that the indexes contain.
    func reindexAll() throws(StoreError) {
        try connection.run(
            """
            update leak set is_unindexed = 0, rank_impact = impact, rank_reports = reports, rank_installs = installs,
              rank_last_seen = last_seen
            where is_unindexed = 1
            """)
    }
}
