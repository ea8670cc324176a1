import LeakHTTPServer
import LeakHTTPVectors
import Testing
import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Tests of peers that abort, half-close, send slowly, never end a connection or a body, or do not read their responses. Also
/// signals that interrupt the server.
@Suite struct FaultTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func expectStillServes(_ server: Server, after what: Comment? = nil) {
        let client = Client(port: server.port)
        client.send(Self.get)
        #expect(client.answers(1).first?.status == 200, what)
    }

    @Test
    func `a connection that is reset after any of its bytes is closed, and disturbs no other connection`()
        throws
    {
        let bytes = Array(
            ("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none"
                + "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\ntwo\r\n0\r\nT: t\r\n\r\n")
                .utf8)
        try withServer { server in
            for count in 0...bytes.count {
                let client = Client(port: server.port)
                client.send(Array(bytes[..<count]))
                client.reset()
            }
            #expect(server.waitForCounters { $0.accepted == bytes.count + 1 && $0.openConnections == 0 })
            expectStillServes(server)
        }
    }

    @Test func `peers that reset right after their request do not disturb other peers`() throws {
        let page = [UInt8](repeating: 0x61, count: 1 << 20)
        let later = LaterService()
        let service = ClosureService { request, responder in
            if request.path == "/later" {
                later.serve(request, responder)
            } else {
                responder.send(Response(.ok, body: .bytes(page)))
            }
        }
        try withServer(service, loops: 2) { server in
            for index in 0..<200 {
                let client = Client(port: server.port, receiveBufferBytes: 4096)
                client.send("GET /\(index.isMultiple(of: 2) ? "later" : "") HTTP/1.1\r\nHost: a\r\n\r\n")
                client.reset()
            }
            // Writing to disconnected peers raises no signal, and the unsent bytes are discarded.
            later.answerAll()
            #expect(server.waitForCounters { $0.accepted == 200 && $0.openConnections == 0 })
            expectStillServes(server)
        }
    }

    @Test func `peers that reset before they are accepted are skipped`() throws {
        let server = try Server(.init(port: 0), service: EchoService())
        for _ in 0..<20 { Client(port: server.port).reset() }
        server.start()
        expectStillServes(server)
        #expect(server.waitForCounters { $0.openConnections == 0 })
        server.stop(within: .zero)
    }

    @Test(
        arguments: [
            (get, [200]),
            (get + get, [200, 200]),
            (get + "GET / HT", [200]),
            ("GET / HT", []),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel", []),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", []),
            // Nothing is read after an error.
            (get + "BREW / HTTP/1.1\r\nHost: a\r\n\r\n" + get, [200, 501]),
            (get + "GET / HTTP/1.1\r\n\r\n" + get, [200, 400]),
        ] as [(String, [Int])])
    func `a peer that closes its sending side gets its responses, and then the end of the connection`(
        bytes: String, statuses: [Int]
    )
        throws
    {
        try withServer { server in
            let client = Client(port: server.port)
            client.send(bytes)
            client.endSending()
            #expect(client.waitForEnd())
            #expect(Reply.all(in: client.received).map(\.status) == statuses)
            #expect(server.waitForCounters { $0.openConnections == 0 })
        }
    }

    @Test(arguments: ["1\r\na\r\n", "1;a=b\r\na\r\n", "ff\r\n" + String(repeating: "a", count: 255) + "\r\n"])
    func `an endless chunked body is rejected when it is over the limit`(chunk: String) throws {
        var limits = Limits()
        limits.bodyBytes = 10_000
        limits.chunkOverheadBytes = 100_000
        limits.lingerBytes = 1000
        try withServer(limits: limits) { server in
            let client = Client(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let piece = String(repeating: chunk, count: 100)
            var pieces = 0
            while pieces < 10_000, !client.read(milliseconds: 0), client.send(piece) { pieces += 1 }
            #expect(pieces < 10_000)
            #expect(client.answers(1).first?.status == 413)
            #expect(server.waitForCounters { $0.rejectedRequests == 1 && $0.openConnections == 0 })
        }
    }

    @Test func `a body in segments of one byte arrives whole`() throws {
        let body = String((0..<1500).map { Character(UnicodeScalar(UInt8(0x30 + $0 % 60))) })
        let chunks = body.map { "1\r\n\($0)\r\n" }.joined()
        try withServer { server in
            for request in [
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1500\r\n\r\n\(body)",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n",
            ] {
                let client = Client(port: server.port)
                for byte in request.utf8 { client.send([byte]) }
                #expect(client.answers(1).first?.text == body)
            }
        }
    }

    @Test func `a rejected peer that keeps sending slowly is disconnected at the time limit`() throws {
        var limits = Limits()
        limits.lingerTotalTime = .milliseconds(100)
        try withServer(limits: limits) { server in
            let client = Client(port: server.port)
            client.send("BREW / HTTP/1.1\r\n\r\n")
            #expect(client.answers(1).first?.status == 501)
            var sentCount = 0
            while sentCount < 1000, server.counters.openConnections > 0 {
                client.send("x")
                Client.pause()
                sentCount += 1
            }
            #expect(sentCount < 1000)
        }
    }

    /// Each attempt sends for longer than the server waits without a byte. One attempt without a reset is enough, because a
    /// busy machine may delay the client of another attempt.
    @Test func `a rejected peer that sends slowly is not reset while it sends`() throws {
        var limits = Limits()
        limits.lingerTime = .milliseconds(500)
        let isRead = try withServer(limits: limits) { server in
            (0..<20).contains { _ in
                let client = Client(port: server.port)
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n")
                let clock = ContinuousClock()
                let start = clock.now
                var isOpen = true
                while isOpen && clock.now - start < .seconds(1) {
                    isOpen = client.send([UInt8](repeating: 0x61, count: 1000))
                    Client.pause()
                }
                return isOpen && client.answers(1).first?.status == 413
            }
        }
        #expect(isRead)
    }

    @Test func `bytes that arrive after the server stopped waiting for a rejected body cause no reset`()
        throws
    {
        var limits = Limits()
        limits.bodyTime = .milliseconds(50)
        let service = EchoService { _ in Response(.unauthorized) }
        try withServer(service, limits: limits) { server in
            let client = Client(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n")
            #expect(server.waitForCounters { $0.timedOut.body == 1 })
            // These bytes arrive after the server has stopped waiting for the body. A closed connection would send a reset.
            for _ in 0..<5 {
                #expect(client.send("late"))
                Client.pause()
            }
            #expect(client.answers(1).first?.status == 401)
        }
    }

    @Test func `endless requests whose responses are not read use little memory`() throws {
        let later = LaterService()
        var limits = Limits()
        limits.pipelinedRequests = 8
        try withServer(later, limits: limits) { server in
            let client = Client(port: server.port)
            let piece = String(repeating: Self.get, count: 1000)
            var pieces = 0
            while pieces < 1000, client.sendWithShortTimeout(piece) { pieces += 1 }
            // The sockets are full: the server has read one buffer of bytes and no more.
            #expect(pieces < 1000)
            #expect(server.waitForCounters { $0.requests == 8 })
            #expect(server.counters.bytesReceived <= 256 << 10)
        }
    }

    #if os(Linux)
        /// Runs in a separate process, because signals reach all threads.
        @Test func `requests are answered even if signals interrupt the server`() async {
            await #expect(processExitsWith: .success) {
                var action = sigaction()
                unsafe action.__sigaction_handler.sa_handler = { _ in }
                unsafe sigaction(SIGUSR1, &action, nil)
                let server = try Server(.init(port: 0), service: EchoService())
                server.start()
                // From here on, only the server's thread receives the signals.
                var set = sigset_t()
                unsafe sigemptyset(&set)
                unsafe sigaddset(&set, SIGUSR1)
                unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
                let body = String(repeating: "b", count: 100_000)
                for _ in 0..<100 {
                    let client = Client(port: server.port)
                    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
                    kill(getpid(), SIGUSR1)
                    client.send(body)
                    kill(getpid(), SIGUSR1)
                    guard client.nextAnswer()?.text == body else { exit(1) }
                }
                server.stop(within: .seconds(5))
                exit(0)
            }
        }
    #endif
}
