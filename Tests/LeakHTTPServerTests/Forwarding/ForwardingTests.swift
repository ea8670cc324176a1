import LeakHTTPServer
import LeakHTTPVectors
import Testing
import LeakPlatform

/// Clients behind a proxy, over real sockets.
@Suite struct ForwardingTests {
    private static func withServer(
        limits: Limits = Limits(), service: any Service, onAnswer: (@Sendable (AccessRecord) -> Void)? = nil,
        _ body: (Server) throws -> Void
    ) throws {
        var configuration = Server.Configuration(port: 0, limits: limits)
        configuration.trustedProxies = [try IPNetwork("127.0.0.1")]
        configuration.onAnswer = onAnswer
        let server = try Server(configuration, service: service)
        server.start()
        defer { server.stop(within: .milliseconds(100)) }
        try body(server)
    }

    /// A service that answers with the client's address, and with `true` if the client used TLS, otherwise `false`.
    private static let mirror = ClosureService { request, responder in
        let text = "\(request.clientAddress?.description ?? "-") \(request.cameOverTLS)"
        responder.send(Response(.ok, type: "text/plain", body: .bytes(Array(text.utf8))))
    }

    private static let fields = "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n"

    #if os(Linux)
        @Test(
            arguments: [
                (1, fields, "203.0.113.7 true"), (2, fields, "127.0.0.2 false"), (1, "", "127.0.0.1 false"),
                (1, "Forwarded: for=\"[2001:db8::1]\"\r\n", "2001:db8::1 false"),
                (1, "X-Forwarded-For: \u{1}\r\n", nil),
                (1, "X-Forwarded-For: \u{FF}, ,\r\n", "127.0.0.1 false"),
            ] as [(UInt32, String, String?)])
        func `the address of the client is read from a request only if a trusted proxy sent it`(
            host: UInt32, fields: String, answer: String?
        ) throws {
            try Self.withServer(service: Self.mirror) { server in
                let client = Client(port: server.port, from: host)
                for body in ["", "Content-Length: 3\r\n"] {
                    client.send(
                        "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\(body)\r\n\(body.isEmpty ? "" : "abc")")
                    let reply = client.nextAnswer()
                    #expect(reply.map { $0.status == 200 ? $0.text : nil } == answer)
                    if answer == nil { break }
                }
            }
        }
    #endif

    @Test func `the access log has the address of the client of each request behind a proxy`() throws {
        let records = Guarded<[AccessRecord]>([])
        let observe: @Sendable (AccessRecord) -> Void = { record in
            records.with { $0.append(record) }
            records.wakeAll()
        }
        try Self.withServer(service: EchoService(), onAnswer: observe) { server in
            let proxy = Client(port: server.port)
            for address in ["203.0.113.7", "198.51.100.9", "garbage"] {
                proxy.send("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(address)\r\n\r\n")
                _ = proxy.nextAnswer()
            }
            let seen = records.wait(timeout: .seconds(60)) { $0.count == 3 ? $0 : nil }
            #expect(seen?.map(\.peer) == ["203.0.113.7", "198.51.100.9", "127.0.0.1"])
        }
    }

    @Test
    func `the limit per address applies to each client behind a proxy, not to the proxy's idle connections`()
        throws
    {
        let held = Guarded<[SharedResponder]>([])
        let service = ClosureService { request, responder in
            guard request.path == "/hold" else { return responder.send(Response(.noContent)) }
            let responder = SharedResponder(responder)
            held.with { $0.append(responder) }
            held.wakeAll()
        }
        func get(_ path: String, for address: String) -> String {
            "GET \(path) HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(address)\r\n\r\n"
        }
        var limits = Limits()
        limits.connectionsPerAddress = 2
        try Self.withServer(limits: limits, service: service) { server in
            let connections = (0..<5).map { _ in Client(port: server.port) }
            // All five connections are idle again after their answer.
            for connection in connections {
                connection.send(get("/", for: "203.0.113.7"))
                #expect(connection.nextAnswer()?.status == 204)
            }
            for connection in connections[..<2] { connection.send(get("/hold", for: "203.0.113.7")) }
            #expect(held.wait(timeout: .seconds(60)) { $0.count == 2 ? true : nil } == true)
            connections[2].send(get("/", for: "203.0.113.7"))
            let refused = connections[2].nextAnswer()
            #expect(refused?.status == 503 && refused?.field("retry-after") == "1")
            for _ in 0..<2 {
                connections[2].send(get("/", for: "198.51.100.9"))
                #expect(connections[2].nextAnswer()?.status == 204)
            }
            held.with { responders in
                for responder in responders { responder.send(Response(.noContent)) }
            }
            for connection in connections[..<2] { #expect(connection.nextAnswer()?.status == 204) }
            connections[2].send(get("/", for: "203.0.113.7"))
            #expect(connections[2].nextAnswer()?.status == 204)
        }
    }
}
