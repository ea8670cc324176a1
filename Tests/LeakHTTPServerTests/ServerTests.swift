import LeakHTTPServer
import LeakHTTPVectors
import Testing

@Suite struct ServerTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(arguments: [1, 2], [1, 2])
    func `a port in use gives a one-line error`(first: Int, second: Int) throws {
        let server = try Server(.init(port: 0, loops: first), service: EchoService())
        let port = server.port
        #expect(throws: ServerError.portInUse(host: "127.0.0.1", port: port)) {
            try Server(.init(port: port, loops: second), service: EchoService())
        }
        let line = ServerError.portInUse(host: "127.0.0.1", port: port).description
        #expect(line.contains("\(port)") && !line.contains("\n"))
    }

    @Test func `an unknown host, a host of another machine, and an invalid port each give an error`() {
        #expect(throws: ServerError.unknownHost("no.such.host.invalid")) {
            try Server(.init(host: "no.such.host.invalid", port: 0), service: EchoService())
        }
        #expect(throws: ServerError.foreignHost("192.0.2.1")) {
            try Server(.init(host: "192.0.2.1", port: 0), service: EchoService())
        }
        #expect(throws: ServerError.invalidPort(65_536)) {
            try Server(.init(port: 65_536), service: EchoService())
        }
    }

    @Test func `a server that listens on all addresses can be reached over IPv4`() throws {
        let server = try Server(.init(host: "*", port: 0, loops: 2), service: EchoService())
        server.start()
        let client = Client(port: server.port)
        client.send(Self.get)
        #expect(client.answers(1).first?.status == 200)
        server.stop(within: .zero)
    }

    @Test func `connections that are opened before the server starts are served after the start`() throws {
        let server = try Server(.init(port: 0), service: EchoService())
        let client = Client(port: server.port)
        client.send(Self.get)
        server.start()
        #expect(client.answers(1).first?.status == 200)
        server.stop(within: .zero)
    }

    @Test func `stopping the server closes idle connections and lets open requests finish`() throws {
        let later = LaterService()
        let server = try Server(.init(port: 0, loops: 2), service: later)
        server.start()
        // There are so many idle connections that each loop has at least one.
        let idle = (0..<12).map { _ in Client(port: server.port) }
        let busy = Client(port: server.port)
        let slow = Client(port: server.port)
        busy.send("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n")
        slow.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo")
        #expect(later.waitForRequests(1))

        let stopping = ThreadRunner { server.stop(within: .seconds(5)) }
        for client in idle { #expect(client.waitForEnd()) }
        slow.send("dy")
        #expect(later.waitForRequests(2))
        later.answerAll()
        for (client, path) in [(busy, "/busy"), (slow, "/slow")] {
            let reply = client.answers(1).first
            #expect(reply?.text == path)
            #expect(reply?.field("connection") == "close")
            #expect(client.waitForEnd())
        }
        stopping.join()
        #expect(server.counters.openConnections == 0)
    }

    @Test func `stopping the server ends requests that take too long, and stopping it again does nothing`()
        throws
    {
        let later = LaterService()
        let server = try Server(.init(port: 0), service: later)
        server.start()
        let client = Client(port: server.port)
        client.send(Self.get)
        #expect(later.waitForRequests(1))
        server.stop(within: .milliseconds(20))
        #expect(client.waitForEnd())
        #expect(client.received.isEmpty)
        server.stop(within: .seconds(1))
        // Responses that are sent after the end are discarded.
        later.answerAll()
    }

    @Test func `a server that was never started can be stopped`() throws {
        let server = try Server(.init(port: 0), service: EchoService())
        server.stop(within: .seconds(1))
    }

    @Test func `every response has the security fields and the date`() throws {
        try withServer { server in
            let client = Client(port: server.port)
            client.send(Self.get + "BREW / HTTP/1.1\r\n\r\n")
            let replies = client.answers(2)
            #expect(replies.map(\.status) == [200, 501])
            for reply in replies {
                #expect(reply.field("date")?.hasSuffix(" GMT") == true)
                #expect(reply.field("x-content-type-options") == "nosniff")
                #expect(reply.field("referrer-policy") == "no-referrer")
                #expect(reply.field("cross-origin-resource-policy") == "same-origin")
                #expect(reply.field("server") == nil)
            }
        }
    }

    @Test func `requests of all connections that the system has accepted are answered when the server stops`()
        throws
    {
        try withServer { server in
            let clients = (0..<300).map { _ in Client(port: server.port) }
            for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            server.stop(within: .seconds(5))
            for client in clients { #expect(client.answers(1).first?.status == 200) }
        }
    }

    @Test func `concurrent calls of stop return after the server has stopped, even if it was never started`()
        throws
    {
        let server = try Server(.init(port: 0), service: EchoService())
        let client = Client(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        concurrently(4) { _ in server.stop(within: .seconds(5)) }
        #expect(client.answers(1).first?.status == 200)
        #expect(client.waitForEnd())
        // The port is free again.
        let other = try Server(.init(port: server.port), service: EchoService())
        #expect(other.port == server.port)
    }
}
