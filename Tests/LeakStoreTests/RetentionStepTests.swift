import Testing

@testable import LeakStore

/// The size and the number of the steps in which old data is deleted.
@Suite struct RetentionStepTests {
    let directory = TemporaryDirectory(isInMemory: true)

    private func writer() throws -> Writer {
        _ = try directory.store()
        return try Writer(
            connection: try SQLiteConnection(path: directory.database, access: .readWrite),
            limits: StoreLimits(), clock: .unguarded, retention: RetentionRule(dailyDays: 98),
            redact: { Array($0) }, reservoir: Reservoir(seed: 7))
    }

    @Test func `a step changes at most a few thousand rows, and a call has a limited number of steps`() throws
    {
        let writer = try writer()
        for number in 0..<8 {
            let reports = (0..<200).map {
                Report(
                    leak: leak("L\($0)"), version: "1.\(number)", install: UInt64($0),
                    at: noon + Int64(number % 7) * day)
            }
            _ = try writer.count([submission(reports, at: noon + 7 * day)], now: noon + 7 * day)
        }
        let now = noon + 500 * day
        let report = Report(leak: leak("New"), version: "2.0", at: now)
        _ = try writer.count([submission([report], at: now)], now: now)
        let leaks = { try writer.connection.number("select count(*) from leak") ?? 0 }
        var calls = 0
        while try leaks() > 1 {
            calls += 1
            var run = RetentionRun(now: now, maxChanges: 4)
            var changes = 0
            var isLeft = true
            while isLeft {
                let former = writer.connection.totalChanges
                isLeft = try writer.runStep(of: &run)
                let changed = writer.connection.totalChanges - former
                #expect(changed < 4_000)
                if changed > 0 { changes += 1 }
            }
            #expect(changes <= 4)
        }
        #expect(calls > 1)
    }

    @Test func `counts by day are combined in steps of a thousand, and later calls search no old days`()
        throws
    {
        let writer = try writer()
        for number in 0..<20 {
            let now = noon + Int64(number) * day
            let reports = (0..<150).map { Report(leak: leak("L\($0)"), version: "1.\(number % 2)", at: now) }
            _ = try writer.count([submission(reports, at: now)], now: now)
        }
        try writer.flushLogs()
        let rows = { try writer.connection.number("select count(*) from leak_day") ?? 0 }
        let now = noon + 150 * day
        var run = RetentionRun(now: now)
        var moved: [Int64] = []
        var isLeft = true
        while isLeft {
            let former = try rows()
            isLeft = try writer.runStep(of: &run)
            if try rows() != former { moved.append(former - (try rows())) }
        }
        #expect(moved.count == 3 && moved.allSatisfy { $0 <= 1_000 })
        // The 20 days begin on a Friday, so that they are in four weeks. Each leak has counts in two versions.
        #expect(try rows() == 150 * 4 * 2)
        #expect(try writer.connection.number("select total(reports) from leak_day") == 3_000)
        // A later run does not search these days again, so it does not find days that another program has changed.
        try writer.connection.execute("update leak_day set day = day + 1 where leak = 1")
        var next = RetentionRun(now: now)
        while try writer.runStep(of: &next) {}
        let wrong = try writer.connection.number("select count(*) from leak_day where (day + 3) % 7 <> 0")
        #expect(wrong == 8)
    }
}
