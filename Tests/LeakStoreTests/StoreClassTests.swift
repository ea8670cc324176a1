import LeakStore
import Testing

/// Grouping of leaks by class, in SQLite or in PostgreSQL: ``StoreLocation`` chooses.
@Suite struct StoreClassTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    private func leak(_ name: String, _ stack: [String] = [], module: String?, app: String = "shop")
        -> LeakIdentity
    {
        let plain = LeakStoreTests.leak(name, stack: stack, app: app)
        return LeakIdentity(
            id: plain.id, app: app, kind: plain.kind, className: name, module: module, title: name,
            stack: plain.stack, children: [], cycle: [], quality: .full, groupingKey: plain.groupingKey)
    }

    @Test func `all leaks of a class are listed together, with and without a module`() throws {
        let reports = [
            Report(leak: leak("Page", ["Tab"], module: "Shop"), install: 1, at: noon - hour, count: 2),
            Report(leak: leak("Page", ["Tab"], module: "Shop"), version: "2.0", install: 2),
            Report(leak: leak("Page", ["Menu"], module: nil), build: "7", install: 1, count: 6),
            Report(leak: leak("Page", ["Menu"], module: nil), isFreed: true, count: 2, lived: 1_000),
            Report(leak: leak("Page", ["Root"], module: "ShopKit"), isFreed: true, lived: 5),
            Report(leak: leak("Other", module: "Shop"), install: 9),
            Report(leak: leak("Page", module: "Mail", app: "mail"), install: 3, count: 10),
        ]
        _ = try store.count([submission(reports)], now: noon)
        let reader = try store.makeReader()
        let found = try #require(try reader.leakClass("Page", app: "shop", now: noon))
        #expect(found.modules == ["Shop", "ShopKit"])
        #expect(found.leaks.map(\.reports) == [6, 3, 0] && found.total == 3)
        #expect(found.leaks.map(\.identity.stack.first) == ["Menu", "Tab", "Root"])
        #expect((found.reports, found.freed) == (9, 3))
        #expect(found.installs == 2, "an install with two of the leaks counts once")
        #expect(found.lived == Percentiles(p50: 1_008, p90: 1_008))
        #expect((found.firstSeen, found.lastSeen) == (noon - hour, noon))
        #expect(found.leaks[1].trend.last == 3)
        let all = try #require(try reader.leakClass("Page", app: nil, now: noon))
        #expect((all.total, all.reports, all.installs) == (4, 19, 3))
        #expect(try reader.leakClass("Nothing", app: "shop", now: noon) == nil)
        #expect(try reader.leakClass("Page", app: "none", now: noon) == nil)
    }

    @Test(arguments: [200, 3_000])
    func `an install with several leaks of a class counts once`(installs: Int) throws {
        // Each install has two of the three leaks, in one or in two builds.
        let reports = (0..<installs).flatMap { number in
            [number, number + 1].map { place in
                Report(
                    leak: leak("Page", ["Root\(place % 3)"], module: nil), build: "\(place % 2)",
                    install: UInt64(number))
            }
        }
        for start in stride(from: 0, to: reports.count, by: 500) {
            _ = try store.count(
                [submission(Array(reports[start..<min(start + 500, reports.count)]))], now: noon)
        }
        let found = try #require(try store.makeReader().leakClass("Page", app: "shop", now: noon))
        #expect(abs(found.installs - installs) <= (installs <= 256 ? 0 : installs / 8))
    }

    @Test func `a class name with its enclosing types and the same name without them are related`() throws {
        let names = [
            "Inner", "Outer.Inner", "Far.Outer.Inner", "Other.Inner", "Inner.Outer", "NotInner",
            "Outer.inner",
        ]
        _ = try store.count(
            [
                submission(
                    names.map { Report(leak: leak($0, module: nil)) } + [
                        Report(leak: leak("Outer.Inner", ["Root"], module: nil), count: 2),
                        Report(leak: leak("Mail.Inner", module: nil, app: "mail")),
                    ])
            ], now: noon)
        let reader = try store.makeReader()
        let related = { (name: String) throws in
            try #require(try reader.leakClass(name, app: "shop", now: noon)).related.map(\.name)
        }
        #expect(try related("Inner") == ["Far.Outer.Inner", "Other.Inner", "Outer.Inner"])
        #expect(try related("Outer.Inner") == ["Far.Outer.Inner", "Inner"])
        #expect(try related("Other.Inner") == ["Inner"])
        #expect(try related("NotInner") == [])
        let inner = try #require(try reader.leakClass("Inner", app: "shop", now: noon))
        #expect(inner.related.last == LeakClass.Related(name: "Outer.Inner", leaks: 2, reports: 3))
    }

    @Test func `known leaks are marked in the list of a class`() throws {
        _ = try store.count(
            [submission([Report(leak: leak("UITextField", module: nil), system: "iOS 11.2")])], now: noon)
        let list = KnownLeaks([knownLeakRule("UITextField", systems: [("iOS", "11.2", "11.3")])])
        let found = try store.makeReader(known: list).leakClass("UITextField", app: "shop", now: noon)
        #expect(found?.leaks.map(\.state) == [.known])
    }
}
