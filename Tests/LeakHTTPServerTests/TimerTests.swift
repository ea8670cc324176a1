import LeakHTTPServer
import LeakHTTPVectors
import Testing

@Suite struct TimerTests {
    /// Limits of a tenth of a second, so that tests need not wait longer.
    private static var short: Limits {
        var limits = Limits()
        limits.headTime = .milliseconds(100)
        limits.bodyTime = .milliseconds(100)
        limits.bodyTimePerUnit = .zero
        limits.idleTime = .milliseconds(100)
        limits.writeTime = .milliseconds(100)
        limits.lingerTime = .milliseconds(50)
        return limits
    }

    private func received(_ limits: Limits = short, after bytes: String) throws -> (
        statuses: [Int], isEnded: Bool
    ) {
        try withServer(limits: limits) { server in
            let client = Client(port: server.port)
            client.send(bytes)
            let isEnded = client.waitForEnd(milliseconds: 2000)
            return (Reply.all(in: client.received).map(\.status), isEnded)
        }
    }

    @Test(
        arguments: [
            // No request was sent, so there is no answer.
            ("", []),
            ("\r\n", []),
            ("GET / HTTP/1.1\r\nHo", [408]),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel", [408]),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", [408]),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", [200]),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET", [200, 408]),
        ] as [(String, [Int])])
    func `a peer that sends nothing more within the time limit is disconnected`(
        bytes: String, statuses: [Int]
    ) throws {
        let outcome = try received(after: bytes)
        #expect(outcome.statuses == statuses)
        #expect(outcome.isEnded)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\nX: ", "x"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n", "x"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1", ";x"),
    ])
    func `bytes that arrive slowly do not extend the time limit of a request`(start: String, piece: String)
        throws
    {
        try withServer(limits: Self.short) { server in
            let client = Client(port: server.port)
            client.send(start)
            var sentCount = 0
            // The limit is a hundred milliseconds; a thousand pieces take five seconds at least.
            while sentCount < 1000, !client.read(milliseconds: 5), client.send(piece) { sentCount += 1 }
            #expect(sentCount < 1000)
            #expect(Reply.all(in: client.received).first?.status == 408)
        }
    }

    @Test func `the time limit of a body grows with the bytes that have arrived`() throws {
        var limits = Self.short
        limits.bodyUnitBytes = 10
        limits.bodyTimePerUnit = .seconds(20)
        try withServer(limits: limits) { server in
            let client = Client(port: server.port)
            let start = String(repeating: "b", count: 40)
            // The bytes received so far extend the time by more than a busy machine needs. The rest arrives after the limit
            // that would apply without them.
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n\(start)")
            #expect(!client.read(milliseconds: 300))
            #expect(!client.isEnded)
            client.send(String(repeating: "b", count: 10))
            #expect(client.answers(1).first?.status == 200)
        }
    }

    @Test func `a peer that does not read its response is disconnected`() throws {
        let page = [UInt8](repeating: 0x61, count: 8 << 20)
        let service = ClosureService { _, responder in responder.send(Response(.ok, body: .bytes(page))) }
        try withServer(service, limits: Self.short) { server in
            let client = Client(port: server.port, receiveBufferBytes: 4096)
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let clock = ContinuousClock()
            let start = clock.now
            while server.counters.timedOut.write == 0 && clock.now - start < .seconds(60) { Client.pause() }
            #expect(server.waitForCounters { $0.timedOut.write == 1 && $0.openConnections == 0 })
        }
    }

    @Test func `a peer that reads its response too slowly is disconnected`() throws {
        let page = [UInt8](repeating: 0x61, count: 8 << 20)
        let service = ClosureService { _, responder in responder.send(Response(.ok, body: .bytes(page))) }
        var limits = Self.short
        limits.writeBytesPerSecond = 1 << 30
        try withServer(service, limits: limits) { server in
            let client = Client(port: server.port, receiveBufferBytes: 4096)
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            var reads = 0
            while reads < 2000, server.counters.timedOut.write == 0 {
                client.read(milliseconds: 0)
                Client.pause()
                reads += 1
            }
            #expect(reads < 2000)
            #expect(server.waitForCounters { $0.timedOut.write == 1 && $0.openConnections == 0 })
        }
    }

    typealias Counter = any KeyPath<Counters.TimedOut, Int> & Sendable

    @Test(
        arguments: [
            ("", \.idle), ("\r\n", \.idle), ("GET", \.head),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel", \.body),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", \.idle),
        ] as [(String, Counter)])
    func `disconnected peers are counted by the part of a request for which the server waited`(
        bytes: String, counter: Counter
    ) throws {
        try withServer(limits: Self.short) { server in
            let client = Client(port: server.port)
            client.send(bytes)
            #expect(client.waitForEnd())
            #expect(server.waitForCounters { $0.timedOut[keyPath: counter] == 1 && $0.timedOut.total == 1 })
            #expect(server.counters.rejectedRequests == 0)
        }
    }

    @Test func `by default, a rejected peer that keeps sending is read for at most 4 MiB and 30 seconds`() {
        #expect(Limits().lingerBytes == 4 << 20)
        #expect(Limits().lingerTotalTime == .seconds(30))
        #expect(Limits().lingerTime < Limits().lingerTotalTime)
    }

    @Test func `a service may take any time for its response`() throws {
        let later = LaterService()
        try withServer(later, limits: Self.short) { server in
            let client = Client(port: server.port)
            client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(!client.read(milliseconds: 300))
            #expect(!client.isEnded)
            later.answerAll()
            #expect(client.answers(1).first?.text == "/1")
        }
    }

    @Test func `a peer that reads no responses is disconnected, even if it keeps sending requests`() throws {
        var limits = Limits()
        limits.writeTime = .milliseconds(300)
        limits.queuedBytes = 64 << 20
        try withServer(limits: limits) { server in
            let client = Client(port: server.port, receiveBufferBytes: 4096)
            let body = [UInt8](repeating: 0x61, count: 1 << 20)
            let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n"
            for _ in 0..<8 { client.send(Array(head.utf8) + body) }
            var asked = 0
            while server.counters.openConnections > 0 && asked < 2000 {
                asked += 1
                _ = client.sendWithShortTimeout("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                for _ in 0..<16 { Client.pause() }
            }
            #expect(server.waitForCounters { $0.openConnections == 0 && $0.timedOut.write == 1 })
        }
    }
}
