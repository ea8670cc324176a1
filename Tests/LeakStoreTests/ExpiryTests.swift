import Testing

@testable import LeakStore

@Suite struct ExpiryTests {
    let directory = TemporaryDirectory()

    private func writer() throws -> Writer {
        _ = try directory.store()
        return try Writer(
            connection: try SQLiteConnection(path: directory.database, access: .readWrite),
            limits: StoreLimits(), clock: .unguarded, redact: { Array($0) },
            reservoir: Reservoir(seed: 7))
    }

    @Test func `old idempotency keys are deleted in small steps, and reports are counted between the steps`()
        throws
    {
        let writer = try writer()
        writer.logLimits.keyBytes = 0
        let old = (0..<1_200).map { submission(key: "old \($0)", body: UInt8($0 % 250)) }
        _ = try writer.count(old, now: noon)
        let rows = { try writer.connection.number("select count(*) from idempotency") ?? 0 }
        let answers = { try writer.connection.number("select count(*) from answer") ?? 0 }
        #expect(try (rows(), answers()) == (1_200, 250))
        var expiry = Expiry(now: noon + 8 * day)
        var left: [Int64] = []
        var new = 0
        var isLeft = true
        while isLeft {
            isLeft = try writer.runStep(of: &expiry)
            left.append(try rows() - Int64(new))
            #expect(try writer.count([submission(key: "new \(new)")], now: noon + 8 * day) == [.counted])
            new += 1
        }
        #expect(left.prefix(4) == [700, 200, 0, 0])
        #expect(try (rows(), answers()) == (Int64(new), 1))
        #expect(
            try writer.count([submission(key: "new 0")], now: noon + 8 * day)
                == [.repeated(response: submission().response)])
    }

    @Test func `expired hourly counts of leaks and ten-minute counts of apps are deleted in small steps`()
        throws
    {
        let writer = try writer()
        let reports = (0..<600).map { number in
            Report(
                leak: leak("L\(number)"), install: UInt64(number),
                at: noon - Int64(number % 130) * 600_000)
        }
        _ = try writer.count([submission(reports)], now: noon)
        let counts = { () throws -> [Int64?] in
            [
                try writer.connection.number("select count(*) from leak_hour"),
                try writer.connection.number("select count(*) from app_slot"),
                try writer.connection.number("select count(*) from install_set where id & 7 = 3"),
            ]
        }
        var former = try counts()
        #expect(former == [600, 130, 130])
        var expiry = Expiry(now: noon + 91 * day)
        var steps = 0
        while try writer.runStep(of: &expiry) {
            steps += 1
            let left = try counts()
            for (before, after) in zip(former, left) {
                #expect((before ?? 0) - (after ?? 0) <= Int64(Writer.maxRowsPerStep))
            }
            former = left
        }
        #expect(steps > 5)
        #expect(try counts() == [0, 0, 0])
        #expect(try writer.connection.number("select count(*) from leak_day") ?? 0 == 600)
    }

    @Test func `totals are the sums of their parts after each step of an expiry`() throws {
        let writer = try writer()
        let reports = (0..<300).flatMap { number in
            (0..<7).map { Report(leak: leak("L\(number)"), at: noon - Int64($0) * 8 * hour) }
        }
        _ = try writer.count([submission(reports)], now: noon)
        let rows = { try writer.connection.number("select count(*) from leak_hour") ?? 0 }
        #expect(try rows() == 2_100)
        // Hourly counts of the two oldest days and of the morning of the third day are deleted.
        var expiry = Expiry(now: noon + 90 * day - 2 * hour)
        var sizes: Set<Int64> = []
        while try writer.runStep(of: &expiry) {
            let left = try rows()
            guard sizes.insert(left).inserted else { continue }
            #expect(try SQLiteStore.verify(path: directory.database).problems == [], "\(left) hours")
        }
        #expect(sizes.count > 3 && sizes.min() == 300, "\(sizes)")
    }

    @Test func `an expiry can be stopped between two steps, and the next call continues it`() throws {
        let store = try directory.store()
        _ = try store.count((0..<1_200).map { submission(key: "\($0)") }, now: noon)
        let connection = try SQLiteConnection(path: directory.database, access: .readOnly)
        let keys = { try connection.number("select count(*) from idempotency") }
        var steps = 0
        _ = try store.expire(now: noon + 8 * day) {
            steps += 1
            return steps < 2
        }
        #expect(try (steps, keys()) == (2, 700))
        _ = try store.expire(now: noon + 8 * day) { false }
        #expect(try keys() == 700)
        try store.expire(now: noon + 8 * day)
        #expect(try keys() == 0)
    }

    @Test func `one call of the expiry deletes everything that has expired`() throws {
        let store = try directory.store()
        _ = try store.count((0..<1_200).map { submission(key: "\($0)") }, now: noon)
        try store.expire(now: noon + 8 * day)
        let connection = try SQLiteConnection(path: directory.database, access: .readOnly)
        #expect(try connection.number("select count(*) from idempotency") == 0)
        #expect(try connection.number("select count(*) from answer") == 0)
    }

    @Test func `expired hourly counts are found leak by leak, without reading other hourly counts`() throws {
        let plan = try writer().connection.statement(
            composed: """
                explain query plan select h.leak, h.hour, h.release
                from leak l join leak_hour h on h.leak = l.id and h.hour < 1
                where l.id > 0 and l.id <= 500 order by l.id, h.hour limit 500
                """)
        defer { plan.reset() }
        var steps: [String] = []
        while try plan.step() { steps.append(plan.text(3)) }
        #expect(steps.count == 2 && steps.last?.hasSuffix("(leak=? AND hour<?)") == true, "\(steps)")
    }

    /// No step of an expiry scans a whole table that grows with the received reports.
    @Test(arguments: [
        "select day, key_id, key from idempotency where day < 1 limit 1",
        "select id from answer where day < 1",
        "select id from app_slot where slot < 1 order by slot, id limit 1",
        "select id from sample where at < 1 limit 1",
        "select id from app_day where day < 1 order by day, id limit 1",
    ])
    func `expired rows are found by an index`(query: String) throws {
        let writer = try writer()
        let plan = try writer.connection.statement(composed: "explain query plan " + query)
        defer { plan.reset() }
        while try plan.step() { #expect(plan.text(3).hasPrefix("SEARCH"), "\(plan.text(3))") }
    }
}
