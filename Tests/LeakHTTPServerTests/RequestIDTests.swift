import Foundation
import LeakHTTPVectors
import LeakPlatform
import Testing

@testable import LeakHTTPServer

/// Identifiers of requests: in the response, in problem details, in the access log and for the service.
@Suite struct RequestIDTests {
    /// Answers `/` with the identifier of the request, `/slow` after a slow call, and other paths with 404.
    private struct IDService: Service {
        func screen(_ request: borrowing Request) -> ScreeningResult {
            request.pathEquals("/") || request.pathEquals("/slow") || request.pathEquals("/dropped")
                ? ScreeningResult() : ScreeningResult(.problem(.notFound, "There is nothing."))
        }

        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            // A responder that is released without a response sends a problem.
            if request.pathEquals("/dropped") { return }
            if request.pathEquals("/slow") { usleep(60_000) }
            let text = request.requestID?.description ?? "none"
            responder.send(Response(.ok, type: "text/plain", body: .bytes(Array(text.utf8))))
        }
    }

    private final class Observed: Sendable {
        let records = Guarded<[AccessRecord]>([])
        let calls = Guarded<[SlowCall]>([])

        func records(_ count: Int) -> [AccessRecord] {
            records.wait(timeout: .seconds(60)) { $0.count >= count ? $0 : nil } ?? records.with { $0 }
        }
    }

    private static func replies(
        to text: String, count: Int = 1, sendsIDs: Bool = true, isProxied: Bool = false,
        observed: Observed = Observed()
    ) throws -> [Reply] {
        var configuration = Server.Configuration(port: 0)
        configuration.sendsRequestIDs = sendsIDs
        if isProxied { configuration.trustedProxies = [try IPNetwork("127.0.0.1")] }
        configuration.onAnswer = { record in
            observed.records.with { $0.append(record) }
            observed.records.wakeAll()
        }
        configuration.onSlowCall = { call in
            observed.calls.with { $0.append(call) }
            observed.calls.wakeAll()
        }
        let server = try Server(configuration, service: IDService())
        server.start()
        defer { server.stop(within: .milliseconds(100)) }
        let client = Client(port: server.port)
        client.send(Array(text.utf8))
        return client.answers(count, milliseconds: 60_000)
    }

    private static func get(_ path: String = "/", _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    @Test func `each request has another identifier of 16 hexadecimal digits, which the service knows`()
        throws
    {
        let replies = try Self.replies(to: Self.get() + Self.get() + Self.get(), count: 3)
        #expect(replies.count == 3)
        #expect(Set(replies.compactMap { $0.field("x-request-id") }).count == 3)
        for reply in replies {
            let id = try #require(reply.field("x-request-id"))
            #expect(id.wholeMatch(of: /[0-9a-f]{16}/) != nil, "\(id)")
            #expect(reply.text == id)
        }
    }

    @Test func `without the setting no response has an identifier`() throws {
        for path in ["/", "/nope"] {
            let reply = try #require(try Self.replies(to: Self.get(path), sendsIDs: false).first)
            #expect(reply.field("x-request-id") == nil && !reply.text.contains("request_id"))
        }
    }

    @Test(arguments: [
        "GET /nope HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "broken\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nbroken\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: x\r\nContent-Length: 3\r\n\r\nabc",
        "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /dropped HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func `problem details and the access log have the identifier of the response`(request: String) throws {
        let observed = Observed()
        let reply = try #require(try Self.replies(to: request, observed: observed).first)
        let id = try #require(reply.field("x-request-id"))
        let problem = try #require(
            try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
        #expect(problem["request_id"] as? String == id)
        #expect(problem["status"] as? Int == reply.status)
        let records = observed.records(1)
        #expect(records.map { $0.requestID?.description } == [id])
    }

    @Test func `a response to HEAD has the length of the problem details with the identifier`() throws {
        var configuration = Server.Configuration(port: 0)
        configuration.sendsRequestIDs = true
        let server = try Server(configuration, service: IDService())
        server.start()
        defer { server.stop(within: .milliseconds(100)) }
        let client = Client(port: server.port)
        client.send(Array("HEAD /nope HTTP/1.1\r\nHost: a\r\n\r\n\(Self.get("/nope"))".utf8))
        let replies = client.answers(2, heads: [0], milliseconds: 60_000)
        #expect(replies.count == 2)
        #expect(replies.first?.field("content-length") == replies.last?.field("content-length"))
    }

    @Test(arguments: ["abc", "7b0e8f3c-1d2a-4f00-9c1b-2f3a4b5c6d7e", String(repeating: "a", count: 64)])
    func `the identifier that a trusted proxy sends is used, that of others is not`(id: String) throws {
        let request = Self.get("/", "X-Request-Id: \(id)\r\n")
        let observed = Observed()
        let proxied = try #require(try Self.replies(to: request, isProxied: true, observed: observed).first)
        #expect(proxied.field("x-request-id") == id && proxied.text == id)
        #expect(observed.records(1).map { $0.requestID?.description } == [id])
        let direct = try #require(try Self.replies(to: request).first)
        #expect(direct.field("x-request-id")?.wholeMatch(of: /[0-9a-f]{16}/) != nil)
    }

    @Test(arguments: ["", "a b", "a\"b", "<b>", "a;b", "é", String(repeating: "a", count: 65)])
    func `an identifier of a proxy that is long or not plain is replaced`(id: String) throws {
        let request = Self.get("/", "X-Request-Id: \(id)\r\n")
        let reply = try #require(try Self.replies(to: request, isProxied: true).first)
        #expect(reply.field("x-request-id")?.wholeMatch(of: /[0-9a-f]{16}/) != nil)
    }

    @Test func `a slow call is reported with the identifier of its request`() throws {
        let observed = Observed()
        let reply = try #require(try Self.replies(to: Self.get("/slow"), observed: observed).first)
        let calls = observed.calls.wait(timeout: .seconds(60)) { $0.isEmpty ? nil : $0 }
        #expect(calls?.first?.requestID?.description == reply.field("x-request-id"))
    }

    @Test func `lines of the access log end with the identifier`() throws {
        var generator = RequestIDGenerator()
        let id = generator.next()
        let record = AccessRecord(
            time: 784_111_777_045, peer: "192.0.2.1", method: .get, target: Array("/a".utf8), status: .ok,
            requestID: id)
        #expect(
            String(decoding: AccessFormat.text.line(record), as: UTF8.self)
                == "192.0.2.1 - - [06/Nov/1994:08:49:37 +0000] \"GET /a HTTP/1.1\" 200 0 \"-\" \"-\" "
                + "0.000000 0 keep \(id)\n")
        let line = AccessFormat.json.line(record)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        #expect(object["request_id"] as? String == "\(id)")
    }

    @Test func `identifiers of two generators differ`() {
        var (one, other) = (RequestIDGenerator(), RequestIDGenerator())
        let ids = (0..<1000).flatMap { _ in [one.next(), other.next()] }
        #expect(Set(ids).count == 2000)
    }

    @Test func `the identifier is inserted where the response says, and nowhere else`() throws {
        var generator = RequestIDGenerator()
        let id = generator.next()
        var response = Response(.notFound, type: "text/html", body: .bytes(Array("ab".utf8)))
        response.addRequestID(id)
        #expect(response.body.count == 2)
        response.requestIDPosition = .byte(1)
        response.addRequestID(nil)
        #expect(response.body.count == 2)
        response.addRequestID(id)
        guard case .bytes(let bytes) = response.body else { return #expect(Bool(false)) }
        #expect(String(decoding: bytes, as: UTF8.self) == "a\(id)b")
        // A position that is not in the body, or a body that is no object.
        for (text, position) in [
            ("ab", Response.RequestIDPosition.byte(2)), ("[]", .lastMember), ("", .lastMember),
        ] {
            var response = Response(.notFound, body: .bytes(Array(text.utf8)))
            response.requestIDPosition = position
            response.addRequestID(id)
            #expect(response.body.count == text.utf8.count)
        }
    }
}
