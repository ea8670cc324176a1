/// The progress of the eviction of names in all apps, step by step: ``EvictionRule``.
///
/// Each step leaves all totals right, so a process may end after any step. Nothing else is stored about the progress: the next
/// call begins again with the least used name, which is the one that the last step has partly merged.
struct Eviction {
    /// The time of the system clock, in milliseconds since 1970.
    let now: Int64
    /// Row ID of the last app in which no further name may be evicted. The next step searches the apps with higher row IDs.
    fileprivate var lastApp: Int64 = 0
    /// The release without leaks that the next step moves to ``StoreLimits/other`` and deletes.
    fileprivate var emptiedRelease: Int64?
    /// Releases that were reported between two steps. They are left alone until the next call, so that this call ends.
    fileprivate var busyReleases: Set<Int64> = []

    /// Number of steps so far.
    fileprivate var stepCount = 0
    /// Maximum number of steps of one call, which delays other maintenance. The next call goes on.
    fileprivate static let maxSteps = 500

    init(now: Int64) { self.now = now }
}

extension Writer {
    /// Maximum number of leaks that one step merges, or moves to another release.
    private static let maxLeaksPerStep = 20
    /// Number of changed rows after which a step merges no further leak. 2,000 rows take a few milliseconds.
    private static let maxChangedRowsPerStep = 2_000
    /// SQL for the condition that a leak `l` is the leak that counts all others of its app.
    static let isOtherLeakSQL = "l.key < x'00000000000000010000000000000000'"

    /// An app that uses more than ``EvictionRule/threshold(_:)`` of a limit.
    private struct FullApp {
        var rowID: Int64
        var key: AppKey
        var hasTooManyReleases: Bool
        /// Number of leaks above the threshold; 1 if only the bytes of their texts are above it.
        var excessLeaks: Int
    }

    /// Merges some names of an app into `other`, in a transaction of its own.
    ///
    /// - Returns: `true` if another step is needed.
    func runStep(of eviction: inout Eviction) throws(StoreError) -> Bool {
        guard eviction.stepCount < Eviction.maxSteps else { return false }
        // With foreign keys, SQLite would search all counts of all leaks for the deleted release. The transaction deletes all
        // rows that refer to the release itself.
        let areForeignKeysOff = eviction.emptiedRelease != nil
        if areForeignKeysOff { try connection.execute("pragma foreign_keys = off") }
        defer { if areForeignKeysOff { try? connection.execute("pragma foreign_keys = on") } }
        do throws(StoreError) {
            var next = eviction
            let isLeft = try connection.transaction(.immediate) { () throws(StoreError) -> Bool in
                try clearCachesIfOthersWrote()
                guard let app = try nextFullApp(after: next.lastApp) else { return false }
                // Counts in the logs may belong to names that are evicted below.
                try flushLogs()
                let times = EvictionRule.Times(now: try clock(at: next.now).expiryTime)
                guard try evict(from: app, times, &next) else { return true }
                try reindexAll()
                try recordDeletion()
                // Cached entries refer to rows that do not exist any more.
                caches.removeAll()
                return true
            }
            eviction = next
            eviction.stepCount += 1
            return isLeft
        } catch {
            clearCaches()
            throw error
        }
    }

    private func nextFullApp(after app: Int64) throws(StoreError) -> FullApp? {
        let leaks = EvictionRule.threshold(limits.leaksPerApp)
        let select = try connection.statement(
            """
            select id, name, environment, leaks, text_bytes > ?3, releases > ?4 from (
              select id, name, environment, leaks, text_bytes,
                (select count(*) from release where app = a.id) as releases from app a where id > ?1)
            where leaks > ?2 or text_bytes > ?3 or releases > ?4 order by id limit 1
            """)
        defer { select.reset() }
        try select.bind(
            app, leaks, EvictionRule.threshold(limits.leakTextBytesPerApp),
            EvictionRule.threshold(limits.releasesPerApp))
        guard try select.step() else { return nil }
        return FullApp(
            rowID: select.int64(0), key: AppKey(select.text(1), environment: select.text(2)),
            hasTooManyReleases: select.int(5) == 1,
            excessLeaks: max(select.int(3) - leaks, select.int(4)))
    }

    /// Evicts some names of an app.
    ///
    /// - Returns: `true` if anything was changed.
    private func evict(
        from app: FullApp, _ times: EvictionRule.Times, _ eviction: inout Eviction
    ) throws(StoreError) -> Bool {
        if let release = eviction.emptiedRelease {
            eviction.emptiedRelease = nil
            guard try isEvictable(release: release, of: app.rowID, times),
                try numbers("select 1 from leak_release where release = ? limit 1", release).isEmpty
            else {
                eviction.busyReleases.insert(release)
                return false
            }
            if try !mergeIntoOther(emptiedRelease: release, of: app.rowID, app.key) {
                eviction.emptiedRelease = release
            }
            return true
        }
        if app.hasTooManyReleases,
            let release = try evictableReleases(of: app.rowID, times)
                .first(where: { !eviction.busyReleases.contains($0) })
        {
            let leaks = try numbers(
                "select leak from leak_release where release = ? order by leak limit ?", release,
                Self.maxLeaksPerStep + 1)
            let movedLeakCount = try moveToOther(
                leaks.prefix(Self.maxLeaksPerStep), from: release, of: app.rowID, app.key,
                maxRows: Self.maxChangedRowsPerStep)
            if movedLeakCount == leaks.count { eviction.emptiedRelease = release }
            return movedLeakCount > 0
        }
        if app.excessLeaks > 0 {
            let leaks = try evictableLeaks(
                of: app.rowID, times, limit: min(app.excessLeaks, Self.maxLeaksPerStep))
            if !leaks.isEmpty {
                try mergeIntoOther(leaks, of: app.rowID, app.key)
                return true
            }
        }
        eviction.lastApp = app.rowID
        return false
    }

    // MARK: Choice

    /// Returns the row IDs of the releases that may be evicted, least used first.
    private func evictableReleases(
        of app: Int64, _ times: EvictionRule.Times
    ) throws(StoreError) -> [Int64] {
        try evictable(
            """
            select r.id from app a join release r on r.app = a.id
            where a.id = ?1 and \(EvictionRule.releaseCondition(app: "?1", unseenBefore: "?2", lastDay: "?3"))
            order by \(EvictionRule.installsSQL("r")), r.last_seen, r.id
            """, app, times.unseenBefore, times.lastDay)
    }

    private func isEvictable(
        release: Int64, of app: Int64, _ times: EvictionRule.Times
    ) throws(StoreError) -> Bool {
        try !evictable(
            """
            select r.id from app a join release r on r.app = a.id
            where a.id = ?1 and \(EvictionRule.releaseCondition(app: "?1", unseenBefore: "?2", lastDay: "?3")) and r.id = ?4
            """, app, times.unseenBefore, times.lastDay, release
        ).isEmpty
    }

    /// Returns the row IDs of some leaks that may be evicted, least used first.
    private func evictableLeaks(
        of app: Int64, _ times: EvictionRule.Times, limit: Int
    ) throws(StoreError) -> [Int64] {
        try evictable(
            """
            select l.id from leak l where l.app = ?1
              and \(EvictionRule.leakCondition(isOther: Self.isOtherLeakSQL, unseenBefore: "?2"))
            order by \(EvictionRule.installsSQL("l")), l.last_seen, l.id limit ?3
            """, app, times.unseenBefore, limit)
    }

    private func evictable<each Value: Bindable>(
        _ sql: String, _ values: repeat each Value
    ) throws(StoreError) -> [Int64] {
        let select = try connection.statement(composed: sql)
        defer { select.reset() }
        try select.bind(repeat each values)
        var rowIDs: [Int64] = []
        while try select.step() { rowIDs.append(select.int64(0)) }
        return rowIDs
    }

    // MARK: Leaks

    /// Merges leaks into the leak that counts all others of the app. If the app has none, the first of the leaks becomes it. No
    /// old id leads to it: a leak that is reported again is new again.
    private func mergeIntoOther(_ leaks: [Int64], of app: Int64, _ key: AppKey) throws(StoreError) {
        let other = LeakIdentity.overLimit(app: key, rowID: app)
        var target = try readMergePart(other.id, app: key)
        let formerChanges = connection.totalChanges
        var count = 0
        for leak in leaks
        where count == 0 || connection.totalChanges - formerChanges < Self.maxChangedRowsPerStep {
            guard let part = try readMergePart(ofRow: leak, app: key) else { continue }
            count += 1
            try connection.run("delete from merged_leak where leak = ?", leak)
            guard let into = target else {
                try rename(leak, to: other)
                target = part
                continue
            }
            try merge(part, into: into.leakRowID, targetReceivedReports: into.sightings)
            target?.sightings.addBounded(part.sightings)
        }
        try connection.run("update app set text_bytes = max(0, text_bytes) where id = ?", app)
        try addOverLimitCount(count, of: .evictedLeaks, to: AppEntry(id: app, key: key))
    }

    private func readMergePart(ofRow leak: Int64, app: AppKey) throws(StoreError) -> MergePart? {
        let select = try connection.statement("select key from leak where id = ?")
        try select.bind(leak)
        let id = try select.step() ? LeakID(blob: select.bytes(0)) : nil
        select.reset()
        guard let id else { return nil }
        return try readMergePart(id, app: app)
    }
}
