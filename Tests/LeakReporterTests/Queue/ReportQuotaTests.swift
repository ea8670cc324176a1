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

    private func quota(reports: Int = 100, bytes: Int = 1_000_000) -> ReportQuota {
        ReportQuota(maxReportsPerSession: reports, maxBytesPerDay: bytes)
    }

    /// Returns the results for several sightings in a row. A call inside `#expect` could not change the quota.
    private func results(
        _ quota: inout ReportQuota, _ asked: [(key: Int, bytes: Int, at: Int64)]
    ) -> [ReportQuota.QuotaResult] {
        var results: [ReportQuota.QuotaResult] = []
        for (number, bytes, at) in asked {
            results.append(quota.admit(key(number), bytes: bytes, at: time(at)))
        }
        return results
    }

    @Test func `a leak counts as new once in each session`() {
        var quota = quota()
        #expect(
            results(&quota, [(1, 10, 0), (1, 10, 1), (2, 10, 2), (1, 10, 3)]) == [
                .first, .again, .first, .again,
            ])
        #expect(
            quota.usage == DailyByteUsage(day: 20_416, newBytes: 20, repeatedBytes: 20),
            "the bytes of repeated sightings are counted separately")
        quota.startSession()
        #expect(results(&quota, [(1, 10, 4), (1, 10, 5)]) == [.first, .again])
        #expect(quota.usage == DailyByteUsage(day: 20_416, newBytes: 30, repeatedBytes: 30))
    }

    @Test func `a leak that repeats all day does not use the quota of new leaks`() {
        var quota = quota(bytes: 1_000)
        for _ in 0..<96 { _ = quota.admit(key(0), bytes: 10, at: time(0)) }
        for number in 1...10 {
            #expect(quota.admit(key(number), bytes: 90, at: time(1)) == .first)
        }
        #expect(quota.usage.totalBytes <= 2 * 1_000)
        for _ in 0..<96 { _ = quota.admit(key(0), bytes: 10, at: time(2)) }
        let last = quota.admit(key(0), bytes: 60, at: time(3))
        #expect(last == .over(.bytesPerDay), "repeats have a limit too")
    }

    @Test
    func `the number of different leaks in a session is limited, and repeats of accepted leaks are accepted`()
    {
        var quota = quota(reports: 2)
        #expect(
            results(&quota, [(1, 1, 0), (2, 1, 0), (3, 1, 0), (1, 1, 0), (3, 1, 0)]) == [
                .first, .first, .over(.reportsPerSession), .again, .over(.reportsPerSession),
            ])
        quota.startSession()
        #expect(results(&quota, [(3, 1, 0)]) == [.first])
        #expect(quota.usage.totalBytes == 4, "rejected sightings use no bytes")
    }

    @Test func `the limit of bytes per day applies to all sessions together`() {
        var quota = quota(bytes: 100)
        #expect(
            results(&quota, [(1, 60, 0), (2, 41, 1), (3, 40, 2), (4, 1, 3), (1, 60, 4)]) == [
                .first, .over(.bytesPerDay), .first, .over(.bytesPerDay), .again,
            ])
        quota.startSession()
        #expect(
            results(&quota, [(1, 1, Self.day - 1), (1, 100, Self.day), (2, 1, Self.day)]) == [
                .over(.bytesPerDay), .first, .over(.bytesPerDay),
            ])
        #expect(quota.usage == DailyByteUsage(day: 20_417, newBytes: 100))
    }

    @Test func `a leak that exceeds the byte limit of a day counts as new on the next day`() {
        var quota = quota(bytes: 10)
        #expect(
            results(&quota, [(1, 10, 0), (2, 10, 1), (2, 10, Self.day - 1), (2, 10, Self.day)]) == [
                .first, .over(.bytesPerDay), .over(.bytesPerDay), .first,
            ])
    }

    @Test
    func `a leak that is seen again with other custom keys uses the byte quota, but not the quota of leaks`()
    {
        var quota = quota(reports: 1, bytes: 100)
        func admit(_ report: Int, _ bytes: Int) -> ReportQuota.QuotaResult {
            quota.admit(key(1), as: key(report), bytes: bytes, at: time(0))
        }
        let results = [admit(10, 60), admit(11, 40), admit(11, 40), admit(12, 1), admit(10, 60)]
        #expect(results == [.first, .again, .again, .over(.bytesPerDay), .again])
        #expect(quota.usage == DailyByteUsage(day: 20_416, newBytes: 100, repeatedBytes: 100))
        #expect(admit(11, 1) == .over(.bytesPerDay), "repeats may use no more bytes than new leaks")
    }

    /// One leak is seen each minute for a day, and a new leak every two hours.
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
            device.advance(byMilliseconds: 60_000)
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
        #expect(device.collector.counted["Shop.Cart"] == 1_439, "no sighting is lost")
        #expect(device.collector.counted.count == 13)
        #expect(device.problems + device.collector.problems == [])
    }

    /// There are more leaks than fit into a batch, so that no batch waits to be filled with repeats.
    @Test(arguments: [false, true])
    func `at most twice the daily byte limit is sent, for repeated leaks of one user or of three`(
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
            device.advance(byMilliseconds: 1_000)
        }
        #expect(bytes > 50_000 && bytes < 200_000)
        #expect(device.outbox.quota.usage.newBytes <= 200_000)
        device.drain()
        let dropped = device.dropped[.budget] ?? 0
        #expect(device.collector.counted.values.reduce(0, +) + dropped == 20_000)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `a process that never ends begins a new session each day`() {
        var quota = quota(reports: 1)
        #expect(
            results(
                &quota,
                [
                    (1, 1, 5), (1, 1, Self.day + 4), (2, 1, Self.day + 4), (2, 1, Self.day + 5),
                    (2, 1, Self.day * 2 + 4), (1, 1, Self.day * 2 + 5),
                ]) == [.first, .again, .over(.reportsPerSession), .first, .again, .first])
    }

    @Test func `a session begins with its first sighting`() {
        var quota = quota()
        _ = quota.admit(key(1), bytes: 1, at: time(0))
        quota.startSession()
        let later = Self.day / 2
        #expect(
            results(&quota, [(1, 1, later), (1, 1, later + Self.day - 1), (1, 1, later + Self.day)]) == [
                .first, .again, .first,
            ])
    }

    @Test func `a clock that was years ahead does not make the session last for years`() {
        var quota = quota()
        #expect(
            results(
                &quota, [(1, 1, Self.day * 5000), (1, 1, 0), (1, 1, Self.day - 1), (1, 1, Self.day)])
                == [.first, .again, .again, .first])
    }

    /// The clock is corrected at midnight again and again.
    @Test func `a clock that swings around midnight renews the day's quota once`() {
        var quota = quota(reports: 1_000, bytes: 100)
        var admitted = 0
        for step in 0..<100 {
            let at = time(step.isMultiple(of: 2) ? -50 : 50)
            if quota.admit(key(step), bytes: 10, at: at) == .first { admitted += 1 }
        }
        // The day before accepted one report, before the first midnight.
        #expect(admitted == 11)
        #expect(quota.usage == DailyByteUsage(day: 20_416, newBytes: 100))
    }

    @Test
    func `after a clock was far ahead, usage counts for the right day, and the quota is not granted again`() {
        var quota = quota(bytes: 100)
        #expect(
            results(
                &quota,
                [
                    (1, 100, Self.day * 5000), (2, 1, 0), (3, 1, Self.day - 1), (4, 100, Self.day),
                    (5, 1, Self.day),
                ]) == [
                    .first, .over(.bytesPerDay), .over(.bytesPerDay), .first, .over(.bytesPerDay),
                ])
        #expect(quota.usage.day == 20_417)
    }

    @Test
    func `a new process counts the bytes that earlier processes used on the same day, not the day before`() {
        var quota = ReportQuota(
            maxReportsPerSession: 10, maxBytesPerDay: 100, usage: DailyByteUsage(day: 20_416, newBytes: 90))
        #expect(results(&quota, [(1, 11, 0), (1, 10, 0)]) == [.over(.bytesPerDay), .first])
        quota.usage = DailyByteUsage(day: 20_415, newBytes: 100)
        #expect(results(&quota, [(2, 100, 0)]) == [.first], "the bytes of the day before do not count")
    }

    /// A file may contain any value, and a clock may show any time.
    @Test(arguments: [Int.min, Int.min + 1, -1, 0, 20_416, Int.max])
    func `no number of days or bytes in the usage file causes a crash`(number: Int) {
        for bytes in [Int.min, -1, 0, 99, Int.max] {
            for milliseconds in [Int64.min, Int64.min + 1, -1, 0, Self.midnight, .max] {
                var quota = ReportQuota(
                    maxReportsPerSession: 10, maxBytesPerDay: 100,
                    usage: DailyByteUsage(day: number, newBytes: bytes))
                for at in [milliseconds, Self.midnight, milliseconds] {
                    let time = WireTime(milliseconds: at)
                    _ = quota.admit(key(1), bytes: 1, at: time)
                    _ = quota.admit(key(2), bytes: .max, at: time)
                    _ = quota.admit(key(3), bytes: .min, at: time)
                    #expect(quota.usage.newBytes <= 102 || quota.usage.newBytes == bytes)
                }
            }
        }
    }

    /// Sightings, sessions and steps of the clock in random order.
    @Test(arguments: 0..<50)
    func `neither the leaks of a session nor the bytes of a day exceed their limits`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let bytesPerDay = Int.random(in: 0...2_000, using: &random)
        let reports = Int.random(in: 0...20, using: &random)
        var quota = quota(reports: reports, bytes: bytesPerDay)
        var now: Int64 = 0
        var beganAt: Int64?
        var firsts: Set<Int> = []
        var bytesOfDay: [Int: Int] = [:]
        for _ in 0..<1_000 {
            // Advances by up to an hour at a time, so that sessions end after a day too.
            now += Int64.random(in: 0...3_600_000, using: &random)
            if Int.random(in: 0..<50, using: &random) == 0 {
                quota.startSession()
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
            let before = quota.usage
            switch quota.admit(key(number), bytes: bytes, at: time(now)) {
            case .first:
                #expect(!firsts.contains(number) && firsts.count < reports)
                firsts.insert(number)
                #expect(quota.usage.newBytes <= bytesPerDay)
                bytesOfDay[20_416 + Int(now / Self.day), default: 0] += bytes
            case .again:
                #expect(firsts.contains(number))
                bytesOfDay[20_416 + Int(now / Self.day), default: 0] += bytes
            case .over(.reportsPerSession):
                #expect(firsts.count == reports && !firsts.contains(number))
                #expect(quota.usage == before)
            case .over(.bytesPerDay):
                let known = firsts.contains(number)
                #expect((known ? quota.usage.repeatedBytes : quota.usage.newBytes) + bytes > bytesPerDay)
            }
            #expect(max(quota.usage.newBytes, quota.usage.repeatedBytes) <= bytesPerDay)
        }
        #expect(bytesOfDay.values.allSatisfy { $0 <= bytesPerDay * 2 })
        #expect(bytesOfDay[quota.usage.day, default: 0] == quota.usage.totalBytes)
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
    func `the share of selected runs is near the sampling rate`(rate: Double) {
        var random = SeededRandom(seed: 7)
        let sampled = (0..<100_000).count { _ in
            ReportQuota.isSampled(rate: rate, random: .random(in: 0..<1, using: &random))
        }
        #expect(abs(Double(sampled) / 100_000 - rate) < 0.01)
    }
}
