import LeakMessage
import LeakTransport
import Testing

@testable import LeakReporter

@Suite struct DeliveryTests {
    private func delivery(
        _ status: Int, _ body: String = "", retryAfter: String? = nil, location: String? = nil,
        type: String? = "application/problem+json"
    ) -> DeliveryResult {
        let answer = TransportResult.Response(
            status: status, retryAfter: retryAfter, location: location, contentType: type,
            body: Array(body.utf8))
        return DeliveryResult(.response(answer), now: WireTime(milliseconds: 0))
    }

    private func name(_ delivery: DeliveryResult) -> String {
        String("\(delivery)".prefix { $0 != "(" })
    }

    @Test(arguments: [
        (200, "accepted"), (202, "accepted"), (301, "notCounted"), (302, "notCounted"), (304, "notCounted"),
        (400, "rejected"), (401, "unauthorized"), (403, "forbidden"), (404, "notCounted"),
        (405, "notCounted"),
        (408, "postponed"), (411, "rejected"), (413, "tooLong"), (415, "rejected"), (422, "rejected"),
        (425, "postponed"), (429, "postponed"), (431, "rejected"), (499, "rejected"), (500, "failed"),
        (503, "failed"), (599, "failed"), (0, "postponed"), (101, "postponed"), (999, "postponed"),
    ])
    func `the outcome of a delivery follows from the status of the response`(status: Int, name: String) {
        let body = #"{"accepted": 1, "rejected": [], "type": "urn:leak-collector:problem:test"}"#
        #expect(self.name(delivery(status, body)) == name)
    }

    @Test func `without a response the delivery is postponed, with the reason`() {
        let delivery = DeliveryResult(.noResponse(reason: "no route"), now: WireTime(milliseconds: 0))
        #expect(delivery == .postponed(afterMilliseconds: nil, reason: "no route"))
    }

    @Test func `the time in a Retry-After field is used for the status codes 429 and 503`() {
        #expect(
            delivery(429, retryAfter: "7")
                == .postponed(afterMilliseconds: 7_000, reason: "the collector answered 429"))
        #expect(
            delivery(503, retryAfter: "7")
                == .postponed(afterMilliseconds: 7_000, reason: "the collector answered 503"))
        #expect(delivery(503, retryAfter: "x") == .failed(reason: "the collector answered 503"))
    }

    @Test func `the result of a delivery names the reports of the batch that were rejected`() {
        let body =
            #"{"accepted": 1, "duplicate": false, "rejected": [{"index": 1, "reason": "class is 700 bytes"}]}"#
        #expect(delivery(200, body) == .accepted(rejected: [1], reason: "class is 700 bytes"))
        #expect(delivery(200, #"{"accepted": 2}"#) == .accepted(rejected: [], reason: nil))
    }

    @Test(arguments: [(1, 0), (0, 0), (-5, 0), (3, 2), (Int.max, Int.max - 1)])
    func `the result of a delivery counts the rejected reports that the collector does not name`(
        count: Int, unnamed: Int
    ) {
        let body =
            #"{"accepted": 1, "rejected": [{"index": 1, "reason": "no"}], "rejected_count": \#(count)}"#
        let result = delivery(200, body)
        #expect(result == .accepted(rejected: [1], unnamedRejections: unnamed, reason: "no"))
        #expect(result.problem?.contains(unnamed == 0 ? "1 report:" : "\(count) reports:") == true)
    }

    @Test(arguments: [("", true), (#", "explanations": true"#, true), (#", "explanations": false"#, false)])
    func `explanations are unwanted only if the collector's response says so`(field: String, isAsked: Bool) {
        let answer = DeliveryResult.accepted(rejected: [], reason: nil, takesExplanations: isAsked)
        #expect(delivery(200, #"{"accepted": 2\#(field)}"#) == answer)
    }

    /// The sign-in page of a hotel answers 200 to everything.
    @Test(arguments: ["", "<html>Welcome</html>", "{}", "[]", "{\"accepted\": \"yes\"}", "\u{FFFD}", "null"])
    func `a 200 response without the collector's JSON does not count as accepted`(body: String) {
        #expect(name(delivery(200, body)) == "postponed")
    }

    /// A captive portal, a firewall, or another server under the same name does not know the key.
    @Test(arguments: [400, 401, 403, 404, 405, 415, 422, 451, 499])
    func `an error response of another server gives the result notCounted and advice to check the address`(
        status: Int
    ) {
        let bodies = [
            "", "<html>Blocked</html>", "{}", "[]", "null", #"{"error": "forbidden"}"#, #"{"status": 200}"#,
            #"{"status": "\(status)"}"#, "\u{FFFD}",
        ]
        for type in [nil, "", "text/html; charset=utf-8", "application/json"] {
            for body in bodies {
                let delivery = delivery(status, body, type: type)
                #expect(name(delivery) == "notCounted", "\(type ?? "none") \(body)")
                #expect("\(delivery)".contains("check the address"))
            }
        }
    }

    private static let problems = [
        "", "x", #"{"type": "about:blank", "status": 403}"#, #"{"type": "https://example.com/not-allowed"}"#,
        #"{"timestamp": "2026-01-01", "status": 404, "error": "Not Found", "path": "/api/v1/reports"}"#,
        #"{"type": "urn:leak-collector"}"#, #"{"type": 1}"#,
    ]

    /// Spring Boot, Envoy and API gateways write JSON with a status, and problem documents too.
    @Test(arguments: [400, 401, 403, 404, 405, 409, 415, 422], problems)
    func `a problem document of a gateway does not count as a rejection by the collector`(
        status: Int, body: String
    ) {
        for type in [
            "application/problem+json", "application/json", "Application/Problem+JSON; charset=utf-8",
        ] {
            #expect(name(delivery(status, body, type: type)) == "notCounted")
        }
    }

    @Test func `a rejection is the collector's if its problem document has the collector's type`() {
        let body = #"{"type": "urn:leak-collector:problem:forbidden", "title": "Forbidden", "status": 403}"#
        for type in ["application/problem+json", "Application/Problem+JSON; charset=utf-8"] {
            #expect(name(delivery(403, body, type: type)) == "forbidden")
            #expect(name(delivery(401, body, type: type)) == "unauthorized")
            #expect(name(delivery(400, body, type: type)) == "rejected")
        }
        #expect(name(delivery(403, body, type: "application/json")) == "notCounted")
        #expect(name(delivery(403, body, type: nil)) == "notCounted")
    }

    @Test func `a batch that is too long is dropped only if the collector itself rejects it`() {
        let own = #"{"type": "urn:leak-collector:problem:content-too-large"}"#
        #expect(delivery(413, own) == .tooLong(isFinal: true, reason: "the collector answered 413"))
        #expect(
            delivery(413, "<html>", type: "text/html")
                == .tooLong(isFinal: false, reason: "the collector answered 413"))
    }

    @Test func `the message of the server's error is passed on, truncated`() {
        let type = #""type": "urn:leak-collector:problem:test""#
        let problem = #"{\#(type), "title": "Unauthorized", "detail": "unknown key"}"#
        #expect(delivery(401, problem) == .unauthorized(reason: "the collector answered 401: unknown key"))
        #expect(
            delivery(400, #"{\#(type), "title": "Bad"}"#)
                == .rejected(reason: "the collector answered 400: Bad"))
        // The second text is one character of 20,001 bytes.
        for long in [
            String(repeating: "x", count: 10_000), "e" + String(repeating: "\u{301}", count: 10_000),
        ] {
            for status in [400, 404] {
                let problem = delivery(status, #"{\#(type), "detail": "\#(long)"}"#).problem
                #expect(problem.map { $0.utf8.count < 400 } == true)
            }
            let rejection = #"{"accepted": 0, "rejected": [{"index": 0, "reason": "\#(long)"}]}"#
            #expect(delivery(200, rejection).problem.map { $0.utf8.count < 400 } == true)
        }
    }

    @Test func `the result of a redirected delivery names the new address`() {
        guard case .notCounted(let reason) = delivery(308, location: "https://new.example.com/") else {
            Issue.record("not the result notCounted")
            return
        }
        #expect(reason.contains("https://new.example.com/"))
    }
}

@Suite struct EndpointTests {
    @Test(arguments: [
        ("https://leaks.example.com", "https://leaks.example.com/api/v1/reports"),
        ("https://leaks.example.com/", "https://leaks.example.com/api/v1/reports"),
        ("HTTPS://Leaks.Example.com:8443//", "https://leaks.example.com:8443/api/v1/reports"),
        ("https://leaks.example.com:443", "https://leaks.example.com/api/v1/reports"),
        ("https://leaks.example.com:0443/", "https://leaks.example.com/api/v1/reports"),
        ("https://leaks.example.com:80", "https://leaks.example.com:80/api/v1/reports"),
        ("http://localhost:80/Leaks", "http://localhost/Leaks/api/v1/reports"),
        ("https://api/v1/reports", "https://api/v1/reports/api/v1/reports"),
        ("https://[fe80::A%25Eth0]:8443", "https://[fe80::a%25Eth0]:8443/api/v1/reports"),
        ("https://[2001:DB8::1]:443", "https://[2001:db8::1]/api/v1/reports"),
        ("https://example.com/leaks", "https://example.com/leaks/api/v1/reports"),
        ("https://example.com/api/v1/reports", "https://example.com/api/v1/reports"),
        ("http://localhost:8080", "http://localhost:8080/api/v1/reports"),
        ("http://LOCALHOST", "http://localhost/api/v1/reports"),
        ("http://127.0.0.1:1", "http://127.0.0.1:1/api/v1/reports"),
        ("http://127.9.8.7", "http://127.9.8.7/api/v1/reports"),
        ("http://[::1]:8080", "http://[::1]:8080/api/v1/reports"),
        ("https://[2001:db8::1]", "https://[2001:db8::1]/api/v1/reports"),
    ])
    func `the URL for reports has the path of the wire format`(text: String, address: String) throws {
        #expect(try CollectorAddress(text, allowsInsecure: false).address == address)
    }

    @Test(arguments: [
        "http://leaks.example.com", "http://127.example.com", "http://127.0.0.1.example.com",
        "http://192.168.0.7:8080",
        "http://[::2]", "http://localhost.example.com", "http://127.0.0", "http://127.0.0.256",
        "http://[::1].example.com",
    ])
    func `nothing is sent unencrypted to another machine, unless allowed`(text: String) {
        #expect(throws: CollectorAddress.Problem.self) { try CollectorAddress(text, allowsInsecure: false) }
        if !text.contains("].") {
            #expect(throws: Never.self) { try CollectorAddress(text, allowsInsecure: true) }
        }
    }

    @Test(arguments: [
        "leaks.example.com", "ftp://example.com", "https:/example.com", "https://", "https:///path",
        "https://a b",
        "https://user:secret@example.com", "https://example.com?key=1", "https://example.com#x",
        "https://exämple.com",
        "https://example.com:0", "https://example.com:65536", "https://example.com:",
        "https://example.com:80a",
        "https://example.com:999999999999999999999", "https://[::1", "https://[]", "https://:80",
        "https://a\r\nb", "\0",
        "javascript:alert(1)",
    ])
    func `an invalid endpoint address is refused`(text: String) {
        #expect(throws: CollectorAddress.Problem.invalid(text: text)) {
            try CollectorAddress(text, allowsInsecure: true)
        }
    }

    @Test func `the error for an empty endpoint address says what to do`() {
        #expect(throws: CollectorAddress.Problem.empty) { try CollectorAddress("", allowsInsecure: false) }
        #expect("\(CollectorAddress.Problem.empty)".contains("https://"))
    }
}
