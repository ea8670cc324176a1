import LeakGrammar
import LeakMessage
import Testing

@testable import LeakReporter

/// Tests the rules that decide which data is sent at which time. The tests set the time.
@Suite struct OutboxTests {
    private typealias Device = SimulatedDevice

    private func device(
        isInMemory: Bool = false, _ change: (inout LeakReporter.Bounds) -> Void = { _ in }
    ) -> SimulatedDevice {
        var bounds = LeakReporter.Bounds()
        bounds.reportsPerSession = .max
        change(&bounds)
        return SimulatedDevice(bounds, isInMemory: isInMemory)
    }

    private func record(_ names: some Sequence<Int>, on device: Device) {
        for name in names { device.record("Shop.Part\(name)") }
        device.commit()
    }

    private func document(_ batch: SegmentQueue.Batch?) throws -> WireDocument {
        try WireReader.read(try #require(batch).body, as: .json)
    }

    private func names(_ batch: SegmentQueue.Batch?) throws -> [String] {
        let document = try document(batch)
        return document.reports.indices.compactMap { document.report(at: $0).className }
    }

    private let yes = DeliveryResult.accepted(rejected: [], reason: nil)
    private let later = DeliveryResult.postponed(afterMilliseconds: nil, reason: "away")
    private let no = DeliveryResult.rejected(reason: "the collector answered 400")

    // MARK: Batches

    @Test func `if no records wait, no batch is due`() {
        let device = device()
        #expect(device.outbox.next(at: device.now) == .wait(until: nil))
        #expect(device.disk.files.isEmpty)
    }

    @Test(arguments: [false, true])
    func `reports that are recorded within 200 ms are sent in one batch`(isInMemory: Bool) throws {
        let device = device(isInMemory: isInMemory)
        record(0..<1, on: device)
        #expect(device.millisecondsUntilDue() == 200)
        device.advance(byMilliseconds: 150)
        record(1..<10, on: device)
        #expect(device.millisecondsUntilDue() == 50)
        device.advance(byMilliseconds: 50)
        let batch = try #require(device.batch())
        #expect(try names(batch).count == 10)
        device.finish(batch, yes)
        #expect(device.outbox.next(at: device.now) == .wait(until: nil))
        let statistics = device.outbox.statistics
        #expect(statistics.sent == 10 && statistics.batches == 1 && statistics.stored == 10)
        #expect(device.disk.files.isEmpty)
        #expect(device.problems == [])
    }

    @Test func `a batch that has reached its limit of reports or bytes does not wait for more reports`()
        throws
    {
        let device = device()
        record(0..<64, on: device)
        #expect(device.batch() == nil)
        record(64..<65, on: device)
        #expect(try names(device.batch()).count == 64)

        let heavy = self.device { $0.batchBytes = 16 * 1024 }
        for number in 0..<3 {
            var report = LeakReport()
            report.className = "Shop.Part\(number)"
            report.message = String(repeating: "m", count: 7_000)
            heavy.record(report)
        }
        heavy.commit()
        #expect(try names(heavy.batch()).count == 2)
    }

    @Test func `repeated reports of a leak wait longer, and are added up`() throws {
        let device = device()
        for _ in 0..<5 { record(0..<1, on: device) }
        #expect(device.millisecondsUntilDue() == 200)
        device.advance(byMilliseconds: 200)
        let first = try #require(device.batch())
        #expect(first.counts == [5])
        device.finish(first, yes)
        for _ in 0..<7 { record(0..<1, on: device) }
        #expect(device.millisecondsUntilDue() == 60_000)
        device.advance(byMilliseconds: 60_000)
        #expect(try #require(device.batch()).counts == [7])
    }

    @Test func `merged leaks have the highest alive count, and a freed object is a separate report`() throws {
        let device = device()
        for alive in [2, 9, 4] {
            var report = LeakReport()
            report.className = "A"
            report.alive = alive
            device.record(report)
        }
        device.record("A", event: .freed)
        device.advance(byMilliseconds: 200)
        let document = try document(device.batch())
        #expect(document.reports.map(\.count) == [3, 1])
        #expect(document.report(at: 0).alive == 9)
    }

    // MARK: Attempts

    @Test func `a retry sends the same bytes with the same idempotency key, even in the next run`() throws {
        let device = device()
        record(0..<3, on: device)
        device.advance(byMilliseconds: 200)
        let first = try #require(device.batch())
        for failures in 1...3 {
            device.finish(first, later)
            record(0..<1, on: device)
            #expect(device.millisecondsUntilDue() == 1_000 << (failures - 1))
            device.advance(byMilliseconds: 1_000 << (failures - 1))
            #expect(device.batch() == first)
        }
        #expect(device.outbox.statistics.failedAttempts == 3)
        #expect(device.outbox.statistics.lastFailure == "away")
        device.finish(first, later)
        device.restart()
        let second = try #require(device.batch())
        #expect(
            second.idempotencyKey != first.idempotencyKey,
            "a batch that may have been delivered is sent after the others")
        #expect(second.counts == [3])
        device.finish(second, yes)
        #expect(device.batch() == first)
    }

    @Test func `the back-off restarts after a success`() throws {
        let device = device()
        for round in 0..<2 {
            record([round], on: device)
            device.advance(byMilliseconds: 200)
            device.finish(try #require(device.batch()), later)
            #expect(device.millisecondsUntilDue() == 1_000)
            device.advance(byMilliseconds: 1_000)
            device.finish(try #require(device.batch()), yes)
        }
    }

    @Test func `a flush does not shorten the Retry-After of a collector`() throws {
        let device = device()
        record(0..<1, on: device)
        device.advance(byMilliseconds: 200)
        device.finish(try #require(device.batch()), .postponed(afterMilliseconds: 30_000, reason: "busy"))
        #expect(device.millisecondsUntilDue() == 30_000)
        device.outbox.retryAllNow()
        #expect(device.millisecondsUntilDue() == 30_000)
        device.advance(byMilliseconds: 30_000)
        #expect(device.batch() != nil)
    }

    @Test func `a flush shortens the back-off`() throws {
        let device = device()
        record(0..<1, on: device)
        device.outbox.retryAllNow()
        device.finish(try #require(device.batch()), later)
        #expect(device.batch() == nil)
        device.outbox.retryAllNow()
        #expect(device.batch() != nil)
    }

    @Test func `a flush waits for earlier records, but not for later records`() throws {
        let device = device()
        record(0..<3, on: device)
        device.outbox.retryAllNow()
        let batch = try #require(device.batch())
        record(3..<9, on: device)
        #expect(device.outbox.queue.lastCompletedSequence(9) == 0)
        device.finish(batch, yes)
        #expect(device.outbox.queue.lastCompletedSequence(9) == 3)
    }

    // MARK: Answers

    @Test func `reports of a rejected batch are dropped, and the next batch says how many were dropped`()
        throws
    {
        let device = device()
        record(0..<70, on: device)
        device.outbox.record([ClassChecks(className: "A", count: 4)], at: device.now)
        device.commit()
        device.finish(try #require(device.batch()), no)
        device.advance(byMilliseconds: 200)
        let next = try #require(device.batch())
        #expect(try names(next).count == 6)
        #expect(try document(next).dropped == [DroppedReports(reason: "refused", count: 64)])
        device.finish(next, yes)
        #expect(device.outbox.statistics.dropped == [.batchRejected: 64])
        #expect(device.outbox.statistics.sent == 6)
        #expect(device.outbox.statistics.lastFailure == "the collector answered 400")
        device.advance(byMilliseconds: 120_000)
        #expect(device.outbox.next(at: device.now) == .wait(until: nil), "drops are reported once")
    }

    @Test
    func `checks, sessions and counts of dropped reports in a rejected batch are sent with the next batch`()
        throws
    {
        let device = device()
        let session = EndedSession(id: "1", checks: 3, leaks: 0)
        device.outbox.countLost(2, .queueFull)
        record(0..<1, on: device)
        device.outbox.record([ClassChecks(className: "A", count: 4)], at: device.now)
        device.outbox.record(session, at: device.now)
        device.advance(byMilliseconds: 30_000)
        let first = try #require(device.batch())
        #expect(try document(first).dropped == [DroppedReports(reason: "queue_full", count: 2)])
        device.finish(first, no)
        device.advance(byMilliseconds: 30_000)
        let next = try document(device.batch())
        #expect(
            next.dropped.sorted { $0.reason < $1.reason } == [
                DroppedReports(reason: "queue_full", count: 2), DroppedReports(reason: "refused", count: 1),
            ])
        #expect(next.checks == [ClassChecks(className: "A", count: 4)])
        #expect(next.sessions == [session])
    }

    @Test func `checks of a batch without reports are not sent again if the batch is rejected`() throws {
        let device = device()
        device.outbox.record([ClassChecks(className: "A", count: 2)], at: device.now)
        device.advance(byMilliseconds: 30_000)
        device.finish(try #require(device.batch()), no)
        device.advance(byMilliseconds: 600_000)
        #expect(device.outbox.next(at: device.now) == .wait(until: nil))
    }

    @Test
    func `counts of dropped reports are sent again with the next reports if their first batch is rejected`()
        throws
    {
        let device = device()
        device.outbox.countLost(3, .budget)
        device.commit()
        device.advance(byMilliseconds: 30_000)
        device.finish(try #require(device.batch()), no)
        device.advance(byMilliseconds: 600_000)
        #expect(device.outbox.next(at: device.now) == .wait(until: nil))
        record(0..<1, on: device)
        device.advance(byMilliseconds: 200)
        #expect(try document(device.batch()).dropped == [DroppedReports(reason: "budget", count: 3)])
    }

    @Test func `a batch that is too long is halved until it is accepted`() {
        let device = device()
        device.collector.reportLimit = 20
        record(0..<64, on: device)
        device.advance(byMilliseconds: 200)
        var sizes: [Int] = []
        while device.send({ collector, batch, time in
            sizes.append(batch.counts.count)
            return collector.receive(batch, at: time)
        }) { device.commit() }
        #expect(sizes == [64, 32, 16, 16, 32, 16, 16])
        #expect(device.outbox.statistics.sent == 64)
        #expect(device.outbox.statistics.stored == 64)
        #expect(device.outbox.statistics.dropped == [:])
        #expect(device.disk.files.isEmpty)
        #expect(device.problems == [])
    }

    @Test func `a single report that is too long is dropped and counted`() throws {
        let device = device(isInMemory: true)
        record(0..<4, on: device)
        device.advance(byMilliseconds: 200)
        var taken: [String] = []
        while let batch = device.batch() {
            let names = try names(batch)
            let isTooLong = names.contains("Shop.Part2")
            if !isTooLong { taken += names }
            device.finish(batch, isTooLong ? .tooLong(isFinal: true, reason: "413") : yes)
        }
        #expect(taken == ["Shop.Part0", "Shop.Part1", "Shop.Part3"])
        #expect(device.outbox.statistics.dropped == [.tooLong: 1])
        #expect(device.outbox.statistics.stored == 3, "in memory only delivered reports count as stored")
    }

    @Test func `checks that make a report too long are sent separately`() throws {
        let device = device()
        device.outbox.record((0..<4).map { ClassChecks(className: "C\($0)", count: 1) }, at: device.now)
        record(0..<1, on: device)
        device.advance(byMilliseconds: 200)
        device.finish(try #require(device.batch()), .tooLong(isFinal: true, reason: "413"))
        var seen: [(reports: Int, checks: Int)] = []
        while let batch = device.batch() {
            let document = try document(batch)
            seen.append((document.reports.count, document.checks.count))
            device.finish(batch, document.checks.count > 2 ? .tooLong(isFinal: true, reason: "413") : yes)
        }
        #expect(seen.map(\.reports) == [0, 0, 0, 1])
        #expect(seen.map(\.checks) == [4, 2, 2, 0])
    }

    @Test(arguments: [(0, 0), (1, 9), (2, 16), (3, 17), (Int.max, 17)])
    func `rejected reports without an index count as those with the most sightings`(
        unnamed: Int, sightings: Int
    ) throws {
        let device = device()
        for (name, count) in [("A", 5), ("B", 7), ("C", 1), ("D", 9)] { device.record(name, count: count) }
        device.advance(byMilliseconds: 200)
        device.finish(
            try #require(device.batch()),
            .accepted(rejected: [0], unnamedRejections: unnamed, reason: "class is 700 bytes"))
        #expect(device.outbox.statistics.sent == 17 - sightings)
        #expect(device.outbox.statistics.dropped == [.reportRejected: 5 + sightings])
    }

    @Test func `reports that the collector rejected are counted, but not sent to it as dropped reports`()
        throws
    {
        let device = device()
        device.record("A", count: 5)
        record(0..<2, on: device)
        device.advance(byMilliseconds: 200)
        device.finish(
            try #require(device.batch()), .accepted(rejected: [0, 77], reason: "class is 700 bytes"))
        #expect(device.outbox.statistics.sent == 2)
        #expect(device.outbox.statistics.dropped == [.reportRejected: 5])
        #expect(device.outbox.statistics.lastFailure?.contains("class is 700 bytes") == true)
        record(5..<6, on: device)
        device.advance(byMilliseconds: 200)
        #expect(try document(device.batch()).dropped == [])
    }

    @Test func `with a rejected key the reporter tries again after 1,500 ms and then each hour`() throws {
        let device = device()
        record(0..<2, on: device)
        device.advance(byMilliseconds: 200)
        let first = try #require(device.batch())
        device.finish(first, .unauthorized(reason: "the collector answered 401: unknown key"))
        #expect(device.millisecondsUntilDue() == 1_500, "a new key may not be known to every collector yet")
        device.advance(byMilliseconds: 1_500)
        for _ in 0..<50 {
            device.finish(
                try #require(device.batch()), .unauthorized(reason: "the collector answered 401: unknown key")
            )
            device.outbox.retryAllNow()
            device.advance(byMilliseconds: 3_599_000)
            #expect(device.batch() == nil)
            device.advance(byMilliseconds: 1_000)
        }
        #expect(!device.outbox.statistics.isStopped)
        #expect(device.outbox.statistics.waiting == 2)
        #expect(device.outbox.statistics.lastFailure?.contains("unknown key") == true)
        device.finish(try #require(device.batch()), yes)
        #expect(device.outbox.statistics.sent == 2)
    }

    /// A batch that the collector may have counted is dropped after six days. These batches stay for 28 days.
    @Test(arguments: [
        DeliveryResult.notCounted(reason: "404"), .unauthorized(reason: "401"), .forbidden(reason: "403"),
    ])
    func `batches that were certainly not counted stay unchanged for four weeks and over restarts`(
        answer: DeliveryResult
    ) throws {
        let device = device()
        record(0..<3, on: device)
        device.commit()
        device.advance(byMilliseconds: 60_000)
        let bytes = device.disk.files.values.reduce(0) { $0 + $1.count }
        for _ in 0..<28 {
            for _ in 0..<4 {
                guard let batch = device.batch() else { break }
                device.finish(batch, answer)
                device.advance(byMilliseconds: 3_600_000)
            }
            #expect(device.disk.files.values.reduce(0) { $0 + $1.count } == bytes)
            device.advance(byMilliseconds: 20 * 3_600_000)
            device.restart()
        }
        #expect(device.outbox.statistics.waiting == 3)
        #expect(device.send())
        device.commit()
        #expect(device.collector.counted == ["Shop.Part0": 1, "Shop.Part1": 1, "Shop.Part2": 1])
        #expect(device.dropped == [:] && device.disk.files.isEmpty)
        #expect(device.problems + device.collector.problems == [])
    }

    @Test func `a batch that is not counted is sent after the other batches`() throws {
        let device = device()
        for user in ["a", "b", "c"] {
            device.outbox.setInstall(user)
            device.record(user)
            device.advance(byMilliseconds: 5)
        }
        device.commit()
        device.advance(byMilliseconds: 60_000)
        var order: [String] = []
        for _ in 0..<6 {
            guard let batch = device.batch() else { break }
            let name = try names(batch).joined()
            order.append(name)
            device.finish(batch, name == "a" ? .notCounted(reason: "blocked") : yes)
            device.advance(byMilliseconds: 60_000)
        }
        #expect(order == ["a", "b", "c", "a", "a", "a"])
        #expect(device.outbox.statistics.sent == 2 && device.outbox.statistics.waiting == 1)
    }

    /// After an update that changed the app's id, reports with the former id are still waiting.
    @Test func `an app that the key may not write for does not block reports of other apps`() throws {
        let device = device()
        record(0..<2, on: device)
        device.commit()
        let (name, bytes) = try #require(device.disk.files.first)
        var header = SegmentHeader(key: "k1", app: AppInfo(id: "com.acme.old"), device: DeviceInfo())
        var other: [UInt8] = []
        for key in ["k1", "k2"] {
            header.key = key
            other = []
            SegmentRecord.header(header).write(to: &other)
            SegmentRecord.checks(ClassChecks(className: "C", count: 1)).write(to: &other)
            device.disk.files[key + Segment.fileEnding] = other
        }
        device.restart()
        #expect(device.disk.files[name] == bytes)
        var apps: [String?] = []
        for _ in 0..<5 {
            guard let batch = device.batch() else { break }
            let parsed = try document(batch)
            let app = parsed.app(parsed.origin).id
            apps.append(app)
            device.finish(batch, app == "com.acme.old" ? .forbidden(reason: "403") : yes)
        }
        #expect(apps == ["com.acme.shop", "com.acme.old"])
        record(5..<6, on: device)
        device.commit()
        device.advance(byMilliseconds: 60_000)
        device.finish(try #require(device.batch()), yes)
        #expect(device.outbox.statistics.sent == 3)
        #expect(device.batch() == nil)
        #expect(device.millisecondsUntilDue() == 3_600_000 - 60_000)
        device.advance(byMilliseconds: 3_600_000)
        for _ in 0..<2 { device.finish(try #require(device.batch()), yes) }
        #expect(device.disk.files.isEmpty)
    }

    @Test func `a report that is too long for a gateway waits, and blocks no other report`() throws {
        let device = device()
        record(0..<4, on: device)
        device.advance(byMilliseconds: 200)
        var taken: [String] = []
        for _ in 0..<20 {
            device.advance(byMilliseconds: 60_000)
            guard let batch = device.batch() else { break }
            let names = try names(batch)
            let isTooLong = names.contains("Shop.Part2")
            if !isTooLong { taken += names }
            device.finish(batch, isTooLong ? .tooLong(isFinal: false, reason: "413") : yes)
        }
        #expect(Set(taken) == ["Shop.Part0", "Shop.Part1", "Shop.Part3"])
        #expect(device.outbox.statistics.dropped == [:])
        #expect(device.outbox.statistics.waiting == 1)
        #expect(device.problems == [])
    }

    // MARK: Age and bounds

    /// The arguments are the milliseconds by which the wall clock moves, and `true` if the batch is then dropped. The collector
    /// remembers an idempotency key for seven days.
    @Test(arguments: [
        (6 * 86_400_000, true), (6 * 86_400_000 - 1, false), (30 * 86_400_000, true),
        (-86_400_000 - 1, true), (-86_400_000, false), (0, false),
    ])
    func `a batch is dropped after six days, or when the clock was set back by more than one day`(
        wall: Int, isDropped: Bool
    ) throws {
        for isRestarted in [false, true] {
            let device = device()
            record(0..<1, on: device)
            device.outbox.record([ClassChecks(className: "A", count: 4)], at: device.now)
            device.advance(byMilliseconds: 200)
            let first = try #require(device.batch())
            device.finish(first, later)
            if isRestarted { device.restart() }
            device.advance(byMilliseconds: 1_000)
            device.now.wallTime = WireTime(
                milliseconds: 1_764_000_000_200 + Int64(wall))
            let next = device.batch()
            #expect((next == first) != isDropped)
            #expect(device.outbox.statistics.dropped == (isDropped ? [.tooOld: 1] : [:]))
            guard isDropped else { continue }
            // The collector may have counted the batch, so none of its contents is sent again under another key.
            device.commit()
            device.advance(byMilliseconds: 30_000)
            let told = try document(device.batch())
            #expect(told.dropped == [DroppedReports(reason: "too_old", count: 1)])
            #expect(told.checks == [] && told.reports.isEmpty)
        }
    }

    @Test func `a session that does not poll the app for checks causes no wake-ups`() {
        let device = device()
        device.outbox.startSession(isPolled: false, at: device.now)
        device.advance(byMilliseconds: 3_600_000)
        #expect(device.outbox.next(at: device.now) == .wait(until: nil))
    }

    @Test(arguments: [(29, true), (30, false)])
    func `unsent reports expire after 30 days`(days: Int, isSent: Bool) throws {
        let device = device()
        record(0..<1, on: device)
        device.advance(byMilliseconds: 1_000, asleep: days * 86_400_000)
        #expect((device.batch() != nil) == isSent)
        #expect(device.outbox.statistics.dropped == (isSent ? [:] : [.tooOld: 1]))
    }

    @Test(arguments: [false, true])
    func `beyond the limit of bytes the oldest records are dropped, but not those being sent`(
        isInMemory: Bool
    ) throws {
        let device = device(isInMemory: isInMemory) {
            $0.diskBytes = 80 * 1024
            $0.memoryBytes = 64 * 1024
            $0.batchReports = 10
        }
        record(0..<11, on: device)
        let first = try #require(device.batch())
        for number in 11..<500 { record(number..<(number + 1), on: device) }
        let statistics = device.outbox.statistics
        let dropped = try #require(statistics.dropped[.queueFull])
        #expect(statistics.waiting == 500 - dropped && dropped.isMultiple(of: 10) && dropped > 0)
        #expect(device.disk.files.values.reduce(0) { $0 + $1.count } < 72 * 1024)
        device.finish(first, yes)
        #expect(try names(device.batch()).first == "Shop.Part\(dropped + 10)")
        device.drain()
        #expect(device.problems + device.collector.problems == [])
        if !isInMemory { #expect(device.collector.reportedDrops == ["queue_full": dropped]) }
    }

    @Test func `on a full disk records stay in memory, and they are stored once there is room`() throws {
        let device = device { $0.memoryBytes = 64 * 1024 }
        device.disk.fault = { _, kind in kind == "append" ? .failure(28, written: 100) : .none }
        for number in 0..<50 { record(number..<(number + 1), on: device) }
        #expect(device.outbox.statistics.storageFailure?.contains("write") == true)
        #expect(device.outbox.statistics.waiting == 50)
        #expect(device.outbox.statistics.stored < 50)
        device.disk.fault = { _, _ in .none }
        device.commit()
        #expect(device.outbox.statistics.storageFailure == nil)
        #expect(device.outbox.statistics.stored == 50)
        device.restart()
        #expect(device.outbox.statistics.waiting == 50)
        device.drain()
        #expect(device.problems == [])
        #expect(device.collector.counted.values.reduce(0, +) == 50)
    }

    @Test func `different leaks beyond the limit of a session are dropped and counted`() throws {
        let device = device { $0.reportsPerSession = 2 }
        record([0, 1, 2, 2, 0, 3], on: device)
        #expect(device.outbox.statistics.dropped == [.budget: 3])
        device.advance(byMilliseconds: 200)
        let first = try document(device.batch())
        #expect(first.reports.map(\.count) == [2, 1])
        #expect(first.dropped == [DroppedReports(reason: "budget", count: 3)])
    }
}
