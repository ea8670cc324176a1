import LeakGrammar
import LeakMessage
import LeakTransport
import Testing

@testable import LeakReporter

/// The retain explanation of a leak is sent after its report.
@Suite struct ExplanationTests {
    private func explained(_ name: String = "Shop.Cart", fieldBytes: Int = 6) -> LeakReport {
        var report = LeakReport()
        report.className = name
        report.id = "019324a0-0000-7000-8000-000000000001"
        var explanation = RetainExplanation()
        explanation.confidence = .proven
        let field = String(repeating: "f", count: fieldBytes)
        explanation.path = RetainPath(
            references: [RetainReference(owner: name, field: field, kind: .property, isClosure: true)],
            target: name, isCycle: true)
        explanation.cost = .init(bytes: 14_210, objects: 9, isAtLeast: false)
        report.explanation = explanation
        return report
    }

    private func record(_ report: LeakReport, on device: SimulatedDevice) {
        device.record(explanationOf: report)
        device.commit()
    }

    /// Sends all due batches for an hour, and reads each batch.
    private func sent(
        by device: SimulatedDevice,
        _ answer: @escaping (Int) -> DeliveryResult = { _ in .accepted(rejected: [], reason: nil) }
    ) throws -> [WireDocument] {
        var documents: [WireDocument] = []
        for _ in 0..<360 {
            device.advance(byMilliseconds: 10_000)
            var body: [UInt8] = []
            let isSent = device.send { _, batch, _ in
                body = batch.body
                return answer(documents.count)
            }
            if isSent { documents.append(try WireReader.read(body, as: .json)) }
            device.commit()
        }
        #expect(device.problems == [])
        return documents
    }

    @Test func `an explanation is sent with its report, or after it, and is not counted as a report`() throws
    {
        let device = SimulatedDevice()
        device.record("Shop.Cart")
        record(explained(), on: device)
        let document = try #require(try sent(by: device).first)
        #expect(document.reports.count == 1 && document.explanations.count == 1)
        let report = document.report(document.explanations[0])
        #expect(report.id == explained().id && report.className == "Shop.Cart" && report.at != nil)
        #expect(report.explanation == explained().explanation)
        record(explained("Shop.Home"), on: device)
        let later = try #require(try sent(by: device).first)
        #expect(later.reports.isEmpty && later.explanations.count == 1)
        #expect(device.outbox.statistics.sent == 1 && device.outbox.statistics.dropped.isEmpty)
    }

    @Test func `an explanation of a killed run is sent by the next run`() throws {
        let device = SimulatedDevice()
        record(explained(), on: device)
        device.restart()
        #expect(try sent(by: device).map(\.explanations.count) == [1])
    }

    @Test func `an explanation is sent again with its unanswered batch, with the same bytes`() throws {
        let device = SimulatedDevice()
        record(explained(), on: device)
        let documents = try sent(by: device) {
            $0 == 0
                ? .postponed(afterMilliseconds: nil, reason: "away") : .accepted(rejected: [], reason: nil)
        }
        #expect(documents.count == 2 && documents[0].body == documents[1].body)
    }

    @Test func `a batch that is too long is split, and loses no explanation`() throws {
        let device = SimulatedDevice()
        device.record("Shop.Cart")
        for name in 0..<4 { record(explained("Shop.Part\(name)"), on: device) }
        let documents = try sent(by: device) {
            $0 < 2 ? .tooLong(isFinal: true, reason: "413") : .accepted(rejected: [], reason: nil)
        }
        let names = documents.dropFirst(2).flatMap { document in
            document.explanations.compactMap { document.report($0).className }
        }
        #expect(Set(names) == ["Shop.Part0", "Shop.Part1", "Shop.Part2", "Shop.Part3"] && names.count == 4)
    }

    @Test func `explanations that do not fit into a batch are sent with the next batches`() throws {
        var bounds = LeakReporter.Bounds()
        (bounds.batchBytes, bounds.reportsPerSession, bounds.bytesPerDay) = (8 << 20, .max, .max)
        let device = SimulatedDevice(bounds)
        let count = 2 * WireLimits.explanationsCount + 500
        for number in 0..<count { device.record(explanationOf: explained("Shop.Part\(number)")) }
        let documents = try sent(by: device)
        #expect(documents.allSatisfy { $0.explanations.count <= WireLimits.explanationsCount })
        let names = documents.flatMap { document in
            document.explanations.compactMap { document.report($0).className }
        }
        #expect(names == (0..<count).map { "Shop.Part\($0)" })
    }

    @Test
    func `explanations of a rejected batch are counted as dropped, and are not sent with the next batch`()
        throws
    {
        let device = SimulatedDevice()
        device.record("Shop.Cart")
        for name in 0..<3 { record(explained("Shop.Part\(name)"), on: device) }
        let refused = try sent(by: device) { _ in .rejected(reason: "400") }
        #expect(refused.map(\.explanations.count).reduce(0, +) == 3)
        #expect(device.outbox.statistics.droppedExplanations == 3)
        device.record("Shop.Home")
        let documents = try sent(by: device)
        #expect(documents.map(\.explanations.count) == [0] && device.outbox.statistics.sent == 1)
    }

    @Test func `explanations are dropped if beforeSend returns nil, or above the limit of a session`() throws
    {
        let silent = SimulatedDevice(beforeSend: { _ in nil })
        record(explained(), on: silent)
        #expect(try sent(by: silent).isEmpty && silent.outbox.statistics.droppedExplanations == 1)
        var bounds = LeakReporter.Bounds()
        bounds.reportsPerSession = 3
        let poor = SimulatedDevice(bounds)
        for name in 0..<10 { record(explained("Shop.Part\(name)"), on: poor) }
        #expect(try sent(by: poor).reduce(0) { $0 + $1.explanations.count } == 3)
        #expect(poor.outbox.statistics.droppedExplanations == 7)
    }

    @Test func `beforeSend gets the whole leak, but an explanation is sent without keys, reason and log`()
        throws
    {
        let device = SimulatedDevice { report in
            report.keys.contains { $0.name == "secret" } || report.reason == "secret" ? nil : report
        }
        var kept = explained()
        kept.keys = [CustomKey("secret", .string("yes"))]
        var reasoned = explained("Shop.Home")
        reasoned.reason = "secret"
        var sent = explained("Shop.Page")
        (sent.reason, sent.keys, sent.alive) = ("closed", [CustomKey("tab", .string("cart"))], 3)
        for report in [kept, reasoned, sent] { record(report, on: device) }
        let document = try #require(try self.sent(by: device).first)
        #expect(document.explanations.count == 1)
        let report = document.report(document.explanations[0])
        #expect(report.className == "Shop.Page" && report.explanation != nil)
        #expect(report.keys.isEmpty && report.reason == nil && report.alive == nil && report.log.isEmpty)
    }

    @Test func `an explanation is not sent if beforeSend removes it or all that identifies the leak`() throws
    {
        let changes: [@Sendable (inout LeakReport) -> Void] = [
            { $0.explanation = nil },
            { report in (report.className, report.stack, report.cycle, report.message) = (nil, [], [], nil) },
        ]
        for change in changes {
            let device = SimulatedDevice { report in
                var report = report
                change(&report)
                return report
            }
            record(explained(), on: device)
            #expect(try sent(by: device).isEmpty)
        }
    }

    @Test func `a collector that declines explanations gets none until it accepts them again`() throws {
        let device = SimulatedDevice()
        for (isWanted, counts) in [(false, [1]), (true, [0]), (true, [1])] {
            device.record("Shop.Cart")
            record(explained("Shop.Cart"), on: device)
            let documents = try sent(by: device) { _ in
                .accepted(rejected: [], reason: nil, takesExplanations: isWanted)
            }
            #expect(documents.map(\.explanations.count) == counts)
            #expect(device.outbox.wantsExplanations == isWanted)
        }
    }

    @Test func `a collector that declines explanations gets none in later runs until it accepts them again`()
        throws
    {
        let place = SharedQueueFolder()
        let no = FakeTransport { _, _ in
            .response(.init(status: 200, body: Array(#"{"accepted": 1, "explanations": false}"#.utf8)))
        }
        do {
            let reporter = place.reporter(no)
            #expect(eventually { reporter.takesExplanations })
            reporter.record(message: "leak")
            #expect(eventually { reporter.flush(timeout: generousSeconds) && !reporter.takesExplanations })
        }
        let yes = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = place.reporter(yes)
        #expect(!reporter.takesExplanations)
        reporter.record(leak: explained())
        reporter.record(explained(), explanation: explained().explanation ?? RetainExplanation())
        #expect(eventually { reporter.flush(timeout: generousSeconds) && reporter.takesExplanations })
        #expect(try yes.batches().allSatisfy { $0["explanations"] == nil })
        #expect(eventually { !place.files.contains("no-explanations") })
        let next = place.reporter(yes)
        #expect(eventually { next.takesExplanations })
    }
}
