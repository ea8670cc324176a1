import LeakHTTPServer
import LeakHTTPVectors
import Testing
import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct ObservingTests {
    /// Keeps the access records and slow calls of a server.
    private final class ObservedCalls: Sendable {
        private let records = Guarded<[AccessRecord]>([])
        private let calls = Guarded<[SlowCall]>([])

        func answered(_ record: AccessRecord) {
            records.with { $0.append(record) }
            records.wakeAll()
        }

        func slow(_ call: SlowCall) {
            calls.with { $0.append(call) }
            calls.wakeAll()
        }

        /// Waits for at least `count` records, for at most a minute, and returns all records.
        func records(_ count: Int) -> [AccessRecord] {
            records.wait(timeout: .seconds(60)) { $0.count >= count ? $0 : nil } ?? records.with { $0 }
        }

        func calls(_ count: Int) -> [SlowCall] {
            calls.wait(timeout: .seconds(60)) { $0.count >= count ? $0 : nil } ?? calls.with { $0 }
        }
    }

    private static func withServer(
        _ service: any Service = EchoService(), limits: Limits = Limits(),
        _ body: (Server, ObservedCalls) throws -> Void
    ) throws {
        let observed = ObservedCalls()
        var configuration = Server.Configuration(port: 0, limits: limits)
        configuration.onAnswer = { observed.answered($0) }
        configuration.onSlowCall = { observed.slow($0) }
        let server = try Server(configuration, service: service)
        server.start()
        defer { server.stop(within: .milliseconds(100)) }
        try body(server, observed)
    }

    private static func outcome(_ record: AccessRecord) -> String {
        let target = String(decoding: record.target, as: UTF8.self)
        let method = record.method.map { "\($0.name)" } ?? "-"
        let end = record.closesConnection ? "close" : "keep"
        return "\(method) \(target) \(record.status.code) \(record.bytesReceived) \(end)"
    }

    @Test(arguments: [
        ("GET /a?b=%20 HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /a?b=%20 200 0 keep"]),
        ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", ["POST /a 200 3 keep"]),
        (
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            ["POST /a 200 3 keep"]
        ),
        (
            "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            ["GET /1 200 0 keep", "GET /2 200 0 close"]
        ),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", ["OPTIONS * 204 0 keep"]),
        (
            "GET /a HTTP/1.1\r\nHost: a\r\n\r\nBREW / HTTP/1.1\r\n\r\n",
            ["GET /a 200 0 keep", "-  501 0 close"]
        ),
        ("GET / HTTP/1.1\r\n\r\n", ["-  400 0 close"]),
        (
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n",
            ["POST /a 413 0 close"]
        ),
        (
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nx",
            ["POST /a 400 3 close"]
        ),
    ])
    func `each request that was answered or rejected is recorded once`(sent: String, outcomes: [String])
        throws
    {
        try Self.withServer { server, observed in
            let client = Client(port: server.port)
            client.send(sent)
            let replies = client.answers(outcomes.count)
            let records = observed.records(outcomes.count)
            #expect(records.map(Self.outcome) == outcomes)
            #expect(records.map(\.bytesSent) == replies.map(\.body.count))
        }
    }

    @Test func `an access record has peer, time, version, user agent and duration, and no secret`() throws {
        try Self.withServer { server, observed in
            let client = Client(port: server.port)
            client.send("HEAD / HTTP/1.0\r\nUser-Agent: caf\u{E9}/1\r\nAuthorization: Bearer secret\r\n\r\n")
            #expect(client.answers(1, heads: [0]).first?.status == 200)
            let record = try #require(observed.records(1).first)
            #expect(record.peer == "127.0.0.1")
            #expect(record.time > 1_700_000_000_000)
            #expect(record.minorVersion == 0)
            #expect(record.userAgent == Array("caf\u{E9}/1".utf8))
            #expect(record.duration > .zero && record.duration < .seconds(60))
            #expect(!String(decoding: AccessFormat.json.line(record), as: UTF8.self).contains("secret"))
        }
    }

    @Test(arguments: [
        ("G", ["-  503 0 close"]),
        ("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET", ["GET /a 200 0 keep", "-  503 0 close"]),
        (
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf",
            ["POST /a 503 4 close"]
        ),
    ])
    func `an eviction in the middle of a request is recorded once`(sent: String, outcomes: [String]) throws {
        var limits = limits(connections: 1)
        // After a tenth of these times, a connection can be evicted.
        limits.headTime = .seconds(20)
        limits.bodyTime = .seconds(20)
        try Self.withServer(limits: limits) { server, observed in
            let evicted = Client(port: server.port)
            evicted.send(sent)
            #expect(waitForEviction(server))
            #expect(evicted.waitForEnd(milliseconds: 60_000))
            #expect(Reply.all(in: evicted.received).last?.status == 503)
            let observed = observed.records(outcomes.count).map(Self.outcome)
            #expect(Array(observed.prefix(outcomes.count)) == outcomes)
        }
    }

    @Test func `a peer that does not read its response gets no second response when it is evicted`() throws {
        let page = [UInt8](repeating: 0x61, count: 8 << 20)
        let service = ClosureService { request, responder in
            responder.send(Response(.ok, body: request.path == "/big" ? .bytes(page) : .empty))
        }
        var limits = limits(connections: 1)
        limits.writeTime = .seconds(20)
        try Self.withServer(service, limits: limits) { server, observed in
            let slow = Client(port: server.port, receiveBufferBytes: 4096)
            slow.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\n")
            #expect(waitForEviction(server))
            let statuses = observed.records(2).map {
                "\(String(decoding: $0.target, as: UTF8.self)) \($0.status.code)"
            }
            #expect(statuses.prefix(2) == ["/big 200", "/ 200"])
        }
    }

    /// Sends requests on new connections until the server has evicted another connection for one of them.
    private func waitForEviction(_ server: Server) -> Bool {
        for _ in 0..<2000 {
            let client = Client(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            if client.answers(1, milliseconds: 60_000).first?.status == 200 {
                return server.waitForCounters { $0.evicted >= 1 }
            }
            Client.pause()
        }
        return false
    }

    @Test func `responses that other threads send are recorded in the order of their requests`() throws {
        let later = LaterService()
        try Self.withServer(later) { server, observed in
            let client = Client(port: server.port)
            for path in ["/1", "/2", "/3"] { client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(later.waitForRequests(3))
            later.answerAll { $0.reversed() }
            #expect(client.answers(3).count == 3)
            let targets = observed.records(3).map { String(decoding: $0.target, as: UTF8.self) }
            #expect(targets == ["/1", "/2", "/3"])
        }
    }

    @Test func `a head that takes too long is recorded, without its content`() throws {
        var limits = Limits()
        limits.headTime = .milliseconds(50)
        try Self.withServer(limits: limits) { server, observed in
            let client = Client(port: server.port)
            client.send("GET / HTTP/1.1\r\n")
            #expect(client.answers(1).first?.status == 408)
            #expect(observed.records(1).first?.status == .requestTimeout)
            #expect(observed.records(1).first?.method == nil)
        }
    }

    /// A slow call blocks its event loop, and no other thread takes over the work of the loop.
    @Test func `a call that blocks its event loop is counted, and recorded with its path, without the query`()
        throws
    {
        let service = ClosureService { request, responder in
            if request.pathEquals("/slow") { usleep(80_000) }
            responder.send(Response(.ok))
        }
        try Self.withServer(service) { server, observed in
            let client = Client(port: server.port)
            client.send("GET /fast HTTP/1.1\r\nHost: a\r\n\r\nGET /slow?code=1 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(client.answers(2).count == 2)
            #expect(server.waitForCounters { $0.slowCalls >= 1 })
            let call = try #require(observed.calls(1).first { $0.path == "/slow" })
            #expect(call.method == .get)
            #expect(call.duration > Limits().serviceTime)
        }
    }

    @Test func `a slow call of screen is counted and recorded like a slow call of serve`() throws {
        let service = EchoService { _ in
            usleep(80_000)
            return Response(.notFound)
        }
        try Self.withServer(service) { server, observed in
            let client = Client(port: server.port)
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(client.answers(1).first?.status == 404)
            #expect(server.waitForCounters { $0.slowCalls >= 1 })
            #expect(observed.calls(1).first?.path == "/a")
        }
    }
}
