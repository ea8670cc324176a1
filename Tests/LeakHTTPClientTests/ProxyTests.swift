#if os(Linux)
    import Foundation
    import LeakHTTPClient
    import Testing

    /// Tests of proxies in the environment, each in a separate process, because all threads share the environment.
    @Suite struct ProxyTests {
        private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy"
        private static let refusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"

        @Test func `an http address is requested from the proxy`() async {
            await #expect(processExitsWith: .success) {
                let proxy = try LoopbackPeer { _ in .send(Self.answer) }
                setProxies(["http_proxy": proxy.address])
                let answer = try CurlClient().get("http://leaks.example.com/a")
                #expect(answer.body == Array("proxy".utf8))
                #expect(
                    proxy.requests.first?.head.hasPrefix("GET http://leaks.example.com/a HTTP/1.1") == true)
            }
        }

        @Test
        func `for an https address the client sends the proxy only CONNECT, and no fields of the request`()
            async
        {
            await #expect(processExitsWith: .success) {
                let proxy = try LoopbackPeer { _ in .sendAndClose(Self.refusal) }
                setProxies(["https_proxy": proxy.address])
                let client = try CurlClient()
                #expect(throws: CurlError.self) {
                    try client.get(
                        "https://leaks.example.com/a", fields: [HTTPField("Authorization", "Bearer secret")])
                }
                #expect(
                    proxy.requests.map { $0.head.hasPrefix("CONNECT leaks.example.com:443 HTTP/1.1") } == [
                        true
                    ])
                #expect(!proxy.requests.contains { $0.head.contains("secret") })
            }
        }

        @Test(arguments: ["127.0.0.1", "localhost", "LOCALHOST", "127.1"])
        func `no proxy is used for this machine itself`(host: String) async {
            await #expect(processExitsWith: .success) { [host] in
                let proxy = try LoopbackPeer { _ in .send(Self.answer) }
                let server = try LoopbackPeer { _ in
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nserver")
                }
                setProxies(["http_proxy": proxy.address, "all_proxy": proxy.address])
                let client = try CurlClient()
                #expect(try client.get("http://\(host):\(server.port)/").body == Array("server".utf8))
                // The proxy is used again for another host.
                #expect(try client.get("http://leaks.example.com/").body == Array("proxy".utf8))
            }
        }

        @Test(arguments: ["localhost.example.com", "127.0.0.1.example.com", "10.0.0.1"])
        func `a request to a host whose name only resembles this machine's uses the proxy`(host: String) async
        {
            await #expect(processExitsWith: .success) { [host] in
                let proxy = try LoopbackPeer { _ in .send(Self.answer) }
                setProxies(["http_proxy": proxy.address])
                #expect(try CurlClient().get("http://\(host)/").body == Array("proxy".utf8))
            }
        }

        /// The arguments are the environment variables that are set. With each of them the client uses no proxy for the
        /// requested host. A web server sets `HTTP_PROXY` from a field of a request, so curl ignores it.
        @Test(arguments: [["http_proxy", "no_proxy"], ["http_proxy", "NO_PROXY"], ["HTTP_PROXY"]])
        func `no proxy is used for hosts in no_proxy, or if only the upper-case HTTP_PROXY is set`(
            variables: [String]
        ) async {
            await #expect(processExitsWith: .success) { [variables] in
                let proxy = try LoopbackPeer { _ in .send(Self.answer) }
                let values = variables.map {
                    ($0, $0.lowercased() == "no_proxy" ? "nowhere.invalid" : proxy.address)
                }
                setProxies(Dictionary(uniqueKeysWithValues: values))
                let client = try CurlClient()
                let error = try #require(throws: CurlError.self) { try client.get("http://nowhere.invalid/") }
                #expect(error.cause == .unresolved)
                #expect(proxy.requests.isEmpty)
            }
        }

        @Test func `a client whose option usesProxy is false ignores the proxy of the environment`() async {
            await #expect(processExitsWith: .success) {
                let proxy = try LoopbackPeer { _ in .send(Self.answer) }
                setProxies(["http_proxy": proxy.address])
                var options = CurlClient.Options()
                options.usesProxy = false
                let client = try CurlClient(options)
                let error = try #require(throws: CurlError.self) { try client.get("http://nowhere.invalid/") }
                #expect(error.cause == .unresolved)
                #expect(proxy.requests.isEmpty)
            }
        }

        @Test func `a request fails as unreachable if its proxy does not listen`() async {
            await #expect(processExitsWith: .success) {
                setProxies(["http_proxy": "http://127.0.0.1:\(try LoopbackPeer.freePort())"])
                let client = try CurlClient()
                let error = try #require(throws: CurlError.self) {
                    try client.get("http://leaks.example.com/")
                }
                #expect(error.cause == .unreachable)
            }
        }
    }
#endif
