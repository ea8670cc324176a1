import Dispatch
import Foundation
import LeakFoundationTransport
import LeakHTTPServer
import LeakTransport
import Testing

/// Transmission of requests: received bytes, number of connections, cookies, and timeouts.
@Suite struct TransmissionTests {
    private static let noContent = "HTTP/1.1 204 No Content\r\n\r\n"

    @Test(arguments: TransportKind.allCases)
    func `a POST request arrives with its fields and its body`(kind: TransportKind) async throws {
        let peer = try ScriptedPeer { _ in .init(Self.noContent) }
        defer { peer.stop() }
        _ = await kind.reply(to: .report("{\"é\": 1}", to: peer.address))
        let request = try #require(peer.requests.first)
        let lines = request.head.components(separatedBy: "\r\n")
        #expect(lines[0] == "POST /api/v1/reports HTTP/1.1")
        for line in [
            "Content-Type: application/json", "Authorization: Bearer secret", "Idempotency-Key: k1",
            "User-Agent: LeakReporter/1", "Content-Length: 9",
        ] {
            #expect(lines.filter { $0.lowercased() == line.lowercased() }.count == 1, "\(line) in \(lines)")
        }
        #expect(request.body == Array("{\"é\": 1}".utf8))
    }

    /// On Apple's systems the collector's commands send such requests.
    @Test(arguments: ["GET", "DELETE"])
    func `URLSessionTransport sends GET and DELETE requests without a body`(method: String) async throws {
        let peer = try ScriptedPeer { _ in .init("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { peer.stop() }
        let reply: TransportResult = await withCheckedContinuation { continuation in
            Thread {
                let transport = URLSessionTransport(limits: .longTimeouts, usesProxy: false)
                let agent = TransportRequest.Field(name: "User-Agent", value: "collector/1")
                continuation.resume(
                    returning: transport.send(method, to: peer.address, fields: [agent], body: nil))
            }.start()
        }
        #expect(reply.answer?.body == Array("ok".utf8), "\(reply)")
        let request = try #require(peer.requests.first)
        #expect(request.head.hasPrefix("\(method) /api/v1/reports HTTP/1.1\r\n"))
        #expect(request.head.components(separatedBy: "\r\n").contains("User-Agent: collector/1"))
        #expect(request.body.isEmpty)
    }

    @Test(arguments: TransportKind.allCases, [0, 1, 65_536, 256 * 1024, 1024 * 1024])
    func `a request body arrives unchanged`(kind: TransportKind, bytes: Int) async throws {
        let peer = try ScriptedPeer { _ in .init(Self.noContent) }
        defer { peer.stop() }
        var post = TransportRequest.report(to: peer.address)
        post.body = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) }
        let reply = await kind.reply(to: post)
        #expect(reply.answer?.status == 204, "\(reply)")
        #expect(peer.requests.first?.body == post.body)
    }

    private struct Echo: Service {
        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            responder.send(
                Response(Status(200), type: "text/plain", body: .bytes(Array("\(request.body().count)".utf8)))
            )
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `LeakHTTPServer understands the requests of each transport`(kind: TransportKind) async throws {
        var limits = Limits()
        (limits.headTime, limits.bodyTime) = (.seconds(600), .seconds(600))
        let server = try Server(.init(port: 0, limits: limits), service: Echo())
        server.start()
        defer { server.stop(within: .seconds(5)) }
        var post = TransportRequest.report(to: "http://127.0.0.1:\(server.port)/")
        post.body = [UInt8](repeating: 7, count: 256 * 1024)
        let replies = await kind.replies(to: [post, post, post])
        #expect(
            replies.compactMap(\.answer).map(\.body) == Array(repeating: Array("262144".utf8), count: 3),
            "\(replies.compactMap(\.failure))")
    }

    @Test(arguments: TransportKind.allCases)
    func `several POST requests of a transport use one connection`(kind: TransportKind) async throws {
        let peer = try ScriptedPeer { _ in .init("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { peer.stop() }
        let replies = await kind.replies(to: Array(repeating: .report(to: peer.address), count: 8))
        #expect(replies.compactMap(\.answer?.status) == Array(repeating: 200, count: 8))
        #expect(peer.requests.map(\.connection) == Array(repeating: 0, count: 8))
    }

    @Test(arguments: TransportKind.allCases)
    func `a transport opens a new connection after the server has closed the previous connection`(
        kind: TransportKind
    ) async throws {
        let peer = try ScriptedPeer { _ in .init(Self.noContent, then: .close) }
        defer { peer.stop() }
        // Foundation on Linux can lose a request whose connection is closed. Such a request ends at its time limit.
        var limits = TransportLimits.longTimeouts
        (limits.connectMilliseconds, limits.totalMilliseconds) = (30_000, 30_000)
        let replies = await kind.replies(
            to: Array(repeating: .report(to: peer.address), count: 9), limits)
        // A request on a connection that is just being closed gets no answer, and must be sent again.
        let answers = replies.compactMap(\.answer?.status)
        #expect(answers.count >= 3 && answers.allSatisfy { $0 == 204 })
        #expect(answers.count + replies.compactMap(\.failure).count == 9)
    }

    @Test(arguments: TransportKind.allCases)
    func `a transport can be used again after a failed request`(kind: TransportKind) async throws {
        let peer = try ScriptedPeer { number in
            number == 0
                ? .init("HTTP/1.1 200 OK\r\n\r\n", .endlessly(String(repeating: "more ", count: 20_000)))
                : .init("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { peer.stop() }
        let replies = await kind.replies(to: [.report(to: peer.address), .report(to: peer.address)])
        #expect(replies[0].failure?.contains("longer") == true)
        #expect(replies[1].answer?.body == Array("ok".utf8))
    }

    @Test(arguments: TransportKind.allCases)
    func `a transport stores no cookies`(kind: TransportKind) async throws {
        let peer = try ScriptedPeer { _ in
            .init("HTTP/1.1 204 No Content\r\nSet-Cookie: who=1; Path=/\r\n\r\n")
        }
        defer { peer.stop() }
        _ = await kind.replies(to: [.report(to: peer.address), .report(to: peer.address)])
        #expect(peer.requests.count == 2)
        #expect(!peer.requests.contains { $0.head.lowercased().contains("cookie") })
    }

    @Test(arguments: TransportKind.allCases)
    func `a request to an address without a server fails`(kind: TransportKind) async throws {
        let port = try ScriptedPeer.freePort()
        let addresses = ["http://127.0.0.1:\(port)/", "http://nowhere.invalid/", "http://"]
        let replies = await kind.replies(to: addresses.map { .report(to: $0) })
        #expect(replies.allSatisfy { $0.failure?.isEmpty == false }, "\(replies)")
    }

    @Test(arguments: TransportKind.allCases)
    func `a connection that is not established ends at the connect timeout, not at the total timeout`(
        kind: TransportKind
    ) async throws {
        let peer = try UnresponsivePeer()
        var limits = TransportLimits.longTimeouts
        limits.connectMilliseconds = 500
        limits.totalMilliseconds = 60_000
        let (reply, seconds) = await kind.timedReply(
            to: .report(to: "http://127.0.0.1:\(peer.port)/"), limits)
        #expect(reply.failure?.isEmpty == false, "\(reply)")
        #expect((0.4..<30).contains(seconds))
        withExtendedLifetime(peer) {}
    }

    /// Responses that take too long: silence before the response, silence within it, and a response that trickles endlessly.
    static let slow: [ScriptedPeer.Script] = [
        .init("", then: .silence), .init("HTTP/1.1 200 OK\r\n", then: .silence),
        .init("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", then: .silence),
        .init(
            "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1_000), .byteByByte(milliseconds: 50)),
    ]

    @Test(arguments: TransportKind.allCases, slow.indices)
    func `a response that does not end times out`(kind: TransportKind, script: Int) async throws {
        let peer = try ScriptedPeer { _ in Self.slow[script] }
        defer { peer.stop() }
        var limits = TransportLimits.longTimeouts
        limits.totalMilliseconds = 1_000
        let (reply, seconds) = await kind.timedReply(to: .report(to: peer.address), limits)
        #expect(reply.failure?.isEmpty == false, "\(reply)")
        #expect((0.9..<20).contains(seconds))
    }

    /// If a busy machine cannot connect within two seconds, it gets more time.
    @Test(arguments: TransportKind.allCases)
    func `a response may take longer than the time limit for connecting`(kind: TransportKind) async throws {
        var reply: TransportResult?
        for seconds in [2, 8, 32] where reply?.answer == nil {
            // The answer takes a third longer than the time limit for connecting.
            let pause = UInt32(seconds * 4_000 / 3 / Self.noContent.utf8.count)
            let peer = try ScriptedPeer { _ in .init(Self.noContent, .byteByByte(milliseconds: pause)) }
            defer { peer.stop() }
            var limits = TransportLimits.longTimeouts
            limits.connectMilliseconds = seconds * 1_000
            limits.totalMilliseconds = 600_000
            reply = await kind.reply(to: .report(to: peer.address), limits)
        }
        #expect(reply?.answer?.status == 204, "\(String(describing: reply))")
    }
}
