internal import LeakGzip

/// A writer to one database file, for one thread at a time.
///
/// Between calls, the writer caches only committed data. After a failure, or a commit by another process, it clears all caches.
final class Writer {
    /// A function that removes private data from a report's JSON.
    typealias Redact = @Sendable (ArraySlice<UInt8>) -> [UInt8]

    /// If the write-ahead log has at least this number of pages (62.5 MiB), a commit copies them into the database. SQLite's
    /// default, 1,000 pages, halves the throughput of large commits.
    static let checkpointPages = 16_000
    /// Size of a page: SQLite's default since version 3.12, which the collector does not change.
    static let pageBytes = 4096
    /// Size of the write-ahead log above which ``checkpointIfNeeded(now:)`` empties it.
    static let checkpointThresholdBytes = 64 << 20
    /// Maximum time that a checkpoint waits for readers, during which nothing is counted. Reading a page takes less time.
    private static let checkpointWaitMilliseconds: Int32 = 200
    /// Time between a checkpoint that could not empty the log and the next attempt.
    private static let checkpointRetryMilliseconds: Int64 = 10_000

    /// Bytes by which the file may exceed its limit for some writes, such as erasures, which free space, and sign-ins, which
    /// let users see the problem.
    private static let reservedBytes = 64 << 20

    let connection: SQLiteConnection
    private let damageMonitor: DamageMonitor?
    /// Maximum number of pages of the file.
    private let pageLimit: Int
    let redact: Redact
    let reservoir: Reservoir
    var newestSampleLimit = NewestSampleLimit()
    /// Compresses samples. Uses the fastest level, because the thread that counts compresses them.
    var sampleDeflater = Deflater(level: 1, historyBits: 12)
    let limits: StoreLimits
    let retention: RetentionRule
    /// The counts by day before this day are combined to weeks; `nil` if this writer has not searched them yet.
    var combinedDaysBefore: Int?
    private let clockRule: ClockRule
    /// `nil` until the clock has been read.
    private(set) var clock: StoreClock?
    var caches = Caches()
    /// SQLite's `data_version` at the last call, which changes when another connection commits.
    private var dataVersion: Int64?
    /// Size of the write-ahead log above which it is emptied: ``checkpointThresholdBytes``, except in tests.
    var writeAheadLogLimitBytes = Writer.checkpointThresholdBytes
    /// The standard limits, except in tests.
    var logLimits = PendingLogs.Limits()
    /// Readers of this process record the times of their reads here.
    let readTime = LastReadTime()
    /// Number of successive calls with few submissions, up to and including the last call; see
    /// ``PendingLogs/Limits/quietCallsBeforeDirectWrites``.
    private var successiveQuietCalls = 0
    /// Time of the last attempt to empty the log, in milliseconds since 1970; `nil` if that attempt succeeded.
    private var lastCheckpointAttemptAt: Int64?
    /// `true` while commits must not copy the write-ahead log into the database file.
    private var isKeepingLog: Bool

    init(
        connection: SQLiteConnection, damageMonitor: DamageMonitor? = nil, limits: StoreLimits,
        clock: ClockRule = ClockRule(), retention: RetentionRule = RetentionRule(), redact: @escaping Redact,
        reservoir: Reservoir
    ) throws(StoreError) {
        self.connection = connection
        self.damageMonitor = damageMonitor
        isKeepingLog = damageMonitor != nil
        self.limits = limits
        self.retention = retention
        clockRule = clock
        self.redact = redact
        self.reservoir = reservoir
        // If the file system does not support shared memory, SQLite does not use a write-ahead log, and shows this only in the
        // result of this statement.
        let mode = try connection.statement("pragma journal_mode = wal")
        defer { mode.reset() }
        var isLogged = false
        // Steps to the end, because SQLite commits the change of the mode after it has returned the row. Otherwise a power cut
        // may restore an old journal, which would undo the last commit.
        while try mode.step() { isLogged = mode.text(0) == "wal" }
        guard isLogged else {
            throw StoreError(
                .other,
                "database \(connection.path): its file system cannot share memory between processes; choose a local "
                    + "disk")
        }
        mode.reset()
        // A file that is larger already may still grow by ``reservedBytes``.
        let pages = Int(try connection.number("pragma page_count") ?? 0)
        let limit = max(1, limits.databaseBytes / Self.pageBytes)
        pageLimit = pages > limit ? pages + Self.reservedBytes / Self.pageBytes : limit
        // `secure_delete` overwrites erased data in the file. Some builds of SQLite do not do so by default.
        try connection.execute(
            """
            pragma synchronous = full;
            pragma foreign_keys = on;
            pragma cache_size = -6144;
            pragma journal_size_limit = \(Self.checkpointThresholdBytes);
            pragma wal_autocheckpoint = \(Self.checkpointPages);
            pragma secure_delete = on;
            pragma max_page_count = \(pageLimit);
            """)
    }

    // If the file is damaged, this call prevents the end of the connection from copying the log into the file.
    deinit { try? requireSoundFile() }

    /// Runs `body` while the file may exceed its limit by ``reservedBytes``.
    func withReservedSpace<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try connection.execute("pragma max_page_count = \(pageLimit + Self.reservedBytes / Self.pageBytes)")
        // If the file has grown beyond the limit, SQLite uses the size of the file as the limit.
        defer { try? connection.execute("pragma max_page_count = \(pageLimit)") }
        return try body()
    }

    /// Throws if there is damage of the database or a sign of it: ``DamageMonitor/detectDamage(in:)``. Called before each
    /// transaction.
    func requireSoundFile() throws(StoreError) {
        do throws(StoreError) {
            try damageMonitor?.detectDamage(in: connection.header)
        } catch {
            connection.keepLog()
            isKeepingLog = true
            throw error
        }
        guard isKeepingLog else { return }
        connection.releaseLog(autocheckpoint: Self.checkpointPages)
        isKeepingLog = false
    }

    /// Checks the write-ahead log after a commit, before the commit is acknowledged.
    func detectDamageAfterCommit() throws(StoreError) { try damageMonitor?.detectDamageAfterCommit() }

    /// Changes the reason ``StoreError/Reason/diskFull`` to ``StoreError/Reason/databaseFull`` if the file is at its size
    /// limit: SQLite returns the same code for both.
    private func distinguishFullDatabase(_ error: StoreError) -> StoreError {
        guard error.reason == .diskFull, let pages = try? connection.number("pragma page_count"),
            (pageLimit - Int(pages)) * Self.pageBytes < Self.reservedBytes,
            DatabaseFile.freeBytes(beside: connection.path) > Self.reservedBytes
        else { return error }
        return StoreError(
            .databaseFull,
            "database \(connection.path): it has reached its size limit, \(pageLimit * Self.pageBytes) bytes; raise "
                + "--database-bytes (COLLECTOR_DATABASE_BYTES)")
    }

    /// Counts some or all of the submissions in one transaction: ``Store/count(_:now:)``.
    func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
        do throws(StoreError) {
            // Nothing may fail after the commit: if this function throws, callers assume that nothing was counted, and senders
            // send again.
            return try connection.transaction(.immediate) { () throws(StoreError) in
                try clearCachesIfOthersWrote()
                try readLogs()
                // A new database stores the clock together with its first keys, because the clock determines their times.
                let clock = try clock == nil ? startClock(at: now) : clock(at: now)
                var receipts: [Receipt] = []
                // Discarded leaks are dropped before merged leaks are redirected, as in the other store.
                var aggregate = SubmissionAggregate(
                    expecting: min(submissions.reportCount, limits.weightPerCommit), merges: try mergedIDs())
                let rows = ResolvedRows(of: self, day: Calendar.day(of: clock.newKeyTime), now: now)
                let discardedIDs = try discardedIDs()
                var counted = submissions
                var dropped: [LeakID: Int] = [:]
                for number in submissions.indices {
                    guard number == 0 || aggregate.weight < limits.weightPerCommit else { break }
                    let discarded = discardedIDs.isEmpty ? [:] : discardedIDs.remove(from: &counted[number])
                    receipts.append(
                        try receipt(for: counted[number], aggregate: &aggregate, rows: rows, clock: clock))
                    if receipts[number] == .counted {
                        try aggregate.add(counted[number], number: number, by: rows)
                        dropped.merge(discarded) { Total.bounded($0 + $1) }
                    }
                }
                try write(aggregate, in: rows, of: counted, now: now, expiry: clock.expiryTime)
                try writeDropped(dropped)
                try writeIdempotencyUse()
                return receipts
            }
        } catch {
            clearCaches()
            throw distinguishFullDatabase(error)
        }
    }

    /// Clears all caches, because a failed transaction may have cached changes that are not in the database.
    func clearCaches() {
        caches.removeAll()
        clock = nil
    }

    /// Clears all caches if another connection has committed since the last call.
    ///
    /// - Throws: ``StoreError/Reason/newerSchema(found:known:)`` if a later collector has changed the schema.
    func clearCachesIfOthersWrote() throws(StoreError) {
        let version = try connection.number("pragma data_version")
        guard version != dataVersion else { return }
        caches.removeAll()
        // The other process may have flushed the logs because it has readers, so its commit counts as a read.
        readTime.record()
        let schema = Int(try connection.number("pragma user_version") ?? 0)
        guard schema == Migration.newestVersion else { throw .newerSchema(schema, in: connection.path) }
        dataVersion = version
    }

    /// Returns the ``StoreClock`` of a writer's first transaction, and stores it if the database has no stored clock.
    private func startClock(at now: Int64) throws(StoreError) -> StoreClock {
        guard try storedClock() == nil else { return try clock(at: now) }
        return try writeClock(at: now)
    }

    /// Returns the ``StoreClock``, which the first call reads from the database.
    func clock(at now: Int64) throws(StoreError) -> StoreClock {
        var clock: StoreClock
        if let cachedClock = self.clock {
            clock = cachedClock
        } else {
            clock = StoreClock(try storedClock(), now: now, rule: clockRule)
        }
        clock.advance(to: now)
        self.clock = clock
        return clock
    }

    /// Advances the clock from the stored time, and stores the result.
    func writeClock(at now: Int64) throws(StoreError) -> StoreClock {
        let stored = try storedClock()
        var clock = self.clock ?? StoreClock(stored, now: now, rule: clockRule)
        clock.advance(to: now, adopting: stored)
        self.clock = clock
        try connection.run(
            "insert or replace into clock (id, wall, keys, waited) values (1, ?, ?, ?)",
            clock.state.acceptedTime,
            clock.state.keyTime, clock.state.waitedMilliseconds)
        return clock
    }

    private func storedClock() throws(StoreError) -> StoreClock.Stored? {
        let select = try connection.statement("select wall, keys, waited from clock where id = 1")
        defer { select.reset() }
        guard try select.step() else { return nil }
        return StoreClock.Stored(
            acceptedTime: select.time(0), keyTime: select.time(1), waitedMilliseconds: select.time(2))
    }

    /// Empties the write-ahead log if it is larger than ``writeAheadLogLimitBytes``: readers may have prevented SQLite from
    /// emptying it.
    func checkpointIfNeeded(now: Int64) throws(StoreError) {
        if let lastAttempt = lastCheckpointAttemptAt,
            (0..<Self.checkpointRetryMilliseconds).contains(now - lastAttempt)
        {
            return
        }
        guard DatabaseFile.size(of: connection.path + "-wal") > writeAheadLogLimitBytes else { return }
        lastCheckpointAttemptAt = now
        if try connection.truncateLog(waitMilliseconds: Self.checkpointWaitMilliseconds) {
            lastCheckpointAttemptAt = nil
        }
    }

    // MARK: Rows

    private func write(
        _ aggregate: SubmissionAggregate, in rows: ResolvedRows, of submissions: [Submission], now: Int64,
        expiry: Int64
    ) throws(StoreError) {
        for app in aggregate.apps { try write(app, to: rows.apps[app.number]) }
        for release in aggregate.releases {
            try write(
                release, to: rows.releases[release.number])
        }
        for build in aggregate.builds where build.hasUsage {
            try writeUsage(
                of: build, to: rows.builds[build.number],
                app: rows.apps[aggregate.apps[aggregate.releases[build.release].app].number], day: rows.day)
        }
        var leaks: [LeakEntry] = []
        var changed = ChangedCounts(of: aggregate)
        // A span avoids the copy that an array would make.
        let aggregatedLeaks = aggregate.leaks.span
        for index in aggregatedLeaks.indices {
            leaks.append(
                try write(
                    aggregatedLeaks[index], to: rows.leaks[aggregatedLeaks[index].number].entry,
                    aggregate: aggregate, rows: rows,
                    of: submissions, changed: &changed, now: now))
        }
        // Writes samples before explanations, because samples have priority if the bytes of an ingest key are used up.
        for index in aggregatedLeaks.indices where !aggregatedLeaks[index].values.isEmpty {
            try writeValues(
                aggregatedLeaks[index].values, of: leaks[index].id,
                app: rows.apps[aggregate.apps[aggregatedLeaks[index].app].number], day: rows.day)
        }
        changed.addHours(of: aggregate.hourCounts)
        changed.addBuckets(of: aggregate.bucketReports)
        caches.logs?.counts.add(changed, within: logLimits.countBytes)
        try addValues(of: aggregate, to: leaks, rows)
        for release in aggregate.releases { try flushInstalls(of: rows.releases[release.number]) }
        try chooseCurrentReleases(rows, aggregate, now: expiry)
        try writeSlots(of: aggregate, rows, expiry: expiry)
        // Flushes counts before leaks are reindexed, so that the indexes get the new counts.
        let areValuesRead = readTime.isRecent(within: logLimits.millisecondsAfterRead)
        successiveQuietCalls =
            submissions.count <= logLimits.maxSubmissionsOfQuietCall ? successiveQuietCalls + 1 : 0
        if areValuesRead || successiveQuietCalls >= logLimits.quietCallsBeforeDirectWrites {
            try flushCountLog()
        }
        try reindex(now: now)
        try writeLogs(areValuesRead: areValuesRead)
        try reindexIfTooManyUnindexed()
    }

    /// Returns the ids of the leaks that were merged by hand, which the first call reads from the database.
    func mergedIDs() throws(StoreError) -> MergedIDs {
        if let cached = caches.mergedIDs { return cached }
        let ids = try connection.read(MergedIDs.stored)
        caches.mergedIDs = ids
        return ids
    }
}
