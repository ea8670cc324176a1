import Testing
import LeakPlatform

@testable import LeakStore

/// Installs, system versions, models and idempotency keys that are in a log and not yet in their table.
@Suite struct LogsTests {
    private let directory = TemporaryDirectory(isInMemory: true)
    private let page = leak("Page")

    private func send(_ system: String?, _ model: String? = nil, count: Int = 1, to store: SQLiteStore) throws
    {
        let report = Report(leak: page, system: system, model: model, count: count)
        #expect(try store.count([submission([report])], now: noon) == [.counted])
    }

    /// Returns the number of reports by system version and by model, as the page of the leak shows them.
    private func readShownCounts() throws -> [String: Int] {
        let detail = try #require(try directory.store().makeReader().leak(page.id, now: noon))
        return Dictionary(
            uniqueKeysWithValues: (detail.systems + detail.models).map { ($0.value, $0.reports) })
    }

    private func flush(_ store: SQLiteStore) throws {
        try store.writer.with { writer throws(StoreError) in
            try writer.connection.transaction(.immediate) { () throws(StoreError) in
                try writer.clearCachesIfOthersWrote()
                try writer.flushLogs()
            }
        }
    }

    private func number(_ sql: StaticString) throws -> Int64? {
        try SQLiteConnection(path: directory.database, access: .readOnly).number(sql)
    }

    private func run(_ script: String) throws {
        try SQLiteConnection(path: directory.database, access: .readWrite).execute(script)
    }

    @Test func `a log with installs of more sets than the cache can hold is read completely`() throws {
        let store = try directory.store()
        store.limitPendingLogs(toInstallSets: 100_000)
        let leaks = (0..<250).map { leak("L\($0)") }
        for install in 1...3 {
            let reports = leaks.flatMap { leak in
                (0..<50).map { Report(leak: leak, build: "\($0)", install: UInt64(install)) }
            }
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
        }
        #expect(try store.verify() == [])
        let other = try directory.store()
        try flush(other)
        #expect(try other.verify() == [])
    }

    @Test
    func
        `the counts of system versions and models stay the same after reopening the store and after a flush`()
        throws
    {
        var store = try directory.store()
        try send("iOS 18.0", "iPhone14,2", to: store)
        try send("iOS 18.0", "iPhone17,1", count: 4, to: store)
        try send(nil, "iPhone14,2", to: store)
        let expected = ["iOS 18.0": 5, "iPhone14,2": 2, "iPhone17,1": 4]
        #expect(try readShownCounts() == expected)
        #expect(try number("select count(*) from leak_value") == 0)
        store = try directory.store()
        #expect(try readShownCounts() == expected)
        try flush(store)
        #expect(try number("select count(*) from value_log") == 0)
        #expect(try readShownCounts() == expected)
        try send("iOS 18.0", to: store)
        #expect(try readShownCounts()["iOS 18.0"] == 6)
        #expect(try store.verify() == [])
    }

    @Test
    func `an idempotency key that is only in its log is recognized by another process, and after a restart`()
        throws
    {
        let batch = submission([Report(leak: page)], key: "k")
        let store = try directory.store()
        let other = try directory.store()
        #expect(try other.count([submission(key: "another")], now: noon) == [.counted])
        #expect(try store.count([batch], now: noon) == [.counted])
        #expect(try number("select count(*) from idempotency") == 0)
        for store in [store, other, try directory.store()] {
            #expect(try store.count([batch], now: noon) == [.repeated(response: batch.response)])
            #expect(try store.count([submission(key: "k", body: 2)], now: noon) == [.keyReused])
        }
        try flush(other)
        #expect(try number("select count(*) from idempotency") == 2)
        #expect(try store.count([batch], now: noon) == [.repeated(response: batch.response)])
        #expect(try store.makeReader().overview(app: nil, now: noon).reports == 1)
    }

    @Test func `an idempotency key that is only in its log is valid for one ingest key, and for seven days`()
        throws
    {
        let store = try directory.store()
        #expect(
            try store.count([submission(key: "k"), submission(key: "k", keyID: 2)], now: noon)
                == [.counted, .counted])
        let later = noon + 7 * day
        #expect(
            try store.count([submission(key: "k")], now: later - 1) == [
                .repeated(response: submission().response)
            ])
        #expect(try store.count([submission(key: "k", body: 2)], now: later) == [.counted])
        for _ in 0..<2 {
            #expect(
                try directory.store().count([submission(key: "k", body: 2)], now: later + 1)
                    == [.repeated(response: submission(body: 2).response)])
            try store.expire(now: later + 1)
            try flush(store)
        }
        #expect(try store.verify() == [])
    }

    @Test(arguments: ["A last", "Z last"])
    func `system versions beyond the limit are counted as other, even if some are still in the log`(
        last: String
    ) throws {
        let store = try directory.store()
        for number in 0..<ValueKind.limit {
            if number == 150 { try flush(store) }
            try send("S\(number)", to: store)
        }
        try send(last, count: 1_000, to: store)
        try send("S0", count: 500, to: store)
        try send("S199", count: 400, to: store)
        let expected = try readShownCounts()
        #expect((expected["S0"], expected["S199"], expected[last]) == (501, 401, nil))
        #expect(expected.values.reduce(0, +) == 2_100)
        try flush(store)
        #expect(try readShownCounts() == expected)
        #expect(try number("select count(*) from leak_value where value <> ''") == Int64(ValueKind.limit))
        #expect(try number("select reports from leak_value where value = ''") == 1_000)
        #expect(try store.verify() == [])
    }

    @Test
    func `system versions beyond an ingest key's daily byte limit are counted as other, also after a flush`()
        throws
    {
        var limits = StoreLimits()
        limits.detailBytesPerKeyAndDay = 2 * 2_000
        var store = try directory.store(limits: limits)
        for number in 0..<40 { try send("S\(number) " + String(repeating: "x", count: 90), to: store) }
        let expected = try readShownCounts()
        let charged = "select detail_bytes from idempotency_use" as StaticString
        let bytes = try #require(try number(charged))
        #expect(bytes <= 2_000)
        #expect(expected.values.reduce(0, +) == 40 && expected["other"] != nil)
        for isFlushed in [false, true] {
            if isFlushed { try flush(store) }
            store = try directory.store(limits: limits)
            #expect(try readShownCounts() == expected)
        }
        let named = try number("select count(*) from leak_value where value <> ''")
        #expect(named.map { (1...20).contains($0) } == true)
        // The table has this value.
        try send("S0 " + String(repeating: "x", count: 90), count: 7, to: store)
        #expect(try readShownCounts()["S0 " + String(repeating: "x", count: 90)] == 8)
        #expect(try number(charged).map { $0 <= bytes } == true)
        #expect(try store.verify() == [])
    }

    @Test func `new reports are added to the counts of an earlier schema`() throws {
        try send("iOS 18.0", to: try directory.store())
        try flush(try directory.store())
        try run(PastSchema.without14)
        try run("alter table leak drop column retained_bytes")
        try run("alter table idempotency_use drop column detail_bytes")
        try run("drop table value_log; drop table key_log; pragma user_version = 6")
        let store = try directory.store()
        try send("iOS 18.0", to: store)
        #expect(try readShownCounts() == ["iOS 18.0": 2])
        try flush(store)
        #expect(try readShownCounts() == ["iOS 18.0": 2])
    }

    @Test(arguments: [
        ("delete from answer", "an idempotency key in the log has its answer: not true for 1 row"),
        (
            "insert into value_log (counts) select counts from value_log",
            "reports of a leak by system and by model, with those in the log, are no more than all its reports: not true for 1 row"
        ),
        (
            "update value_log set counts = x'010141070002'",
            "a row of the log of systems and models refers to nothing"
        ),
        ("update value_log set counts = x'0141'", "the log of systems and models cannot be read"),
        ("update key_log set keys = x'0105'", "the log of idempotency keys cannot be read"),
    ])
    func `verify reports errors in the logs of idempotency keys, systems and models`(
        script: String, problem: String
    ) throws {
        let store = try directory.store()
        #expect(
            try store.count([submission([Report(leak: page, model: nil)], key: "k")], now: noon) == [.counted]
        )
        #expect(try store.verify() == [])
        try run(script)
        #expect(try store.verify() == [problem])
    }
}
