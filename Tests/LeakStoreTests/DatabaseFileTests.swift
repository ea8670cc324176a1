import Testing

@testable import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct DatabaseFileTests {
    let directory = TemporaryDirectory()

    private func failure(_ open: () throws -> Void) -> StoreError? {
        do {
            try open()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test func `a missing database file is created with its schema, and with permissions for its owner only`()
        throws
    {
        let store = try directory.store()
        var status = stat()
        unsafe stat(directory.database, &status)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try store.verify() == [])
        let connection = try SQLiteConnection(path: directory.database, access: .readOnly)
        #expect(try connection.number("pragma user_version") == Int64(Migration.newestVersion))
        #expect(try connection.number("pragma application_id") == 0x4C45_414B)
        #expect(try connection.number("pragma page_size") == 4_096)
    }

    @Test func `a file is replaced as a whole, so that a crash leaves its old or its new contents`() throws {
        let path = directory.path + "/note"
        try DatabaseFile.replaceContents(of: path, with: "a long text")
        #expect(unsafe chmod(path, 0o640) == 0)
        // The second name leads to the old file. If its bytes stay, no crash can leave a mixture of both.
        #expect(unsafe link(path, directory.path + "/former") == 0)
        try DatabaseFile.replaceContents(of: path, with: "short")
        #expect(directory.read("former") == Array("a long text".utf8))
        #expect(directory.read("note") == Array("short".utf8))
        var status = stat()
        unsafe stat(path, &status)
        #expect(status.st_mode & 0o777 == 0o640)
        #expect(directory.files().keys.sorted() == ["former", "note"])
    }

    @Test func `a file that cannot be replaced stays, and no other file is left`() throws {
        // A name that long leaves no room for the ending of another file.
        let path = directory.path + "/" + String(repeating: "n", count: 250)
        directory.write(Array("old".utf8), to: String(repeating: "n", count: 250))
        #expect(throws: StoreError.self) { try DatabaseFile.replaceContents(of: path, with: "new") }
        #expect(directory.files().values.map { $0 } == [Array("old".utf8)])
    }

    @Test func `an empty database file is accepted`() throws {
        directory.write([], to: "leaks.sqlite")
        #expect(try directory.store().verify() == [])
    }

    @Test(arguments: [
        Array("not a database, though a text of some length\n".utf8), [UInt8](repeating: 0x41, count: 9_000),
    ])
    func `a file that is not a database is refused`(bytes: [UInt8]) throws {
        directory.write(bytes, to: "leaks.sqlite")
        let failure = try #require(failure { _ = try directory.store() })
        #expect(failure.reason == .notADatabase)
        #expect(failure.description.contains(directory.database))
        #expect(!failure.description.contains("\n"))
    }

    @Test(arguments: [
        "create table notes (text)", "pragma application_id = 7",
        "pragma application_id = 7; create table notes (text)",
    ])
    func `a database of another program is refused and not changed`(script: String) throws {
        directory.write([], to: "leaks.sqlite")
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(
            "pragma user_version = 3; " + script)
        let failure = try #require(failure { _ = try directory.store() })
        #expect(failure.reason == .notADatabase)
        let connection = try SQLiteConnection(path: directory.database, access: .readOnly)
        #expect(try connection.number("pragma user_version") == 3)
        #expect(try connection.number("select count(*) from sqlite_master where name = 'leak'") == 0)
    }

    @Test func `a database with a newer schema is refused`() throws {
        _ = try directory.store()
        let newer = Migration.newestVersion + 1
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(
            "pragma user_version = \(newer)")
        let failure = try #require(failure { _ = try directory.store() })
        #expect(failure.reason == .newerSchema(found: newer, known: Migration.newestVersion))
    }

    @Test(arguments: [-1, -2_147_483_648, 0])
    func `a database with an unknown schema number is refused`(version: Int) throws {
        _ = try directory.store()
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(
            "pragma user_version = \(version)")
        let failure = try #require(failure { _ = try directory.store() })
        #expect(failure.reason == .corrupt)
        #expect(failure.description.contains("the number \(version), which no collector wrote"))
    }

    @Test(arguments: [
        ("drop table leak_value", "table leak_value"), ("drop table credential", "table credential"),
        ("drop index leak_of_class", "index leak_of_class"),
        ("alter table sample drop column user", "table sample.user"),
    ])
    func `a collector's database that lacks a table, index or column is refused, and the error names it`(
        script: String, part: String
    ) throws {
        _ = try directory.store()
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(script)
        let failure = try #require(failure { _ = try directory.store() })
        #expect(failure.reason == .corrupt)
        #expect(failure.description.contains("the \(part)"), "\(failure)")
    }

    @Test func `a database with additional tables and indexes is accepted`() throws {
        _ = try directory.store()
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(
            "analyze; create table notes (text); create index mine on leak (kind)")
        #expect(try directory.store().verify() == [])
    }

    @Test func `if the directory of the database does not exist, the error names the directory`() throws {
        let failure = try #require(
            failure { _ = try SQLiteStore(path: directory.path + "/none/leaks.sqlite", exclusive: true) })
        #expect(failure.description.contains("\(directory.path)/none does not exist"))
    }

    @Test func `a directory in place of the database file is refused`() throws {
        unsafe mkdir(directory.database, 0o700)
        defer { unsafe rmdir(directory.database) }
        #expect(failure { _ = try directory.store() }?.reason == .notADatabase)
    }

    @Test func `a second server on the same file is refused, but a command may use the file`() throws {
        let server = try directory.store(exclusive: true)
        let failure = try #require(failure { _ = try directory.store(exclusive: true) })
        #expect(failure.reason == .locked)
        let command = try directory.store()
        _ = try command.add(Credential(purpose: .ingest, name: "k", hash: [1], createdAt: noon))
        #expect(try server.count([submission([Report(leak: leak("A"))])], now: noon) == [.counted])
    }

    @Test func `the lock of the database ends when the server ends`() throws {
        do { _ = try directory.store(exclusive: true) }
        _ = try directory.store(exclusive: true)
    }

    /// Runs in a separate process, because root may write every file and user ids belong to a process.
    @Test func `a read-only database file is refused`() async {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            do { _ = try directory.store() }
            unsafe chmod(directory.database, 0o444)
            unsafe chmod(directory.path, 0o555)
            if geteuid() == 0 { _ = seteuid(65_534) }
            #expect(throws: StoreError.self) { _ = try directory.store() }
            for name in ["/leaks.sqlite", "/new"] {
                do {
                    _ = try SQLiteStore(path: directory.path + name, exclusive: false)
                } catch let failure as StoreError {
                    #expect(failure.reason == .readOnly)
                }
            }
            _ = seteuid(getuid())
            unsafe chmod(directory.path, 0o700)
        }
    }

    @Test func `while another process locks the database, reports are refused with the reason locked`()
        throws
    {
        let store = try directory.store()
        let other = try SQLiteConnection(path: directory.database, access: .readWrite)
        try other.run("begin immediate")
        try store.setBusyTimeout(milliseconds: 20)
        let failure = try #require(failure { _ = try store.count([submission()], now: noon) })
        #expect(failure.reason == .locked)
        try other.run("rollback")
        #expect(try store.count([submission()], now: noon) == [.counted])
    }

    @Test func `if the disk is full, the whole call is rolled back and fails with the reason diskFull`()
        throws
    {
        let store = try directory.store()
        let page = leak("Page")
        _ = try store.count([submission([Report(leak: page)])], now: noon)
        try store.limitPages(to: 1)
        let reports = (0..<200).map {
            Report(leak: leak("L\($0)"), body: String(repeating: "x", count: 2_000))
        }
        let failure = try #require(
            failure {
                _ = try store.count([submission([Report(leak: page)]), submission(reports)], now: noon)
            })
        #expect(failure.reason == .diskFull)
        try store.limitPages(to: 1_000_000)
        #expect(try store.makeReader().leak(page.id, now: noon)?.row.reports == 1)
        _ = try store.count([submission([Report(leak: page)]), submission(reports)], now: noon)
        #expect(try store.makeReader().leak(page.id, now: noon)?.row.reports == 2)
        #expect(try store.verify() == [])
    }

    @Test func `verify reports that the stored counts of reports and installs are wrong`() throws {
        let store = try directory.store()
        _ = try store.count([submission([Report(leak: leak("A"), install: 1)])], now: noon)
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(
            "update leak set reports = 2, installs = 9")
        let problems = try store.verify()
        #expect(problems.count == 5, "\(problems)")
    }

    @Test func `a store shows the reports that another store of the same file has counted`() throws {
        let (one, other) = (try directory.store(), try directory.store())
        let page = leak("Page")
        for (number, store) in [one, other, one, one, other].enumerated() {
            _ = try store.count([submission([Report(leak: page, install: UInt64(number))])], now: noon)
        }
        let row = try #require(try one.makeReader().leak(page.id, now: noon)?.row)
        #expect((row.reports, row.installs) == (5, 5))
        #expect(try one.verify() == [])
    }

    @Test func `redaction runs only for reports that are stored as samples, not for each counted report`()
        throws
    {
        let calls = Calls()
        let store = try SQLiteStore(path: directory.database, exclusive: true) { body in
            calls.add()
            return Array("masked".utf8) + body
        }
        let page = leak("Page")
        _ = try store.count([submission((0..<5_000).map { _ in Report(leak: page, body: "x") })], now: noon)
        #expect(calls.count <= 18)
        #expect(
            try store.makeReader().samples(of: page.id)?.allSatisfy { $0.body == Array("maskedx".utf8) }
                == true)
    }

    @Test func `a checkpoint empties the write-ahead log`() throws {
        let store = try directory.store()
        _ = try store.count([submission([Report(leak: leak("A"))])], now: noon)
        #expect(DatabaseFile.size(of: directory.database + "-wal") > 0)
        #expect(try store.checkpoint())
        #expect(DatabaseFile.size(of: directory.database + "-wal") == 0)
    }

    /// With a few leaks, and with more leaks than the capacity of ``Caches/leaks``.
    @Test(arguments: [(leaks: 10, rows: Int64(1)), (leaks: 2_049, rows: 0)])
    func `installs that were counted before a restart are not counted again after it`(leaks: Int, rows: Int64)
        throws
    {
        for install in 1...3 {
            let store = try directory.store()
            for hash in [UInt64(install), UInt64(install + 1)] {
                let reports = (0..<leaks).map { Report(leak: leak("L\($0)"), install: hash) }
                _ = try store.count([submission(reports)], now: noon)
            }
            #expect(try store.verify() == [])
        }
        // Flushes the log of counts to the tables.
        _ = try directory.store().makeReader().overview(app: nil, now: noon)
        let connection = try SQLiteConnection(path: directory.database, access: .readOnly)
        #expect(try connection.number("select count(*) from install_log") ?? 0 >= rows)
        #expect(try connection.number("select min(installs) from leak") == 4)
        #expect(try connection.number("select max(installs) from leak") == 4)
    }
}

private final class Calls: @unchecked Sendable {
    // `Sendable` is unchecked: `add` is called only while the store counts, on the test's thread.
    private(set) var count = 0
    func add() { count += 1 }
}
