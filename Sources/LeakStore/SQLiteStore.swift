internal import LeakPlatform

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A store in one SQLite file, in WAL mode; every commit is on disk before a call returns.
///
/// Any thread may call it; writes happen one after another.
public final class SQLiteStore: Store {
    /// A function that masks private data in a report's JSON before the report is stored.
    public typealias Redact = @Sendable (ArraySlice<UInt8>) -> [UInt8]

    let path: String
    /// The writer. Tests access it too, to set limits that operators cannot set.
    let writer: Guarded<Writer>
    let damageMonitor: DamageMonitor
    private let pendingCalls = PendingCalls()
    private let flusher: CountLogFlusher
    /// Maximum number of attempts of an erasure to empty the write-ahead log.
    private static let maxAttemptsToEmptyLog = 20
    /// Maximum time that an attempt of an erasure to empty the write-ahead log waits for readers.
    private static let emptyLogWaitMilliseconds: Int32 = 50
    private let lock: LockFile?
    /// `true` if the ``DatabaseMarker`` records that the database has leaks.
    private let hasRecordedLeaks = Guarded(false)
    /// Maximum time to wait for another process that holds the lock file.
    private static let lockWait = Duration.milliseconds(500)

    /// Opens the file. Creates it if it does not exist (``DatabaseFile/openOrCreate(_:)``); its folder must exist. Migrates an
    /// older schema, but throws instead if a server has the file open.
    ///
    /// - Parameters:
    ///   - path: the path of the file. The files `-wal`, `-shm`, `.lock` and `.marker` are created beside it.
    ///   - exclusive: `true` for a server, which prevents another server from opening the file; `false` for a command that may
    ///     run beside a server.
    ///   - seed: the seed of the choice of samples. The same seed and reports give the same samples.
    ///   - limits: the limits on the data that one sender can add.
    ///   - clock: the limits within which the system clock is accepted without a confirmation.
    ///   - retention: the ages from which on ``expire(now:while:)`` deletes data.
    ///   - redact: called inside ``count(_:now:)``, only for reports that are stored as samples.
    /// - Throws: ``StoreError`` with one line that describes the problem of the file.
    public init(
        path: String, exclusive: Bool, seed: UInt64 = 0, limits: StoreLimits = StoreLimits(),
        clock: ClockRule = ClockRule(), retention: RetentionRule = RetentionRule(),
        redact: @escaping Redact = { Array($0) }
    ) throws(StoreError) {
        self.path = path
        lock = exclusive ? try Self.lock(path) : nil
        try DatabaseMarker.requireExistingDatabase(at: path)
        try Self.requireNoRecordedDamage(of: path)
        try DatabaseFile.create(at: path)
        damageMonitor = DamageMonitor(path: path, logLimitBytes: Writer.checkpointThresholdBytes)
        let connection = try SQLiteConnection(path: path, access: .readWrite, damageMonitor: damageMonitor)
        guard !connection.isReadOnly else {
            throw .sqlite(8, message: "attempt to write a readonly database", path: path, sql: "open")
        }
        try Self.requireNotTruncated(connection, at: path, lock: lock)
        try Self.migrate(connection, isLocked: exclusive)
        try DatabaseMarker.write(beside: path)
        let writer = try Writer(
            connection: connection, damageMonitor: damageMonitor, limits: limits, clock: clock,
            retention: retention, redact: redact,
            reservoir: Reservoir(seed: seed))
        // From now on, commits may copy the write-ahead log into the file, because reading the file has shown no sign of
        // damage.
        try writer.requireSoundFile()
        let readTime = writer.readTime
        self.writer = Guarded(writer)
        flusher = CountLogFlusher(writer: self.writer, pendingCalls: pendingCalls, readTime: readTime)
        recordLeaks()
    }

    /// Locks the file for a server. Waits up to ``lockWait``, because a command that checks the log also holds the lock for a
    /// moment.
    private static func lock(_ path: String) throws(StoreError) -> LockFile {
        let deadline = ContinuousClock.now + lockWait
        while true {
            do throws(StoreError) {
                return try LockFile(beside: path)
            } catch {
                guard error.reason == .locked, ContinuousClock.now < deadline else { throw error }
                usleep(20_000)
            }
        }
    }

    /// Records in the marker that the database has leaks, if this is a server and the marker does not record it yet.
    private func recordLeaks() {
        let isUnrecorded = hasRecordedLeaks.with { !$0 }
        guard lock != nil, isUnrecorded else { return }
        let hasLeaks = writer.with { (try? $0.connection.number("select exists (select 1 from leak)")) == 1 }
        guard hasLeaks, DatabaseMarker.recordLeaks(at: path) else { return }
        hasRecordedLeaks.with { $0 = true }
    }

    /// Rejects a database that was truncated, or whose log was damaged, while no server had it open. Must run before the log is
    /// copied into the file.
    ///
    /// If a process ends while it copies the log, the file is shorter than its header says, and the log has the missing pages.
    /// Such a file is not rejected. Without a marker, no file is rejected: an operator deletes the marker to continue with the
    /// readable data.
    private static func requireNotTruncated(
        _ connection: SQLiteConnection, at path: String, lock: LockFile?
    ) throws(StoreError) {
        guard DatabaseFile.size(of: path + "-wal") > 0,
            DatabaseFile.size(of: path + DatabaseMarker.suffix) > 0
        else { return }
        var problem: String?
        if let header = connection.header, DatabaseFile.size(of: path) < header.fileBytes {
            switch IntegrityCheck.run(at: path) {
            case .sound: break
            case .damaged(let reason): problem = "it is shorter than its header says (\(reason))"
            case .unreadable(let reason):
                throw StoreError(
                    .other,
                    "database \(path): it is shorter than its header says and cannot be checked (\(reason)): check the disk"
                )
            }
        }
        // Checks the log only under the lock, because a server may be writing it.
        if problem == nil, let heldLock = lock ?? (try? LockFile(beside: path)) {
            defer { withExtendedLifetime(heldLock) {} }
            problem = WriteAheadLogCheck.problem(of: path + "-wal")
        }
        guard let problem else { return }
        throw StoreError(
            .corrupt,
            "database \(path): \(problem). Keep \(path)-wal. Restore a backup, or copy the folder and run .recover on the "
                + "copy. To go on with what can be read, delete \(path)\(DatabaseMarker.suffix)")
    }

    /// Checks a database that an earlier run has found damaged, because it may have been replaced by a backup.
    private static func requireNoRecordedDamage(of path: String) throws(StoreError) {
        guard let recordedDamage = DatabaseMarker.damage(of: path) else { return }
        guard !DatabaseMarker.isUnchangedSinceDamage(path) else {
            throw StoreError(
                .corrupt,
                "database \(path): an earlier run found it damaged, and the file was not replaced since (\(recordedDamage)). "
                    + "Restore a backup, or copy the folder and run .recover on the copy. To go on without the reports in the write-ahead log, "
                    + "delete \(path)\(DatabaseMarker.suffix)")
        }
        let problems: [String]
        do throws(StoreError) { problems = try damage(of: path) } catch { problems = ["\(error)"] }
        guard problems.isEmpty else {
            throw StoreError(
                .corrupt,
                "database \(path): an earlier run found signs of damage, and a check confirms it (\(problems[0])). Keep "
                    + "\(path)-wal: copy the whole folder, then restore a backup")
        }
        try DatabaseMarker.clearDamage(of: path)
    }

    /// Migrates an older schema, but never while a server runs, because the server would continue to write rows of the old
    /// schema.
    private static func migrate(_ connection: SQLiteConnection, isLocked: Bool) throws(StoreError) {
        var lock: LockFile?
        let deadline = ContinuousClock.now + lockWait
        while !isLocked, lock == nil, try Migration.isNeeded(on: connection) {
            do throws(StoreError) {
                lock = try LockFile(beside: connection.path)
            } catch {
                guard error.reason == .locked else { throw error }
                // The process that holds the lock may be migrating the schema, too.
                guard ContinuousClock.now < deadline else { throw .servedWithOlderSchema(connection.path) }
                usleep(20_000)
            }
        }
        defer { withExtendedLifetime(lock) {} }
        try Migration.run(on: connection)
    }

    public func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
        // Lets waiting readers run first. Otherwise a thread that counts without a pause would lock the writer again before a
        // waiting reader wakes up.
        flusher.yield()
        return try write { writer throws(StoreError) in try writer.count(submissions, now: now) }
    }

    public func checkpointIfNeeded(now: Int64) throws(StoreError) {
        try write { writer throws(StoreError) in try writer.checkpointIfNeeded(now: now) }
        recordLeaks()
    }

    public func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) -> ClockWait? {
        var expiry = Expiry(now: now)
        var needsAnotherStep = true
        while needsAnotherStep, isWanted() {
            needsAnotherStep = try writer.with { writer throws(StoreError) in
                try writer.requireSoundFile()
                return try writer.withReservedSpace { () throws(StoreError) in try writer.runStep(of: &expiry)
                }
            }
            if needsAnotherStep { pendingCalls.yield() }
        }
        if !needsAnotherStep {
            try deleteUnseenNames(now: now, while: isWanted)
            try evictNames(now: now, while: isWanted)
        }
        return expiry.wait
    }

    /// Deletes leaks and versions that were not seen for long, and combines counts by day to counts by week: ``RetentionRule``.
    private func deleteUnseenNames(now: Int64, while isWanted: () -> Bool) throws(StoreError) {
        var run = RetentionRun(now: now)
        var needsAnotherStep = true
        while needsAnotherStep, isWanted() {
            needsAnotherStep = try writer.with { writer throws(StoreError) in
                try writer.requireSoundFile()
                return try writer.withReservedSpace { () throws(StoreError) in try writer.runStep(of: &run) }
            }
            if needsAnotherStep { pendingCalls.yield() }
        }
    }

    /// Evicts names of apps that are near a limit: ``EvictionRule``.
    private func evictNames(now: Int64, while isWanted: () -> Bool) throws(StoreError) {
        var eviction = Eviction(now: now)
        var needsAnotherStep = true
        while needsAnotherStep, isWanted() {
            needsAnotherStep = try writer.with { writer throws(StoreError) in
                try writer.requireSoundFile()
                return try writer.withReservedSpace { () throws(StoreError) in
                    try writer.runStep(of: &eviction)
                }
            }
            if needsAnotherStep { pendingCalls.yield() }
        }
    }

    public func erase(
        install: UInt64, audit entry: AuditEntry?, while isWanted: () -> Bool
    ) throws(StoreError) -> ErasureResult? {
        var erasure = InstallErasure(install: install, audit: entry)
        var needsAnotherStep = true
        while needsAnotherStep {
            guard isWanted() else { return nil }
            needsAnotherStep = try writer.with { writer throws(StoreError) in
                try writer.requireSoundFile()
                return try writer.withReservedSpace { () throws(StoreError) in
                    try writer.runStep(of: &erasure)
                }
            }
            pendingCalls.yield()
        }
        var result = erasure.result
        result.isLeftInLog = !emptyLog(while: isWanted)
        return result
    }

    public func forget(
        _ target: ForgetTarget, audit entry: AuditEntry?, while isWanted: () -> Bool
    ) throws(StoreError) -> ForgetCounts? {
        var run = ForgetRun(target: target, audit: entry)
        var needsAnotherStep = true
        while needsAnotherStep {
            guard isWanted() else { return nil }
            needsAnotherStep = try writer.with { writer throws(StoreError) in
                try writer.requireSoundFile()
                return try writer.withReservedSpace { () throws(StoreError) in try writer.runStep(of: &run) }
            }
            pendingCalls.yield()
        }
        return run.counts
    }

    /// Empties the write-ahead log. Other calls can run between two attempts.
    ///
    /// - Returns: `true` if the log is empty.
    private func emptyLog(while isWanted: () -> Bool) -> Bool {
        for _ in 0..<Self.maxAttemptsToEmptyLog where isWanted() {
            let isEmpty = try? writer.with { writer throws(StoreError) in
                try writer.requireSoundFile()
                return try writer.connection.truncateLog(waitMilliseconds: Self.emptyLogWaitMilliseconds)
            }
            if isEmpty == true { return true }
            pendingCalls.yield()
        }
        return false
    }

    public func add(_ credential: Credential, audit entry: AuditEntry?) throws(StoreError) -> Credential {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.add(credential, audit: entry)
            }
        }
    }

    public func revoke(
        credential id: Int64, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.revoke(credential: id, audit: entry, now: now)
            }
        }
    }

    public func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in try writer.useOnce(hash: hash, now: now) }
        }
    }

    public func decide(
        _ decision: Decision, about leaks: [LeakID], audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> PastDecision? {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.decide(decision, about: leaks, audit: entry, now: now)
            }
        }
    }

    public func merge(
        _ sources: [LeakID], into target: LeakIdentity, by author: String, audit entry: AuditEntry?,
        now: Int64,
        note: @Sendable (LeakMerge) -> String
    ) throws(StoreError) -> LeakMerge? {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.merge(sources, into: target, by: author, audit: entry, now: now, note: note)
            }
        }
    }

    public func mergeByHand(
        _ source: LeakID, into target: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> ManualMerge? {
        try write { writer throws(StoreError) in
            // Without the reserved space: the copies for undoing the merge take space.
            try writer.mergeByHand(source, into: target, by: author, audit: entry, now: now)
        }
    }

    public func undoMerge(
        _ number: Int64, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> UndoneMerge? {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.undoMerge(number, by: author, audit: entry, now: now)
            }
        }
    }

    public func discard(
        _ leak: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.discard(leak, by: author, audit: entry, now: now)
            }
        }
    }

    public func accept(_ leak: LeakID, audit entry: AuditEntry?) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in try writer.accept(leak, audit: entry) }
        }
    }

    public func saveRules(
        _ text: String, of app: String, basedOn version: Int?, by origin: ChangeOrigin, now: Int64
    ) throws(StoreError) -> RulesOutcome {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.saveRules(text, of: app, basedOn: version, by: origin, now: now)
            }
        }
    }

    public func rewrite(_ identity: LeakIdentity) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in try writer.rewrite(identity) }
        }
    }

    public func put(
        _ symbols: StoredSymbols, body: [UInt8], audit entry: AuditEntry?
    ) throws(StoreError) -> SymbolUploadResult {
        try write { writer throws(StoreError) in try writer.put(symbols, body: body, audit: entry) }
    }

    public func removeSymbols(
        _ kind: StoredSymbols.Kind, of image: String, audit entry: AuditEntry?
    ) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.removeSymbols(kind, of: image, audit: entry)
            }
        }
    }

    public func recordUse(ofSymbols rowIDs: [Int64], now: Int64) throws(StoreError) {
        try write { writer throws(StoreError) in try writer.recordUse(ofSymbols: rowIDs, now: now) }
    }

    public func pin(
        _ version: String?, of app: AppKey, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.pin(version, of: app, by: author, audit: entry, now: now)
            }
        }
    }

    public func setName(
        ofCredential id: Int64, to name: String, audit entry: AuditEntry?
    ) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.setName(ofCredential: id, to: name, audit: entry)
            }
        }
    }

    public func record(_ events: [Event], mark: EventMark?) throws(StoreError) -> Int {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in try writer.addEvents(events, mark: mark) }
        }
    }

    public func claim(channel: String, by sender: Int64, now: Int64) throws(StoreError) -> ChannelPosition? {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.claimChannel(channel, by: sender, now: now)
            }
        }
    }

    public func move(
        channel: String, to position: ChannelPosition, by sender: Int64
    ) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in
            try writer.withReservedSpace { () throws(StoreError) in
                try writer.moveChannel(channel, to: position, by: sender)
            }
        }
    }

    /// Copies the write-ahead log into the database file and truncates the log. Leaves the log as it is while a reader still uses
    /// it.
    ///
    /// - Returns: `true` if the log is empty.
    public func checkpoint() throws(StoreError) -> Bool {
        try writer.with { writer throws(StoreError) in
            try writer.requireSoundFile()
            return try writer.connection.truncateLog()
        }
    }

    public func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader {
        try SQLiteReader(path: path, known: known, damageMonitor: damageMonitor, flusher: flusher)
    }

    public var damage: StoreError? {
        do throws(StoreError) {
            try damageMonitor.detectDamage()
            return nil
        } catch {
            return error
        }
    }

    public var integrityCheck: (@Sendable () -> Void)? {
        let damageMonitor = damageMonitor
        guard damageMonitor.isIntegrityCheckDue else { return nil }
        return { damageMonitor.checkIntegrity() }
    }

    /// Runs `body` with the writer. Checks the files for damage before it, and after a commit.
    ///
    /// - Throws: ``StoreError/Reason/uncertain`` if the files are damaged after the commit: the log may have lost the transaction.
    private func write<Result>(
        _ body: (inout sending Writer) throws(StoreError) -> sending Result
    ) throws(StoreError) -> sending Result {
        pendingCalls.enter()
        defer { pendingCalls.leave() }
        return try writer.with { writer throws(StoreError) in
            try writer.requireSoundFile()
            let changes = writer.connection.totalChanges
            let result = try body(&writer)
            flusher.recordWrite()
            guard writer.connection.totalChanges != changes else { return result }
            do throws(StoreError) {
                try writer.detectDamageAfterCommit()
            } catch {
                throw StoreError(
                    .uncertain, "\(error); it is not known whether the last change is on disk")
            }
            return result
        }
    }
}

extension StoreError {
    fileprivate static func servedWithOlderSchema(_ path: String) -> StoreError {
        StoreError(
            .locked,
            "database \(path): an earlier collector serves it, and this command would change its schema; stop "
                + "that collector first, or use its own version of this command (backup and verify work as they are)"
        )
    }
}

extension SQLiteStore {
    /// Calls `body` with a reader of all tables in one transaction. No other connection can write meanwhile: a writer waits,
    /// and fails after five seconds with nothing counted.
    ///
    /// - Parameter now: milliseconds since 1970; idempotency keys that have expired at this time are left out.
    package func withPortableTables<Result>(
        now: Int64, to body: (PortableTableReader) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let writer = try Writer(
            connection: SQLiteConnection(path: path, access: .readWrite), limits: StoreLimits(),
            redact: { Array($0) }, reservoir: Reservoir(seed: 0))
        return try writer.connection.transaction(.immediate) { () throws(StoreError) in
            // Some counts, sets and keys are only in the logs until they are flushed.
            try writer.flushLogs()
            return try body(
                PortableTableReader(connection: writer.connection, keyStart: writer.clock(at: now).keyStart))
        }
    }
}
