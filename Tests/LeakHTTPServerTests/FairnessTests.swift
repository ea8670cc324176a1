import LeakHTTPServer
import LeakHTTPVectors
import Testing

/// Many connections of one peer that are never idle, because the first byte of the next head has always arrived.
@Suite struct FairnessTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func busyClients(_ count: Int, _ server: Server) -> [Client] {
        (0..<count).map { _ in
            let client = Client(port: server.port, from: 2)
            client.send(Self.get + "G")
            #expect(client.answers(1).first?.status == 200)
            return client
        }
    }

    #if os(Linux)
        @Test
        func `new peers evict connections of the peer with the most connections, even if none is idle`()
            throws
        {
            try withServer(limits: limits(connections: 8)) { server in
                let crowd = busyClients(8, server)
                var newcomers: [Client] = []
                for _ in 0..<3 {
                    let newcomer = Client(port: server.port)
                    newcomer.send(Self.get)
                    #expect(newcomer.answers(1).first?.status == 200)
                    newcomers.append(newcomer)
                    waitPastGraceTime()
                }
                #expect(server.waitForCounters { $0.evicted == 3 && $0.rejectedConnections.total == 0 })
                #expect(crowd.count + newcomers.count == 11)
            }
        }

        @Test
        func `a new connection of the peer with the most connections evicts no connection of another peer`()
            throws
        {
            try withServer(limits: limits(connections: 8)) { server in
                let good = Client(port: server.port)
                good.send(Self.get)
                #expect(good.answers(1).first?.status == 200)
                let crowd = busyClients(7, server)
                waitPastGraceTime()
                let another = Client(port: server.port, from: 2)
                #expect(another.answers(1).first?.status == 503)
                good.send(Self.get)
                #expect(good.answers(2).count == 2)
                #expect(
                    server.waitForCounters {
                        $0.evicted == 0 && $0.rejectedConnections.overTotalLimit == 1
                    })
                #expect(crowd.count == 7)
            }
        }
    #endif
}
