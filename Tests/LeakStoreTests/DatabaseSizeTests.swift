import Testing

@testable import LeakStore

/// How large the file becomes.
@Suite struct DatabaseSizeTests {
    /// The rate of growth is what an attacker chooses; the size at which it ends is not.
    @Test func `whatever one key sends, the database stops growing`() throws {
        let directory = TemporaryDirectory()
        var limits = StoreLimitTests.small
        limits.leakTextBytesPerApp = 100_000
        limits.idempotencyKeysPerDay = 100
        let store = try directory.store(limits: limits)
        var random = Seeded(state: 11)
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
                batch.denominators = [
                    Submission.Denominator(
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
        // Ten rounds fill every list; what still fills then, systems per leak and installs, is bounded as well.
        #expect(sizes[3] - sizes[1] < 200_000, "\(sizes)")
        #expect(sizes[3] < 2_000_000, "\(sizes)")
        #expect(try store.verify() == [])
    }

    @Test func `a database as large as it may be refuses reports and loses none that it took`() throws {
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
        #expect(failure.reason == .diskFull)
        _ = try store.checkpoint()
        #expect(DatabaseFile.size(of: directory.database) <= limits.databaseBytes)
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).reports == counted)
        #expect(try store.verify() == [])
    }
}
