internal import LeakPlatform

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A monitor that stops all writes at the first sign that a database is damaged, or is not the file that was opened.
///
/// All connections of one store share a monitor. A sign is a result code of SQLite on any connection, or a file that has
/// shrunk. A disk that fails for a moment causes the same signs, so ``checkIntegrity()`` reads the whole file before the damage
/// counts as confirmed. Until then the write-ahead log is not changed, because it may contain reports that a damaged file has
/// lost.
final class DamageMonitor: Sendable {
    /// Maximum number of signs within an hour that a check of the whole file does not confirm. One more counts as damage.
    static let unconfirmedSignLimit = 3

    private struct State {
        /// The confirmed damage, kept until the process ends.
        var damage: StoreError?
        /// The first sign of damage that was not examined yet.
        var sign: Sign?
        /// Number of signs of damage so far.
        var signCount = 0
        var isCheckingIntegrity = false
        /// Times of signs from SQLite that the check of the whole file did not confirm.
        var unconfirmedSignTimes: [ContinuousClock.Instant] = []
        /// ``DamageMonitor/unconfirmedSignLimit``, except in tests.
        var unconfirmedSignLimit = DamageMonitor.unconfirmedSignLimit
        /// `true` if the ``DatabaseMarker`` records the sign or the damage.
        var isRecorded = false
        /// The state of the file at the last check.
        var file: FileState?
        /// The state of the write-ahead log at the last check.
        var log: FileState?
        /// The first bytes of the log at the last check.
        var logStart = WriteAheadLogCheck.LogStart.empty
        /// `true` if SQLite restarted the log, and may still cut it to ``DamageMonitor/logLimitBytes``.
        var isCutExpected = false
        /// The change counter of the file's header at the last check.
        var changeCounter: UInt32?

        mutating func add(_ sign: Sign) {
            if self.sign == nil { self.sign = sign }
            signCount += 1
        }

        /// Records a sign that a check of the whole file did not confirm.
        ///
        /// - Returns: `false` if there were too many such signs, so that this sign is treated as damage.
        mutating func recordUnconfirmed(_ sign: Sign) -> Bool {
            guard sign.isFromSQLite else { return true }
            let now = ContinuousClock.now
            unconfirmedSignTimes.removeAll { $0 < now - .seconds(3_600) }
            unconfirmedSignTimes.append(now)
            return unconfirmedSignTimes.count <= unconfirmedSignLimit
        }
    }

    /// A sign of damage.
    private struct Sign: Sendable {
        var text: String
        /// `false` for a file that has shrunk, which `vacuum` also causes.
        var isFromSQLite: Bool
        /// The reason why the file could not be checked.
        var obstacle: String?
    }

    private let path: String
    /// The size to which SQLite cuts a log that it has restarted: `pragma journal_size_limit`.
    private let logLimitBytes: Int
    private let state = Guarded(State())

    init(path: String, logLimitBytes: Int) {
        (self.path, self.logLimitBytes) = (path, logLimitBytes)
    }

    /// Replaces ``unconfirmedSignLimit``, for tests.
    func limitUnconfirmedSigns(to count: Int) { state.with { $0.unconfirmedSignLimit = count } }

    /// Records a result code that says that the file is damaged. Other result codes are ignored.
    func record(code: Int32, _ error: StoreError) {
        guard StoreError.isDamage(code) else { return }
        state.with { $0.add(Sign(text: withoutDatabaseName(error.description), isFromSQLite: true)) }
    }

    /// Throws if there is a sign of damage, if the file or its log was deleted or replaced, if the log was cut, or if an older
    /// copy was written over the file. This check needs six system calls before each transaction, and
    /// ``detectDamageAfterCommit()`` needs four after it.
    ///
    /// - Parameter header: the current header of the file.
    /// - Throws: ``StoreError/Reason/damaged``.
    func detectDamage(in header: DatabaseHeader? = nil) throws(StoreError) {
        let (problem, isConfirmed): (StoreError?, Bool) = state.with { state in
            if let damage = state.damage { return (damage, true) }
            // Reads the file under the lock: otherwise an older state of the growing file could be compared with a newer state.
            if let problem = damageOfFiles(&state) ?? damageOfHeader(header, &state) {
                return (damageError(problem), state.damage != nil)
            }
            guard let sign = state.sign else { return (nil, false) }
            let error = StoreError(
                .damaged,
                "database \(path): there is a sign of damage (\(sign.text)). Nothing is written until the whole file has "
                    + "been checked\(sign.obstacle.map { ", but the check fails (\($0)): check the disk" } ?? ""). Keep \(path)-wal"
            )
            return (error, false)
        }
        guard let problem else { return }
        // If this process ends before the damage is confirmed, the next process checks the file first.
        let isRecorded = state.with { state in
            defer { state.isRecorded = true }
            return state.isRecorded
        }
        if !isRecorded {
            DatabaseMarker.recordDamage(
                of: path, withoutDatabaseName(problem.description), isConfirmed: isConfirmed)
        }
        throw problem
    }

    /// `true` if there is a sign of damage that ``checkIntegrity()`` should examine.
    var isIntegrityCheckDue: Bool {
        state.with { $0.damage == nil && $0.sign != nil && !$0.isCheckingIntegrity }
    }

    /// Examines a sign of damage, which takes seconds for a large file. May be called on any thread; does nothing if another
    /// call is running.
    func checkIntegrity() {
        let pendingSign: (sign: Sign, count: Int)? = state.with { state in
            guard state.damage == nil, !state.isCheckingIntegrity, let sign = state.sign else { return nil }
            state.isCheckingIntegrity = true
            return (sign, state.signCount)
        }
        guard let (sign, count) = pendingSign else { return }
        let outcome = IntegrityCheck.run(at: path)
        let (damage, isSound): (StoreError?, Bool) = state.with { state in
            state.isCheckingIntegrity = false
            switch outcome {
            case .unreadable(let reason):
                if sign.obstacle == nil { state.sign?.obstacle = reason }
            case .damaged(let reason):
                state.damage = damageError("\(withoutDatabaseName(reason)), found after: \(sign.text)")
            case .sound:
                if !state.recordUnconfirmed(sign) {
                    state.damage = damageError(
                        "\(sign.text), several times, although a check of the file finds nothing")
                } else if state.signCount == count {
                    (state.sign, state.file, state.isRecorded) = (nil, nil, false)
                }
            }
            return (state.damage, state.damage == nil && state.sign == nil)
        }
        if let damage {
            DatabaseMarker.recordDamage(of: path, withoutDatabaseName(damage.description), isConfirmed: true)
        }
        if isSound { try? DatabaseMarker.clearDamage(of: path) }
    }

    /// Compares the file and its log with their states at the last check. Returns the problem; `nil` if there is none.
    private func damageOfFiles(_ state: inout State) -> String? {
        let (file, log) = (FileState(of: path), FileState(of: path + "-wal"))
        if let lastFile = state.file {
            // Does not count as confirmed damage, because a file that was moved away may be moved back.
            guard let file else { return "the file was deleted" }
            guard file.isSame(as: lastFile) else { return "it was replaced by another file" }
            if file.size < lastFile.size, state.sign == nil {
                let text = "the file has shrunk from \(lastFile.size) to \(file.size) bytes"
                state.add(Sign(text: text, isFromSQLite: false))
            }
        }
        if let lastLog = state.log, log?.isSame(as: lastLog) != true {
            let problem = "its write-ahead log \(path)-wal was \(log == nil ? "deleted" : "replaced")"
            (state.damage, state.isRecorded) = (damageError(problem), false)
            return problem
        }
        if let problem = damageOfLog(log, &state) { return problem }
        if state.sign == nil { state.file = file }
        return nil
    }

    /// Checks that the log was not cut since the last check, unless SQLite has restarted it.
    ///
    /// A transaction that restarts the log writes the new header first, and cuts the log once, when it commits. This check may
    /// run between these steps: on the thread that checks the store each second, or while another process commits.
    ///
    /// - Parameter log: the state of the log, read before its first bytes are read here.
    /// - Returns: the problem; `nil` if there is none.
    private func damageOfLog(_ log: FileState?, _ state: inout State) -> String? {
        let start = WriteAheadLogCheck.start(of: path + "-wal")
        if start != state.logStart {
            state.isCutExpected = (log?.size ?? 0) > logLimitBytes
        } else if state.isCutExpected, let lastLog = state.log, let log, log.size < lastLog.size,
            log.size >= logLimitBytes
        {
            state.isCutExpected = false
        } else if case .header = start, let lastLog = state.log, let log, log.size < lastLog.size {
            let problem = "its write-ahead log \(path)-wal was cut from \(lastLog.size) to \(log.size) bytes"
            (state.damage, state.isRecorded) = (damageError(problem), false)
            return problem
        }
        state.logStart = start
        if let log { state.log = log }
        return nil
    }

    /// Checks after a commit that the log has a header and was not cut. Before a commit, the log may lack a header: if a
    /// failing disk prevented SQLite from writing the header, the next commit writes it.
    ///
    /// - Throws: ``StoreError/Reason/damaged``.
    func detectDamageAfterCommit() throws(StoreError) {
        let problem: String? = state.with { state in
            guard state.damage == nil else { return nil }
            if let problem = damageOfLog(FileState(of: path + "-wal"), &state) { return problem }
            guard state.logStart == .damaged else { return nil }
            let problem = "its write-ahead log \(path)-wal has lost its header"
            (state.damage, state.isRecorded) = (damageError(problem), false)
            return problem
        }
        if problem != nil { try detectDamage() }
    }

    /// Returns a problem if an older copy was written over the open file: its change counter is lower.
    private func damageOfHeader(_ header: DatabaseHeader?, _ state: inout State) -> String? {
        guard let header else { return nil }
        if let lastCounter = state.changeCounter, header.changeCounter < lastCounter {
            let problem = "an older copy was written over the file"
            (state.damage, state.isRecorded) = (damageError(problem), false)
            return problem
        }
        state.changeCounter = header.changeCounter
        return nil
    }

    /// Returns a message without the words that name this database at its beginning.
    private func withoutDatabaseName(_ text: String) -> String {
        let name = "database \(path): "
        return text.hasPrefix(name) ? String(text.dropFirst(name.count)) : text
    }

    private func damageError(_ problem: String) -> StoreError {
        StoreError(
            .damaged,
            "database \(path): \(problem). Nothing more is written to it. Keep \(path)-wal, which may hold reports "
                + "that the file has lost: copy the whole folder, then stop the collector and restore a backup, or what "
                + "`sqlite3 \(DatabaseFile.name(of: path)) .recover` reads from the copy")
    }

    /// The identity and the size of a file.
    private struct FileState: Sendable {
        var device: UInt64
        var inode: UInt64
        var size: Int

        /// - Returns: `nil` if there is no file.
        init?(of path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int(status.st_size)
        }

        func isSame(as other: FileState) -> Bool { device == other.device && inode == other.inode }
    }
}
