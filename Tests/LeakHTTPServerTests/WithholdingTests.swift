import LeakHTTPServer
import LeakHTTPVectors
import Testing
import LeakPlatform

@Suite struct WithholdingTests {
    private static let withheld: Response = {
        var response = Response(.serviceUnavailable, type: "text/plain", body: .text("This is not sent."))
        response.isWithheld = true
        return response
    }()

    /// A service that answers `/kept` and withholds the answers to all other requests.
    private static let service = ClosureService { request, responder in
        responder.send(
            request.pathEquals("/kept")
                ? Response(.ok, type: "text/plain", body: .text("kept")) : withheld)
    }

    private static let screening = EchoService { request in request.pathEquals("/kept") ? nil : withheld }

    @Test(
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        ], [false, true])
    func `for a withheld response the peer gets no byte, and the connection ends`(
        sent: String, isScreened: Bool
    )
        throws
    {
        try withServer(isScreened ? Self.screening : Self.service) { server in
            let client = Client(port: server.port)
            client.send(sent)
            #expect(client.waitForEnd(milliseconds: 60_000))
            #expect(client.received.isEmpty)
        }
    }

    @Test
    func `a withheld response closes the connection, even if the body of the request has not arrived yet`()
        throws
    {
        try withServer(Self.screening) { server in
            let client = Client(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\nabc")
            #expect(client.waitForEnd(milliseconds: 60_000))
            #expect(client.received.isEmpty)
        }
    }

    @Test func `responses before a withheld response are sent, and later requests get no response`() throws {
        try withServer(Self.service) { server in
            let client = Client(port: server.port)
            client.send(["/kept", "/", "/kept"].map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            #expect(client.waitForEnd(milliseconds: 60_000))
            #expect(Reply.all(in: client.received).map(\.text) == ["kept"])
        }
    }

    @Test func `a response that another thread sends can be withheld too`() throws {
        let later = Guarded<SharedResponder?>(nil)
        let service = ClosureService { _, responder in
            let shared = SharedResponder(responder)
            later.with { $0 = shared }
            later.wakeAll()
        }
        try withServer(service) { server in
            let client = Client(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let responder = try #require(later.wait(timeout: .seconds(60)) { $0 })
            responder.send(Self.withheld)
            #expect(client.waitForEnd(milliseconds: 60_000))
            #expect(client.received.isEmpty)
        }
    }

    @Test
    func `a withheld response is counted and logged with its status, without bytes, and its connection ends`()
        throws
    {
        let records = Guarded<[AccessRecord]>([])
        var configuration = Server.Configuration(port: 0)
        configuration.onAnswer = { record in
            records.with { $0.append(record) }
            records.wakeAll()
        }
        let server = try Server(configuration, service: Self.service)
        server.start()
        defer { server.stop(within: .milliseconds(100)) }
        let client = Client(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        let record = try #require(records.wait(timeout: .seconds(60)) { $0.first })
        #expect(record.status == .serviceUnavailable)
        #expect((record.bytesReceived, record.bytesSent) == (3, 0))
        #expect(record.closesConnection)
        #expect(server.waitForCounters { $0.serverErrors == 1 })
    }
}
