import Testing

@testable import LeakStore

/// Leaks whose counts change often are removed from the indexes of the list's sort orders, and reindexed later.
@Suite struct DeferredIndexingTests {
    let directory = TemporaryDirectory()
    let writer: Writer

    init() throws {
        _ = try directory.store()
        writer = try Writer(
            connection: try SQLiteConnection(path: directory.database, access: .readWrite),
            limits: StoreLimits(), clock: .unguarded, redact: { Array($0) },
            reservoir: Reservoir(seed: 7))
        // Commits write counts directly to their tables instead of the log of counts, on slow machines too.
        writer.logLimits.millisecondsAfterRead = .max
    }

    private func count(_ leaks: Range<Int>, at time: Int64) throws {
        _ = try writer.count([submission(leaks.map { Report(leak: leak("L\($0)")) })], now: time)
    }

    private var unindexedCount: Int64? {
        get throws { try writer.connection.number("select count(*) from leak where is_unindexed = 1") }
    }

    @Test
    func `leaks counted within a second of a reindex are unindexed until the first commit after that second`()
        throws
    {
        try count(0..<3, at: noon)
        #expect(try unindexedCount == 0)
        try count(0..<2, at: noon + 10)
        try count(1..<4, at: noon + 990)
        #expect(try unindexedCount == 4)
        try count(0..<1, at: noon + 1_000)
        #expect(try unindexedCount == 0)
    }

    @Test func `the first commit after the clock was set back reindexes the leaks`() throws {
        try count(0..<3, at: noon)
        try count(0..<3, at: noon + 10)
        try count(0..<1, at: noon - 3_600_000)
        #expect(try unindexedCount == 0)
    }

    @Test func `a commit reindexes all leaks if more than 1,024 would be unindexed after it`() throws {
        try count(0..<1, at: noon)
        try count(0..<1_000, at: noon + 1)
        #expect(try unindexedCount == 1_000)
        try count(500..<1_020, at: noon + 2)
        #expect(try unindexedCount == 1_020)
        try count(1_020..<1_030, at: noon + 3)
        #expect(try unindexedCount == 0)
    }

    @Test func `leaks that a closed writer left unindexed are reindexed by the next writer`() throws {
        try count(0..<1, at: noon)
        try count(0..<9, at: noon + 1)
        let next = try Writer(
            connection: try SQLiteConnection(path: directory.database, access: .readWrite),
            limits: StoreLimits(), clock: .unguarded, redact: { Array($0) },
            reservoir: Reservoir(seed: 7))
        _ = try next.count([submission([Report(leak: leak("L0"))])], now: noon + 2)
        #expect(try unindexedCount == 0)
    }

    @Test(arguments: LeakQuery.Sort.allCases.filter(\.hasIndex), LeakQuery.Order.allCases)
    func `the list in each sort order is read from the index of that order`(
        sort: LeakQuery.Sort, order: LeakQuery.Order
    ) throws {
        var list = LeakQuery()
        (list.sort, list.order) = (sort, order)
        for query in [
            list.pageSQL(of: "is_unindexed = 0", rank: "rank_"),
            "select id from leak where first_release = 1 and is_unindexed = 0 order by rank_reports desc",
            "select id from leak where app = 1 and is_unindexed = 1",
        ] {
            let plan = try writer.connection.statement(composed: "explain query plan " + query)
            defer { plan.reset() }
            // A step "USE TEMP B-TREE" would sort all leaks.
            while try plan.step() { #expect(plan.text(3).hasPrefix("SEARCH"), "\(plan.text(3))") }
        }
    }
}
