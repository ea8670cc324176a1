import LeakSeededRandom
import LeakStore
import Testing

/// Triage decisions in lists, totals and releases of every store. Also the lifetimes of objects. ``StoreLocation`` chooses
/// SQLite or PostgreSQL.
@Suite struct StoreTriageListTests {
    let place = StoreLocation()
    let store: any Store
    private let list = KnownLeaks([knownLeakRule("UIKeyboard*", "keyboard")])
    private static let names = [
        "Open", "Slow", "Resolved", "Regressed", "Ignored", "Over", "UIKeyboardKnown", "UIKeyboardIgnored",
        "UIKeyboardRegressed",
    ]

    /// Counts 1, 2, 3 … reports of the leaks in ``names``, in that order, and makes decisions about some of them.
    init() throws {
        store = try place.store()
        var reports: [Report] = Self.names.enumerated().map { number, name in
            Report(leak: leak(name), install: UInt64(number), count: number + 1)
        }
        reports.append(Report(leak: leak("Slow"), isFreed: true, count: 9))
        _ = try store.count([submission(reports)], now: noon)
        try decide(.resolve(.newestVersion), "Resolved")
        try decide(.resolve(.nextVersion), "Regressed")
        try decide(.resolve(.nextVersion), "UIKeyboardRegressed")
        try decide(.ignore(nil), "Ignored")
        try decide(.ignore(.until(milliseconds: noon + 1)), "UIKeyboardIgnored")
        try decide(.ignore(.nextReports(1)), "Over")
        _ = try store.count(
            [
                submission(
                    ["Regressed", "UIKeyboardRegressed", "Over"].map { name in
                        Report(
                            leak: leak(name), version: name == "Over" ? "1.0" : "2.0",
                            install: Self.names.firstIndex(of: name).map { UInt64($0) }, count: 10)
                    })
            ], now: noon)
    }

    private func decide(_ action: Decision.Action, _ name: String) throws {
        _ = try #require(
            try store.decide(Decision(action, by: "ada"), about: leak(name).id, now: noon))
    }

    private func page(
        _ reader: (any StoreReader)? = nil, now: Int64 = noon, _ change: (inout LeakQuery) -> Void = { _ in }
    ) throws -> LeakPage {
        var query = LeakQuery()
        query.sort = .reports
        change(&query)
        return try (reader ?? store.makeReader(known: list)).leaks(query, now: now)
    }

    @Test(arguments: [
        (LeakQuery.StateFilter.toFix, ["UIKeyboardRegressed", "Over", "Regressed", "Open"]),
        (.open, ["Over", "Open"]), (.slow, ["Slow"]), (.regressed, ["UIKeyboardRegressed", "Regressed"]),
        (.resolved, ["Resolved"]), (.ignored, ["UIKeyboardIgnored", "Ignored"]),
        (.known, ["UIKeyboardKnown"]),
        (
            .any,
            [
                "UIKeyboardRegressed", "Over", "Regressed", "UIKeyboardIgnored", "UIKeyboardKnown", "Ignored",
                "Resolved", "Slow", "Open",
            ]
        ),
    ])
    func `the list of a state has only leaks in that state, and its totals count exactly these leaks`(
        state: LeakQuery.StateFilter, names: [String]
    ) throws {
        let reader = try store.makeReader(known: list)
        for isFiltered in [false, true] {
            let page = try page(reader) {
                $0.state = state
                if isFiltered { $0.kind = "object" }
            }
            #expect(page.leaks.map(\.identity.title) == names)
            #expect(page.total == names.count)
            #expect(page.reports == page.leaks.reduce(0) { $0 + $1.reports })
            for row in page.leaks {
                let one = try #require(try reader.leak(row.identity.id, now: noon)).row
                #expect(one.state == row.state && one.decisionStatus == row.decisionStatus)
                let same = try #require(
                    try reader.leakClass(row.identity.title, app: "shop", now: noon)?.leaks.first)
                #expect(same.state == row.state && same.decisionStatus == row.decisionStatus)
                if let only = LeakState(rawValue: state.rawValue) { #expect(row.state == only) }
            }
            if state == .toFix {
                #expect(page.known == LeakTotals(leaks: 1, reports: 7))
                #expect(page.resolved == LeakTotals(leaks: 1, reports: 3))
                #expect(page.ignored == LeakTotals(leaks: 2, reports: 13))
                #expect(page.slow == LeakTotals(leaks: 1, reports: 2))
            } else {
                #expect(
                    [page.known, page.resolved, page.ignored, page.slow].allSatisfy { $0 == LeakTotals() })
            }
        }
    }

    @Test
    func `a known leak that is ignored for a time has the state ignored, and is known again afterwards`()
        throws
    {
        let reader = try store.makeReader(known: list)
        let ignored = try #require(try reader.leak(leak("UIKeyboardIgnored").id, now: noon)).row
        #expect(ignored.state == .ignored && ignored.known?.coversAllReports == true)
        let over = try #require(try reader.leak(leak("UIKeyboardIgnored").id, now: noon + 1)).row
        #expect(over.state == .known && over.decisionStatus != nil)
        let page = try page(reader, now: noon + 1)
        #expect(page.known == LeakTotals(leaks: 2, reports: 15))
        #expect(page.ignored == LeakTotals(leaks: 1, reports: 5))
    }

    @Test
    func `lists filtered by version, class, search or app leave out resolved, ignored and slow leaks too`()
        throws
    {
        #expect(try page { $0.version = "2.0" }.leaks.map(\.reports) == [10, 10])
        let first = try page { $0.version = "1.0" }
        #expect(first.leaks.map(\.reports) == [16, 9, 4, 1])
        #expect(first.slow == LeakTotals(leaks: 1, reports: 2))
        #expect(first.resolved == LeakTotals(leaks: 1, reports: 3) && first.ignored.leaks == 2)
        #expect(try page { $0.className = "Ignored" }.total == 0)
        #expect(try page { $0.className = "Ignored" }.ignored == LeakTotals(leaks: 1, reports: 5))
        #expect(try page { $0.search = "regressed" }.total == 2)
        #expect(try page { $0.app = "mail" }.ignored == LeakTotals())
        #expect(try page { $0.app = "shop" }.ignored == LeakTotals(leaks: 2, reports: 13))
    }

    @Test(arguments: LeakQuery.Sort.allCases, [1, 4, 200])
    func `paging visits each leak once, and leaves out ignored and resolved leaks`(
        sort: LeakQuery.Sort, limit: Int
    ) throws {
        var random = SeededRandom(seed: 5)
        let reports = (0..<60).map { number in
            Report(
                leak: leak("L\(number)", app: "mail"), version: "\(number % 3)",
                install: .random(in: 0..<9, using: &random), at: noon - Int64(number % 7) * hour,
                count: number % 4 + 1)
        }
        _ = try store.count([submission(reports)], now: noon)
        for number in stride(from: 0, to: 60, by: 3) {
            let action: Decision.Action = number % 2 == 0 ? .ignore(nil) : .resolve(.nextVersion)
            let decision = Decision(action, by: "ada")
            _ = try store.decide(decision, about: leak("L\(number)", app: "mail").id, now: noon)
        }
        // Some leaks are still unindexed: the indexes of the sort orders do not have their latest counts.
        _ = try store.count(
            [submission((0..<60).filter { $0 % 4 == 0 }.map { Report(leak: leak("L\($0)", app: "mail")) })],
            now: noon + 1)
        let reader = try store.makeReader(known: list)
        var titles: [String] = []
        var query = LeakQuery()
        (query.app, query.sort, query.limit) = ("mail", sort, limit)
        repeat {
            let page = try reader.leaks(query, now: noon)
            #expect(page.total == 40 && page.ignored.leaks == 10 && page.resolved.leaks == 10)
            titles += page.leaks.map(\.identity.title)
            query.cursor = page.next
        } while query.cursor != nil
        #expect(Set(titles) == Set((0..<60).filter { $0 % 3 != 0 }.map { "L\($0)" }))
        #expect(titles.count == 40)
    }

    @Test func `a reader sees each decision, and each report after the decision, immediately`() throws {
        let reader = try store.makeReader(known: list)
        for _ in 0..<2 {
            #expect(try page(reader).total == 4)
            try decide(.resolve(.newestVersion), "Open")
            #expect(try page(reader).total == 3)
            _ = try store.count([submission([Report(leak: leak("Open"), version: "2.0")])], now: noon)
            #expect(try page(reader).total == 4)
            #expect(try page(reader) { $0.state = .regressed }.total == 3)
            try decide(.reopen, "Open")
            #expect(try page(reader) { $0.state = .regressed }.total == 2)
        }
    }

    @Test func `the overview names regressed leaks, and counts no ignored or resolved leak as new`() throws {
        #expect(try store.pin("2.0", of: "shop"))
        let reader = try store.makeReader(known: list)
        for app in ["shop", nil] as [AppScope] {
            let overview = try reader.overview(app: app, now: noon)
            #expect(overview.regressedLeaks == 2)
            #expect(overview.regressedLeakTitles == ["UIKeyboardRegressed", "Regressed"])
            #expect(overview.newLeaks == 0 && overview.newLeakTitles == [])
            #expect(overview.leaks == 9 && overview.reports == 75)
            #expect(overview.known == LeakTotals(leaks: 1, reports: 7))
            #expect(overview.resolved == LeakTotals(leaks: 1, reports: 3))
            #expect(overview.ignored == LeakTotals(leaks: 2, reports: 13))
        }
        _ = try store.count(
            [
                submission(
                    ["A", "B", "C", "D"].enumerated().map { number, name in
                        Report(leak: leak(name), version: "3.0", install: UInt64(number))
                    })
            ], now: noon)
        #expect(try store.pin("3.0", of: "shop"))
        try decide(.ignore(nil), "B")
        try decide(.resolve(.nextVersion), "C")
        let overview = try reader.overview(app: "shop", now: noon)
        #expect(overview.newLeaks == 2 && overview.newLeakTitles == ["A", "D"])
        #expect(overview.currentRelease?.newLeaks == 4)
    }

    @Test func `the overview names at most three regressed leaks, those with the most reports first`()
        throws
    {
        for number in 0..<5 {
            _ = try store.count(
                [submission([Report(leak: leak("R\(number)"), count: 100 + number)])], now: noon)
            try decide(.resolve(.version("1.0")), "R\(number)")
            _ = try store.count([submission([Report(leak: leak("R\(number)"))])], now: noon)
        }
        let overview = try store.makeReader(known: list).overview(app: "shop", now: noon)
        #expect(overview.regressedLeaks == 7 && overview.regressedLeakTitles == ["R4", "R3", "R2"])
    }

    @Test func `each release counts its regressed leaks`() throws {
        _ = try store.count(
            [
                submission([
                    Report(leak: leak("Regressed"), version: "10.0", install: 1),
                    Report(leak: leak("Z"), version: "10.0", install: 2),
                    Report(leak: leak("Resolved"), version: "0.9"),
                ])
            ], now: noon)
        #expect(try store.pin("10.0", of: "shop"))
        let reader = try store.makeReader()
        for _ in 0..<2 {
            let releases = try reader.releases(app: "shop")
            #expect(releases.map(\.version) == ["10.0", "2.0", "1.0", "0.9"])
            #expect(releases.map(\.regressedLeaks) == [1, 2, 0, 0])
            let overview = try reader.overview(app: "shop", now: noon)
            #expect(overview.currentRelease == releases[0] && overview.previousRelease == releases[1])
        }
    }

    @Test func `reports from before a leak was resolved do not make it regressed in their version`() throws {
        try decide(.resolve(.version("1.0")), "Open")
        _ = try store.count([submission([Report(leak: leak("Open"), version: "3.0")])], now: noon)
        let releases = try store.makeReader().releases(app: "shop")
        #expect(releases.map(\.version) == ["3.0", "2.0", "1.0"])
        #expect(releases.map(\.regressedLeaks) == [1, 2, 0])
    }

    @Test func `lifetimes of objects are shown in ranges`() throws {
        let times = [0, 99, 150, 1_500, 1_600, 40_000, 4_000_000]
        _ = try store.count(
            [submission(times.map { Report(leak: leak("Open"), isFreed: true, count: 2, lived: $0) })],
            now: noon)
        let lived = try #require(try store.makeReader().leak(leak("Open").id, now: noon)).lived
        #expect(
            lived.map(\.from) == [
                0, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 300_000, 3_600_000,
            ])
        #expect(lived.map(\.to) == lived.dropFirst().map(\.from) + [nil])
        #expect(lived.map(\.count) == [4, 2, 0, 0, 4, 0, 0, 0, 2, 0, 0, 2])
        #expect(try store.makeReader().leak(leak("Over").id, now: noon)?.lived == [])
    }
}
