import Dispatch
import Foundation
import LeakHTTPServer
import LeakDetector
import LeakMessage
import LeakTransport
import Testing
import LeakPlatform

@testable import LeakReporter

/// Tests the whole way of a report: from the detector through the reporter, libcurl and a socket to a server.
@Suite struct OverTheWireTests {
    /// Replaces the collector: gives specified answers and keeps the received requests.
    private final class FakeCollector: Service, @unchecked Sendable {
        // `Sendable` is unchecked: `received` is accessed only while `lock` is locked.
        struct ReceivedRequest {
            let path: String
            let key: String?
            let authorization: String?
            let body: [UInt8]
        }

        private let lock = NSLock()
        private var received: [ReceivedRequest] = []
        private let answer: @Sendable (_ number: Int) -> Response

        init(_ answer: @escaping @Sendable (_ number: Int) -> Response) { self.answer = answer }

        var arrivals: [ReceivedRequest] { lock.withLock { received } }

        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            let arrival = ReceivedRequest(
                path: request.path, key: request.field("idempotency-key"),
                authorization: request.field("authorization"), body: request.body())
            let number = lock.withLock {
                received.append(arrival)
                return received.count
            }
            responder.send(answer(number))
        }

        static let accepted = Response(
            Status(200), type: "application/json",
            body: .text(#"{"accepted": 1, "duplicate": false, "rejected": []}"#))

        static var busy: Response {
            var response = Response(
                Status(503), type: "application/problem+json", body: .text(#"{"title": "busy"}"#))
            response.fields = [("Retry-After", "0")]
            return response
        }
    }

    private func reporter(_ server: Server, gatherMilliseconds: Int = 10) -> LeakReporter {
        var configuration = LeakReporter.Configuration(
            endpoint: "http://127.0.0.1:\(server.port)", key: "secret",
            app: AppInfo(id: "com.acme.shop", module: "Shop", version: "5.2.0"), install: .given("i1"))
        configuration.bounds.gatherMilliseconds = gatherMilliseconds
        configuration.storage = .memory
        return LeakReporter(configuration, backoff: Backoff(firstMilliseconds: 2, longestMilliseconds: 5)) {
            PlatformTransport.make()
        }
    }

    private final class Page {}

    @Test
    func `a leak arrives with the object's class and path, and later a report that the object was freed`()
        throws
    {
        let collector = FakeCollector { _ in FakeCollector.accepted }
        let server = try Server(Server.Configuration(port: 0), service: collector)
        server.start()
        defer { server.stop(within: .seconds(1)) }
        let reporter = reporter(server)
        var limits = LeakDetector.Limits()
        limits.graceMilliseconds = 10
        limits.secondCheckMilliseconds = 10
        let detector = LeakDetector(
            limits: limits, queue: DispatchQueue(label: "test"), report: reporter.record(leak:))
        var page: Page? = Page()
        detector.expectDeallocation(of: try #require(page), path: ["Tab", "Shop"], reason: "popped")
        #expect(eventually { detector.counts.leaked == 1 && reporter.statistics.sent == 1 })
        page = nil
        #expect(eventually { detector.counts.freed == 1 && reporter.statistics.sent == 2 })
        reporter.record(checks: detector.takeChecks())
        reporter.record(session: EndedSession(id: "s1", checks: 1, leaks: 1))
        #expect(reporter.flush(timeout: generousSeconds))

        let arrivals = collector.arrivals
        #expect(Set(arrivals.map(\.path)) == ["/api/v1/reports"])
        #expect(Set(arrivals.map(\.authorization)) == ["Bearer secret"])
        let batches = try arrivals.map {
            try #require(JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any])
        }
        let reports = batches.flatMap { $0["reports"] as? [[String: Any]] ?? [] }
        try #require(reports.map { $0["type"] as? String } == ["leak", "freed"])
        #expect(
            reports.map { $0["class"] as? String }
                == Array(repeating: "LeakReporterTests.OverTheWireTests.Page", count: 2))
        #expect(
            reports[0]["stack"] as? [String] == ["Tab", "Shop", "LeakReporterTests.OverTheWireTests.Page"])
        #expect(reports[0]["id"] as? String == reports[1]["id"] as? String)
        #expect((batches[0]["app"] as? [String: String])?["version"] == "5.2.0")
        #expect(batches[0]["install"] as? String == "i1")
        #expect(batches.contains { ($0["checks"] as? [[String: Any]])?.first?["count"] as? Int == 1 })
        #expect(batches.contains { ($0["sessions"] as? [[String: Any]])?.first?["id"] as? String == "s1" })
        #expect(server.counters.accepted == 1, "all requests use one connection")
    }

    @Test func `a busy collector gets the same bytes again, with the same idempotency key`() throws {
        let collector = FakeCollector { $0 <= 2 ? FakeCollector.busy : FakeCollector.accepted }
        let server = try Server(Server.Configuration(port: 0), service: collector)
        server.start()
        defer { server.stop(within: .seconds(1)) }
        // Gathers all reports in one batch, even if recording takes long.
        let reporter = reporter(server, gatherMilliseconds: 60_000)
        for number in 0..<30 { reporter.record(message: "Expected deallocation of Shop.Page\(number)") }
        #expect(reporter.flush(timeout: generousSeconds))
        let arrivals = collector.arrivals
        #expect(arrivals.count == 3)
        #expect(Set(arrivals.map(\.key)).count == 1)
        #expect(arrivals.first?.key?.count == 36)
        #expect(Set(arrivals.map(\.body)).count == 1)
        #expect(reporter.statistics.sent == 30)
        #expect(reporter.statistics.lastFailure == "the collector answered 503: busy")
    }

    @Test func `reports wait while the collector is unreachable, and are sent later`() throws {
        // Finds a free port, at which no server listens at first.
        let collector = FakeCollector { _ in FakeCollector.accepted }
        let port: Int
        do {
            let server = try Server(Server.Configuration(port: 0), service: collector)
            port = server.port
            server.start()
            server.stop(within: .seconds(1))
        }
        var configuration = LeakReporter.Configuration(
            endpoint: "http://127.0.0.1:\(port)", key: "secret", install: .none)
        configuration.storage = .memory
        configuration.bounds.gatherMilliseconds = 1
        let reporter = LeakReporter(
            configuration, backoff: Backoff(firstMilliseconds: 5, longestMilliseconds: 20)
        ) {
            PlatformTransport.make()
        }
        reporter.record(message: "leak")
        #expect(eventually { reporter.statistics.failedAttempts >= 2 })
        #expect(reporter.statistics.waiting == 1)
        #expect(reporter.statistics.lastFailure?.contains("curl code 7") == true)
        let server = try Server(Server.Configuration(port: port), service: collector)
        server.start()
        defer { server.stop(within: .seconds(1)) }
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 1)
    }
}
