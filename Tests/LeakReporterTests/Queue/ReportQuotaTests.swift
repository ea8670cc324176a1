import LeakSeededRandom
import LeakMessage
import Testing

@testable import LeakReporter

@Suite struct ReportQuotaTests {
    private static let day: Int64 = 86_400_000
    /// 2025-11-24 00:00 UTC, day 20,416.
    private static let midnight: Int64 = 20_416 * day

    private func key(_ number: Int) -> ReportMergeKey {
        var report = LeakReport()
        report.className = "Shop.Part\(number)"
        return ReportMergeKey(report)
    }

    private func time(_ milliseconds: Int64) -> WireTime {
        WireTime(milliseconds: Self.midnight + milliseconds)
    }

    private func budget(reports: Int = 100, bytes: Int = 1_000_000) -> ReportQuota {
        ReportQuota(maxReportsPerSession: reports, maxBytesPerDay: bytes)
    }

    /// Returns the results for several sightings in a row. A call inside `#expect` could not change the quota.
    private func results(
        _ budget: inout ReportQuota, _ asked: [(key: Int, bytes: Int, at: Int64)]
    ) -> [ReportQuota.QuotaResult] {
        var results: [ReportQuota.QuotaResult] = []
        for (number, bytes, at) in asked {
            results.append(budget.admit(key(number), bytes: bytes, at: time(at)))
        }
        return results
    }

    @Test func `a leak is new once in a session`() {
        var budget = budget()
        #expect(
            results(&budget, [(1, 10, 0), (1, 10, 1), (2, 10, 2), (1, 10, 3)]) == [
                .first, .again, .first, .again,
            ])
        #expect(
            budget.usage == DailyByteUsage(day: 20_416, bytes: 20, repeatedBytes: 20),
            "what was seen before is sent again")
        budget.startSession()
        #expect(results(&budget, [(1, 10, 4), (1, 10, 5)]) == [.first, .again])
        #expect(budget.usage == DailyByteUsage(day: 20_416, bytes: 30, repeatedBytes: 30))
    }

    @Test func `a leak that repeats all day does not use the quota of new leaks`() {
        var budget = budget(bytes: 1_000)
        for _ in 0..<96 { _ = budget.admit(key(0), bytes: 10, at: time(0)) }
        for number in 1...10 {
            #expect(budget.admit(key(number), bytes: 90, at: time(1)) == .first)
        }
        #expect(budget.usage.totalBytes <= 2 * 1_000)
        for _ in 0..<96 { _ = budget.admit(key(0), bytes: 10, at: time(2)) }
        let last = budget.admit(key(0), bytes: 60, at: time(3))
        #expect(last == .over(.bytesPerDay), "repeats have a limit too")
    }

    @Test func `a session reports a limited number of different leaks, and keeps counting them`() {
        var budget = budget(reports: 2)
        #expect(
            results(&budget, [(1, 1, 0), (2, 1, 0), (3, 1, 0), (1, 1, 0), (3, 1, 0)]) == [
                .first, .first, .over(.reportsPerSession), .again, .over(.reportsPerSession),
            ])
        budget.startSession()
        #expect(results(&budget, [(3, 1, 0)]) == [.first])
        #expect(budget.usage.totalBytes == 4, "what is not reported costs nothing")
    }

    @Test func `the bytes of a day are limited over all sessions`() {
        var budget = budget(bytes: 100)
        #expect(
            results(&budget, [(1, 60, 0), (2, 41, 1), (3, 40, 2), (4, 1, 3), (1, 60, 4)]) == [
                .first, .over(.bytesPerDay), .first, .over(.bytesPerDay), .again,
            ])
        budget.startSession()
        #expect(
            results(&budget, [(1, 1, Self.day - 1), (1, 100, Self.day), (2, 1, Self.day)]) == [
                .over(.bytesPerDay), .first, .over(.bytesPerDay),
            ])
        #expect(budget.usage == DailyByteUsage(day: 20_417, bytes: 100))
    }

    @Test func `a leak over the day's limit is new the next day`() {
        var budget = budget(bytes: 10)
        #expect(
            results(&budget, [(1, 10, 0), (2, 10, 1), (2, 10, Self.day - 1), (2, 10, Self.day)]) == [
                .first, .over(.bytesPerDay), .over(.bytesPerDay), .first,
            ])
    }

    @Test func `a known leak with changed custom keys uses the byte quota, but not the quota of leaks`() {
        var budget = budget(reports: 1, bytes: 100)
        func admit(_ report: Int, _ bytes: Int) -> ReportQuota.QuotaResult {
            budget.admit(key(1), as: key(report), bytes: bytes, at: time(0))
        }
        let results = [admit(10, 60), admit(11, 40), admit(11, 40), admit(12, 1), admit(10, 60)]
        #expect(results == [.first, .again, .again, .over(.bytesPerDay), .again])
        #expect(budget.usage == DailyByteUsage(day: 20_416, bytes: 100, repeatedBytes: 100))
        #expect(admit(11, 1) == .over(.bytesPerDay), "as many bytes again, and no more")
    }

    /// A leak that is seen each minute for a day, and a new one each two hours.
    @Test func `repeated leaks are gathered for longer once half of the day's bytes are used`() {
        var bounds = LeakReporter.Bounds()
        bounds.bytesPerDay = 20_000
        let device = SimulatedDevice(bounds)
        device.now.wallTime = time(0)
        var bytes = 0
        var batches = 0
        for minute in 0..<1_439 {
            device.record("Shop.Cart")
            if minute % 120 == 0 { device.record("Shop.New\(minute)") }
            device.commit()
            device.pass(60_000)
            while device.send({ collector, batch, at in
                bytes += batch.body.count
                batches += 1
                return collector.receive(batch, at: at)
            }) {
                device.commit()
            }
        }
        #expect(batches > 30 && batches < 100)
        #expect(bytes > 10_000 && bytes < 20_000)
        #expect(device.outbox.quota.usage.totalBytes >= bytes)
        #expect(device.outbox.quota.usage.totalBytes < bytes * 5 / 4)
        device.drain()
        #expect(device.collector.counted["Shop.Cart"] == 1_439, "nothing of it is lost")
        #expect(device.collector.counted.count == 13)
        #expect(device.problems + device.collector.problems == [])
    }

    /// More leaks than fit into a batch, so that no batch waits to be filled with repeats.
    @Test(arguments: [false, true])
    func `a day sends at most twice its bytes, with repeated leaks of one or of several users`(
        usersTakeTurns: Bool
    ) {
        var bounds = LeakReporter.Bounds()
        bounds.bytesPerDay = 100_000
        let device = SimulatedDevice(bounds)
        device.now.wallTime = time(0)
        var bytes = 0
        for round in 0..<20_000 {
            if usersTakeTurns { device.outbox.setUser("\(round % 3)") }
            device.record("Shop.Part\(round % 199)")
            if round % 10 == 0 {
                device.outbox.record([ClassChecks(className: "A", count: 1)], at: device.now)
            }
            device.commit()
            while device.send({ collector, batch, at in
                bytes += batch.body.count
                return collector.receive(batch, at: at)
            }) {
                device.commit()
            }
            device.pass(1_000)
        }
        #expect(bytes > 50_000 && bytes < 200_000)
        #expect(device.outbox.quota.usage.bytes <= 200_000)
        device.drain()
        let dropped = device.dropped[.budget] ?? 0
        #expect(device.collector.counted.values.reduce(0, +) + dropped == 20_000)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `a process that never ends has a session per day`() {
        var budget = budget(reports: 1)
        #expect(
            results(
                &budget,
                [
                    (1, 1, 5), (1, 1, Self.day + 4), (2, 1, Self.day + 4), (2, 1, Self.day + 5),
                    (2, 1, Self.day * 2 + 4), (1, 1, Self.day * 2 + 5),
                ]) == [.first, .again, .over(.reportsPerSession), .first, .again, .first])
    }

    @Test func `a session begins with its first sighting`() {
        var budget = budget()
        _ = budget.admit(key(1), bytes: 1, at: time(0))
        budget.startSession()
        let later = Self.day / 2
        #expect(
            results(&budget, [(1, 1, later), (1, 1, later + Self.day - 1), (1, 1, later + Self.day)]) == [
                .first, .again, .first,
            ])
    }

    @Test func `a clock that was years ahead does not make the session last for years`() {
        var budget = budget()
        #expect(
            results(
                &budget, [(1, 1, Self.day * 5000), (1, 1, 0), (1, 1, Self.day - 1), (1, 1, Self.day)])
                == [.first, .again, .again, .first])
    }

    /// The clock is corrected at midnight again and again.
    @Test func `a clock that swings around midnight starts the day once`() {
        var budget = budget(reports: 1_000, bytes: 100)
        var admitted = 0
        for step in 0..<100 {
            let at = time(step.isMultiple(of: 2) ? -50 : 50)
            if budget.admit(key(step), bytes: 10, at: at) == .first { admitted += 1 }
        }
        // The day before accepted one report, before the first midnight.
        #expect(admitted == 11)
        #expect(budget.usage == DailyByteUsage(day: 20_416, bytes: 100))
    }

    @Test func `a clock that was far ahead adds usage to the right day, and gives no new quota`() {
        var budget = budget(bytes: 100)
        #expect(
            results(
                &budget,
                [
                    (1, 100, Self.day * 5000), (2, 1, 0), (3, 1, Self.day - 1), (4, 100, Self.day),
                    (5, 1, Self.day),
                ]) == [
                    .first, .over(.bytesPerDay), .over(.bytesPerDay), .first, .over(.bytesPerDay),
                ])
        #expect(budget.usage.day == 20_417)
    }

    @Test
    func `a new process keeps the bytes that earlier ones used on the day, not those of the day before`() {
        var budget = ReportQuota(
            maxReportsPerSession: 10, maxBytesPerDay: 100, usage: DailyByteUsage(day: 20_416, bytes: 90))
        #expect(results(&budget, [(1, 11, 0), (1, 10, 0)]) == [.over(.bytesPerDay), .first])
        budget.usage = DailyByteUsage(day: 20_415, bytes: 100)
        #expect(results(&budget, [(2, 100, 0)]) == [.first], "yesterday's is over")
    }

    /// A file may contain any value, and a clock may show any time.
    @Test(arguments: [Int.min, Int.min + 1, -1, 0, 20_416, Int.max])
    func `no number of days or bytes in the usage file causes a crash`(number: Int) {
        for bytes in [Int.min, -1, 0, 99, Int.max] {
            for milliseconds in [Int64.min, Int64.min + 1, -1, 0, Self.midnight, .max] {
                var budget = ReportQuota(
                    maxReportsPerSession: 10, maxBytesPerDay: 100,
                    usage: DailyByteUsage(day: number, bytes: bytes))
                for at in [milliseconds, Self.midnight, milliseconds] {
                    let time = WireTime(milliseconds: at)
                    _ = budget.admit(key(1), bytes: 1, at: time)
                    _ = budget.admit(key(2), bytes: .max, at: time)
                    _ = budget.admit(key(3), bytes: .min, at: time)
                    #expect(budget.usage.bytes <= 102 || budget.usage.bytes == bytes)
                }
            }
        }
    }

    /// Any order of sightings, sessions and jumps of the clock.
    @Test(arguments: 0..<50)
    func `no session reports more leaks, and no day new leaks of more bytes, than allowed`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let bytesPerDay = Int.random(in: 0...2_000, using: &random)
        let reports = Int.random(in: 0...20, using: &random)
        var budget = budget(reports: reports, bytes: bytesPerDay)
        var now: Int64 = 0
        var beganAt: Int64?
        var firsts: Set<Int> = []
        var bytesOfDay: [Int: Int] = [:]
        for _ in 0..<1_000 {
            // Advances by up to an hour at a time, so that sessions end after a day too.
            now += Int64.random(in: 0...3_600_000, using: &random)
            if Int.random(in: 0..<50, using: &random) == 0 {
                budget.startSession()
                beganAt = nil
                firsts = []
            }
            if now - (beganAt ?? now) >= Self.day {
                beganAt = now
                firsts = []
            }
            beganAt = beganAt ?? now
            let number = Int.random(in: 0..<40, using: &random)
            let bytes = Int.random(in: 0...500, using: &random)
            let before = budget.usage
            switch budget.admit(key(number), bytes: bytes, at: time(now)) {
            case .first:
                #expect(!firsts.contains(number) && firsts.count < reports)
                firsts.insert(number)
                #expect(budget.usage.bytes <= bytesPerDay)
                bytesOfDay[20_416 + Int(now / Self.day), default: 0] += bytes
            case .again:
                #expect(firsts.contains(number))
                bytesOfDay[20_416 + Int(now / Self.day), default: 0] += bytes
            case .over(.reportsPerSession):
                #expect(firsts.count == reports && !firsts.contains(number))
                #expect(budget.usage == before)
            case .over(.bytesPerDay):
                let known = firsts.contains(number)
                #expect((known ? budget.usage.repeatedBytes : budget.usage.bytes) + bytes > bytesPerDay)
            }
            #expect(max(budget.usage.bytes, budget.usage.repeatedBytes) <= bytesPerDay)
        }
        #expect(bytesOfDay.values.allSatisfy { $0 <= bytesPerDay * 2 })
        #expect(bytesOfDay[budget.usage.day, default: 0] == budget.usage.totalBytes)
    }

    @Test(
        arguments: [
            (0, 0, false), (0, 0.999, false), (-0.0, 0, false), (1, 0, true), (1, 0.999, true), (1, 1, true),
            (0.25, 0.2499, true), (0.25, 0.25, false), (0.25, 0.9, false),
            (.nan, 0.9, true), (-0.1, 0.9, true), (1.5, 0.9, true), (50, 0.9, true), (.infinity, 0.9, true),
            (-.infinity, 0.9, true), (1, .nan, true),
        ] as [(Double, Double, Bool)])
    func `a sampling rate selects its share of runs, and an invalid rate selects all`(
        rate: Double, random: Double, isSampled: Bool
    ) {
        #expect(ReportQuota.isSampled(rate: rate, random: random) == isSampled)
    }

    @Test(arguments: [0.01, 0.1, 0.5, 0.9])
    func `the share of many runs is near the sampling rate`(rate: Double) {
        var random = SeededRandom(seed: 7)
        let sampled = (0..<100_000).count { _ in
            ReportQuota.isSampled(rate: rate, random: .random(in: 0..<1, using: &random))
        }
        #expect(abs(Double(sampled) / 100_000 - rate) < 0.01)
    }
}
