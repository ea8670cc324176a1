import CLeakSQLite
import Foundation
import Testing

@testable import LeakStore

/// A database that is damaged, deleted or replaced under a running store, and the next start with the remaining files.
@Suite struct DamageMonitorTests {
    let directory = TemporaryDirectory()

    private var path: String { directory.database }
    private var log: String { path + "-wal" }
    private var marker: String { path + ".marker" }

    private func batch(_ number: Int) -> Submission {
        submission([Report(leak: leak("L\(number)"), install: UInt64(number))])
    }

    /// Returns a store whose file has many pages, and whose write-ahead log has reports that the file lacks.
    private func filledStore() throws -> SQLiteStore {
        let store = try directory.store(exclusive: true)
        for number in 0..<60 { _ = try store.count([batch(number)], now: noon) }
        #expect(try store.checkpoint())
        _ = try store.count([batch(100)], now: noon)
        return store
    }

    /// Returns `true` if the write-ahead log has these bytes. A failed `#expect` of the bytes would print thousands of numbers.
    private func logEquals(_ bytes: [UInt8]) -> Bool { directory.read("leaks.sqlite-wal") == bytes }

    private func truncate(to bytes: Int) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: UInt64(bytes))
        try file.close()
    }

    private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// Returns the reason of the error that `body` throws; `nil` if it throws none.
    private func reason(_ body: () throws -> Void) -> StoreError.Reason? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.reason
        }
    }

    /// Expects that every write fails, both before and after the integrity check confirms the damage.
    private func expectNothingIsWritten(to store: SQLiteStore) {
        expectNoWrite(to: store)
        store.integrityCheck?()
        expectNoWrite(to: store)
    }

    private func expectNoWrite(to store: SQLiteStore) {
        let former = directory.read("leaks.sqlite-wal")
        for number in 200..<210 {
            #expect(reason { _ = try store.count([batch(number)], now: noon) } == .damaged)
        }
        #expect(reason { try store.expire(now: noon) } == .damaged)
        #expect(reason { try store.checkpointIfNeeded(now: noon) } == .damaged)
        #expect(reason { _ = try store.erase(install: 1) } == .damaged)
        #expect(reason { _ = try store.checkpoint() } == .damaged)
        #expect(
            reason {
                _ = try store.add(Credential(purpose: .ingest, name: "k", hash: [1], createdAt: noon))
            } == .damaged)
        #expect(store.damage?.reason == .damaged)
        #expect(logEquals(former))
    }

    @Test(arguments: [0, 4_096, 40_960])
    func `a store whose database file has shrunk accepts no more reports, and its log is kept`(bytes: Int)
        throws
    {
        let former: [UInt8]
        do {
            let store = try filledStore()
            former = directory.read("leaks.sqlite-wal")
            #expect(!former.isEmpty)
            try truncate(to: bytes)
            expectNothingIsWritten(to: store)
        }
        // Closing the store does not copy the log into the remains of the file.
        #expect(logEquals(former))
        // The next start does not change the log either.
        #expect(reason { _ = try directory.store(exclusive: true) } == (bytes == 0 ? .missing : .corrupt))
        #expect(logEquals(former))
    }

    /// Overwrites all pages but the first.
    private func overwrite() throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: [UInt8](repeating: 0xA5, count: Int(size) - 4_096))
        try file.close()
    }

    /// All reads of a disk fail for a while, with codes that the store may treat as damage.
    @Test(arguments: [
        SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_IOERR | 1 << 8, SQLITE_IOERR | 32 << 8, SQLITE_IOERR | 33 << 8,
    ])
    func `after a sign of damage, reports are refused until a check finds no damage`(code: Int32) throws {
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        let store = try disk.directory.store()
        let reader = try store.makeReader()
        for number in 0..<20 { _ = try store.count([batch(number)], now: noon) }
        disk.follow { $0.operation == .read ? .fail(code) : .none }
        // A new connection has nothing in its cache.
        #expect(throws: StoreError.self) { try store.makeReader().leaks(LeakQuery(), now: noon) }
        let isSign = StoreError.isDamage(code)
        #expect((store.damage != nil) == isSign)
        if isSign { #expect(reason { _ = try store.count([batch(100)], now: noon) } == .damaged) }
        disk.follow { _ in .none }
        store.integrityCheck?()
        #expect(store.damage == nil)
        #expect(try store.count([batch(100)], now: noon) == [.counted])
        #expect(try reader.leak(leak("L100").id, now: noon)?.row.reports == 1)
        #expect(try store.verify() == [])
        #expect(DatabaseMarker.damage(of: disk.directory.database) == nil)
    }

    @Test
    func `if a check of a sign of damage fails, reports are refused until a later check finds no damage`()
        throws
    {
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        let store = try disk.directory.store()
        for number in 0..<20 { _ = try store.count([batch(number)], now: noon) }
        disk.follow { $0.operation == .read ? .fail(SQLITE_CORRUPT) : .none }
        #expect(throws: StoreError.self) { try store.makeReader().leaks(LeakQuery(), now: noon) }
        disk.follow { $0.operation == .read ? .fail(SQLITE_IOERR | 1 << 8) : .none }
        store.integrityCheck?()
        #expect(store.damage?.description.contains("check the disk") == true)
        #expect(reason { _ = try store.count([batch(100)], now: noon) } == .damaged)
        disk.follow { _ in .none }
        store.integrityCheck?()
        #expect(try store.count([batch(100)], now: noon) == [.counted])
    }

    @Test
    func `a sign of damage that returns too often is treated as damage, although each check finds none`()
        throws
    {
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        let store = try disk.directory.store()
        for number in 0..<20 { _ = try store.count([batch(number)], now: noon) }
        for isLast in [Bool](repeating: false, count: DamageMonitor.unconfirmedSignLimit) + [true] {
            disk.follow { $0.operation == .read ? .fail(SQLITE_CORRUPT) : .none }
            #expect(throws: StoreError.self) { try store.makeReader().leaks(LeakQuery(), now: noon) }
            disk.follow { _ in .none }
            store.integrityCheck?()
            #expect((store.damage != nil) == isLast)
        }
        #expect(store.integrityCheck == nil)
        #expect(reason { _ = try store.count([batch(100)], now: noon) } == .damaged)
    }

    @Test
    func
        `after an operator has vacuumed the database file, reports are refused until a check finds no damage`()
        throws
    {
        let store = try filledStore()
        let operation = try SQLiteConnection(path: path, access: .readWrite)
        // Adds pages that `vacuum` will free.
        try operation.execute(
            "create table large (b); insert into large values (zeroblob(2000000)); pragma wal_checkpoint(truncate)"
        )
        _ = try store.count([batch(300)], now: noon)
        try operation.execute("drop table large; vacuum; pragma wal_checkpoint(truncate)")
        for number in 301..<304 {
            #expect(reason { _ = try store.count([batch(number)], now: noon) } == .damaged)
        }
        store.integrityCheck?()
        #expect(store.damage == nil)
        for number in 301..<304 { #expect(try store.count([batch(number)], now: noon) == [.counted]) }
        #expect(try store.verify() == [])
    }

    @Test(
        arguments: [
            (["ok"], IntegrityCheck.Outcome.sound),
            (["Tree 5 page 9: unable to get the page. error code=8458"], nil),
            (["On tree page 5 cell 2: unable to get the page. error code=7"], nil),
            (["Freelist: failed to get page 9"], nil),
            (["Tree 5 page 9: unable to get the page. error code=11"], .damaged(problem: "")),
            (["Tree 5 page 9: btreeInitPage() returns error code 11"], .damaged(problem: "")),
            (["wrong # of entries in index i"], .damaged(problem: "")),
        ] as [([String], IntegrityCheck.Outcome?)])
    func `an integrity check distinguishes damage from pages that the disk cannot read`(
        lines: [String], outcome: IntegrityCheck.Outcome?
    ) {
        switch outcome {
        case nil: #expect(IntegrityCheck.outcome(lines) == .unreadable(reason: lines[0]))
        case .damaged: #expect(IntegrityCheck.outcome(lines) == .damaged(problem: lines[0]))
        case let outcome: #expect(IntegrityCheck.outcome(lines) == outcome)
        }
    }

    @Test func `a store that closes after a sign of damage keeps its log`() throws {
        let former: [UInt8]
        do {
            let store = try filledStore()
            former = directory.read("leaks.sqlite-wal")
            try overwrite()
            #expect(throws: StoreError.self) { try store.makeReader().leaks(LeakQuery(), now: noon) }
        }
        #expect(!former.isEmpty)
        #expect(logEquals(former))
    }

    /// The next start tries to open the damaged file, fails, and closes it again.
    @Test(arguments: [true, false])
    func `a start with a damaged database file does not change its log`(isDamageRecorded: Bool) throws {
        var log: [UInt8] = []
        do {
            let store = try filledStore()
            try truncate(to: 4_096)
            #expect(reason { _ = try store.count([batch(200)], now: noon) } == .damaged)
            log = directory.read("leaks.sqlite-wal")
        }
        #expect(DatabaseMarker.damage(of: path) != nil)
        // A process that is killed as soon as it notices the damage does not record it in the marker.
        if !isDamageRecorded { try DatabaseMarker.clearDamage(of: path) }
        for _ in 0..<2 { #expect(reason { _ = try directory.store(exclusive: true) } != nil) }
        #expect(!log.isEmpty && logEquals(log))
    }

    @Test func `if a reader finds damage, no more reports are accepted`() throws {
        let former: [UInt8]
        do {
            let store = try filledStore()
            former = directory.read("leaks.sqlite-wal")
            let reader = try store.makeReader()
            try overwrite()
            #expect(reason { _ = try reader.leaks(LeakQuery(), now: noon) } != nil)
            expectNothingIsWritten(to: store)
        }
        #expect(logEquals(former))
        #expect(reason { _ = try directory.store(exclusive: true) } == .corrupt)
    }

    /// Returns a separate folder with the files as a killed process would leave them.
    private func filesOfKilledProcess() throws -> TemporaryDirectory {
        let copy = TemporaryDirectory()
        for end in ["", "-wal", ".marker"] {
            try FileManager.default.copyItem(atPath: path + end, toPath: copy.database + end)
        }
        return copy
    }

    private func flip(_ path: String, at offset: Int) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(offset))
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: [byte ^ 0xFF])
        try file.close()
    }

    @Test(arguments: [true, false], [40_960, 81_920])
    func `a database file that was truncated while no collector ran is refused, and its log is not changed`(
        isServer: Bool, bytes: Int
    ) throws {
        let store = try filledStore()
        let files = try filesOfKilledProcess()
        let former = files.read("leaks.sqlite-wal")
        #expect(!former.isEmpty && files.read("leaks.sqlite").count > bytes)
        let file = try #require(FileHandle(forWritingAtPath: files.database))
        try file.truncate(atOffset: UInt64(bytes))
        try file.close()
        for _ in 0..<2 {
            #expect(reason { _ = try files.store(exclusive: isServer) } == .corrupt)
            #expect(files.read("leaks.sqlite-wal") == former)
        }
        withExtendedLifetime(store) {}
    }

    @Test func `a store whose log loses its header accepts no more reports, and keeps the log`() throws {
        let store = try filledStore()
        let file = try #require(FileHandle(forUpdatingAtPath: log))
        try file.write(contentsOf: [UInt8](repeating: 0, count: 32))
        try file.close()
        // The damage is found after the commit, so that the batch may be on disk.
        #expect(reason { _ = try store.count([batch(101)], now: noon) } == .uncertain)
        expectNothingIsWritten(to: store)
    }

    /// - Parameter bytes: the new size of the log; if negative, minus the number of bytes that are cut off.
    @Test(arguments: [0, 32, 4_152, -4_120, -1])
    func `a running store whose log is truncated accepts no more reports`(bytes: Int) throws {
        let store = try filledStore()
        // The store compares the log with its size after the last commit, not before it.
        let file = try #require(FileHandle(forUpdatingAtPath: log))
        let size = try Int(file.seekToEnd())
        try file.truncate(atOffset: UInt64(bytes < 0 ? size + bytes : bytes))
        try file.close()
        // The call is not acknowledged. An empty log is no sign of damage, but the log has no header after the commit.
        let expected: StoreError.Reason = bytes == 0 ? .uncertain : .damaged
        #expect(reason { _ = try store.count([batch(101)], now: noon) } == expected)
        expectNothingIsWritten(to: store)
    }

    @Test func `a write-ahead log that SQLite empties and restarts is not mistaken for a truncated log`()
        throws
    {
        let store = try filledStore()
        for number in 101..<140 {
            _ = try store.count([batch(number)], now: noon)
            if number % 3 == 0 { _ = try store.checkpoint() }
        }
        #expect(store.damage == nil)
    }

    /// - Parameters:
    ///   - laterCommits: the number of commits after the broken commit.
    ///   - isAccepted: `true` if the store starts.
    @Test(arguments: [
        (sizes: [40_960, 8_192], isDamaged: false), ([40_960, 8_191], true),
        ([40_960, 8_192, 40_960, 8_192], true),
        ([8_192, 4_096], true), ([40_960, 16_384, 8_192], true),
    ])
    func `after SQLite restarts a log, only its first cut, down to SQLite's size limit, is not damage`(
        sizes: [Int], isDamaged: Bool
    ) throws {
        /// Headers of a log before and after SQLite restarts it.
        let headers: [[UInt8]]
        do {
            let store = try filledStore()
            let former = Array(directory.read("leaks.sqlite-wal").prefix(32))
            #expect(try store.checkpoint())
            _ = try store.count([batch(101)], now: noon)
            headers = [former, Array(directory.read("leaks.sqlite-wal").prefix(32))]
        }
        let folder = TemporaryDirectory()
        let wal = folder.database + "-wal"
        try Data([1]).write(to: URL(filePath: folder.database))
        func setLog(_ header: [UInt8], size: Int) throws {
            if !FileManager.default.fileExists(atPath: wal) { try Data().write(to: URL(filePath: wal)) }
            let file = try #require(FileHandle(forUpdatingAtPath: wal))
            try file.write(contentsOf: header)
            try file.truncate(atOffset: UInt64(size))
            try file.close()
        }
        let monitor = DamageMonitor(path: folder.database, logLimitBytes: 8_192)
        try setLog(headers[0], size: sizes[0])
        try monitor.detectDamage()
        for size in sizes.dropLast() {
            try setLog(headers[1], size: size)
            try monitor.detectDamage()
        }
        try setLog(headers[1], size: sizes[sizes.count - 1])
        #expect((reason { try monitor.detectDamage() } == .damaged) == isDamaged)
    }

    @Test(arguments: [(laterCommits: 6, isAccepted: false), (1, false), (0, true)])
    func `a write-ahead log with a broken commit is refused, unless the broken commit is the last commit`(
        laterCommits: Int, isAccepted: Bool
    ) throws {
        let store = try filledStore()
        let start = directory.read("leaks.sqlite-wal").count
        for number in 0...laterCommits { _ = try store.count([batch(101 + number)], now: noon) }
        let files = try filesOfKilledProcess()
        // Flips a byte in the first page of the commit, which follows the 24 bytes of its frame header.
        try flip(files.database + "-wal", at: start + 24 + 100)
        let former = files.read("leaks.sqlite-wal")
        let found = reason { _ = try files.store(exclusive: true) }
        #expect(found == (isAccepted ? nil : .corrupt))
        if !isAccepted { #expect(files.read("leaks.sqlite-wal") == former) }
        withExtendedLifetime(store) {}
    }

    @Test func `the undamaged write-ahead log of a killed process is accepted with all its commits`() throws {
        let store = try filledStore()
        for number in 101..<120 { _ = try store.count([batch(number)], now: noon) }
        let files = try filesOfKilledProcess()
        let second = try files.store(exclusive: true)
        #expect(try second.makeReader().leaks(LeakQuery(), now: noon).total == 80)
        withExtendedLifetime(store) {}
    }

    @Test func `if an older copy is written over the open file, no more reports are accepted`() throws {
        do { _ = try filledStore() }
        let old = directory.read("leaks.sqlite")
        let store = try directory.store(exclusive: true)
        for number in 300..<360 { _ = try store.count([batch(number)], now: noon) }
        #expect(try store.checkpoint())
        _ = try store.count([batch(400)], now: noon)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.write(contentsOf: old)
        try file.close()
        expectNothingIsWritten(to: store)
    }

    @Test func `the empty database of another collector is not mistaken for the missing database`() throws {
        do {
            let store = try directory.store(exclusive: true)
            _ = try store.count([batch(1)], now: noon)
            try store.checkpointIfNeeded(now: noon)
        }
        let other = TemporaryDirectory()
        do { _ = try other.store(exclusive: true) }
        try remove(path)
        try FileManager.default.copyItem(atPath: other.database, toPath: path)
        #expect(reason { _ = try directory.store(exclusive: true) } == .missing)
        #expect(reason { _ = try directory.store(exclusive: false) } == .missing)
        // The error message names this remedy.
        try remove(marker)
        #expect(reason { _ = try directory.store(exclusive: true) } == nil)
    }

    @Test func `if the write-ahead log is deleted, the store writes nothing more`() throws {
        let store = try filledStore()
        try remove(log)
        expectNothingIsWritten(to: store)
    }

    enum LogDamage: CaseIterable {
        case deleted, cutOff, overwritten
    }

    /// The database file is intact. The reports that were in the log are lost.
    @Test(arguments: LogDamage.allCases)
    func `a start is refused if the write-ahead log was deleted, emptied or overwritten`(_ damage: LogDamage)
        throws
    {
        do {
            let store = try filledStore()
            switch damage {
            case .deleted: try remove(log)
            case .cutOff: directory.write([], to: "leaks.sqlite-wal")
            case .overwritten:
                directory.write(
                    [UInt8](repeating: 0xEE, count: directory.read("leaks.sqlite-wal").count),
                    to: "leaks.sqlite-wal")
            }
            _ = reason { _ = try store.makeReader().leaks(LeakQuery(), now: noon) }
            expectNothingIsWritten(to: store)
        }
        for _ in 0..<2 {
            let failure = try #require(throws: StoreError.self) { _ = try directory.store(exclusive: true) }
            #expect(failure.reason == .corrupt)
            #expect(failure.description.contains("delete \(marker)"), "\(failure)")
            #expect(failure.description.contains("Restore a backup, or copy the folder"), "\(failure)")
        }
        // Without the marker, the store starts.
        try remove(marker)
        let store = try directory.store(exclusive: true)
        #expect(try store.count([batch(300)], now: noon) == [.counted])
    }

    @Test func `a new empty database at the path of a filled database is refused`() throws {
        do { _ = try filledStore() }
        for end in ["", "-wal", "-shm"] { try? remove(path + end) }
        directory.write([], to: "leaks.sqlite")
        do {
            try SQLiteConnection(path: path, access: .readWrite).execute("create table t (a); drop table t")
        }
        #expect(!directory.read("leaks.sqlite").isEmpty)
        #expect(reason { _ = try directory.store(exclusive: true) } == .missing)
    }

    @Test func `a database whose only app was deleted is opened again, and counts reports`() throws {
        do {
            let store = try filledStore()
            for app in try store.makeReader().apps() { _ = try store.forget(.app(app)) }
            #expect(try store.makeReader().leaks(LeakQuery(), now: noon).total == 0)
        }
        for _ in 0..<2 {
            let store = try directory.store(exclusive: true)
            #expect(try store.verify() == [])
        }
        let store = try directory.store(exclusive: true)
        #expect(try store.count([batch(300)], now: noon) == [.counted])
    }

    @Test func `after a database file was moved away and back, reports are accepted again`() throws {
        let store = try filledStore()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        expectNothingIsWritten(to: store)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        #expect(store.damage == nil)
        #expect(try store.count([batch(300)], now: noon) == [.counted])
        #expect(try store.verify() == [])
    }

    @Test(arguments: [true, false])
    func `a start in a folder that had a database does not silently create a new one`(isEmpty: Bool) throws {
        do {
            let store = try filledStore()
            _ = store
        }
        try remove(path)
        if isEmpty { directory.write([], to: "leaks.sqlite") }
        for isServer in [true, false] {
            let failure = try #require(throws: StoreError.self) {
                _ = try directory.store(exclusive: isServer)
            }
            #expect(failure.reason == .missing)
            #expect(failure.description.contains("delete \(marker) to start again"), "\(failure)")
        }
        // Without the marker, the store starts.
        try remove(marker)
        let anew = try directory.store(exclusive: true)
        #expect(try anew.makeReader().apps() == [])
        #expect(!directory.read("leaks.sqlite.marker").isEmpty)
    }

    @Test func `a write-ahead log without its database is not deleted`() throws {
        let store = try filledStore()
        let former = directory.read("leaks.sqlite-wal")
        try remove(path)
        try remove(marker)
        #expect(reason { _ = try directory.store() } == .missing)
        #expect(logEquals(former))
        withExtendedLifetime(store) {}
    }

    @Test func `a start in a folder without a marker, as earlier versions left it, creates a marker`()
        throws
    {
        do { _ = try filledStore() }
        try remove(marker)
        do { _ = try directory.store(exclusive: true) }
        #expect(!directory.read("leaks.sqlite.marker").isEmpty)
    }

    @Test func `after a backup has replaced a damaged database, reports are accepted`() throws {
        let backup = directory.path + "/backup"
        do {
            let store = try filledStore()
            _ = try SQLiteStore.backUp(path: path, to: backup, overwrites: false)
            try truncate(to: 40_960)
            expectNothingIsWritten(to: store)
        }
        for end in ["", "-wal", "-shm"] { try? remove(path + end) }
        try FileManager.default.moveItem(atPath: backup, toPath: path)
        let restored = try directory.store(exclusive: true)
        #expect(try restored.verify() == [])
        #expect(try restored.count([batch(400)], now: noon) == [.counted])
        // The marker does not record damage any more.
        #expect(DatabaseMarker.damage(of: path) == nil)
    }
}
