import LeakStore
import Testing

/// Separation of known leaks, in SQLite or in PostgreSQL: ``StoreLocation`` chooses.
@Suite struct StoreKnownTests {
    let place = StoreLocation()
    let store: any Store
    private let list = KnownLeaks([
        knownLeakRule("UITextField", systems: [("iOS", "11.2", "11.3")]),
        knownLeakRule("UIKeyboard*", "keyboard"),
        knownLeakRule("UIText*", "later", systems: [("iOS", "99.0", nil)]),
    ])

    init() throws {
        store = try place.store()
        _ = try store.count(
            [
                submission([
                    Report(leak: leak("Page"), system: "iOS 11.2", count: 5),
                    Report(
                        leak: leak("UITextField", stack: ["Login"]), version: "2.0", system: "iOS 11.2.1",
                        count: 7),
                    Report(leak: leak("UITextField", stack: ["Cart"]), system: "iOS 11.2", count: 3),
                    Report(leak: leak("UITextField", stack: ["Cart"]), system: "iOS 17.0", count: 2),
                    Report(leak: leak("UIKeyboardSave"), system: nil, count: 4),
                    Report(leak: leak("UIKeyboardSave"), isFreed: true, count: 4),
                    Report(leak: leak("UIKeyboardSave", app: "mail"), count: 9),
                ])
            ], now: noon)
    }

    private func page(
        _ reader: any StoreReader, _ change: (inout LeakQuery) -> Void = { _ in }
    ) throws -> LeakPage {
        var query = LeakQuery()
        query.app = "shop"
        query.sort = .reports
        change(&query)
        return try reader.leaks(query, now: noon)
    }

    @Test func `a list leaves known leaks out, and has the totals of these leaks and their reports`() throws {
        let page = try page(store.makeReader(known: list))
        #expect(page.leaks.map(\.reports) == [5, 5])
        #expect((page.total, page.reports) == (2, 10))
        #expect(page.known == LeakTotals(leaks: 2, reports: 11))
    }

    @Test(arguments: [
        (LeakQuery.StateFilter.toFix, [5, 5]), (.open, [5, 5]), (.slow, []), (.known, [7, 4]),
        (.any, [7, 5, 5, 4]),
    ])
    func `the list of a state has only leaks in that state, and its totals count exactly these leaks`(
        state: LeakQuery.StateFilter, reports: [Int]
    )
        throws
    {
        let reader = try store.makeReader(known: list)
        let page = try page(reader) { $0.state = state }
        #expect(page.leaks.map(\.reports) == reports)
        #expect((page.total, page.reports) == (reports.count, reports.reduce(0, +)))
        #expect((page.known.leaks > 0) == (state == .toFix))
        for row in page.leaks { #expect((row.state == .known) == (row.known?.coversAllReports == true)) }
    }

    @Test func `a leak that is known only for some of its systems stays open, and shows the matching rule`()
        throws
    {
        let reader = try store.makeReader(known: list)
        let cart = leak("UITextField", stack: ["Cart"]).id
        for row in [
            try page(reader).leaks.first { $0.identity.id == cart }, try reader.leak(cart, now: noon)?.row,
        ] {
            #expect(row?.state == .open)
            #expect(row?.known?.reports == 3 && row?.known?.reportsElsewhere == 2)
        }
        let save = try #require(try reader.leak(leak("UIKeyboardSave").id, now: noon)?.row)
        #expect(save.state == .known && save.known?.rule.id == "keyboard")
        #expect(try reader.leak(leak("Page").id, now: noon)?.row.known == nil)
    }

    @Test func `the filters of a list also apply to its number of known leaks`() throws {
        let reader = try store.makeReader(known: list)
        let newest = try page(reader) { $0.version = "2.0" }
        #expect(newest.leaks.isEmpty && newest.known == LeakTotals(leaks: 1, reports: 7))
        let found = try page(reader) { $0.search = "keyboard" }
        #expect(found.total == 0 && found.known == LeakTotals(leaks: 1, reports: 4))
        let all = try page(reader) { $0.app = nil }
        #expect(all.total == 2 && all.known == LeakTotals(leaks: 3, reports: 20))
    }

    @Test func `the overview counts known leaks separately`() throws {
        #expect(try store.pin("2.0", of: "shop"))
        let overview = try store.makeReader(known: list).overview(app: "shop", now: noon)
        #expect((overview.leaks, overview.reports) == (4, 21))
        #expect(overview.known == LeakTotals(leaks: 2, reports: 11))
        #expect(overview.newLeaks == 0 && overview.newLeakTitles == [])
        let plain = try store.makeReader().overview(app: "shop", now: noon)
        #expect(plain.known == LeakTotals() && plain.newLeakTitles == ["UITextField"])
    }

    @Test(arguments: LeakQuery.Sort.allCases, [1, 3])
    func `paging visits each leak once, and leaves out known leaks`(sort: LeakQuery.Sort, limit: Int) throws {
        let more = (0..<20).map { number in
            Report(
                leak: leak(number.isMultiple(of: 2) ? "UIKeyboard\(number)" : "L\(number)"),
                install: UInt64(number % 5),
                at: noon - Int64(number % 3) * hour, count: number % 4 + 1)
        }
        _ = try store.count([submission(more)], now: noon)
        let reader = try store.makeReader(known: list)
        var query = LeakQuery()
        query.app = "shop"
        query.sort = sort
        query.limit = limit
        var titles: [String] = []
        repeat {
            let page = try reader.leaks(query, now: noon)
            #expect(page.total == 12 && page.known.leaks == 12)
            titles += page.leaks.map(\.identity.title)
            query.cursor = page.next
        } while query.cursor != nil
        #expect(titles.count == 12)
        #expect(titles.allSatisfy { !$0.hasPrefix("UIKeyboard") })
    }

    @Test
    func
        `a known leak with a report from another OS version is a leak to fix, even for a reader opened before`()
        throws
    {
        let reader = try store.makeReader(known: list)
        #expect(try page(reader).known.leaks == 2)
        _ = try store.count(
            [submission([Report(leak: leak("UITextField", stack: ["Login"]), system: "iOS 17.0")])], now: noon
        )
        let page = try page(reader)
        #expect(page.known == LeakTotals(leaks: 1, reports: 4))
        #expect(page.leaks.first?.known?.reportsElsewhere == 1)
    }

    @Test func `a known leak that two rules match is counted once, however often it is read`() throws {
        let reader = try store.makeReader(known: list)
        for _ in 0..<3 {
            #expect(try page(reader).known == LeakTotals(leaks: 2, reports: 11))
            #expect(try page(reader) { $0.app = "mail" }.known == LeakTotals(leaks: 1, reports: 9))
            _ = try store.count([submission([Report(leak: leak("Page"))])], now: noon)
        }
    }

    @Test func `another list of known leaks changes what is shown, not what is stored`() throws {
        #expect(try page(store.makeReader(known: list)).total == 2)
        let plain = try page(store.makeReader()) { $0.state = .any }
        #expect(plain.total == 4 && plain.known == LeakTotals())
        #expect(try page(store.makeReader()).slow.leaks == plain.leaks.count { $0.state == .slow })
        #expect(plain.leaks.allSatisfy { $0.known == nil && $0.state != .known })
        #expect(plain.leaks.contains { $0.state == .slow })
    }
}
