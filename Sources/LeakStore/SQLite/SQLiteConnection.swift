internal import CLeakSQLite

/// One connection to one database file, for one thread at a time. Caches every statement that it has prepared.
@safe
final class SQLiteConnection {
    /// Marks a file as a database of the collector: the letters `LEAK`.
    /// https://www.sqlite.org/pragma.html#pragma_application_id
    static let applicationID: Int64 = 0x4C45_414B

    enum Access {
        case readWrite, readOnly
    }

    /// Maximum time that a statement waits for the lock of another process. `collector key create` locks the file for
    /// milliseconds.
    static let busyTimeoutMilliseconds: Int32 = 5_000

    let path: String
    /// Receives the signs of damage that this connection finds.
    private let damageMonitor: DamageMonitor?
    private let handle: OpaquePointer
    /// Statements by the address of their string literal.
    private var literalStatements: [UnsafeRawPointer: Statement] = unsafe [:]
    private var composedStatements: [String: Statement] = [:]

    /// Turns off SQLite's statistics of allocated memory, which are not read and need a lock at each allocation. This works
    /// only before the first connection; later SQLite rejects the setting.
    private static let isWithoutMemoryStatistics: Bool = csqlite_config_memory_statistics(0) == SQLITE_OK

    /// Opens a file that exists.
    ///
    /// - Parameter damageMonitor: receives signs of damage. With a monitor, the log is kept until the first check:
    ///   ``keepLog()``.
    init(path: String, access: Access, damageMonitor: DamageMonitor? = nil) throws(StoreError) {
        _ = Self.isWithoutMemoryStatistics
        self.path = path
        self.damageMonitor = damageMonitor
        try DatabaseMarker.requireNoOrphanedLog(at: path)
        var handle: OpaquePointer?
        let mode = access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        let code = unsafe sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let openedHandle = unsafe handle else {
            let message = unsafe handle.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            unsafe sqlite3_close_v2(handle)
            throw .sqlite(code, message: message, path: path, sql: "open", damageMonitor)
        }
        unsafe self.handle = openedHandle
        unsafe sqlite3_extended_result_codes(openedHandle, 1)
        unsafe sqlite3_busy_timeout(openedHandle, Self.busyTimeoutMilliseconds)
        unsafe addBucketFunctions(to: openedHandle)
        unsafe addFoldingFunction(to: openedHandle)
        unsafe SampleBody.addFunction(to: openedHandle)
        if damageMonitor != nil { keepLog() }
    }

    /// Prevents commits, and the end of this connection, from copying the write-ahead log into the database.
    func keepLog() {
        unsafe sqlite3_wal_autocheckpoint(handle, 0)
        unsafe csqlite_config_keep_log(handle, 1)
    }

    /// Ends the effect of ``keepLog()``.
    ///
    /// - Parameter pages: pages of the log above which a commit copies it into the database.
    func releaseLog(autocheckpoint pages: Int) {
        unsafe sqlite3_wal_autocheckpoint(handle, Int32(pages))
        unsafe csqlite_config_keep_log(handle, 0)
    }

    // `close_v2` waits until the statements are finalized, which may live a moment longer than the connection.
    deinit { unsafe sqlite3_close_v2(handle) }

    /// The current header of the file; the log may contain a newer header.
    var header: DatabaseHeader? {
        var bytes = [UInt8](repeating: 0, count: DatabaseHeader.byteCount)
        let code = unsafe csqlite_read_header(handle, &bytes, Int32(DatabaseHeader.byteCount))
        return code == SQLITE_OK ? DatabaseHeader(bytes) : nil
    }

    /// `true` if the file is read-only although write access was requested.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Number of rows that the last statement changed.
    var changes: Int { unsafe Int(sqlite3_changes(handle)) }

    /// Number of rows changed since the connection was opened.
    var totalChanges: Int { unsafe Int(sqlite3_total_changes(handle)) }

    var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Returns the statement of a string literal. It is prepared at the first call with this literal.
    func statement(_ sql: StaticString) throws(StoreError) -> Statement {
        let key = unsafe UnsafeRawPointer(sql.utf8Start)
        if let statement = unsafe literalStatements[key] { return statement }
        let statement = unsafe try Statement(sql.description, on: handle, path: path, damageMonitor)
        unsafe literalStatements[key] = statement
        return statement
    }

    /// Returns the statement of a text that is composed from literals. It is prepared at the first call with this text.
    func statement(composed sql: String) throws(StoreError) -> Statement {
        if let statement = composedStatements[sql] { return statement }
        let statement = unsafe try Statement(sql, on: handle, path: path, damageMonitor)
        composedStatements[sql] = statement
        return statement
    }

    /// Runs the statement of this literal to its end.
    func run<each Value: Bindable>(_ sql: StaticString, _ values: repeat each Value) throws(StoreError) {
        try statement(sql).run(repeat each values)
    }

    /// Runs a script that is needed only once, such as a migration or a setting. Must not contain values from outside.
    func execute(_ script: String) throws(StoreError) {
        let code = unsafe sqlite3_exec(handle, SQLDialect.sqlite.sql(script), nil, nil, nil)
        guard code == SQLITE_OK else {
            let message = unsafe String(cString: sqlite3_errmsg(handle))
            throw .sqlite(code, message: message, path: path, sql: script, damageMonitor)
        }
    }

    /// Returns the number in the first column of the first row; `nil` without a row.
    func number(_ sql: StaticString) throws(StoreError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : nil
    }

    /// Copies the whole database into another, empty database. https://www.sqlite.org/backup.html
    ///
    /// Copies in one step, because SQLite starts again if another connection writes between two steps. Writers do not wait for
    /// the copy, because readers do not block writers.
    func copy(to other: SQLiteConnection) throws(StoreError) {
        func failure() -> StoreError {
            unsafe .sqlite(
                sqlite3_extended_errcode(other.handle),
                message: String(cString: sqlite3_errmsg(other.handle)),
                path: other.path, sql: "backup")
        }
        guard let backup = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else {
            throw failure()
        }
        unsafe sqlite3_backup_step(backup, -1)
        guard unsafe sqlite3_backup_finish(backup) == SQLITE_OK else { throw failure() }
    }

    /// Copies the write-ahead log into the database file and truncates the log, once no other connection uses the log.
    ///
    /// - Parameter waitMilliseconds: maximum time to wait for other connections.
    /// - Returns: `true` if the log is empty; `false` if another connection still uses it.
    func truncateLog(waitMilliseconds: Int32 = busyTimeoutMilliseconds) throws(StoreError) -> Bool {
        unsafe sqlite3_busy_timeout(handle, waitMilliseconds)
        defer { unsafe sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds) }
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        switch code & 0xFF {
        case SQLITE_OK: return true
        case SQLITE_BUSY, SQLITE_LOCKED: return false
        default:
            let message = unsafe String(cString: sqlite3_errmsg(handle))
            throw .sqlite(code, message: message, path: path, sql: "checkpoint", damageMonitor)
        }
    }

    /// Runs `body` in one transaction. An error that it throws rolls back the whole transaction.
    ///
    /// - Parameter kind: `immediate` takes the write lock at its beginning, so that no later statement can fail to get it;
    ///   `deferred` sees one state of the database throughout.
    func transaction<Result>(
        _ kind: TransactionKind, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        switch kind {
        case .immediate: try run("begin immediate")
        case .deferred: try run("begin deferred")
        }
        do throws(StoreError) {
            let result = try body()
            try run("commit")
            return result
        } catch {
            // SQLite has already rolled back after some failures (a full disk, an I/O error).
            if unsafe sqlite3_get_autocommit(handle) == 0 { try? run("rollback") }
            // Drops cached pages: a page that was read wrongly must not stay in the cache.
            if error.reason == .corrupt { unsafe sqlite3_db_release_memory(handle) }
            throw error
        }
    }

    enum TransactionKind {
        case deferred, immediate
    }
}
