import LeakSeededRandom
import Testing

@testable import LeakStore

/// Size of the database file.
@Suite struct DatabaseSizeTests {
    /// An attacker can choose the rate of growth, but not the final size.
    @Test func `the database nearly stops growing although one ingest key keeps sending new names`() throws {
        let directory = TemporaryDirectory()
        var limits = StoreLimitTests.smallLimits
        limits.leakTextBytesPerApp = 100_000
        limits.idempotencyKeysPerDay = 100
        let store = try directory.store(limits: limits)
        var random = SeededRandom(seed: 11)
        var sizes: [Int] = []
        for round in 0..<40 {
            var batches: [Submission] = []
            for _ in 0..<20 {
                let app = "app\(random.next() % 1_000)"
                let reports = (0..<10).map { _ in
                    Report(
                        leak: leak("L\(random.next())", app: app), version: "\(random.next() % 100_000).0",
                        build: "\(random.next())", system: "S\(random.next())", install: random.next(),
                        at: noon - Int64(random.next() % 3) * hour)
                }
                var batch = submission(reports, key: "k\(random.next())", body: UInt8(random.next() % 200))
                batch.usageCounts = [
                    Submission.UsageCounts(
                        app: app, version: "\(random.next())", build: nil, sessions: 1, leakySessions: 0,
                        checks: ["C\(random.next())": 1])
                ]
                batch.dropped = [Submission.Dropped(app: app, reason: "\(random.next())", count: 1)]
                batches.append(batch)
            }
            while !batches.isEmpty {
                batches.removeFirst(try store.count(batches, now: noon).count)
            }
            if round % 10 == 9 {
                _ = try store.checkpoint()
                sizes.append(DatabaseFile.size(of: directory.database))
            }
        }
        // After ten rounds every list of names is full. Systems per leak and installs still grow, but are limited as well.
        #expect(sizes[3] - sizes[1] < 250_000, "\(sizes)")
        #expect(sizes[3] < 2_000_000, "\(sizes)")
        #expect(try store.verify() == [])
    }

    @Test func `a database at its maximum size refuses reports and loses none that it accepted`() throws {
        let directory = TemporaryDirectory()
        var limits = StoreLimits()
        limits.databaseBytes = 1 << 20
        let store = try directory.store(limits: limits)
        var counted = 0
        let failure = try #require(throws: StoreError.self) {
            for number in 0..<10_000 {
                _ = try store.count(
                    [submission([Report(leak: leak("L\(number)", stack: ["\(number)"]))])], now: noon)
                counted += 1
            }
        }
        #expect(failure.reason == .databaseFull)
        #expect(failure.description.contains("1048576 bytes; raise --database-bytes"), "\(failure)")
        _ = try store.checkpoint()
        #expect(DatabaseFile.size(of: directory.database) <= limits.databaseBytes)
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).reports == counted)
        #expect(try store.verify() == [])
    }

    @Test
    func `a database at its maximum size still adds credentials, erases installs and deletes expired rows`()
        throws
    {
        let directory = TemporaryDirectory(isInMemory: true)
        var limits = StoreLimits()
        limits.databaseBytes = 1 << 20
        let store = try directory.store(limits: limits)
        #expect(throws: StoreError.self) {
            for number in 0..<10_000 {
                let reports = (0..<20).map {
                    Report(
                        leak: leak("L\(number)"), install: UInt64($0),
                        body: String(repeating: "x", count: 900))
                }
                _ = try store.count([submission(reports)], now: noon)
            }
        }
        let credential = Credential(
            id: 0, purpose: .session, name: "s", hash: [UInt8](repeating: 7, count: 32), createdAt: noon)
        _ = try store.add(credential)
        #expect(try store.erase(install: 1).samples > 0)
        try store.expire(now: noon + 100 * day)
        #expect(try store.verify() == [])
    }

    @Test
    func `a database that is larger than its maximum size when it is opened still accepts some reports`()
        throws
    {
        let directory = TemporaryDirectory(isInMemory: true)
        func fill(_ store: SQLiteStore, _ name: String) throws {
            let reports = (0..<400).map {
                Report(leak: leak("\(name)\($0)"), body: String(repeating: "x", count: 2_000))
            }
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
        }
        try fill(try directory.store(), "A")
        var limits = StoreLimits()
        limits.databaseBytes = 1 << 20
        try fill(try directory.store(limits: limits), "B")
    }
}
