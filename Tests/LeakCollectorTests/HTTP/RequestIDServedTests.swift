import LeakCollectorSupport
import LeakHTTPClient
import LeakHTTPServer
import Testing

@testable import LeakCollector

/// Identifiers of requests in the responses of a collector.
@Suite struct RequestIDServedTests {
    @Test func `problems of the API name the request`() throws {
        let running = try RunningCollector()
        let answers = [
            try running.get("/api/v1/nope"), try running.get("/api/v1/leaks?x=1"),
            try running.get("/api/v1/leaks/\(String(repeating: "0", count: 32))"), try running.post("{"),
            try running.post("{}", "text/html"), try running.post("{}", fields: []),
        ]
        for answer in answers {
            #expect(answer.status >= 400)
            let id = try #require(answer.field("X-Request-Id"))
            #expect(try answer.json["request_id"] as? String == id)
        }
        #expect(Set(answers.map { $0.field("X-Request-Id") }).count == answers.count)
    }

    @Test func `error pages show the request in small print, and other pages do not`() throws {
        let running = try RunningCollector()
        let page = try running.get("/nope")
        let id = try #require(page.field("X-Request-Id"))
        #expect(page.status == 404)
        #expect(page.text.contains("<small>Request <code id=\"request\">\(id)</code></small>"))
        let summary = try running.get("/")
        #expect(summary.field("X-Request-Id") != nil && !summary.text.contains("id=\"request\""))
    }

    @Test func `a report is answered with an identifier, and the body is not changed`() throws {
        let running = try RunningCollector()
        let answer = try running.post(#"{"reports":[{"class":"A"}]}"#)
        #expect(answer.status == 200 && answer.field("X-Request-Id")?.count == 16)
        #expect(answer.text == #"{"accepted":1,"duplicate":false,"rejected":[],"rejected_count":0}"#)
    }

    @Test func `the identifier of a trusted proxy is used`() throws {
        let running = try RunningCollector({ $0.trustedProxies = [try! IPNetwork("127.0.0.1")] })
        let answer = try running.get("/api/v1/nope", fields: [HTTPField("X-Request-Id", "from-proxy.1")])
        #expect(answer.field("X-Request-Id") == "from-proxy.1")
        #expect(try answer.json["request_id"] as? String == "from-proxy.1")
    }

    @Test func `the page without a request has no empty note`() {
        let page = ErrorPage(context: PageContext(links: .served, now: 0), status: 404).html
        #expect(ErrorPage.requestIDPosition(in: page.bytes) == nil)
        var named = ErrorPage(
            context: PageContext(links: .served, now: 0), status: 404, detail: #"<code id="request">"#)
        named.namesRequest = true
        let bytes = named.html.bytes
        let position = ErrorPage.requestIDPosition(in: bytes)
        #expect(position.map { String(decoding: bytes[$0...].prefix(7), as: UTF8.self) } == "</code>")
    }
}
