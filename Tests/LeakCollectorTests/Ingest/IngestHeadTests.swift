import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakHTTPVectors
import Testing

@testable import LeakCollector

/// The head of a request with reports, a byte order mark before its body, and a body of another media type.
@Suite struct IngestHeadTests {
    @Test(arguments: [
        (["X-Leak-Key: KEY"], 200), (["X-Leak-Key: KEY", "X-Leak-Key: other"], 400),
        (["X-Leak-Key: other", "x-leak-key: KEY"], 400), (["X-Leak-Key: KEY", "X-Leak-Key: KEY"], 400),
    ])
    func `a request that gives X-Leak-Key twice is rejected`(fields: [String], status: Int) throws {
        let running = try RunningCollector()
        let client = Client(port: running.port)
        let lines = fields.map { $0.replacingOccurrences(of: "KEY", with: RunningCollector.key) + "\r\n" }
            .joined()
        client.send(
            "POST /api/v1/reports HTTP/1.1\r\nHost: a\r\n\(lines)Content-Type: application/json\r\n"
                + "Content-Length: 13\r\n\r\n{\"class\":\"A\"}")
        #expect(client.nextAnswer()?.status == status)
    }

    @Test(arguments: [
        ("text/plain; charset=utf-8", 200), ("text/plain;charset=\"UTF-8\"", 200),
        ("text/plain; charset=us-ascii", 200),
        ("text/plain; format=flowed", 200), ("application/json; charset=utf8", 200),
        ("text/plain; charset=utf-16", 415), ("text/plain; format=flowed; Charset=ISO-8859-1", 415),
        ("application/json; charset=latin1", 415),
    ])
    func `a charset other than UTF-8 is rejected`(type: String, status: Int) throws {
        let running = try RunningCollector()
        let answer = try running.post(#"{"class":"Cart"}"#, type)
        #expect(
            answer.status == status && (status == 200 || answer.text.contains("charset")), "\(answer.text)")
    }

    @Test func `a byte order mark at the beginning of JSON and NDJSON is skipped`() throws {
        let running = try RunningCollector()
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for (body, type) in [
            (#"{"class":"Cart"}"#, "application/json"), (#" [{"class":"Cart"}]"#, "application/json"),
            (#"{"app":{"id":"default"},"reports":[{"class":"Cart"}]}"#, "application/json"),
            ("{\"class\":\"Cart\"}\n{\"class\":\"Cart\"}", "application/x-ndjson"),
        ] {
            let answer = try running.post(mark + Array(body.utf8), type)
            #expect(answer.status == 200 && answer.text.contains(#""rejected_count":0"#), "\(answer.text)")
        }
        let leaks = try running.json("/api/v1/leaks?app=default")
        #expect((leaks["total"] as? Int, leaks["reports"] as? Int) == (1, 5))
        // A second byte order mark is an error.
        #expect(try running.post(mark + mark + Array(#"{"class":"Cart"}"#.utf8)).status == 400)
    }

    @Test func `a batch in a line of NDJSON is rejected with the media type that it needs`() throws {
        let batch = #"{"app":{"id":"a"},"reports":[{"class":"Cart"}]}"#
        let answer = try RunningCollector().post(batch, "application/x-ndjson")
        #expect(
            answer.status == 400 && answer.text.contains("if this is a batch, send it as application/json"))
    }

    @Test func `an idempotency key used again at another address is rejected, and the error says so`()
        throws
    {
        let running = try RunningCollector()
        let fields = [
            HTTPField("Authorization", "Bearer \(RunningCollector.key)"), HTTPField("Idempotency-Key", "one"),
        ]
        for (app, status) in [("a", 200), ("a", 200), ("b", 422)] {
            let answer = try running.post(
                "Cart leaked", "text/plain", to: "/api/v1/reports?app=\(app)", fields: fields)
            #expect(answer.status == status)
            #expect(status == 200 || answer.text.contains("with another body or address"))
        }
    }
}
