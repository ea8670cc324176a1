internal import LeakPlatform
internal import LeakStore

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Makes backups at regular intervals, checks each backup, and deletes the oldest ones.
///
/// The loop has a thread of its own with a low priority, and no request waits for a backup.
final class BackupLoop: Sendable {
    /// The settings of the backups.
    struct Schedule: Hashable, Sendable {
        /// The folder of the backups.
        var folder: String
        var intervalHours = 24
        /// Number of backups that are kept.
        var count = 7

        var intervalMilliseconds: Int64 { Int64(intervalHours) * 3_600_000 }
    }

    struct Status: Hashable, Sendable {
        /// The time of the newest backup, in milliseconds since 1970; `nil` if there is none.
        var lastBackup: Int64?
        /// Number of backups in the folder.
        var count = 0
        /// The reason why the last attempt failed; `nil` if it succeeded or has not ended.
        var failure: String?
        /// Number of attempts that failed since the start of the process.
        var failureCount = 0
        /// The time of the last attempt that failed.
        fileprivate var failedAt: Int64?
        /// Milliseconds from ``failedAt`` to the next attempt.
        fileprivate var retryMilliseconds: Int64 = 0
    }

    /// Time between two checks whether a backup is due.
    private static let pollInterval = Duration.seconds(10)
    /// Usual milliseconds after which a failed backup is tried again.
    static let retryMilliseconds: Int64 = 10 * 60_000
    /// Maximum milliseconds by which the time of a backup may be ahead of the clock. A backup with a later time was made while
    /// the clock was wrong, and does not count.
    private static let maxFutureMilliseconds: Int64 = 3_600_000

    /// Free bytes that a backup leaves: twice the number below which the collector accepts no reports.
    private static let reserveBytes: UInt64 = 128 << 20

    let schedule: Schedule
    private let folder: BackupFolder
    private let databasePath: String
    /// Returns the free bytes of the disk of a folder; `nil` if the system does not report them.
    private let freeBytes: @Sendable (String) -> UInt64?
    private let log: Log
    /// Called after each failure.
    private let onFailure: @Sendable () -> Void
    private let now: @Sendable () -> Int64
    private let startedAt: Int64
    private let status = Guarded(Status())
    private let isStopping = Guarded(false)

    init(
        _ schedule: Schedule, databasePath: String, freeBytes: @escaping @Sendable (String) -> UInt64?,
        log: Log, onFailure: @escaping @Sendable () -> Void = {},
        now: @escaping @Sendable () -> Int64
    ) {
        self.schedule = schedule
        self.databasePath = databasePath
        self.freeBytes = freeBytes
        self.log = log
        self.onFailure = onFailure
        self.now = now
        folder = BackupFolder(path: schedule.folder)
        startedAt = now()
    }

    // MARK: The thread

    /// Starts the thread. It is never joined, because a backup of a large database takes longer than a stop may take; the next
    /// start removes an unfinished file.
    func start() {
        let isStarted = WorkerThread.start(name: "backup") { [self] in
            #if !canImport(Darwin)
                // On Linux this is the priority of this thread alone.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            #endif
            folder.removeUnfinished()
            repeat { runIfDue() } while !sleep()
        }
        if !isStarted { recordFailure("the system cannot start another thread") }
    }

    func stop() {
        isStopping.with { $0 = true }
        isStopping.wakeAll()
    }

    private func sleep() -> Bool {
        isStopping.wait(timeout: Self.pollInterval) { $0 ? true : nil } ?? false
    }

    // MARK: Backups

    /// Makes a backup if one is due. Blocks the calling thread until it is written and checked.
    func runIfDue() {
        let time = now()
        guard !isWaitingAfterFailure(at: time) else { return }
        guard updateStatus(now: time) else {
            return recordFailure("the folder \(schedule.folder) cannot be read")
        }
        guard isDue(at: time) else {
            // The last backup is recent enough, so an earlier failure, such as an unreadable folder, is over.
            return status.with { ($0.failure, $0.failedAt) = (nil, nil) }
        }
        do throws(StoreError) {
            try requireSpace()
            let (path, kept) = (folder.path(of: time), folder.inconsistentPath)
            // The copy gets the name of a backup only after its totals were found consistent.
            let backup = try SQLiteStore.backUp(path: databasePath, to: kept, overwrites: true)
            if let problem = backup.inconsistentTotals.first {
                // The totals stay wrong until an operator repairs them, so the next attempt waits for the interval.
                return recordFailure(
                    "some totals are inconsistent (\(problem)); the copy is \(kept): stop the collector and run collector "
                        + "verify --repair", retryMilliseconds: schedule.intervalMilliseconds)
            }
            guard unsafe rename(kept, path) == 0 else {
                throw StoreError(
                    .other, "\(kept) cannot be renamed: \(unsafe String(cString: strerror(errno)))")
            }
            folder.removeOldest(keeping: schedule.count, upTo: time + Self.maxFutureMilliseconds)
            status.with { ($0.failure, $0.failedAt) = (nil, nil) }
            _ = updateStatus(now: time)
            log.info("wrote the backup \(path), \(backup.bytes) bytes")
        } catch {
            recordFailure("\(error)")
        }
    }

    private func recordFailure(_ reason: String, retryMilliseconds: Int64 = BackupLoop.retryMilliseconds) {
        let time = now()
        status.with {
            ($0.failure, $0.failedAt, $0.retryMilliseconds) = (reason, time, retryMilliseconds)
            $0.failureCount += 1
        }
        let minutes = countText(Int(retryMilliseconds / 60_000), of: "minute", plural: "minutes")
        log.error("the backup failed; the collector will try again in \(minutes): \(reason)")
        onFailure()
    }

    /// Reads the folder.
    ///
    /// - Returns: `false` if it cannot be read.
    private func updateStatus(now: Int64) -> Bool {
        guard let times = folder.times() else { return false }
        let last = times.first { $0 <= now + Self.maxFutureMilliseconds }
        status.with { ($0.lastBackup, $0.count) = (last, times.count) }
        return true
    }

    private func isDue(at now: Int64) -> Bool {
        guard let last = currentStatus.lastBackup else { return true }
        return now >= last + schedule.intervalMilliseconds
    }

    private func isWaitingAfterFailure(at now: Int64) -> Bool {
        let status = currentStatus
        guard let failedAt = status.failedAt else { return false }
        return (failedAt..<failedAt + status.retryMilliseconds).contains(now)
    }

    /// Checks that the copy leaves enough free space for reports, if it is on the same disk as the database.
    private func requireSpace() throws(StoreError) {
        var bytes: UInt64 = 0
        for suffix in ["", "-wal"] {
            var file = stat()
            if unsafe stat(databasePath + suffix, &file) == 0 { bytes += UInt64(max(file.st_size, 0)) }
        }
        guard let free = freeBytes(schedule.folder) else { return }
        guard free >= bytes + Self.reserveBytes else {
            throw StoreError(
                .diskFull,
                "\(schedule.folder) has \(free >> 20) MiB free, and the copy needs \((bytes >> 20) + 1) MiB and "
                    + "\(Self.reserveBytes >> 20) MiB of reserve")
        }
    }

    // MARK: For operators

    var currentStatus: Status { status.with { $0 } }

    /// Returns what is wrong with the backups, for an operator; `nil` if nothing is wrong.
    func problem(now: Int64) -> String? {
        let status = currentStatus
        if let failure = status.failure { return "the last backup failed: \(failure)" }
        guard now > (status.lastBackup ?? startedAt) + 2 * schedule.intervalMilliseconds else { return nil }
        guard let last = status.lastBackup else { return "there is no backup yet" }
        return "backups are overdue: the newest is of \(CivilTime(milliseconds: last).full)"
    }

    /// Returns the problem for clients that are not authenticated, without paths.
    func publicProblem(now: Int64) -> String? {
        problem(now: now) == nil
            ? nil
            : currentStatus.failure == nil
                ? "backups are overdue" : "the last backup failed; see the collector's log"
    }
}

extension Settings {
    /// Returns the schedule of the backups; `nil` if there are none.
    ///
    /// - Throws: ``SettingError`` with a PostgreSQL database, which the collector cannot copy into a file.
    func backupSchedule() throws(SettingError) -> BackupLoop.Schedule? {
        guard let backupFolder else { return nil }
        guard databaseURL == nil else {
            throw SettingError(
                source: Setting.backup.variable,
                problem:
                    "is only for the database in the data folder: back up PostgreSQL with pg_dump, and unset this setting"
            )
        }
        return BackupLoop.Schedule(
            folder: backupFolder, intervalHours: backupIntervalHours, count: backupCount)
    }
}
