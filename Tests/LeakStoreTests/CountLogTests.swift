import LeakPlatform
import LeakSeededRandom
import Testing

@testable import LeakStore

/// Counts that are in a log and not yet in their tables.
@Suite struct CountLogTests {
    private let directory = TemporaryDirectory(isInMemory: true)
    private let page = leak("Page")
    private let menu = leak("Menu")

    /// Returns a store that writes all counts to the log.
    private func store() throws -> SQLiteStore {
        let store = try directory.store()
        store.limitPendingLogs(toInstallSets: 10_000)
        try store.setBusyTimeout(milliseconds: 20)
        return store
    }

    private func send(
        _ version: String = "1.0", build: String? = nil, install: UInt64? = nil, at: Int64 = noon,
        count: Int = 1, to store: SQLiteStore
    ) throws {
        let reports = [page, menu].map {
            Report(leak: $0, version: version, build: build, install: install, at: at, count: count)
        }
        #expect(try store.count([submission(reports, at: at)], now: at) == [.counted])
    }

    private func number(_ sql: StaticString) throws -> Int64? {
        try SQLiteConnection(path: directory.database, access: .readOnly).number(sql)
    }

    private func run(_ script: String) throws {
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(script)
    }

    @Test
    func `after its first flush a process skips installs that a full set of recent installs would not keep`()
        throws
    {
        var random = SeededRandom(seed: 19)
        let store = try store()
        for _ in 0..<8 {
            let reports = (0..<500).map { _ in Report(leak: page, install: random.next()) }
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
        }
        _ = try store.makeReader().leak(page.id, now: noon)
        let writer = try Writer(
            connection: try SQLiteConnection(path: directory.database, access: .readWrite),
            limits: StoreLimits(), clock: .unguarded, redact: { Array($0) }, reservoir: Reservoir(seed: 7))
        var leftOut: [UInt64] = []
        while leftOut.count < 2 {
            let install = random.next()
            if SplitMix64.mix(install).leadingZeroBitCount == 0 { leftOut.append(install) }
        }
        let today = Calendar.day(of: noon)
        // The number of the set is 1, the row ID in `leak_release`.
        let wasNew = writer.caches.countedInstalls.insert(leftOut[1], day: today, in: 1)
        writer.caches.countedInstalls = CountedInstalls()
        _ = try writer.count([submission([Report(leak: page, install: leftOut[0])])], now: noon)
        try writer.flushCounts()
        let isNew = writer.caches.countedInstalls.insert(leftOut[1], day: today, in: 1)
        #expect(wasNew && !isNew)
    }

    private var isLogEmpty: Bool {
        get throws { try number("select count(*) from count_log") == 0 }
    }

    /// Returns the numbers that the page of the leak shows.
    private func readShownCounts(by reader: any StoreReader) throws -> Set<String> {
        let detail = try #require(try reader.leak(page.id, now: noon))
        let hours = try #require(try reader.trend(of: page.id, by: .hour, now: noon))
        let ofHours = hours.versions.map { "\($0.version): \($0.counts.reduce(0, +))" }
        var query = LeakQuery()
        (query.period, query.version) = (.day, "1.0")
        let row = try #require(try reader.leaks(query, now: noon).leaks.first { $0.identity.id == page.id })
        let counts =
            "\(detail.row.reports) \(detail.row.installs) \(row.reports) \(detail.row.trend.last ?? 0)"
        let builds = detail.versions.map { "\($0.version) \($0.build ?? "") \($0.reports)" }
        return Set([counts] + builds + ofHours)
    }

    private let expected: Set = ["3 2 1 3", "1.1  1", "1.1 2 1", "1.0  1", "1.1: 2", "1.0: 1"]

    private func sendExpected(to store: SQLiteStore) throws {
        try send("1.0", install: 1, to: store)
        try send("1.1", install: 1, to: store)
        try send("1.1", build: "2", install: 2, to: store)
    }

    @Test func `counts in the log of counts are flushed before they are read`() throws {
        let store = try store()
        try sendExpected(to: store)
        // A change of the current release flushes the log.
        #expect(try number("select count(*) from count_log") == 1)
        #expect(try number("select sum(reports) from leak") == 4)
        #expect(try store.verify() == [])
        let found = try readShownCounts(by: store.makeReader())
        #expect(found == expected)
        #expect(try isLogEmpty)
        #expect(try number("select sum(reports) from leak") == 6)
        #expect(try store.verify() == [])
    }

    @Test
    func `counts in the log of counts stay when a process ends and another process continues to count`()
        throws
    {
        try sendExpected(to: store())
        #expect(try store().verify() == [])
        let store = try store()
        try send("1.0", install: 3, to: store)
        #expect(try number("select count(*) from count_log") == 1)
        #expect(try store.verify() == [])
        #expect(try readShownCounts(by: store.makeReader()).contains("1.0  2"))
        #expect(try store.verify() == [])
    }

    @Test func `processes that take turns lose no count in the log of counts`() throws {
        let stores = try (store(), store())
        for number in 0..<6 {
            try send("1.\(number % 2)", install: UInt64(number), to: number % 3 == 0 ? stores.0 : stores.1)
        }
        #expect(try stores.1.verify() == [])
        for store in [stores.0, stores.1] {
            #expect(try store.makeReader().leak(page.id, now: noon)?.row.reports == 6)
        }
        #expect(try stores.0.verify() == [])
    }

    @Test
    func
        `while a lock of another process prevents a flush of the log, a reader shows the counts in the tables`()
        throws
    {
        let store = try store()
        try sendExpected(to: store)
        let reader = try store.makeReader()
        let other = try SQLiteConnection(path: directory.database, access: .readWrite)
        try other.execute("begin immediate")
        for _ in 0..<2 { #expect(try reader.leak(page.id, now: noon)?.row.reports == 2) }
        #expect(try !isLogEmpty)
        try other.execute("rollback")
        try send("1.0", to: store)
        #expect(try reader.leak(page.id, now: noon)?.row.reports == 4)
        #expect(try isLogEmpty)
    }

    @Test func `each reader shows all counts from before its request, while other threads count and read`()
        throws
    {
        let store = try store()
        try send(to: store)
        let counted = Guarded(1)
        let counting = WorkerThread(name: "counting") {
            for _ in 0..<100 {
                _ = try? store.count([submission([Report(leak: page, at: noon)])], now: noon)
                counted.with { $0 += 1 }
            }
        }
        let readers = try (0..<2).map { number in
            nonisolated(unsafe) let reader = try store.makeReader()
            let failures = Guarded(0)
            let thread = WorkerThread(name: "reader \(number)") {
                while true {
                    let before = counted.with { $0 }
                    let shown = unsafe (try? reader.leak(page.id, now: noon))?.row.reports
                    if (shown ?? 0) < before { failures.with { $0 += 1 } }
                    if before > 100 { return }
                }
            }
            return (thread, failures)
        }
        counting.join()
        for (thread, failures) in readers {
            thread.join()
            #expect(failures.with { $0 } == 0)
        }
        #expect(try store.verify() == [])
    }

    @Test func `while damage is suspected, nothing is flushed, and readers show the counts in the tables`()
        throws
    {
        let store = try store()
        try send("1.0", install: 1, to: store)
        let reader = try store.makeReader()
        #expect(try reader.leak(page.id, now: noon)?.row.reports == 1)
        try send("1.0", install: 2, to: store)
        #expect(try !isLogEmpty)
        store.damageMonitor.record(code: 11, StoreError(.corrupt, "a page that was misread"))
        #expect(try reader.leak(page.id, now: noon)?.row.reports == 1)
        #expect(try !isLogEmpty)
        // The integrity check finds no damage.
        store.integrityCheck?()
        try send("1.0", install: 2, to: store)
        #expect(try reader.leak(page.id, now: noon)?.row.reports == 3)
    }

    @Test func `while the disk is full, readers show the counts in the tables`() throws {
        let disk = FaultyDisk(in: TemporaryDirectory(isInMemory: true))
        let store = try disk.directory.store()
        store.limitPendingLogs(toInstallSets: 10_000)
        try send("1.0", install: 1, to: store)
        let reader = try store.makeReader()
        #expect(try reader.leak(page.id, now: noon)?.row.reports == 1)
        try send("1.0", install: 2, to: store)
        // 13 is SQLITE_FULL.
        disk.follow { $0.operation == .write ? .fail(13) : .none }
        #expect(try reader.leak(page.id, now: noon)?.row.reports == 1)
        disk.follow { _ in .none }
        try send("1.0", install: 2, to: store)
        #expect(try reader.leak(page.id, now: noon)?.row.reports == 3)
        #expect(try store.verify() == [])
    }

    @Test
    func
        `if counts were read a short time ago, a commit writes new counts to their tables instead of the log`()
        throws
    {
        let store = try store()
        func setReadMilliseconds(_ milliseconds: Int64) {
            store.writer.with { $0.logLimits.millisecondsAfterRead = milliseconds }
        }
        try sendExpected(to: store)
        #expect(try !isLogEmpty)
        #expect(try readShownCounts(by: store.makeReader()) == expected)
        setReadMilliseconds(.max)
        try send("1.1", to: store)
        #expect(try isLogEmpty)
        setReadMilliseconds(0)
        try send("1.1", to: store)
        #expect(try !isLogEmpty)
        #expect(try store.verify() == [])
    }

    @Test func `the log of counts is flushed if it is long, and after many calls with few submissions`()
        throws
    {
        let store = try store()
        for _ in 0..<2 { try send(to: store) }
        let bytes = try #require(try number("select sum(length(counts)) from count_log"))
        store.writer.with { $0.logLimits.countBytes = Int(bytes) * 3 / 2 }
        try send(to: store)
        #expect(try isLogEmpty)
        try send(to: store)
        #expect(try !isLogEmpty)
        store.limitPendingLogs(toInstallSets: 10_000)
        store.writer.with {
            ($0.logLimits.maxSubmissionsOfQuietCall, $0.logLimits.quietCallsBeforeDirectWrites) = (1, 3)
        }
        for _ in 0..<2 { try send(to: store) }
        // A call with more submissions ends the series of quiet calls.
        let report = Report(leak: page)
        _ = try store.count([submission([report]), submission([report])], now: noon)
        for _ in 0..<2 {
            try send(to: store)
            #expect(try !isLogEmpty)
        }
        for _ in 0..<2 {
            try send(to: store)
            #expect(try isLogEmpty)
        }
        #expect(try number("select sum(reports) from leak") == 22)
        #expect(try store.verify() == [])
    }

    @Test func `a flush reindexes its leaks if more of them are unindexed than a list may read`() throws {
        let store = try store()
        func leaks(_ numbers: Range<Int>) -> [Submission] {
            [submission(numbers.map { Report(leak: leak("L\($0)")) })]
        }
        func unindexedCount() throws -> Int64? {
            try number("select count(*) from leak where is_unindexed = 1")
        }
        // The first commit reindexes all leaks.
        _ = try store.count(leaks(0..<1), now: noon)
        for number in 0..<3 {
            _ = try store.count(leaks(number * 500..<number * 500 + 500), now: noon + 1)
        }
        #expect(try !isLogEmpty)
        _ = try store.makeReader().leaks(LeakQuery(), now: noon)
        #expect(try isLogEmpty)
        #expect(try unindexedCount() == 0)
        // An earlier process left these counts in the log.
        for number in 0..<3 {
            _ = try store.count(leaks(number * 500..<number * 500 + 500), now: noon + 1)
        }
        #expect(try !isLogEmpty)
        _ = try self.store().makeReader().leaks(LeakQuery(), now: noon)
        #expect(try unindexedCount() == 0)
        // Each report adds a leak, a build and a release to the log.
        store.writer.with { $0.logLimits.countRows = 2_000 }
        _ = try store.count(leaks(0..<500), now: noon + 1)
        #expect(try !isLogEmpty)
        _ = try store.count(leaks(500..<1_000), now: noon + 1)
        #expect(try isLogEmpty)
        #expect(try store.verify() == [])
    }

    @Test func `if a log is flushed because it has too many rows, none of its leaks stays unindexed`()
        throws
    {
        let store = try store()
        store.writer.with { $0.logLimits.countRows = 4_000 }
        _ = try store.count([submission([Report(leak: page)])], now: noon)
        for first in [0, 700] {
            let reports = (first..<first + 700).map { Report(leak: leak("L\($0)")) }
            _ = try store.count([submission(reports)], now: noon + 1)
        }
        #expect(try number("select count(*) from leak where is_unindexed = 1") == 0)
        #expect(try isLogEmpty)
    }

    @Test func `reports with more bytes than the log of counts may have are written directly to their table`()
        throws
    {
        let store = try store()
        store.writer.with { $0.logLimits.countBytes = 2_000 }
        var report = Report(leak: page)
        // Random digits, which compression shortens to about half.
        var random = SeededRandom(seed: 3)
        let digits = (0..<8_000).map { _ in String(Int.random(in: 0...9, using: &random)) }
        report.body = "{\"text\":\"" + digits.joined() + "\"}"
        _ = try store.count([submission([report])], now: noon)
        #expect(try isLogEmpty)
        #expect(try number("select max(length(body)) from sample") ?? 0 > 2_000)
        try send(to: store)
        #expect(try !isLogEmpty)
        #expect(try store.verify() == [])
    }

    @Test func `a flush before a read also writes the log of system versions and models if it is long`()
        throws
    {
        let store = try store()
        try send(to: store)
        try send(to: store)
        _ = try store.makeReader().leak(page.id, now: noon)
        #expect(try number("select count(*) from value_log") == 2)
        store.writer.with { $0.logLimits.readValueBytes = 10 }
        try send(to: store)
        #expect(try number("select count(*) from value_log") == 3)
        _ = try store.makeReader().leak(page.id, now: noon)
        #expect(try number("select count(*) from value_log") == 0)
    }

    @Test func `a backup of a database with a later schema keeps the rows in its log of counts`() throws {
        let store = try store()
        for _ in 0..<2 { try send(to: store) }
        try run("pragma user_version = \(Migration.newestVersion + 1)")
        let folder = TemporaryDirectory()
        let file = folder.path + "/backup"
        _ = try SQLiteStore.backUp(path: directory.database, to: file, overwrites: false)
        let copy = try SQLiteConnection(path: file, access: .readOnly)
        #expect(try copy.number("select count(*) from count_log") ?? 0 > 0)
    }

    @Test func `a backup has no counts in its log, and fails if the log of counts cannot be read`() throws {
        let store = try store()
        for _ in 0..<2 { try send(to: store) }
        #expect(try !isLogEmpty)
        let folder = TemporaryDirectory()
        let file = folder.path + "/backup"
        #expect(
            try SQLiteStore.backUp(path: directory.database, to: file, overwrites: false).inconsistentTotals
                == [])
        let copy = try SQLiteConnection(path: file, access: .readOnly)
        #expect(try copy.number("select count(*) from count_log") == 0)
        #expect(try copy.number("select sum(reports) from leak") == 4)
        #expect(try !isLogEmpty)
        try run("update count_log set counts = x'01'")
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore.backUp(path: directory.database, to: file, overwrites: true)
        }
        #expect(error?.description.contains("the log of counts cannot be read") == true)
    }

    @Test func `reports of the same hour and release are added up across commits`() throws {
        let store = try store()
        for at in [noon, noon - hour, noon, noon - day] { try send(at: at, to: store) }
        _ = try store.makeReader().leak(page.id, now: noon)
        for at in [noon, noon - hour] { try send(at: at, count: 5, to: store) }
        _ = try store.makeReader().leak(page.id, now: noon)
        #expect(try number("select max(reports) from leak_hour") == 7)
        #expect(try number("select max(reports) from leak_day") == 13)
        #expect(try store.verify() == [])
    }

    @Test func `the outline of a leak includes reports that are still in the log of counts`() throws {
        let store = try store()
        for _ in 0..<2 { try send(to: store) }
        #expect(try !isLogEmpty)
        #expect(try store.makeReader().outline(of: page.id)?.reports == 2)
    }

    @Test
    func `a decision treats reports that are still in the log of counts as reports from before the decision`()
        throws
    {
        let store = try store()
        try sendExpected(to: store)
        let decision = Decision(.resolve(.version("1.1")), by: "Ann")
        #expect(try store.decide(decision, about: page.id, now: noon) != nil)
        var query = LeakQuery()
        query.state = .resolved
        #expect(try store.makeReader().leaks(query, now: noon).total == 1)
        try send("1.1", to: store)
        query.state = .regressed
        #expect(try store.makeReader().leaks(query, now: noon).total == 1)
    }

    @Test func `if the current release changes, leaks are sorted by their installs in the new release`()
        throws
    {
        let store = try store()
        for install in 1...3 { try send("1.0", install: UInt64(install), to: store) }
        for install in [1, 2, 1] { try send("2.0", install: UInt64(install), to: store) }
        #expect(try store.verify() == [])
        _ = try store.makeReader().leak(page.id, now: noon)
        #expect(try number("select max(impact) from leak") == 2)
        #expect(try store.verify() == [])
    }

    @Test func `reports that are still in the log of counts can be shown and erased`() throws {
        let store = try store()
        try send(to: store)
        let senders: [UInt64?] = [1, .max, nil]
        for (number, install) in senders.enumerated() {
            var report = Report(leak: page, build: number == 0 ? "7" : nil, install: install)
            report.body = #"{"number":\#(number)}"#
            #expect(try store.count([submission([report])], now: noon) == [.counted])
        }
        #expect(try number("select count(*) from sample") == 6)
        let reopened = try self.store()
        let samples = try #require(try reopened.makeReader().samples(of: page.id))
        #expect(samples.count == 4)
        #expect(Set(samples.map(\.origin.installHash)) == [1, .max, nil])
        #expect(samples.contains { $0.origin.build == "7" && $0.body == Array(#"{"number":0}"#.utf8) })
        #expect(samples.allSatisfy { $0.origin.system == "iOS 19.1" })
        var again = Report(leak: page, install: 1)
        again.at = noon + 1
        #expect(try reopened.count([submission([again], at: noon + 1)], now: noon + 1) == [.counted])
        #expect(try reopened.erase(install: 1, while: { true })?.samples ?? 0 >= 2)
        let left = try #require(try reopened.makeReader().samples(of: page.id))
        #expect(left.allSatisfy { $0.origin.installHash != 1 })
        #expect(try reopened.verify() == [])
    }

    @Test(arguments: [
        ("update count_log set counts = x'01'", "the log of counts cannot be read"),
        (
            "insert into count_log (counts) values (x'0001090100000000')",
            "a row of the log of counts refers to nothing"
        ),
        (
            "insert into count_log (counts) values (x'010901000001000100000000')",
            "a row of the log of counts refers to nothing"
        ),
        (
            "insert into count_log (counts) values (x'000209010000080100000000')",
            "a row of the log of counts refers to nothing"
        ),
    ])
    func `verify reports errors in the log of counts`(script: String, problem: String) throws {
        let store = try store()
        for _ in 0..<2 { try send(to: store) }
        try run(script)
        #expect(try store.verify().first == problem)
    }
}
