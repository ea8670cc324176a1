import LeakHTTPServer
import LeakHTTPVectors
import LeakPlatform
import Testing

@Suite struct EvictionTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Returns a client that has received one answer.
    private func servedClient(_ server: Server) -> Client {
        let client = Client(port: server.port)
        client.send(Self.get)
        #expect(client.answers(1).first?.status == 200)
        return client
    }

    @Test func `connections with slow bodies are evicted if all bodies together use too much memory`() throws
    {
        var limits = Limits()
        limits.uploadBytes = 1 << 20
        try withServer(limits: limits) { server in
            let body = [UInt8](repeating: 0x61, count: 100 << 10)
            // Each connection occupies 256 KiB after most of its body has arrived.
            let slow = (0..<8).map { _ in
                let client = Client(port: server.port)
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
                client.send(Array(body.dropLast()))
                waitPastGraceTime()
                return client
            }
            #expect(server.waitForCounters { $0.evicted >= 3 })
            #expect(slow[0].answers(1).first?.status == 503)
            #expect(slow[0].answers(1).first?.field("retry-after") == "1")
            #expect(slow[0].waitForEnd())
            // The last connection began last, so it stays open.
            slow[7].send("a")
            #expect(slow[7].answers(1).first?.body == body)
        }
    }

    @Test func `at the limit of connections, a new connection replaces the connection that was idle longest`()
        throws
    {
        try withServer(limits: limits(connections: 3)) { server in
            let first = servedClient(server)
            waitPastGraceTime()
            let others = [servedClient(server), servedClient(server)]
            waitPastGraceTime()
            let newcomer = servedClient(server)
            // The connection is closed without a response.
            #expect(first.waitForEnd())
            #expect(Reply.all(in: first.received).count == 1)
            for client in others + [newcomer] {
                client.send(Self.get)
                #expect(client.answers(2).count == 2)
            }
            #expect(
                server.waitForCounters {
                    $0.evicted == 1 && $0.rejectedConnections.total == 0 && $0.openConnections == 3
                })
        }
    }

    @Test func `at the limit of connections, a connection that has sent nothing is evicted`() throws {
        try withServer(limits: limits(connections: 2)) { server in
            let silent = [Client(port: server.port), Client(port: server.port)]
            #expect(server.waitForCounters { $0.openConnections == 2 })
            waitPastGraceTime()
            let newcomers = [servedClient(server), servedClient(server)]
            for client in silent {
                #expect(client.waitForEnd())
                #expect(client.received.isEmpty)
            }
            withExtendedLifetime(newcomers) {
                #expect(server.waitForCounters { $0.evicted == 2 && $0.rejectedConnections.total == 0 })
            }
        }
    }

    @Test(arguments: [
        "GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
    ])
    func `if no connection is idle, the slowest peer is evicted and gets 503`(part: String)
        throws
    {
        var limits = limits(connections: 2)
        // A peer counts as slow, and can be evicted, when it has used up a tenth of the time limit.
        limits.headTime = .seconds(30)
        limits.bodyTime = .seconds(30)
        try withServer(limits: limits) { server in
            let slow = [Client(port: server.port), Client(port: server.port)]
            for client in slow {
                client.send(part)
                waitPastGraceTime()
            }
            // A new client is rejected as long as no peer counts as slow.
            #expect(isServedSoon(server))
            #expect(slow[0].waitForEnd())
            #expect(Reply.all(in: slow[0].received).map(\.status) == [503])
            #expect(!slow[1].read(milliseconds: 1))
            #expect(server.waitForCounters { $0.evicted == 1 && $0.timedOut.total == 0 })
        }
    }

    @Test func `at the limit of connections, a peer that does not read its response is evicted`() throws {
        let page = [UInt8](repeating: 0x61, count: 8 << 20)
        let service = ClosureService { request, responder in
            responder.send(Response(.ok, body: request.path == "/big" ? .bytes(page) : .empty))
        }
        var limits = limits(connections: 1)
        limits.writeTime = .seconds(30)
        try withServer(service, limits: limits) { server in
            let slow = Client(port: server.port, receiveBufferBytes: 4096)
            slow.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(isServedSoon(server))
            #expect(server.waitForCounters { $0.evicted == 1 && $0.timedOut.total == 0 })
        }
    }

    private func isServedSoon(_ server: Server) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        while clock.now - start < .seconds(25) {
            let client = Client(port: server.port)
            client.send(Self.get)
            if client.answers(1).first?.status == 200 { return true }
            Client.pause()
        }
        return false
    }

    @Test func `a connection that waits for the service is not evicted`() throws {
        let later = LaterService()
        try withServer(later, limits: limits(connections: 2)) { server in
            let waiting = [Client(port: server.port), Client(port: server.port)]
            for (index, client) in waiting.enumerated() {
                client.send("GET /\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            #expect(later.waitForRequests(2))
            waitPastGraceTime()
            let newcomer = Client(port: server.port)
            #expect(newcomer.answers(1).first?.status == 503)
            #expect(newcomer.answers(1).first?.field("retry-after") == "1")
            #expect(newcomer.waitForEnd())
            later.answerAll()
            for client in waiting { #expect(client.answers(1).first?.status == 200) }
            #expect(server.waitForCounters { $0.rejectedConnections.overTotalLimit == 1 && $0.evicted == 0 })
        }
    }

    @Test func `bytes that arrive with a rejected connection count as received`() throws {
        let later = LaterService()
        let isReleased = Guarded(false)
        let service = ClosureService { request, responder in
            later.serve(request, responder)
            // Blocks the event loop until the request of the next connection has arrived.
            _ = isReleased.wait(timeout: .seconds(30)) { $0 ? true : nil }
        }
        try withServer(service, limits: limits(connections: 1)) { server in
            let waiting = Client(port: server.port)
            waiting.send(Self.get)
            #expect(later.waitForRequests(1))
            let newcomer = Client(port: server.port)
            newcomer.send(Self.get)
            isReleased.with { $0 = true }
            isReleased.wakeAll()
            #expect(newcomer.answers(1).first?.status == 503)
            #expect(
                server.waitForCounters {
                    $0.rejectedConnections.overTotalLimit == 1
                        && $0.bytesReceived == 2 * Self.get.utf8.count
                })
            later.answerAll()
            #expect(waiting.answers(1).first?.status == 200)
        }
    }

    @Test func `an event loop without idle connections evicts a connection of another loop`() throws {
        try withServer(loops: 3, limits: limits(connections: 1)) { server in
            // The system distributes the connections, so the only connection that the limit allows moves from loop to loop.
            for _ in 0..<12 {
                let client = servedClient(server)
                waitPastGraceTime()
                withExtendedLifetime(servedClient(server)) { #expect(client.waitForEnd()) }
                waitPastGraceTime()
            }
            #expect(server.waitForCounters { $0.rejectedConnections.total == 0 && $0.requests == 24 })
        }
    }

    @Test func `one address gets no more connections than the limit per address`() throws {
        var limits = Limits()
        limits.connectionsPerAddress = 2
        try withServer(loops: 2, limits: limits) { server in
            let first = servedClient(server)
            let second = servedClient(server)
            let third = Client(port: server.port)
            third.send(Self.get)
            #expect(third.answers(1).first?.status == 503)
            #expect(third.waitForEnd())
            #expect(
                server.waitForCounters {
                    $0.rejectedConnections.overAddressLimit == 1 && $0.rejectedConnections.total == 1
                        && $0.evicted == 0
                })

            first.endSending()
            #expect(first.waitForEnd())
            #expect(server.waitForCounters { $0.openConnections == 1 })
            withExtendedLifetime((second, servedClient(server))) {
                #expect(
                    server.waitForCounters { $0.openConnections == 2 && $0.rejectedConnections.total == 1 })
            }
        }
    }
}
