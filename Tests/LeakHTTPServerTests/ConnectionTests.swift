import LeakHTTPServer
import LeakHTTPVectors
import Testing
import LeakPlatform

@Suite struct ConnectionTests {
    private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

    @Test func `responses that another thread sends in reverse order arrive in the order of the requests`()
        throws
    {
        let later = LaterService()
        try withServer(later) { server in
            let client = Client(port: server.port)
            client.send((0..<20).map { Self.get("/\($0)") }.joined())
            #expect(later.waitForRequests(20))
            later.answerAll { $0.reversed() }
            #expect(client.answers(20).map(\.text) == (0..<20).map { "/\($0)" })
        }
    }

    @Test func `a response that is sent while another connection is served reaches its own peer`() throws {
        let later = LaterService()
        let service = ClosureService { request, responder in
            let isSecond = request.pathEquals("/second")
            later.serve(request, responder)
            // The response to the first connection is also sent on the loop's thread.
            if isSecond { later.answerAll() }
        }
        try withServer(service) { server in
            let (first, second) = (Client(port: server.port), Client(port: server.port))
            first.send(Self.get("/first"))
            #expect(later.waitForRequests(1))
            second.send(Self.get("/second"))
            #expect(second.nextAnswer()?.text == "/second")
            #expect(first.nextAnswer()?.text == "/first")
        }
    }

    @Test func `the server stops reading a connection while many of its requests wait, and continues later`()
        throws
    {
        let later = LaterService()
        var limits = Limits()
        limits.pipelinedRequests = 4
        try withServer(later, limits: limits) { server in
            let client = Client(port: server.port)
            client.send((0..<10).map { Self.get("/\($0)") }.joined())
            #expect(later.waitForRequests(4))
            #expect(!client.read(milliseconds: 50))
            #expect(server.waitForCounters { $0.requests == 4 })
            for expected in [4, 4, 2] {
                #expect(later.waitForRequests(expected))
                later.answerAll()
            }
            #expect(client.answers(10).map(\.text) == (0..<10).map { "/\($0)" })
        }
    }

    @Test func `a peer that sends a thousand requests without waiting gets all responses in order`() throws {
        var limits = Limits()
        limits.pipelinedRequests = 3
        try withServer(limits: limits) { server in
            let paths = (0..<1000).map { "/\($0)" }
            let bodies = paths.map {
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \($0.utf8.count)\r\n\r\n\($0)"
            }
            let client = Client(port: server.port)
            client.send(bodies.joined())
            client.endSending()
            #expect(client.answers(1000).map(\.text) == paths)
            #expect(client.waitForEnd())
        }
    }

    @Test func `if a service releases a responder without a response, the peer gets 500`() throws {
        let later = LaterService()
        try withServer(later) { server in
            let client = Client(port: server.port)
            client.send(Self.get("/"))
            #expect(later.waitForRequests(1))
            later.dropAll()
            #expect(client.answers(1).first?.status == 500)
        }
        // This service releases its responder on the loop's own thread.
        try withServer(ClosureService { _, _ in }) { server in
            let client = Client(port: server.port)
            client.send(Self.get("/"))
            #expect(client.answers(1).first?.status == 500)
        }
    }

    @Test func `a response for a closed connection reaches no other peer`() throws {
        let later = LaterService()
        try withServer(later) { server in
            var gone: Client? = Client(port: server.port)
            gone?.send(Self.get("/gone"))
            #expect(later.waitForRequests(1))
            gone?.reset()
            gone = nil
            let clock = ContinuousClock()
            let start = clock.now
            while server.counters.openConnections > 0 && clock.now - start < .seconds(60) { Client.pause() }
            // This connection gets the same index in the table of the loop.
            let client = Client(port: server.port)
            client.send(Self.get("/here"))
            #expect(later.waitForRequests(2))
            later.answerAll()
            #expect(client.answers(1).map(\.text) == ["/here"])
            #expect(!client.read(milliseconds: 50))
        }
    }

    @Test func `after a request is rejected by its head, its connection stays open if the body is short`()
        throws
    {
        let service = EchoService { request in
            request.field("authorization") == nil ? Response(.unauthorized) : nil
        }
        try withServer(service) { server in
            let client = Client(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")
            #expect(client.answers(1).first?.status == 401)
            client.send("loPOST / HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nContent-Length: 2\r\n\r\nok")
            let replies = client.answers(2)
            #expect(replies.map(\.status) == [401, 200])
            #expect(replies.last?.text == "ok")

            let long = Client(port: server.port)
            long.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 70000\r\n\r\n")
            #expect(long.answers(1).first?.field("connection") == "close")
            #expect(long.waitForEnd())
        }
    }

    @Test func `no response with status 100 is sent if the head is rejected`() throws {
        let service = EchoService { request in request.hasBody ? Response(.forbidden) : nil }
        try withServer(service) { server in
            let client = Client(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            #expect(client.waitForEnd())
            #expect(Reply.all(in: client.received).map(\.status) == [403])
        }
    }

    @Test func `a response with status 100 is sent after the responses to earlier requests`() throws {
        let later = LaterService()
        try withServer(later) { server in
            let client = Client(port: server.port)
            client.send(
                Self.get("/1")
                    + "POST /2 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
            #expect(later.waitForRequests(1))
            #expect(!client.read(milliseconds: 50))
            later.answerAll()
            #expect(client.answers(2).map(\.status) == [200, 100])
            client.send("x")
            #expect(later.waitForRequests(1))
            later.answerAll()
            #expect(client.answers(3).map(\.status) == [200, 100, 200])
        }
    }

    @Test func `the server stops reading a peer that sends endless requests and reads no responses`() throws {
        let page = [UInt8](repeating: 0x61, count: 1000)
        let service = ClosureService { _, responder in responder.send(Response(.ok, body: .bytes(page))) }
        try withServer(service) { server in
            let client = Client(port: server.port, receiveBufferBytes: 4096)
            // The answers would have 60 MB if all requests were read and answered.
            let piece = String(repeating: Self.get("/"), count: 1000)
            for _ in 0..<60 { guard client.sendWithShortTimeout(piece) else { break } }
            // The socket buffers at both ends and the bounded queue hold far less than all bytes.
            #expect(server.counters.bytesSent < 20 << 20)
            #expect(server.counters.requests < 30_000)
        }
    }

    @Test func `two event loops serve many connections at the same time`() throws {
        let failures = Guarded(0)
        try withServer(loops: 2) { server in
            let port = server.port
            concurrently(16) { index in
                let client = Client(port: port)
                for round in 0..<50 {
                    let body = "\(index)-\(round)"
                    client.send(
                        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                    if client.nextAnswer()?.text != body { failures.with { $0 += 1 } }
                }
            }
            #expect(failures.with { $0 } == 0)
            #expect(server.waitForCounters { $0.requests == 800 && $0.successful == 800 })
        }
    }

    @Test func `the response to HEAD has the Content-Length of the response to GET, and no body`() throws {
        try withServer(ClosureService { _, responder in responder.send(Response(.ok, body: .text("12345"))) })
        { server in
            let client = Client(port: server.port)
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + Self.get("/"))
            let replies = client.answers(2, heads: [0])
            #expect(replies.map { $0.field("content-length") } == ["5", "5"])
            #expect(replies.map(\.text) == ["", "12345"])
        }
    }

    @Test func `requests before a truncated body get all of their responses, and other peers only their own`()
        throws
    {
        try withServer { server in
            for round in 0..<8 {
                let owed = [UInt8](repeating: 0x62, count: 240 << 10)
                var stream: [UInt8] = []
                var whole = 0
                // In half of the rounds the requests fill exactly one read; in the others the answers are longer than the
                // system accepts in one call.
                if round % 2 == 0 {
                    stream += Array(
                        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nalice".utf8)
                    whole = 1
                } else {
                    for _ in 0..<4 {
                        stream += Array(
                            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(owed.count / 4)\r\n\r\n".utf8)
                        stream += owed[..<(owed.count / 4)]
                    }
                    whole = 4
                }
                stream += Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n".utf8)
                stream += [UInt8](repeating: 0x63, count: max(10, (64 << 10) - stream.count))
                let attacker = Client(port: server.port, receiveBufferBytes: 4096)
                let victim = Client(port: server.port)
                attacker.send(stream)
                attacker.endSending()
                victim.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nbob")
                #expect(victim.answers(1).map(\.text) == ["bob"])
                #expect(!victim.read(milliseconds: 20), "nothing else comes")
                #expect(attacker.answers(whole, milliseconds: 10_000).count == whole)
                #expect(attacker.waitForEnd())
            }
        }
    }
}
