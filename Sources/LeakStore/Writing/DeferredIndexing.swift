/// Tracks the leaks whose counts have changed since the indexes of the list's orders were last updated.
///
/// A leak that is counted with every commit would change its place in four indexes each time, which costs more than all else that
/// is written for it. So it is removed from the indexes once (`moving = 1`), and indexed again later. Lists read the unindexed
/// leaks separately, so their number is limited.
struct DeferredIndexing {
    /// Number of unindexed leaks above which all are reindexed: a list reads and sorts so many in a millisecond.
    private static let leakLimit = 1_024
    /// Time for which leaks stay unindexed while reports keep coming.
    private static let milliseconds: Int64 = 1_000

    private(set) var period = 0
    /// Number of unindexed leaks. Leaks that were unindexed before this process wrote are not counted, but are reindexed with the
    /// others.
    private var leaks = 0
    /// Milliseconds since 1970; `nil` before the first reindex.
    private var reindexedAt: Int64?

    mutating func add(_ leak: LeakEntry) {
        leak.deferredIn = period
        leaks += 1
    }

    /// Adds leaks that another process has left unindexed.
    mutating func add(_ count: Int) { leaks += count }

    /// `true` if more leaks are unindexed than a list should read.
    var isCrowded: Bool { leaks > Self.leakLimit }

    func isDue(now: Int64) -> Bool {
        guard let reindexedAt else { return true }
        return isCrowded || !(0..<Self.milliseconds).contains(now - reindexedAt)
    }

    /// - Parameter time: milliseconds since 1970; `nil` leaves the time of the last reindex.
    mutating func reindex(now time: Int64?) {
        period += 1
        leaks = 0
        reindexedAt = time ?? reindexedAt
    }
}

extension Writer {
    /// Reindexes the unindexed leaks if it is time.
    func reindex(now: Int64) throws(StoreError) {
        guard caches.deferredIndexing.isDue(now: now) else { return }
        try reindexAll()
        caches.deferredIndexing.reindex(now: now)
    }

    /// Reindexes the unindexed leaks if there are too many, whatever the time.
    func reindexIfCrowded() throws(StoreError) {
        guard caches.deferredIndexing.isCrowded else { return }
        try reindexAll()
        caches.deferredIndexing.reindex(now: nil)
    }

    func reindexAll() throws(StoreError) {
        try connection.run(
            """
            update leak set moving = 0, rank_impact = impact, rank_reports = reports, rank_installs = installs,
              rank_last_seen = last_seen
            where moving = 1
            """)
    }
}
