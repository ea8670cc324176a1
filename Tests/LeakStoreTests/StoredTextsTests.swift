import Testing

@testable import LeakStore

/// Stored names and paths of leaks in every store, and the daily limit of bytes for new leaks, versions and builds.
/// ``StoreLocation`` chooses SQLite or PostgreSQL.
@Suite struct StoredTextsTests {
    let place = StoreLocation()

    /// A stack of 29,400 bytes.
    private static func longStack(_ number: Int) -> [String] {
        (0..<100).map { "Module\(number).Frame\($0)" + String(repeating: "x", count: 280) }
    }

    private func identity(
        _ number: UInt64, stack: [String] = [], children: [String] = [], cycle: [String] = [],
        grouped: [String]
    ) -> LeakIdentity {
        LeakIdentity(
            id: LeakID(high: number, low: number), app: "shop", kind: "object", className: "C\(number)",
            module: "Shop", title: "C\(number)", stack: stack, children: children, cycle: cycle,
            quality: .full,
            groupingKey: GroupingKey(version: 1, className: "C\(number)", stack: grouped))
    }

    @Test func `the parts of a leak's grouping key are read back from every column that stores them`()
        throws
    {
        let store = try place.store()
        let long = Self.longStack(1)
        let identities = [
            identity(1, grouped: []), identity(2, stack: ["A", "B", "A"], grouped: ["A", "B", "A"]),
            identity(3, stack: ["UIWindow", "A", "B"], children: ["K"], grouped: ["A", "B"]),
            identity(4, cycle: ["X", "Y"], grouped: ["X", "Y"]), identity(5, children: ["K"], grouped: ["K"]),
            identity(6, stack: ["A"], grouped: ["a fingerprint", "", "A", "e\u{301}"]),
            identity(7, stack: ["\u{E9}"], grouped: ["e\u{301}"]),
            identity(8, stack: long, grouped: Array(long.dropFirst())),
        ]
        _ = try store.count([submission(identities.map { Report(leak: $0) })], now: noon)
        let reader = try place.store().makeReader()
        for identity in identities {
            let read = try #require(try reader.leak(identity.id, now: noon)).row.identity
            #expect(read.stack == identity.stack && read.children == identity.children)
            #expect(
                read.groupingKey.stack.map { Array($0.utf8) }
                    == identity.groupingKey.stack.map { Array($0.utf8) }
            )
        }
        #expect(try store.verify() == [])
    }

    @Test(arguments: [
        ("frame7x", 1), ("MODULE1.Frame99", 1), ("page", 1), ("Frame200", 0), ("shop.page", 1), ("größe", 1),
        ("100%\\_", 1),
    ])
    func `a search finds the words of long stacks too`(text: String, found: Int) throws {
        let store = try place.store()
        let stack = Self.longStack(1) + ["Die größe", "100%\\_"]
        _ = try store.count([submission([Report(leak: leak("Page", stack: stack))])], now: noon)
        var query = LeakQuery()
        query.search = text
        #expect(try store.makeReader().leaks(query, now: noon).total == found)
    }

    @Test func `the stored bytes of a leak are those of its texts, and invalid packed stacks are not read`()
        throws
    {
        let identity = leak("Page", stack: Self.longStack(1))
        #expect((29_000..<31_000).contains(identity.storedBytes))
        #expect(GroupedStack.unpack([5], path: ["A"]) == nil && GroupedStack.unpack([0, 9], path: []) == nil)
        #expect(SearchText.packedPathBytes(of: identity) == PackedWriter.pack(identity.path).count)
    }

    @Test func `a database file stores a long stack once`() throws {
        let directory = TemporaryDirectory()
        let store = try directory.store()
        let reports = (0..<20).map { Report(leak: leak("L\($0)", stack: Self.longStack($0))) }
        _ = try store.count([submission(reports)], now: noon)
        #expect(try store.checkpoint())
        // Each stack takes eight pages of 4,096 bytes.
        #expect(directory.read("leaks.sqlite").count < 20 * 9 * 4_096 + 300_000)
    }

    @Test func `leaks whose texts exceed an ingest key's daily byte limit are counted as other`() throws {
        var limits = StoreLimits()
        limits.leakTextBytesPerKeyAndDay = 156_000
        let store = try place.store(limits: limits)
        func count(_ numbers: Range<Int>, key: Int64, at time: Int64) throws {
            for number in numbers {
                let report = Report(
                    leak: leak("L\(number)", stack: Self.longStack(number), app: "app\(number % 2)"), at: time
                )
                #expect(try store.count([submission([report], keyID: key)], now: time) == [.counted])
            }
        }
        func overLimit(_ store: any Store) throws -> [Int] {
            try store.makeReader().overview(app: nil, now: noon).overLimit.map { limit in
                #expect(limit.limit == .leakTexts)
                return limit.count
            }
        }
        try count(0..<6, key: 1, at: noon)
        // Leaks that are stored already are still counted, and a new store reads the bytes that were used on the day.
        let second = try place.store(limits: limits)
        let again = Report(leak: leak("L7", stack: Self.longStack(7), app: "app1"))
        #expect(try second.count([submission([again])], now: noon) == [.counted])
        try count(0..<3, key: 1, at: noon)
        #expect(try overLimit(store).reduce(0, +) == 4)
        // Another key and another day have a limit of their own.
        try count(10..<12, key: 2, at: noon)
        try count(3..<5, key: 1, at: noon + 2 * day)
        #expect(try overLimit(store).reduce(0, +) == 4)
        var query = LeakQuery()
        query.search = "L3"
        #expect(try store.makeReader().leaks(query, now: noon + 2 * day).leaks.map(\.reports) == [1])
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon + 2 * day).reports == 14)
        #expect(try store.verify() == [])
    }

    @Test func `versions and builds beyond an ingest key's daily byte limit are counted as other`() throws {
        var limits = StoreLimits()
        limits.leakTextBytesPerKeyAndDay = 200_000
        let store = try place.store(limits: limits)
        let name = String(repeating: "7", count: 50)
        func count(_ numbers: Range<Int>, key: Int64, builds: Bool) throws {
            for number in numbers {
                let report = Report(
                    leak: leak("L", stack: ["A"]), version: builds ? "1.0" : "\(number).\(name)",
                    build: builds ? "\(number).\(name)" : nil)
                #expect(try store.count([submission([report], keyID: key)], now: noon) == [.counted])
            }
        }
        try count(0..<60, key: 1, builds: true)
        // Each build takes about 250 bytes for its name, and 12 KiB for the rows that count the leak in it.
        let kept = 200_000 / (255 + DetailBytes.ofCell)
        try count(60..<100, key: 1, builds: true)
        func overLimit() throws -> [OverLimitCount.Name: Int] {
            Dictionary(
                uniqueKeysWithValues: try store.makeReader().overview(app: nil, now: noon).overLimit.map {
                    ($0.limit, $0.count)
                })
        }
        #expect((100 - kept - 5...100 - kept + 5).contains(try overLimit()[.builds] ?? 0))
        try count(0..<3, key: 1, builds: false)
        #expect(try overLimit()[.releases] == 3)
        // Another key has its own limit, and names that are stored already are still counted.
        try count(3..<5, key: 2, builds: false)
        try count(0..<2, key: 1, builds: true)
        #expect(try overLimit()[.releases] == 3)
        #expect(try store.verify() == [])
    }

    @Test
    func `builds beyond an ingest key's daily byte limit are counted in one combined row of their version`()
        throws
    {
        var limits = StoreLimits()
        limits.leakTextBytesPerKeyAndDay = 1_727_000
        let leaks = (0..<10).map { leak("L\($0)", stack: ["A"]) }
        func count(_ builds: Range<Int>, of leaks: [LeakIdentity] = leaks, key: Int64 = 1) throws {
            for build in builds {
                // A new store has to read first how many bytes the ingest key has added on the day.
                let store = try place.store(limits: limits)
                let reports = leaks.map { Report(leak: $0, build: "\(build)") }
                #expect(try store.count([submission(reports, keyID: key)], now: noon) == [.counted])
            }
        }
        func overLimit() throws -> [OverLimitCount.Name: Int] {
            Dictionary(
                uniqueKeysWithValues: try place.store().makeReader().overview(app: nil, now: noon).overLimit
                    .map { ($0.limit, $0.count) })
        }
        func builds() throws -> Int {
            let reader = try place.store().makeReader()
            return try leaks.reduce(0) { sum, leak in
                sum + (try #require(try reader.leak(leak.id, now: noon)).versions.count)
            }
        }
        try count(0..<40, of: [leak("First")], key: 3)
        try count(0..<10)
        #expect(try overLimit() == [:])
        #expect(try builds() == 100)
        // Each build of all ten leaks takes 122,880 bytes (ten times 12 KiB), so the limit is enough for 14 builds, including
        // the combined build for the others.
        try count(10..<20)
        let folded = try #require(try overLimit()[.leakBuilds])
        #expect((50...70).contains(folded))
        // Texts that are stored already are still counted, and another key has its own limit.
        let before = try overLimit()
        try count(0..<5)
        #expect(try overLimit() == before)
        try count(30..<35, key: 2)
        #expect(try overLimit() == before)
        #expect(try place.store().verify() == [])
    }

    @Test func `builds that a sender names "other" use as many bytes of the ingest key as combined builds`()
        throws
    {
        var limits = StoreLimits()
        limits.leakTextBytesPerKeyAndDay = 623_000
        let store = try place.store(limits: limits)
        let leaks = (0..<10).map { leak("L\($0)", stack: ["A"]) }
        for number in 0..<20 {
            let reports = leaks.map { Report(leak: $0, version: "1.\(number)", build: "other") }
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
        }
        let counts = try store.makeReader().overview(app: nil, now: noon).overLimit.map {
            ($0.limit, $0.count)
        }
        // The combined builds for the others use up the remaining bytes, so that no bytes are left for further versions.
        #expect(counts.map(\.0) == [.leakBuilds, .releases], "\(counts)")
        #expect(counts.reduce(0) { $0 + $1.1 } == 150, "\(counts)")
        #expect(try store.verify() == [])
    }

    @Test
    func
        `a new writer reads the bytes that an ingest key has used on the day, even at the limit of versions`()
        throws
    {
        var limits = StoreLimits()
        limits.leakTextBytesPerKeyAndDay = 66_000
        limits.releasesPerApp = 1
        for number in 0..<2 {
            // A new writer has to read first how many bytes the ingest key has added on the day.
            let store = try place.store(limits: limits)
            let report = Report(
                leak: leak("L\(number)", stack: Self.longStack(number)), version: "\(number + 1).0")
            #expect(try store.count([submission([report])], now: noon) == [.counted])
        }
        let overLimit = try place.store(limits: limits).makeReader().overview(app: nil, now: noon).overLimit
        #expect(Set(overLimit.map(\.limit)) == [.releases, .leakTexts])
    }
}
