import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@testable import LeakStore

@Suite struct BackupTests {
    let directory = TemporaryDirectory()

    private func count(_ store: SQLiteStore, _ numbers: Range<Int>) throws {
        for number in numbers {
            _ = try store.count(
                [
                    submission(
                        [Report(leak: leak("L\(number % 7)"), install: UInt64(number))], key: "k\(number)")
                ],
                now: noon)
        }
    }

    private func backUp(to file: String, overwrites: Bool = false) throws -> Backup {
        try SQLiteStore.backUp(path: directory.database, to: file, overwrites: overwrites)
    }

    @Test func `a backup is one file with the database as it was at one moment`() throws {
        let store = try directory.store(exclusive: true)
        try count(store, 0..<50)
        let file = directory.path + "/backup"
        #expect(try backUp(to: file).bytes == DatabaseFile.size(of: file))
        try count(store, 50..<60)
        #expect(try SQLiteStore.verify(path: file).problems == [])
        let backup = try SQLiteStore(path: file, exclusive: true)
        #expect(try backup.makeReader().leaks(LeakQuery(), now: noon).reports == 50)
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).reports == 60)
        // The store continues from the backup: stored idempotency keys are known, and submissions with new keys count.
        let repeated = submission([Report(leak: leak("L0"))], key: "k49")
        guard case .repeated = try backup.count([repeated], now: noon)[0] else {
            Issue.record("the key was forgotten")
            return
        }
        try count(backup, 50..<51)
        #expect(try backup.verify() == [])
    }

    @Test func `a backup replaces an existing file only if it is allowed to overwrite it`() throws {
        let store = try directory.store()
        try count(store, 0..<3)
        directory.write(Array("precious".utf8), to: "backup")
        let file = directory.path + "/backup"
        let failure = try #require(throws: StoreError.self) { try backUp(to: file) }
        #expect(failure.description.contains("--overwrite"))
        #expect(DatabaseFile.size(of: file) == 8)
        #expect(try backUp(to: file, overwrites: true).bytes > 8)
        #expect(try SQLiteStore.verify(path: file).problems == [])
    }

    @Test func `a backup with wrong totals is kept, and the result lists the wrong totals`() throws {
        let store = try directory.store()
        try count(store, 0..<3)
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(
            "update leak set reports = 99")
        let file = directory.path + "/backup"
        let backup = try backUp(to: file)
        #expect(
            backup.inconsistentTotals.contains { $0.hasPrefix("reports and freed of a leak are") },
            "\(backup)")
        #expect(try SQLiteStore.verify(path: file).inconsistentTotals == backup.inconsistentTotals)
    }

    @Test func `a backup of a damaged database is not kept`() throws {
        let store = try directory.store()
        try count(store, 0..<3)
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(
            "insert into leak_text select 999, title, module, stack, children, cycle, grouped_version, grouped_class, "
                + "grouped_stack, search from leak_text limit 1")
        let file = directory.path + "/backup"
        let failure = try #require(throws: StoreError.self) { try backUp(to: file) }
        #expect(failure.reason == .corrupt && failure.description.contains("leak_text"), "\(failure)")
        #expect(DatabaseFile.size(of: file) == 0)
        #expect(directory.files().keys.allSatisfy { $0.hasPrefix("leaks.sqlite") })
    }

    @Test(arguments: [
        "leaks.sqlite", "leaks.sqlite-wal", "leaks.sqlite-journal", "link", "hard", "folder/leaks.sqlite-shm",
    ])
    func `the database is never replaced by its backup`(name: String) throws {
        let store = try directory.store()
        try count(store, 0..<3)
        let path = directory.path
        unsafe symlink(directory.database, path + "/link")
        unsafe link(directory.database, path + "/hard")
        unsafe symlink(path, path + "/folder")
        let failure = try #require(throws: StoreError.self) {
            try backUp(to: path + "/" + name, overwrites: true)
        }
        #expect(failure.reason == .invalidArgument && failure.description.contains("the database itself"))
        try count(store, 3..<6)
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).reports == 6)
        #expect(try store.verify() == [])
    }

    /// SQLite would read such a log into the backup, or write the pages of such a journal over it.
    @Test(arguments: ["-wal", "-shm", "-journal"], [true, false])
    func `a backup is refused if a log, journal or shared-memory file of another database is beside its file`(
        end: String, exists: Bool
    ) throws {
        try count(directory.store(), 0..<3)
        if exists { directory.write(Array("a database".utf8), to: "backup") }
        directory.write(Array("its log".utf8), to: "backup" + end)
        let file = directory.path + "/backup"
        let before = directory.files().filter { $0.key.hasPrefix("backup") }
        let failure = try #require(throws: StoreError.self) { try backUp(to: file, overwrites: true) }
        #expect(failure.reason == .invalidArgument && failure.description.contains(file + end), "\(failure)")
        #expect(directory.files().filter { $0.key.hasPrefix("backup") } == before)
        unsafe unlink(file + end)
        #expect(try backUp(to: file, overwrites: true).inconsistentTotals == [])
    }

    @Test func `files that a killed backup left are removed by the next backup`() throws {
        try count(directory.store(), 0..<3)
        let start = "backup.partial-"
        let old = ["0", "1f", "ffffffffffffffff", "1f-journal", "2-wal", "3-shm"].map { start + $0 }
        let others = [
            start, start + "1F", start + "g", start + "1f.txt", start + "1f-other",
            start + "00000000000000000",
            "a" + start + "1", "backup2.partial-1", "backup.partial", start + "1f-journal-wal",
        ]
        var past = utimbuf(actime: 0, modtime: time(nil) - PartialFile.secondsUntilAbandoned - 60)
        for name in old + others {
            directory.write([1], to: name)
            #expect(unsafe utime(directory.path + "/" + name, &past) == 0)
        }
        // A file that another process may still be writing, and a link to a file that does not exist.
        directory.write([1], to: start + "a")
        unsafe symlink(directory.path + "/none", directory.path + "/" + start + "b")
        _ = try backUp(to: directory.path + "/backup")
        let left = directory.files().keys.filter { !$0.hasPrefix("leaks.sqlite") }
        #expect(left.sorted() == (others + [start + "a", start + "b", "backup"]).sorted())
    }

    @Test func `a backup file is not created where a file or a symbolic link exists`() throws {
        let path = directory.path + "/new"
        try DatabaseFile.createNew(at: path)
        unsafe symlink(path, directory.path + "/link")
        for taken in [path, directory.path + "/link"] {
            #expect(throws: StoreError.self) { try DatabaseFile.createNew(at: taken) }
        }
    }

    @Test func `if the folder of a backup does not exist, the error names the folder`() throws {
        _ = try directory.store()
        let failure = try #require(throws: StoreError.self) {
            try backUp(to: directory.path + "/none/backup")
        }
        #expect(failure.description.contains("/none"))
    }
}
