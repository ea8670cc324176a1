import Testing

@testable import LeakStore

@Suite struct ManyVersionsTests {
    private let directory = TemporaryDirectory(isInMemory: true)

    @Test func `the log of counts has each of many versions and builds, and each call adds to them`() throws {
        let store = try directory.store()
        store.limitLogs(to: 10_000)
        let page = leak("Page")
        let reports = ["a", "b", "a"].flatMap { build in
            (0..<40).map { Report(leak: page, version: "1.\($0)", build: build, install: UInt64($0)) }
        }
        for call in 1...3 {
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
            #expect(try store.verify() == [], "call \(call), in the log")
        }
        // A starting process has only the log.
        let other = try directory.store()
        #expect(try other.verify() == [])
        #expect(try other.makeReader().leak(page.id, now: noon)?.row.reports == 360)
        #expect(try other.verify() == [])
        let counts = try SQLiteConnection(path: directory.database, access: .readOnly)
        #expect(try counts.number("select min(reports) from leak_release") == 9)
        #expect(try counts.number("select max(reports) from leak_release") == 9)
        #expect(try counts.number("select max(installs) from leak_release") == 1)
        #expect(try counts.number("select sum(reports) from leak_hour") == 360)
    }

    @Test func `one transaction counts a leak in each of many versions and builds`() throws {
        let store = try directory.store()
        let page = leak("Page")
        // The builds of one version are not neighbours.
        let reports = ["a", "b", "a"].flatMap { build in
            (0..<40).map { Report(leak: page, version: "1.\($0)", build: build, install: UInt64($0)) }
        }
        for call in 1...2 {
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
            #expect(try store.verify() == [])
            let counts = try SQLiteConnection(path: directory.database, access: .readOnly)
            #expect(try counts.number("select count(*) from leak_release") == 40)
            #expect(try counts.number("select min(reports) from leak_release") == Int64(3 * call))
            #expect(try counts.number("select max(reports) from leak_release") == Int64(3 * call))
            #expect(try counts.number("select max(installs) from leak_release") == 1)
        }
    }
}
