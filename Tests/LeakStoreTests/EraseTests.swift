import LeakSeededRandom
import Testing
import LeakPlatform

@testable import LeakStore

/// Erasure of an install, in SQLite or in PostgreSQL: ``StoreLocation`` chooses.
@Suite struct EraseTests {
    let place = StoreLocation()

    private func report(_ name: String, _ install: UInt64, version: String = "1.0", build: String? = nil)
        -> Report
    {
        Report(leak: leak(name), version: version, build: build, install: install)
    }

    @Test func `erasing an install removes it from samples and from every exact set of installs`() throws {
        let store = try place.store()
        _ = try store.count(
            [
                submission([report("A", 1), report("A", 2), report("B", 1)]),
                submission([
                    report("A", 1, version: "2.0", build: "7"), report("A", 3, version: "2.0", build: "8"),
                ]),
            ], now: noon)
        let erased = try store.erase(install: 1)
        #expect(erased.samples > 0 && erased.sets > 0)
        #expect(try store.erase(install: 1) == ErasureResult())
        #expect(try store.verify() == [])

        let reader = try store.makeReader()
        let one = try #require(try reader.leak(leak("A").id, now: noon))
        #expect(one.row.installs == 2 && one.row.reports == 4)
        #expect(one.versions.map(\.installs) == [1, 0, 1])
        #expect(try reader.leak(leak("B").id, now: noon)?.row.installs == 0)
        #expect(try reader.overview(app: "shop", now: noon).recentInstalls == 2)
        for name in ["A", "B"] {
            let installs = try reader.samples(of: leak(name).id)?.map(\.origin.install)
            #expect(installs?.contains("i1") == false)
        }
    }

    @Test func `reports of an install after its erasure count like reports of a new install`() throws {
        let store = try place.store()
        for round in 0..<3 {
            _ = try store.count([submission([report("A", 1), report("A", 2)])], now: noon + Int64(round))
            #expect(try store.makeReader().leak(leak("A").id, now: noon)?.row.installs == 2)
            _ = try store.erase(install: 1)
            #expect(try store.makeReader().leak(leak("A").id, now: noon)?.row.installs == 1)
            #expect(try store.verify() == [])
        }
        let page = try #require(try store.makeReader().leak(leak("A").id, now: noon))
        #expect(page.row.reports == 6)
        _ = try store.count([submission([report("A", 9)])], now: noon + 9)
        #expect(
            try store.makeReader().samples(of: leak("A").id)?.contains { $0.origin.install == "i9" } == true)
        #expect(try store.verify() == [])
    }

    @Test func `erasing an install updates the order by impact`() throws {
        let store = try place.store()
        _ = try store.count(
            [submission(["A", "A", "B", "B", "B"].enumerated().map { report($1, UInt64(min($0, 2))) })],
            now: noon)
        #expect(try order(store) == ["A", "B"])
        _ = try store.erase(install: 1)
        #expect(try order(store) == ["B", "A"])
        #expect(try store.verify() == [])
    }

    private func order(_ store: any Store) throws -> [String] {
        try store.makeReader().leaks(LeakQuery(), now: noon).leaks.map(\.identity.title)
    }

    @Test func `erasing an install does not change an estimated number of installs`() throws {
        let store = try place.store()
        var random = SeededRandom(seed: 3)
        let installs = (0..<400).map { _ in random.next() }
        _ = try store.count([submission(installs.map { report("A", $0) })], now: noon)
        let before = try store.makeReader().leak(leak("A").id, now: noon)?.row.installs
        // Only the set of recent installs may contain the install.
        #expect(try store.erase(install: installs[0]).sets <= 1)
        #expect(try store.makeReader().leak(leak("A").id, now: noon)?.row.installs == before)
        #expect(try store.verify() == [])
    }

    @Test
    func
        `reports between two steps of an erasure leave every number of installs equal to the size of its set`()
        throws
    {
        let directory = TemporaryDirectory()
        let store = try directory.store()
        let writer = try writer(in: directory)
        _ = try writer.count([submission((0..<1_500).map { report("L\($0)", 1) })], now: noon)
        var erasure = InstallErasure(install: 1)
        var steps = 0
        while try writer.runStep(of: &erasure) {
            steps += 1
            let others = (0..<1_500).map { report("L\($0)", UInt64(10 + steps)) }
            _ = try writer.count([submission(others)], now: noon + Int64(steps))
        }
        #expect(steps > 2)
        #expect(try store.verify() == [])
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).leaks.first?.installs == steps)
    }

    /// Returns a writer whose steps the test runs itself.
    private func writer(in directory: TemporaryDirectory) throws -> Writer {
        try Writer(
            connection: try SQLiteConnection(path: directory.database, access: .readWrite),
            limits: StoreLimits(), clock: .unguarded, redact: { Array($0) },
            reservoir: Reservoir(seed: 7))
    }

    @Test
    func `ten-minute slots merged into days between two steps of an erasure do not keep the erased install`()
        throws
    {
        let directory = TemporaryDirectory()
        let store = try directory.store()
        let writer = try writer(in: directory)
        let reports = (0..<10).flatMap { app in
            (0..<140).map { slot in
                Report(leak: leak("A", app: "app \(app)"), install: 1, at: noon - Int64(slot) * hour / 6)
            }
        }
        #expect(try writer.count([submission(reports)], now: noon) == [.counted])
        var erasure = InstallErasure(install: 1)
        while try writer.runStep(of: &erasure) {
            guard erasure.result.sets > 0 else { continue }
            var expiry = Expiry(now: noon + 2 * day)
            while try writer.runStep(of: &expiry) {}
        }
        #expect(erasure.result.sets > 500)
        #expect(try store.erase(install: 1).sets == 0)
        let week = try store.makeReader().overview(app: nil, period: .week, now: noon + 2 * day)
        #expect(week.recentReports == 1_400 && week.recentInstalls == 0)
        #expect(try store.verify() == [])
    }

    @Test func `a set of installs copied between two steps of an erasure does not keep the erased install`()
        throws
    {
        let directory = TemporaryDirectory()
        let store = try directory.store()
        let writer = try writer(in: directory)
        let first = (0..<1_400).map { report("L\($0)", 1, build: "1") }
        let second = (0..<700).map { report("L\($0)", 2, build: "2") }
        #expect(try writer.count([submission(second + first)], now: noon) == [.counted])
        var erasure = InstallErasure(install: 1)
        while try writer.runStep(of: &erasure) {
            // By now the erasure has processed the row ids that the copies will get, but not those of the originals.
            guard erasure.result.sets > 1_800 else { continue }
            let others = (700..<1_400).map { report("L\($0)", 2, build: "2") }
            #expect(try writer.count([submission(others)], now: noon) == [.counted])
        }
        #expect(try store.erase(install: 1).sets == 0)
        #expect(try store.verify() == [])
    }

    @Test func `installs are erased while they and other installs send reports`() throws {
        let store = try place.store()
        let isOver = Guarded(false)
        let sender = WorkerThread(name: "sender") {
            var random = SeededRandom(seed: 11)
            for round in 0..<150 {
                let reports = (0..<20).map { _ in
                    Report(
                        leak: leak("L\(Int.random(in: 0..<6, using: &random))"),
                        version: "\(Int.random(in: 1..<4, using: &random)).0",
                        build: "\(Int.random(in: 1..<3, using: &random))",
                        install: .random(in: 1...40, using: &random))
                }
                _ = try? store.count([submission(reports)], now: noon + Int64(round))
            }
            isOver.with { $0 = true }
        }
        var erasures = 0
        while !isOver.with({ $0 }) {
            _ = try store.erase(install: UInt64(1 + erasures % 10))
            erasures += 1
        }
        sender.join()
        #expect(erasures > 1)
        let problems = try store.verify()
        #expect(problems == [])
        for install in 1...UInt64(10) { _ = try store.erase(install: install) }
        #expect(try store.verify() == [])
        let reader = try store.makeReader()
        for number in 0..<6 {
            let row = try #require(try reader.leak(leak("L\(number)").id, now: noon)?.row)
            #expect(row.installs <= 30)
            let installs = try reader.samples(of: leak("L\(number)").id)?.compactMap(\.origin.install) ?? []
            #expect(installs.allSatisfy { (Int($0.dropFirst()) ?? 0) > 10 }, "\(installs)")
        }
        #expect(try reader.overview(app: "shop", now: noon).reports == 3_000)
    }
}
