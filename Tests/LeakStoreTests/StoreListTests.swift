import LeakSeededRandom
import LeakStore
import Testing

/// Lists of leaks and of releases, in SQLite or in PostgreSQL: ``StoreLocation`` chooses.
@Suite struct StoreListTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    @Test(arguments: [
        ("page", ["Page"]), ("ROOT", ["Page"]), ("100%", ["Sale 100%"]), ("_", []), ("still here", ["Page"]),
        ("größe", ["Größe"]), ("GRÖSSE", []), ("GRÖßE", ["Größe"]),
        ("deep inside", ["Long"]), ("Shop.Pa", ["Page"]), ("hop.gr", ["Größe"]), ("other.page", []),
        ("Shop.Übersicht", ["Übersicht"]), ("shop.ü", ["Übersicht"]),
        ("", ["Page", "Sale 100%", "Größe", "Long", "Übersicht"]),
    ])
    func `a search finds leaks by class, module, path and newest message`(text: String, found: [String])
        throws
    {
        _ = try store.count(
            [
                submission([
                    Report(leak: leak("Page", stack: ["Root"]), count: 3, body: #"{"message":"Still HERE"}"#),
                    Report(leak: leak("Sale 100%"), count: 2, body: "no json"), Report(leak: leak("Größe")),
                    Report(leak: leak("Übersicht")),
                    Report(
                        leak: leak("Long"),
                        body: #"{"message":"Deep inside\#(String(repeating: ".", count: 4_000))"}"#),
                ])
            ], now: noon)
        var query = LeakQuery()
        query.search = text
        let page = try store.makeReader().leaks(query, now: noon)
        // Leaks with equal counts are in the order of their rows, which differs between the stores.
        #expect(page.leaks.map(\.identity.title).sorted() == found.sorted())
        #expect(page.total == found.count)
    }

    @Test(arguments: ["ÜBERALL", "überall", "МЕНЮ", "меню"])
    func `a search ignores the case of letters beyond ASCII`(text: String) throws {
        _ = try store.count(
            [
                submission([
                    Report(leak: leak("A"), body: #"{"message":"Leck: Überall im МЕНю"}"#),
                    Report(leak: leak("B", stack: ["Überall МЕНю"])), Report(leak: leak("C")),
                ])
            ], now: noon)
        var query = LeakQuery()
        (query.search, query.sort) = (text, .name)
        #expect(try store.makeReader().leaks(query, now: noon).leaks.map(\.identity.title) == ["A", "B"])
    }

    @Test(
        arguments: LeakQuery.Sort.allCases,
        [(1, .descending), (7, .ascending), (200, nil)] as [(Int, LeakQuery.Order?)])
    func `paging visits every leak once, in both directions`(
        sort: LeakQuery.Sort, page: (limit: Int, order: LeakQuery.Order?)
    ) throws {
        var random = SeededRandom(seed: 11)
        var reports: [Report] = []
        for number in 0..<40 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                reports.append(
                    Report(
                        leak: leak("L\(number)"), version: Bool.random(using: &random) ? "1.0" : "2.0",
                        install: .random(in: 0..<9, using: &random),
                        at: noon - .random(in: 0..<5, using: &random) * hour,
                        alive: Bool.random(using: &random) ? .random(in: 0..<9, using: &random) : nil))
            }
        }
        // Some leaks that are counted soon after another call are still unindexed, so the order has to be computed without an
        // index.
        reports.shuffle(using: &random)
        for (number, start) in stride(from: 0, to: reports.count, by: 30).enumerated() {
            let part = Array(reports[start..<min(start + 30, reports.count)])
            _ = try store.count([submission(part)], now: noon + Int64(number))
        }
        // Some leaks are explained, so that their bytes are known.
        var explanations = submission()
        explanations.origins = [Submission.Origin(app: "shop", version: "1.0")]
        explanations.explanations = (0..<25).map { number in
            Submission.Explanation(
                leak: leak("L\(number)"), originIndex: 0, at: noon, reason: "s", bytes: number % 7 * 1_000)
        }
        _ = try store.count([explanations], now: noon + 1_000)
        for number in 0..<5 {
            _ = try store.decide(
                Decision(.resolve(.nextVersion), by: "ada"), about: leak("L\(number)").id, now: noon + 2_000)
        }
        var query = LeakQuery()
        query.state = .any
        (query.sort, query.order, query.limit) = (sort, page.order, page.limit)
        var rows: [LeakRow] = []
        let reader = try store.makeReader()
        repeat {
            let page = try reader.leaks(query, now: noon)
            #expect(page.total == 40)
            #expect(page.reports == reports.count)
            rows += page.leaks
            query.cursor = page.next
        } while query.cursor != nil
        #expect(Set(rows.map(\.identity.id)).count == 40)
        #expect(rows.count == 40)
        let names = rows.map(\.identity.title).sorted()
        let keys: [Int] = rows.map { row in
            switch sort {
            case .impact: row.impact
            case .name: names.firstIndex(of: row.identity.title) ?? 0
            case .state: row.state == .resolved ? 2 : row.isNew ? 5 : 4
            case .recent: row.trend.reduce(0, +)
            case .reports: row.reports
            case .installs: row.installs
            case .cost: row.cost ?? 0
            case .lastSeen: Int(row.lastSeen)
            case .firstSeen: Int(row.firstSeen)
            }
        }
        #expect(keys == (query.isAscending ? keys.sorted() : keys.sorted(by: >)))
    }

    @Test(arguments: LeakQuery.Order.allCases, [true, false])
    func `pages by name skip and repeat no leak while other leaks are added or ignored`(
        order: LeakQuery.Order, isLastLeakListed: Bool
    ) throws {
        func add(_ names: String...) throws {
            _ = try store.count([submission(names.map { Report(leak: leak($0)) })], now: noon)
        }
        func ignore(_ name: String) throws {
            _ = try store.decide(Decision(.ignore(nil), by: "ada"), about: leak(name).id, now: noon)
        }
        try add("b", "d", "f", "h", "j", "l")
        var query = LeakQuery()
        (query.sort, query.order, query.limit, query.state) = (.name, order, 3, .toFix)
        let reader = try store.makeReader()
        let first = try reader.leaks(query, now: noon)
        let isAscending = order == .ascending
        #expect(first.leaks.map(\.identity.title) == (isAscending ? ["b", "d", "f"] : ["l", "j", "h"]))
        // Leaks before the last leak of the page are added or ignored, and in half of the cases that last leak is ignored as
        // well.
        try add(isAscending ? "a" : "m", isAscending ? "e" : "i")
        try ignore(isAscending ? "d" : "j")
        try ignore(isAscending ? "b" : "l")
        if isAscending { try add("a1", "a2") } else { try ignore("m") }
        if !isLastLeakListed { try ignore(isAscending ? "f" : "h") }
        query.cursor = first.next
        let second = try reader.leaks(query, now: noon)
        #expect(second.leaks.map(\.identity.title) == (isAscending ? ["h", "j", "l"] : ["f", "d", "b"]))
    }

    @Test func `the order by impact puts leaks with the most installs of the current release first`() throws {
        let (many, few) = (leak("Many"), leak("Few"))
        _ = try store.count(
            [
                submission([
                    Report(leak: many, version: "1.0", install: 1, count: 999),
                    Report(leak: few, version: "2.0", install: 2, count: 100),
                ])
            ], now: noon)
        let page = try store.makeReader().leaks(LeakQuery(), now: noon)
        #expect(page.leaks.map(\.identity.title) == ["Few", "Many"])
        #expect(page.leaks.map(\.isNew) == [true, false])
    }

    @Test func `an invalid cursor, and a cursor of another list, are refused`() throws {
        _ = try store.count([submission([Report(leak: leak("A")), Report(leak: leak("B"))])], now: noon)
        let reader = try store.makeReader()
        var query = LeakQuery()
        query.limit = 1
        let next = try #require(try reader.leaks(query, now: noon).next)
        for cursor in [
            "", "x", String(next.dropLast()), "f" + next.dropFirst(), String(repeating: "0", count: 64),
        ] {
            query.cursor = cursor
            #expect(throws: StoreError.self) { try reader.leaks(query, now: noon) }
        }
        query.cursor = next
        #expect(try reader.leaks(query, now: noon).leaks.count == 1)
        query.kind = "view"
        #expect(throws: StoreError.self) { try reader.leaks(query, now: noon) }
        query = LeakQuery()
        query.limit = 0
        #expect(throws: StoreError.self) { try reader.leaks(query, now: noon) }
    }

    @Test func `a list can be filtered by app, kind, class and version`() throws {
        _ = try store.count(
            [
                submission([
                    Report(leak: leak("A", kind: "view")), Report(leak: leak("A", stack: ["X"])),
                    Report(leak: leak("B", app: "mail")),
                ])
            ], now: noon)
        let reader = try store.makeReader()
        let total = { (change: (inout LeakQuery) -> Void) throws -> Int in
            var query = LeakQuery()
            change(&query)
            return try reader.leaks(query, now: noon).total
        }
        #expect(try total({ _ in }) == 3)
        #expect(try total({ query in query.app = "shop" }) == 2)
        #expect(try total({ query in query.app = "none" }) == 0)
        #expect(try total({ query in query.kind = "view" }) == 1)
        #expect(try total({ query in query.className = "A" }) == 2)
        #expect(try total({ query in query.version = "1.0" }) == 3)
        #expect(try total({ query in query.version = "1.1" }) == 0)
        #expect(
            try reader.leak(leak("A", kind: "view").id, now: noon)?.siblings.map(\.stack) == [["X", "A"]])
    }

    /// For each filter of ``LeakQuery``, a value that no leak matches half a year later.
    static let filters: [String: @Sendable (inout LeakQuery) -> Void] = [
        "app": { $0.app = "none" }, "environment": { $0.environment = "none" },
        "version": { $0.version = "9.9" }, "state": { $0.state = .ignored },
        "period": { $0.period = .day }, "kind": { $0.kind = "none" }, "className": { $0.className = "None" },
        "search": { $0.search = "nothing" },
    ]

    @Test func `every filter is applied in every list, and a cursor is valid only for its filter`() throws {
        let properties = Mirror(reflecting: LeakQuery()).children.compactMap(\.label)
        #expect(
            Set(properties).subtracting([
                "sort", "order", "limit", "cursor", "countsReportsBeforeDecision",
            ]) == Set(Self.filters.keys),
            "add the new property to `filters`")
        _ = try store.count([submission([Report(leak: leak("A")), Report(leak: leak("B"))])], now: noon)
        let (reader, now) = (try store.makeReader(), noon + 180 * day)
        for sort in LeakQuery.Sort.allCases {
            for version in [nil, "1.0"] {
                var list = LeakQuery()
                (list.sort, list.version, list.limit) = (sort, version, 1)
                let all = try reader.leaks(list, now: now)
                #expect(all.total == 2 && all.next != nil)
                for (filter, apply) in Self.filters {
                    var query = list
                    apply(&query)
                    let page = try reader.leaks(query, now: now)
                    #expect(page.total == 0 && page.leaks.isEmpty, "\(filter), \(sort)")
                    query.cursor = all.next
                    #expect(throws: StoreError.self, "\(filter)") { try reader.leaks(query, now: now) }
                }
            }
        }
    }

    @Test func `the newest two hundred releases are listed, each with its builds`() throws {
        let page = leak("Page")
        let reports = (0..<210).flatMap { version in
            ["2", "10"].map { Report(leak: page, version: "1.\(version)", build: $0) }
        }
        _ = try store.count([submission(reports)], now: noon)
        let releases = try store.makeReader().releases(app: "shop")
        #expect(releases.map(\.version) == (10..<210).reversed().map { "1.\($0)" })
        #expect(releases.allSatisfy { $0.builds == ["2", "10"] && $0.reports == 2 })
    }
}
