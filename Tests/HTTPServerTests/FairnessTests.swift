import HTTPServer
import HTTPVectors
import Testing

/// Many connections of one peer, none of them idle for a moment: the first letter of the next head is always there.
@Suite struct FairnessTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func limits(connections: Int) -> Limits {
        var limits = Limits()
        limits.connections = connections
        return limits
    }

    private func letTimePass() { for _ in 0..<16 { Client.pause() } }

    private func busy(_ count: Int, _ server: Server) -> [Client] {
        (0..<count).map { _ in
            let client = Client(port: server.port, from: 2)
            client.send(Self.get + "G")
            #expect(client.answers(1).first?.status == 200)
            return client
        }
    }

    #if os(Linux)
        @Test func `one that has most places gives way to others, busy as it is`() throws {
            try withServer(limits: limits(connections: 8)) { server in
                let crowd = busy(8, server)
                var newcomers: [Client] = []
                for _ in 0..<3 {
                    let newcomer = Client(port: server.port)
                    newcomer.send(Self.get)
                    #expect(newcomer.answers(1).first?.status == 200)
                    newcomers.append(newcomer)
                    letTimePass()
                }
                #expect(server.comesToCount { $0.evicted == 3 && $0.shed.total == 0 })
                #expect(crowd.count + newcomers.count == 11)
            }
        }

        @Test func `one that has most places takes nobody else's`() throws {
            try withServer(limits: limits(connections: 8)) { server in
                let good = Client(port: server.port)
                good.send(Self.get)
                #expect(good.answers(1).first?.status == 200)
                let crowd = busy(7, server)
                letTimePass()
                let another = Client(port: server.port, from: 2)
                #expect(another.answers(1).first?.status == 503)
                good.send(Self.get)
                #expect(good.answers(2).count == 2)
                #expect(server.comesToCount { $0.evicted == 0 && $0.shed.limit == 1 })
                #expect(crowd.count == 7)
            }
        }
    #endif

    @Test func `a peer that reads nothing is let go, however much it asks meanwhile`() throws {
        var limits = Limits()
        limits.writeTime = .milliseconds(300)
        limits.queuedBytes = 64 << 20
        try withServer(limits: limits) { server in
            let client = Client(port: server.port, receiveBufferBytes: 4096)
            let body = [UInt8](repeating: 0x61, count: 1 << 20)
            let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n"
            for _ in 0..<8 { client.send(Array(head.utf8) + body) }
            var asked = 0
            while server.counters.open > 0 && asked < 2000 {
                asked += 1
                _ = client.sendAvailable(Self.get)
                letTimePass()
            }
            #expect(server.comesToCount { $0.open == 0 && $0.timedOut.write == 1 })
        }
    }

    @Test func `all that the system held ready is answered when the server stops`() throws {
        try withServer(limits: limits(connections: 1000)) { server in
            let clients = (0..<300).map { _ in Client(port: server.port) }
            for client in clients { client.send(Self.get) }
            server.stop(within: .seconds(5))
            for client in clients { #expect(client.answers(1).first?.status == 200) }
        }
    }

    @Test func `what was asked before a body that breaks off is answered whole, to whoever asked it`() throws
    {
        try withServer { server in
            for round in 0..<8 {
                let owed = [UInt8](repeating: 0x62, count: 240 << 10)
                var stream: [UInt8] = []
                var whole = 0
                // Half of the rounds fill one read to the byte; the others owe more than the system takes at once.
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
