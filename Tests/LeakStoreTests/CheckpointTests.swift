import Testing

@testable import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct CheckpointTests {
    let directory = TemporaryDirectory()

    private var logBytes: Int { DatabaseFile.size(of: directory.database + "-wal") }

    @Test func `a write-ahead log that a reader still uses is emptied after the reader has ended`() throws {
        let store = try directory.store()
        let reader = try SQLiteConnection(path: directory.database, access: .readOnly)
        try reader.run("begin deferred")
        _ = try reader.number("select count(*) from app")
        #expect(try store.count([submission([Report(leak: leak("A"))])], now: noon) == [.counted])
        try store.checkpointIfNeeded(now: noon)
        #expect(logBytes > 0, "the log is not long")
        store.limitWriteAheadLog(toBytes: 0)
        try store.checkpointIfNeeded(now: noon)
        #expect(logBytes > 0, "a reader uses the log")
        #expect(try store.count([submission([Report(leak: leak("A"))])], now: noon) == [.counted])
        try reader.run("rollback")
        try store.checkpointIfNeeded(now: noon + 9_999)
        #expect(logBytes > 0, "the last attempt was less than ten seconds ago")
        try store.checkpointIfNeeded(now: noon + 10_000)
        #expect(logBytes == 0)
        #expect(try store.makeReader().leak(leak("A").id, now: noon)?.row.reports == 2)
    }

    /// Runs in a separate process, because the limit on file sizes applies to the whole process.
    @Test func `reports are not lost if the write-ahead log cannot be copied into the database file`() async {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let store = try directory.store()
            let body = String(repeating: "x", count: 50_000)
            // Makes the database larger than the log of one small call.
            let filling = (0..<20).map { Report(leak: leak("L\($0)"), body: body) }
            _ = try store.count([submission(filling)], now: noon)
            store.limitWriteAheadLog(toBytes: 0)
            try store.checkpointIfNeeded(now: noon)
            let report = Report(leak: leak("A"), body: body)
            let sent = submission([report], key: "a")
            let (receipts, isTidied) = try Self.withFilesOfAtMost(
                DatabaseFile.size(of: directory.database)
            ) {
                (try store.count([sent], now: noon), (try? store.checkpointIfNeeded(now: noon)) != nil)
            }
            #expect(receipts == [.counted])
            #expect(!isTidied)
            #expect(try store.count([sent], now: noon) == [.repeated(response: sent.response)])
            #expect(try store.makeReader().leak(report.leak.id, now: noon)?.row.reports == 1)
            try store.checkpointIfNeeded(now: noon + 10_000)
            #expect(DatabaseFile.size(of: directory.database + "-wal") == 0)
        }
    }

    private static func withFilesOfAtMost<Result>(_ bytes: Int, _ body: () throws -> Result) rethrows
        -> Result
    {
        signal(SIGXFSZ, SIG_IGN)
        #if canImport(Darwin)
            let resource = RLIMIT_FSIZE
        #else
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #endif
        var former = rlimit()
        unsafe getrlimit(resource, &former)
        var limit = former
        limit.rlim_cur = rlim_t(bytes)
        unsafe setrlimit(resource, &limit)
        defer { unsafe setrlimit(resource, &former) }
        return try body()
    }
}
