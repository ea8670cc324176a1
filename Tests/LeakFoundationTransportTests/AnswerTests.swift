import Foundation
import LeakTransport
import Testing

/// The result of each transport for each response of the server.
@Suite struct AnswerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        enum Outcome: Sendable {
            case response(TransportResult.Response)
            /// A failure instead of an answer, whose message contains this text.
            case failure(String = " ")
        }

        let testDescription: String
        let script: ScriptedPeer.Script
        let outcome: Outcome

        init(_ name: String, _ script: ScriptedPeer.Script, _ outcome: Outcome) {
            (testDescription, self.script, self.outcome) = (name, script, outcome)
        }
    }

    private static func text(_ status: String, _ fields: String = "", _ body: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }

    private static func answer(
        _ status: Int, _ body: String = "", retryAfter: String? = nil, location: String? = nil,
        type: String? = nil
    ) -> Case.Outcome {
        .response(
            TransportResult.Response(
                status: status, retryAfter: retryAfter, location: location, contentType: type,
                body: Array(body.utf8)))
    }

    private static let json = "Content-Type: application/json\r\n"
    private static let html = "<html>sign in</html>"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let answers: [Case] = [
        Case(
            "accepted", .init(text("200 OK", json, #"{"accepted": 1}"#)),
            answer(200, #"{"accepted": 1}"#, type: "application/json")),
        Case("without a body", .init("HTTP/1.1 204 No Content\r\n\r\n"), answer(204)),
        Case(
            "unauthorized, with a bearer's challenge",
            .init(text("401 Unauthorized", "WWW-Authenticate: Bearer\r\n", "no")), answer(401, "no")),
        Case(
            "unauthorized, with a challenge for a password",
            .init(text("401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"\r\n")), answer(401)),
        Case("too long", .init(text("413 Content Too Large", "", "long")), answer(413, "long")),
        Case(
            "too long, sent before the body was read",
            .init(text("413 Content Too Large", "", "long"), then: .silence, readsBody: false),
            answer(413, "long")),
        Case(
            "too many", .init(text("429 Too Many Requests", "Retry-After: 120\r\n")),
            answer(429, retryAfter: "120")),
        Case(
            "busy until a date",
            .init(text("503 Service Unavailable", "retry-after: Wed, 21 Oct 2026 07:28:00 GMT\r\n")),
            answer(503, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT")),
        Case(
            "a page", .init(text("200 OK", "Content-Type: text/html\r\n", html)),
            answer(200, html, type: "text/html")),
        Case(
            "byte by byte", .init(text("200 OK", "", "slow"), .byteByByte(milliseconds: 1)),
            answer(200, "slow")),
        Case("in chunks", .init(chunked + "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"), answer(200, "abcde")),
        Case(
            "after an interim answer",
            .init("HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n" + text("200 OK", "", "x")),
            answer(200, "x")),
        Case(
            "of unknown length", .init("HTTP/1.1 200 OK\r\n\r\nuntil the end", then: .close),
            answer(200, "until the end")),
        Case(
            "longer than promised", .init("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay", then: .close),
            answer(200, "ok")),
        Case(
            "as long as it may be", .init(text("200 OK", "", String(repeating: "x", count: 65_536))),
            answer(200, String(repeating: "x", count: 65_536))),
    ]

    static let redirects: [Case] = [301, 302, 303, 307, 308].map { status in
        Case(
            "redirect \(status)",
            .init(text("\(status) Elsewhere", "Location: http://127.0.0.1:1/elsewhere\r\n", "there")),
            answer(status, "there", location: "http://127.0.0.1:1/elsewhere"))
    }

    static let failures: [Case] = [
        Case("nothing", .init("", then: .close), .failure()),
        Case(
            "half a body", .init("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", then: .close), .failure()
        ),
        Case("half a chunk", .init(chunked + "9\r\nhalf", then: .close), .failure()),
        Case("a chunk without a length", .init(chunked + "x\r\nhalf\r\n0\r\n\r\n", then: .close), .failure()),
        Case("another protocol", .init("220 mail.example.com ESMTP\r\n", then: .close), .failure()),
        Case(
            "a length that is not a number",
            .init("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nx", then: .close), .failure()),
        Case(
            "longer than it may be", .init(text("200 OK", "", String(repeating: "x", count: 65_537))),
            .failure("longer than 65536 bytes")),
        Case(
            "endless",
            .init("HTTP/1.1 200 OK\r\n\r\n", .endlessly(String(repeating: "more ", count: 20_000))),
            .failure("longer than 65536 bytes")),
        Case(
            "an endless head",
            .init("HTTP/1.1 200 OK\r\n", .endlessly(String(repeating: "X-More: and more\r\n", count: 500))),
            .failure()),
        Case(
            "an endless line",
            .init("HTTP/1.1 200 OK\r\nX-More: ", .endlessly(String(repeating: "more", count: 500))),
            .failure()),
    ]

    #if os(Linux)
        /// Responses for curl only. With the first two, Foundation on Linux ends the process ("Transfer completed, but there's
        /// no response"). It reads the others until the time limit, and blocks the queue that all its sessions share.
        static let heads: [ScriptedPeer.Script] = [
            .init("HTTP/1.1 200 OK\r\n", then: .close),
            .init("HTTP/1.1 401 Unauthorized\r\nConte", then: .close),
            .init("", .endlessly(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 500))),
            .init(chunked + "0\r\n", .endlessly(String(repeating: "X-More: and more\r\n", count: 500))),
        ]

        @Test(arguments: heads.indices)
        func `a response head that does not end is an error`(head: Int) async throws {
            let peer = try ScriptedPeer { _ in Self.heads[head] }
            defer { peer.stop() }
            let why = try #require(await TransportKind.curl.reply(to: .report(to: peer.address)).failure)
            #expect(
                why.contains(
                    head < 2 ? "breaks off in its head" : "head of the response is longer than 32768 bytes"))
        }
    #endif

    @Test(arguments: TransportKind.allCases, answers + redirects + failures)
    func `each transport returns the response exactly as the server sent it, or a failure`(
        kind: TransportKind, of case: Case
    ) async throws {
        let script = `case`.script
        let peer = try ScriptedPeer { _ in script }
        defer { peer.stop() }
        let reply = await kind.reply(to: .report(to: peer.address))
        switch `case`.outcome {
        case .response(let answer): #expect(reply == .response(answer))
        case .failure(let words): #expect(reply.failure?.contains(words) == true, "\(reply)")
        }
        #expect(peer.requests.count == 1, "the request is sent once, and not redirected")
    }
}
