import Dispatch
import Foundation
import LeakMessage
import LeakTransport
import Testing
import LeakPlatform

@testable import LeakReporter

@Suite struct LeakReporterTests {
    @Test(arguments: [LeakReporter.Redaction.standard, .none])
    func `texts of users are removed before a report is stored, unless the app turns redaction off`(
        redaction: LeakReporter.Redaction
    ) throws {
        let place = SharedQueueFolder()
        let reporter = place.reporter(FakeTransport { _, _ in .noResponse(reason: "offline") }) {
            $0.redaction = redaction
        }
        reporter.record(message: "VIEW STILL IN MEMORY <UITextField: 0x1f; text = 'jane.doe@example.com'>")
        let error = NSError(
            domain: "d", code: 1,
            userInfo: [
                NSLocalizedDescriptionKey: "“jane.doe.pdf” is gone", "url": "https://x.org/?q=jane.doe",
            ])
        reporter.record(error: error)
        #expect(eventually { reporter.statistics.stored == 2 })
        var bytes = ""
        for file in place.files where file.hasSuffix(".segment") {
            bytes += String(
                decoding: try Data(contentsOf: URL(fileURLWithPath: place.folder + "/" + file)), as: UTF8.self
            )
        }
        #expect(bytes.contains("UITextField"))
        #expect(bytes.contains("jane.doe") == (redaction == .none))
    }

    private func reporter(
        _ transport: FakeTransport, endpoint: String = "http://localhost:8080", key: String = "k1",
        _ change: (inout LeakReporter.Configuration) -> Void = { _ in }
    ) -> LeakReporter {
        var configuration = LeakReporter.Configuration(
            endpoint: endpoint, key: key, app: AppInfo(id: "com.acme.shop", version: "5.2.0"),
            device: DeviceInfo(os: "iOS", osVersion: "19.1", model: "iPhone17,1"), install: .given("i1"))
        configuration.storage = .memory
        configuration.warn = { _ in }
        change(&configuration)
        return LeakReporter(configuration, backoff: Backoff(firstMilliseconds: 2, longestMilliseconds: 5)) {
            transport
        }
    }

    @Test func `a sent batch has the address, header fields and idempotency key of the wire format`() throws {
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = reporter(transport)
        reporter.record(message: "Expected deallocation of Shop.Cart")
        #expect(reporter.flush(timeout: generousSeconds))
        let post = try #require(transport.posts.first)
        #expect(post.address == "http://localhost:8080/api/v1/reports")
        #expect(post["Authorization"] == "Bearer k1")
        #expect(post["Content-Type"] == "application/json")
        #expect(post["Idempotency-Key"]?.count == 36)
        #expect(reporter.statistics.sent == 1)
        #expect(reporter.statistics.waiting == 0)
        #expect(reporter.statistics.lastFailure == nil)
    }

    @Test func `each retry sends the same bytes with the same idempotency key`() {
        let transport = FakeTransport { attempt, _ in
            attempt < 5
                ? [.noResponse(reason: "away"), FakeTransport.status(503)][attempt % 2]
                : FakeTransport.accepted()
        }
        // Gathers all reports in one batch, even if the twenty calls take long.
        let reporter = reporter(transport) { $0.sendsAutomatically = false }
        for number in 0..<20 {
            reporter.record(message: "leak of \(Character(Unicode.Scalar(65 + UInt8(number))))")
        }
        #expect(eventually { reporter.statistics.waiting == 20 })
        reporter.sendUnsentReports()
        #expect(eventually { reporter.statistics.sent == 20 })
        #expect(transport.posts.count == 5)
        #expect(Set(transport.posts).count == 1)
        #expect(reporter.statistics.sent == 20)
        #expect(reporter.statistics.failedAttempts == 4)
    }

    @Test func `two batches have different idempotency keys`() {
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = reporter(transport)
        for _ in 0..<2 {
            reporter.record(message: "leak")
            reporter.flush(timeout: 5)
        }
        #expect(Set(transport.posts.compactMap { $0["Idempotency-Key"] }).count == 2)
    }

    /// After a 401 the key is tried once more, because a new key needs up to two seconds to reach every collector. After a 403
    /// it is not.
    @Test(arguments: [401, 403])
    func `reports with a rejected key stay in the queue, and one warning is logged`(status: Int) {
        let said = Guarded([String]())
        let transport = FakeTransport { _, _ in FakeTransport.status(status) }
        let reporter = reporter(transport) { $0.warn = { line in said.with { $0.append(line) } } }
        reporter.record(message: "leak")
        #expect(!reporter.flush(timeout: 5))
        for _ in 0..<100 { reporter.record(message: "leak") }
        #expect(!reporter.flush(timeout: 5))
        #expect(transport.posts.count == (status == 401 ? 2 : 1))
        #expect(!reporter.statistics.isStopped)
        #expect(reporter.statistics.waiting == 101)
        #expect(reporter.statistics.dropped == [:])
        #expect(reporter.statistics.lastFailure?.contains("\(status)") == true)
        #expect(said.with { $0 }.count == 1)
        #expect(said.with { $0 }.first?.contains("check the ingest key") == true)
    }

    /// The batch arrives after the firewall stops answering with its own page.
    @Test(arguments: [401, 403, 404, 451])
    func `reports are kept after an error response of another server, and sent later`(status: Int) {
        let transport = FakeTransport { attempt, _ in
            guard attempt < 3 else { return FakeTransport.accepted() }
            return .response(
                TransportResult.Response(
                    status: status, contentType: "text/html", body: Array("<h1>Blocked</h1>".utf8)))
        }
        let reporter = reporter(transport)
        reporter.record(message: "leak")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 1)
        #expect(reporter.statistics.dropped == [:])
        #expect(!reporter.statistics.isStopped)
    }

    @Test func `a batch that is too long is sent in pieces`() {
        let transport = FakeTransport { _, post in
            post.body.count > 3_000 ? FakeTransport.status(413) : FakeTransport.accepted()
        }
        let reporter = reporter(transport)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<64 {
            // Random text, which does not compress well.
            reporter.record(
                message: (0..<100).map { _ in String(UInt8.random(in: 0...255, using: &random), radix: 36) }
                    .joined())
        }
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 64)
        #expect(reporter.statistics.dropped == [:])
        #expect(reporter.statistics.batches > 1)
    }

    /// Each control character of the texts takes six bytes of JSON.
    @Test func `the JSON of a batch is limited in bytes`() {
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = reporter(transport) {
            $0.bounds.batchBytes = 16 * 1024
            $0.redaction = .none
        }
        for number in 0..<16 {
            reporter.record(
                message: String(repeating: "x", count: number) + " " + String(repeating: "\u{1}", count: 900))
        }
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 16)
        #expect(transport.posts.count >= 6)
    }

    @Test func `while the collector is unreachable the queue is limited, and dropped reports are counted`()
        throws
    {
        let transport = FakeTransport { _, _ in .noResponse(reason: "offline") }
        let reporter = reporter(transport) {
            $0.bounds.memoryBytes = 64 * 1024
            $0.bounds.reportsPerSession = 10_000
        }
        for number in 0..<1_000 {
            var report = LeakReport()
            report.className = "Shop.Page\(number)"
            reporter.record(leak: report)
        }
        #expect(!reporter.flush(timeout: 0.5))
        let statistics = reporter.statistics
        #expect(statistics.waiting > 100)
        #expect(Set(statistics.dropped.keys) == [.queueFull])
        #expect(statistics.waiting + (statistics.dropped[.queueFull] ?? 0) == 1_000)
        #expect(statistics.lastFailure == nil || statistics.lastFailure == "offline")
    }

    @Test func `a flush that takes too long returns false`() {
        let transport = FakeTransport { _, _ in .noResponse(reason: "offline") }
        let reporter = reporter(transport)
        reporter.record(message: "leak")
        #expect(!reporter.flush(timeout: 0.05))
        #expect(reporter.statistics.waiting == 1)
    }

    @Test(arguments: [0, -1, Double.nan, .infinity, 1e300])
    func `a flush returns true for every timeout if nothing waits to be sent`(timeout: Double) {
        let reporter = reporter(FakeTransport { _, _ in FakeTransport.accepted() })
        #expect(reporter.flush(timeout: timeout))
    }

    @Test func `no report from eight threads is lost or counted twice`() {
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = reporter(transport)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { reporter.record(message: "leak") }
        }
        #expect(reporter.flush(timeout: generousSeconds))
        let statistics = reporter.statistics
        #expect(statistics.waiting == 0)
        #expect(statistics.sent + (statistics.dropped[.queueFull] ?? 0) == 80_000)
        #expect(Set(statistics.dropped.keys).isSubset(of: [.queueFull]))
    }

    /// The transport hangs. Callers that record are not blocked.
    @Test func `recording does not wait for the network`() {
        let gate = DispatchSemaphore(value: 0)
        let transport = FakeTransport { _, _ in
            _ = gate.wait(timeout: .now() + generousSeconds)
            return FakeTransport.accepted()
        }
        let reporter = reporter(transport) { $0.bounds.gatherMilliseconds = 0 }
        reporter.record(message: "leak")
        #expect(eventually { !transport.posts.isEmpty })
        for _ in 0..<1_000 { reporter.record(message: "leak") }
        #expect(!reporter.flush(timeout: 0.01))
        #expect(reporter.statistics.waiting + (reporter.statistics.dropped[.queueFull] ?? 0) == 1_001)
        for _ in 0..<100 { gate.signal() }
        #expect(reporter.flush(timeout: generousSeconds))
    }

    @Test(arguments: [
        ("", "k", "endpoint is empty"), ("nonsense", "k", "is not the address of a collector"),
        ("http://leaks.example.com", "k", "unencrypted"),
        ("https://leaks.example.com", "", "key is empty"),
        ("https://leaks.example.com", "a\r\nX: y", "Copy it again"),
    ])
    func `an unusable configuration is named in the statistics, and nothing is sent`(
        endpoint: String, key: String, words: String
    ) {
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = reporter(transport, endpoint: endpoint, key: key)
        for _ in 0..<3 { reporter.record(message: "leak") }
        reporter.record(checks: [ClassChecks(className: "A", count: 1)])
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(transport.posts.isEmpty)
        #expect(reporter.statistics.isStopped)
        #expect(reporter.statistics.dropped == [.misconfigured: 3])
        #expect(reporter.statistics.lastFailure?.contains(words) == true)
    }

    @Test func `an unencrypted endpoint is used if allowed`() {
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = reporter(transport, endpoint: "http://leaks.example.com") { $0.allowsInsecure = true }
        reporter.record(message: "leak")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(transport.posts.count == 1)
    }

    @Test func `texts of any length and kind are accepted`() {
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = reporter(transport)
        let invalid: [UInt8] = [0x41, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80]
        for text in [
            "", "\0", String(decoding: invalid, as: UTF8.self), String(repeating: "🧵", count: 1_000_000),
            "a\u{301}\u{200D}",
        ] {
            reporter.record(message: text)
            var report = LeakReport()
            report.className = text
            report.stack = Array(repeating: text, count: 1_000)
            report.keys = [CustomKey(text, .string(text)), CustomKey("n", .number(.nan))]
            report.count = .min
            reporter.record(leak: report)
        }
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 10)
        #expect(reporter.statistics.dropped == [:])
    }

    @Test func `a freed reporter sends waiting records`() {
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        var one: LeakReporter? = reporter(transport)
        one?.record(message: "leak")
        one = nil
        #expect(eventually { transport.posts.count == 1 })
    }

    @Test func `a freed reporter ends its thread`() {
        weak var trace: FakeTransport?
        do {
            let transport = FakeTransport { _, _ in .noResponse(reason: "offline") }
            trace = transport
            let reporter = reporter(transport)
            reporter.record(message: "leak")
            reporter.flush(timeout: 0.02)
        }
        #expect(eventually { trace == nil })
    }
}
