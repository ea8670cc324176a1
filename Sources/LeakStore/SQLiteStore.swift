internal import Threads

/// A store in one SQLite file, in WAL mode; every commit is on disk before a call returns.
///
/// Any thread may call it; writes happen one after another.
public final class SQLiteStore: Store {
    /// Masks what is private in a report's JSON before it is kept.
    public typealias Redact = @Sendable (ArraySlice<UInt8>) -> [UInt8]

    let path: String
    /// Tests reach it too, to set limits that operators do not.
    let writer: Guarded<Writer>
    /// How many calls want the writer or have it. A lock alone does not let them in between two steps of a long task.
    private let callers = Guarded(0)
    /// A step of a long task waits no longer than so for a moment without callers.
    private static let stepWait = Duration.milliseconds(100)
    private let lock: LockFile?

    /// Opens the file, making it where there is none (mode 0600, its directory must exist) and migrating an older
    /// schema.
    ///
    /// - Parameters:
    ///   - path: `-wal`, `-shm` and `.lock` files stand beside it.
    ///   - exclusive: `true` for a server, which keeps another server off; `false` for a command that adds a key.
    ///   - seed: decides which reports are kept as samples; the same for the same reports.
    ///   - limits: what one sender can make it keep.
    ///   - redact: called only for reports that are kept, inside ``count(_:now:)``.
    /// - Throws: ``StoreError`` with a line that says what is wrong with the file.
    public init(
        path: String, exclusive: Bool, seed: UInt64 = 0, limits: StoreLimits = StoreLimits(),
        redact: @escaping Redact = { Array($0) }
    ) throws(StoreError) {
        self.path = path
        lock = exclusive ? try LockFile(beside: path) : nil
        try DatabaseFile.create(at: path)
        let connection = try Connection(path: path, access: .readWrite)
        guard !connection.isReadOnly else {
            throw .sqlite(8, message: "attempt to write a readonly database", path: path, sql: "open")
        }
        try Migration.run(on: connection)
        writer = Guarded(
            try Writer(
                connection: connection, limits: limits, redact: redact, reservoir: Reservoir(seed: seed)))
    }

    public func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
        try write { writer throws(StoreError) in try writer.count(submissions, now: now) }
    }

    public func tidy(now: Int64) throws(StoreError) {
        try write { writer throws(StoreError) in try writer.tidy(now: now) }
    }

    public func expire(now: Int64) throws(StoreError) {
        var expiry = Expiry(now: now)
        while try writer.with({ writer throws(StoreError) in try writer.take(stepOf: &expiry) }) {
            letOthersIn()
        }
    }

    public func erase(install: UInt64) throws(StoreError) -> Erased {
        var erasing = Erasing(install: install)
        while try writer.with({ writer throws(StoreError) in try writer.take(stepOf: &erasing) }) {
            letOthersIn()
        }
        return erasing.erased
    }

    private func letOthersIn() {
        _ = callers.wait(timeout: Self.stepWait) { $0 == 0 ? true : nil }
    }

    public func add(_ credential: Credential) throws(StoreError) -> Credential {
        try write { writer throws(StoreError) in try writer.add(credential) }
    }

    public func revoke(credential id: Int64, now: Int64) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in try writer.revoke(credential: id, now: now) }
    }

    public func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool {
        try write { writer throws(StoreError) in try writer.useOnce(hash: hash, now: now) }
    }

    /// Copies the log into the database file and empties it, unless a reader needs it.
    ///
    /// - Returns: whether the log is empty.
    public func checkpoint() throws(StoreError) -> Bool {
        try writer.with { writer throws(StoreError) in try writer.connection.truncateLog() }
    }

    public func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader {
        try SQLiteReader(path: path, known: known)
    }

    private func write<Result>(
        _ body: (inout sending Writer) throws(StoreError) -> sending Result
    ) throws(StoreError) -> sending Result {
        callers.with { $0 += 1 }
        defer {
            callers.with { $0 -= 1 }
            callers.wakeAll()
        }
        return try writer.with(body)
    }
}
