import LeakHTTPServer
import LeakHTTPVectors
import Testing

@Suite struct RoutesTests {
    private static func ask(_ request: String, of server: Server) -> Reply? {
        let client = Client(port: server.port)
        client.send(request.replacing("\n", with: "\r\n"))
        return client.answers(1, heads: request.hasPrefix("HEAD") ? [0] : []).first
    }

    private static func withRoutes(_ body: (Server) throws -> Void) throws {
        var routes = Routes()
        routes.on(.get, "/hello/{name}") { _, parameters in .text("Hello, \(parameters["name"] ?? "")!\n") }
        routes.on(.post, "/echo") { request, _ in Response(.created, body: .bytes(request.body())) }
        routes.on(.delete, "/later") { _, _, responder in responder.send(Response(.accepted)) }
        try withServer(routes, body)
    }

    @Test func `the closure of a route answers the requests for its path`() throws {
        try Self.withRoutes { server in
            let hello = try #require(Self.ask("GET /hello/J%C3%BCrgen HTTP/1.1\nHost: a\n\n", of: server))
            #expect(hello.status == 200 && hello.text == "Hello, Jürgen!\n")
            #expect(hello.field("content-type") == "text/plain; charset=utf-8")
            let head = try #require(Self.ask("HEAD /hello/a HTTP/1.1\nHost: a\n\n", of: server))
            #expect(head.status == 200 && head.body.isEmpty && head.field("content-length") == "10")
            let echo = Self.ask("POST /echo HTTP/1.1\nHost: a\nContent-Length: 2\n\nhi", of: server)
            #expect(echo?.status == 201 && echo?.text == "hi")
            #expect(Self.ask("DELETE /later HTTP/1.1\nHost: a\n\n", of: server)?.status == 202)
        }
    }

    @Test(arguments: [
        ("GET /", 404, nil), ("GET /hello/", 404, nil), ("GET /hello/a/", 404, nil),
        ("GET /hello/a%2Fb", 400, nil),
        ("POST /hello/a", 405, "GET, HEAD, OPTIONS"), ("OPTIONS /hello/a", 204, "GET, HEAD, OPTIONS"),
        ("QUERY /hello/a", 405, "GET, HEAD, OPTIONS"), ("QUERY /", 501, nil),
        ("GET /echo", 405, "POST, OPTIONS"), ("OPTIONS /later", 204, "DELETE, OPTIONS"),
    ])
    func `requests without a matching route are rejected before their body is read`(
        line: String, status: Int, allow: String?
    ) throws {
        try Self.withRoutes { server in
            for length in [0, 1000] {
                let reply = Self.ask(
                    "\(line) HTTP/1.1\nHost: a\nContent-Length: \(length)\n\n", of: server)
                #expect(reply?.status == status)
                #expect(reply?.field("allow") == allow)
            }
        }
    }
}
