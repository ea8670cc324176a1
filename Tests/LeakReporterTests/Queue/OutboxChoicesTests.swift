import LeakGrammar
import LeakMessage
import Testing
import LeakPlatform

@testable import LeakReporter

/// Choices of the app about its reports, and the data that is sent with them.
@Suite struct OutboxChoicesTests {
    private func document(_ batch: SegmentQueue.Batch?) throws -> WireDocument {
        try WireReader.read(try #require(batch).body, as: .json)
    }

    private let yes = DeliveryResult.accepted(rejected: [], reason: nil)

    // MARK: Permission to send

    @Test func `if sendsAutomatically is false, nothing is sent before the app requests it`() throws {
        let device = SimulatedDevice(sendsAutomatically: false)
        device.record("A")
        device.outbox.record([ClassChecks(className: "A", count: 2)], at: device.now)
        device.advance(byMilliseconds: 5)
        device.outbox.setInstall("u")
        device.record("B")
        device.commit()
        device.advance(byMilliseconds: 3_600_000)
        #expect(device.batch() == nil)
        device.restart()
        device.advance(byMilliseconds: 3_600_000)
        #expect(device.outbox.next(at: device.now) == .wait(until: nil))
        device.outbox.retryAllNow()
        for name in ["A", "B"] {
            let batch = try #require(device.batch())
            #expect(try document(batch).report(at: 0).className == name)
            device.finish(batch, yes)
        }
        device.record("C")
        device.commit()
        device.advance(byMilliseconds: 3_600_000)
        #expect(device.batch() == nil, "the request applied only to waiting reports")
    }

    @Test func `when collection is off, everything is deleted and nothing is stored`() throws {
        let device = SimulatedDevice()
        device.record("A", count: 3)
        device.outbox.log("line")
        device.outbox.set(.boolean(true), forKey: "key")
        device.outbox.startSession(isPolled: true, at: device.now)
        device.outbox.record([ClassChecks(className: "A", count: 2)], at: device.now)
        device.outbox.countLost(1, .budget)
        device.commit()
        #expect(device.disk.files.count == 2)
        device.outbox.countLost(4, .budget)
        device.outbox.setCollecting(false, at: device.now)
        device.commit()
        #expect(device.disk.files.isEmpty)
        #expect(device.outbox.statistics.dropped == [.deleted: 3, .budget: 5])
        #expect(!device.outbox.statistics.isCollecting && device.outbox.statistics.waiting == 0)

        var report = LeakReport()
        report.className = "B"
        device.outbox.record(report, at: device.now)
        device.outbox.record([ClassChecks(className: "A", count: 2)], at: device.now)
        device.outbox.record(EndedSession(id: "1", checks: 1, leaks: 0), at: device.now)
        device.outbox.startSession(isPolled: true, at: device.now)
        device.outbox.log("secret")
        device.outbox.set(.boolean(true), forKey: "secret")
        device.outbox.setUser("secret")
        device.outbox.countLost(2, .queueFull)
        device.outbox.retryAllNow()
        device.outbox.commit(at: device.now)
        device.outbox.endSession(at: device.now)
        device.outbox.commit(at: device.now)
        #expect(device.batch() == nil)
        #expect(device.disk.files.isEmpty)

        device.outbox.setCollecting(true, at: device.now)
        device.outbox.record(report, at: device.now)
        device.outbox.commit(at: device.now)
        device.advance(byMilliseconds: 200)
        let document = try document(device.batch())
        #expect(document.dropped == [] && document.checks == [] && document.sessions == [])
        #expect(document.string(document.origin.user) == nil)
        let sent = document.report(at: 0)
        #expect(sent.user == nil)
        #expect(sent.log == [] && sent.keys == [] && document.reports.count == 1)
    }

    @Test func `switching collection off deletes data of earlier runs too, including their sessions`() {
        let device = SimulatedDevice()
        device.record("A", count: 3)
        device.outbox.startSession(isPolled: true, at: device.now)
        device.outbox.record([ClassChecks(className: "A", count: 2)], at: device.now)
        device.commit()
        let next = Outbox(
            queue: SegmentQueue(
                bounds: device.bounds, origin: SegmentHeader(key: "", app: AppInfo(), device: DeviceInfo()),
                folder: FakeFolder(device.disk)),
            backoff: Backoff.ofReporter, quota: device.outbox.quota,
            configuration: LeakReporter.Configuration(endpoint: "", key: "", app: AppInfo()))
        var outbox = next
        outbox.setCollecting(false, at: device.now)
        outbox.commit(at: device.now)
        #expect(device.disk.files.isEmpty)
        #expect(outbox.statistics.dropped == [.deleted: 3])
    }

    @Test func `reports of a batch that is deleted while it is being sent are not counted twice`() throws {
        for answer in [
            yes, .rejected(reason: "no"), .tooLong(isFinal: true, reason: "413"),
            .postponed(afterMilliseconds: nil, reason: ""),
        ] {
            let device = SimulatedDevice()
            for name in ["A", "B"] { device.record(name) }
            device.advance(byMilliseconds: 200)
            let batch = try #require(device.batch())
            device.outbox.deleteAll(at: device.now)
            device.finish(batch, answer)
            #expect(device.outbox.statistics.dropped == [.deleted: 2])
            #expect(device.outbox.statistics.sent == 0 && device.outbox.statistics.waiting == 0)
            #expect(device.outbox.queue.isEmpty && device.disk.files.isEmpty)
        }
    }

    @Test func `a run that the sampling rate does not select sends nothing`() {
        let device = SimulatedDevice(isSampledOut: true)
        device.outbox.startSession(isPolled: true, at: device.now)
        device.record("A", count: 3)
        device.outbox.record([ClassChecks(className: "A", count: 2)], at: device.now)
        device.outbox.record(EndedSession(id: "1", checks: 1, leaks: 0), at: device.now)
        device.outbox.countLost(5, .queueFull)
        device.commit()
        #expect(!device.disk.files.keys.contains { $0.hasSuffix(SessionLog.fileEnding) })
        device.advance(byMilliseconds: 30_000)
        device.outbox.retryAllNow()
        #expect(device.batch() == nil)
        #expect(device.disk.files.isEmpty)
        #expect(device.outbox.statistics.dropped == [.sampled: 3, .queueFull: 5])
    }

    @Test func `records of a misconfigured reporter are counted and not stored`() {
        let device = SimulatedDevice(blockingReason: .misconfigured)
        device.record("A", count: 3)
        device.outbox.record([ClassChecks(className: "A", count: 2)], at: device.now)
        device.outbox.startSession(isPolled: true, at: device.now)
        device.commit()
        #expect(device.outbox.statistics.dropped == [.misconfigured: 3])
        #expect(device.disk.files.isEmpty)
    }

    @Test func `beforeSend may change a report or drop it`() throws {
        let device = SimulatedDevice { report in
            guard report.className != "Secret" else { return nil }
            var changed = report
            changed.reason = "changed"
            changed.message = String(repeating: "m", count: 100_000)
            return changed
        }
        device.record("A", count: 2)
        device.record("Secret", count: 4)
        device.commit()
        device.advance(byMilliseconds: 200)
        let document = try document(device.batch())
        #expect(document.reports.count == 1 && document.report(at: 0).reason == "changed")
        #expect(document.report(at: 0).message?.utf8.count == WireLimits.messageBytes)
        #expect(document.report(at: 0).count == 2)
        #expect(document.dropped == [DroppedReports(reason: "before_send", count: 4)])
    }

    // MARK: Content of batches

    @Test func `custom values and log lines are sent with the reports that follow them`() throws {
        let device = SimulatedDevice()
        device.record("A")
        device.outbox.log("one")
        device.outbox.set(.string("v"), forKey: "k")
        device.record("B")
        device.outbox.set(nil, forKey: "k")
        device.record("C")
        device.advance(byMilliseconds: 200)
        let document = try document(device.batch())
        #expect((0..<3).map { document.report(at: $0).log } == [[], ["one"], ["one"]])
        #expect((0..<3).map { document.report(at: $0).keys } == [[], [CustomKey("k", .string("v"))], []])
    }

    @Test func `errors with different userInfo are sent as separate reports`() throws {
        let device = SimulatedDevice()
        for variant in ["A", "B", "B"] {
            var report = LeakReport()
            report.error = ReportedError(
                domain: "Shop", code: 7, userInfo: [CustomKey("experiment", .string(variant))])
            device.record(report)
        }
        device.commit()
        device.advance(byMilliseconds: 200)
        let document = try document(device.batch())
        #expect(document.reports.map(\.count) == [1, 2])
        let userInfo = (0..<2).map { document.report(at: $0).error?.userInfo }
        #expect(
            userInfo == [
                [CustomKey("experiment", .string("A"))], [CustomKey("experiment", .string("B"))],
            ])
    }

    @Test func `a new install identifier begins a new batch, and a new user does not`() throws {
        let device = SimulatedDevice()
        device.record("A")
        device.outbox.setUser("one")
        device.record("A")
        device.record("B")
        device.outbox.setUser("")
        device.record("B")
        device.outbox.setInstall("i")
        device.record("C")
        device.commit()
        device.advance(byMilliseconds: 200)
        var users: [[String]] = []
        var installs: [String?] = []
        while let batch = device.batch() {
            let document = try document(batch)
            installs.append(document.string(document.origin.install))
            users.append(
                document.reports.indices.map {
                    let report = document.report(at: $0)
                    return "\(report.className ?? "") \(report.user ?? "-")"
                })
            device.finish(batch, yes)
        }
        #expect(installs == [nil, "i"])
        #expect(users == [["A -", "A one", "B one", "B -"], ["C -"]])
    }

    @Test func `users that alternate do not cause more files or batches`() {
        let device = SimulatedDevice()
        for round in 0..<6_000 {
            device.outbox.setUser(round % 2 == 0 ? "a" : "b")
            device.record("Shop.Cart")
            if round % 50 == 49 { device.commit() }
        }
        #expect(device.disk.files.count == 1)
        device.advance(byMilliseconds: 60_000)
        var batches = 0
        while device.send() {
            device.commit()
            batches += 1
        }
        #expect(batches == 1)
        #expect(device.outbox.statistics.sent == 6_000)
        #expect(device.problems + device.collector.problems == [])
    }

    /// Each file is as small as a batch can be, but uses a whole block of the disk.
    @Test func `the number of waiting files is limited`() {
        let device = SimulatedDevice()
        for number in 0..<3_000 {
            device.outbox.setInstall("\(number)")
            device.record("Shop.Cart")
            device.commit()
        }
        #expect(device.disk.files.count <= device.bounds.diskBytes / 4096)
        let statistics = device.outbox.statistics
        #expect(statistics.waiting > 1_900)
        #expect(statistics.dropped == [.queueFull: 3_000 - statistics.waiting])
    }

    @Test func `checks are added up and sent with the next reports, or alone after half a minute`() throws {
        let device = SimulatedDevice()
        device.outbox.record(
            [ClassChecks(className: "B", count: 1), ClassChecks(className: "A", count: 2)], at: device.now)
        device.outbox.record(
            [
                ClassChecks(className: "B", count: 5), ClassChecks(className: "", count: 5),
                ClassChecks(className: "C", count: -1),
            ], at: device.now)
        #expect(device.millisecondsUntilDue() == 30_000)
        device.record("A")
        device.advance(byMilliseconds: 200)
        let batch = try #require(device.batch())
        #expect(
            try document(batch).checks == [
                ClassChecks(className: "A", count: 2), ClassChecks(className: "B", count: 6),
            ])
        device.finish(batch, yes)
        #expect(device.outbox.next(at: device.now) == .wait(until: nil))
        device.outbox.record([ClassChecks(className: "A", count: 2)], at: device.now)
        device.advance(byMilliseconds: 30_000)
        #expect(try document(device.batch()).reports.isEmpty)
    }

    /// These are more sessions and classes than fit into one batch.
    @Test func `three thousand sessions and classes are sent in several batches`() throws {
        let device = SimulatedDevice()
        for number in 0..<3_000 {
            device.outbox.record(EndedSession(id: "\(number)", checks: 1, leaks: 0), at: device.now)
            device.outbox.record([ClassChecks(className: "C\(number)", count: 1)], at: device.now)
        }
        device.commit()
        device.drain()
        #expect(device.problems + device.collector.problems == [])
        #expect(device.collector.sessions.count == 3_000)
        #expect(device.collector.checks.count == 3_000)
    }
}
