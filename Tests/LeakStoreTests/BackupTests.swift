import Testing

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

    @Test func `a backup is the database at one moment, in one file`() throws {
        let store = try directory.store(exclusive: true)
        try count(store, 0..<50)
        let file = directory.path + "/backup"
        #expect(try store.backUp(to: file, overwrites: false) == DatabaseFile.size(of: file))
        try count(store, 50..<60)
        #expect(try SQLiteStore.verify(path: file) == [])
        let backup = try SQLiteStore(path: file, exclusive: true)
        #expect(try backup.makeReader().leaks(LeakQuery(), now: noon).reports == 50)
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).reports == 60)
        // It goes on where it was: keys are known, and new ones count.
        let repeated = submission([Report(leak: leak("L0"))], key: "k49")
        guard case .repeated = try backup.count([repeated], now: noon)[0] else {
            Issue.record("the key was forgotten")
            return
        }
        try count(backup, 50..<51)
        #expect(try backup.verify() == [])
    }

    @Test func `a file that is there stays, unless it may go`() throws {
        let store = try directory.store()
        try count(store, 0..<3)
        directory.write(Array("precious".utf8), to: "backup")
        let file = directory.path + "/backup"
        let failure = try #require(throws: StoreError.self) { try store.backUp(to: file, overwrites: false) }
        #expect(failure.description.contains("--overwrite"))
        #expect(DatabaseFile.size(of: file) == 8)
        #expect(try store.backUp(to: file, overwrites: true) > 8)
        #expect(try SQLiteStore.verify(path: file) == [])
    }

    @Test func `a backup that is not sound is not kept`() throws {
        let store = try directory.store()
        try count(store, 0..<3)
        try Connection(path: directory.database, access: .readWrite).execute("update leak set reports = 99")
        let file = directory.path + "/backup"
        let failure = try #require(throws: StoreError.self) { try store.backUp(to: file, overwrites: false) }
        #expect(failure.reason == .corrupt && failure.description.contains("reports and freed of a leak"))
        #expect(DatabaseFile.size(of: file) == 0)
    }

    @Test func `a place that cannot be written is named`() throws {
        let store = try directory.store()
        let failure = try #require(throws: StoreError.self) {
            try store.backUp(to: directory.path + "/none/backup", overwrites: false)
        }
        #expect(failure.description.contains("/none"))
    }
}
