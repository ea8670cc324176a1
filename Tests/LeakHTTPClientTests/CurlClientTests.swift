#if os(Linux)
    import LeakHTTPClient
    import Testing

    @Suite struct CurlClientTests {
        private static func answer(_ body: String, status: String = "200 OK", fields: String = "") -> String {
            "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
        }

        private static func longTimeouts() -> CurlClient.Options {
            var options = CurlClient.Options()
            options.connectMilliseconds = 20_000
            options.totalMilliseconds = 30_000
            return options
        }

        @Test func `two POST requests use one connection`() throws {
            let peer = try LoopbackPeer { .send(Self.answer("got \($0.body)")) }
            defer { peer.stop() }
            let client = try CurlClient(Self.longTimeouts())
            let first = try client.post(
                Array("one".utf8), to: peer.address + "/a", fields: [HTTPField("Content-Type", "text/plain")])
            let second = try client.post(
                Array("two".utf8), to: peer.address + "/b", fields: [HTTPField("X-Key", "k")])
            #expect(first.body == Array("got one".utf8))
            #expect(second.body == Array("got two".utf8))
            #expect([first.openedConnections, second.openedConnections] == [1, 0])
            #expect(peer.requests.map(\.connection) == [0, 0])
            #expect(peer.requests[0].head.hasPrefix("POST /a HTTP/1.1"))
            #expect(peer.requests[0].head.contains("Content-Type: text/plain"))
            #expect(peer.requests[0].head.contains("User-Agent: leak-collector-client/1"))
            #expect(peer.requests[1].head.contains("X-Key: k"))
            #expect(!peer.requests[1].head.contains("text/plain"), "a field of the previous request")
        }

        @Test func `a GET after a POST is a GET, and an empty POST is a POST`() throws {
            let peer = try LoopbackPeer {
                .send(Self.answer($0.head.prefix { $0 != " " } + "\($0.body.count)"))
            }
            defer { peer.stop() }
            let client = try CurlClient(Self.longTimeouts())
            #expect(try client.post([1, 2, 3], to: peer.address, fields: []).body == Array("POST3".utf8))
            #expect(try client.get(peer.address).body == Array("GET0".utf8))
            #expect(try client.post([], to: peer.address, fields: []).body == Array("POST0".utf8))
        }

        @Test func `a body of two mebibytes is sent without waiting for 100 Continue`() throws {
            let peer = try LoopbackPeer { .send(Self.answer("\($0.body.utf8.count)")) }
            defer { peer.stop() }
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: 2 * 1024 * 1024)
            let answer = try CurlClient(Self.longTimeouts()).post(body, to: peer.address, fields: [])
            #expect(answer.body == Array("2097152".utf8))
            #expect(!peer.requests[0].head.lowercased().contains("expect"))
        }

        @Test
        func `names of response fields are case-insensitive, and fields of interim responses are ignored`()
            throws
        {
            let peer = try LoopbackPeer { _ in
                .send(
                    "HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n"
                        + Self.answer(
                            "later", status: "503 Service Unavailable", fields: "retry-AFTER:  120 \r\n"))
            }
            defer { peer.stop() }
            let answer = try CurlClient(Self.longTimeouts()).get(peer.address)
            #expect(answer.status == 503)
            #expect(answer["Retry-After"] == "120")
            #expect(answer["Location"] == nil)
        }

        @Test func `a redirect is returned as a response, and not followed`() throws {
            let peer = try LoopbackPeer { request in
                .send(
                    Self.answer("", status: "302 Found", fields: "Location: http://127.0.0.1/elsewhere\r\n"))
            }
            defer { peer.stop() }
            let answer = try CurlClient(Self.longTimeouts()).post([1], to: peer.address, fields: [])
            #expect(answer.status == 302)
            #expect(answer["location"] == "http://127.0.0.1/elsewhere")
            #expect(peer.requests.count == 1)
        }

        enum Excess: String, CaseIterable {
            case promised, chunked, endless, head

            var text: String {
                let start = "HTTP/1.1 200 OK\r\n"
                return switch self {
                case .promised: start + "Content-Length: 11\r\n\r\n12345678901"
                case .chunked:
                    start + "Transfer-Encoding: chunked\r\n\r\n"
                        + String(repeating: "4\r\nabcd\r\n", count: 100)
                case .endless: start + "\r\n" + String(repeating: "endless", count: 10_000)
                case .head: start + String(repeating: "X-More: and more\r\n", count: 5_000) + "\r\n"
                }
            }
        }

        @Test(arguments: Excess.allCases)
        func `a response that is too long stops the transfer`(excess: Excess) throws {
            let peer = try LoopbackPeer { _ in .sendAndClose(excess.text) }
            defer { peer.stop() }
            var options = Self.longTimeouts()
            options.maxResponseBytes = 10
            let client = try CurlClient(options)
            let error = try #require(throws: CurlError.self) { try client.get(peer.address) }
            #expect(error.cause == .responseTooLong)
        }

        @Test func `a response of the maximum length is accepted`() throws {
            let peer = try LoopbackPeer { _ in .send(Self.answer("1234567890")) }
            defer { peer.stop() }
            var options = Self.longTimeouts()
            options.maxResponseBytes = 10
            #expect(try CurlClient(options).get(peer.address).body.count == 10)
        }

        @Test func `a truncated response head is an error`() throws {
            let peer = try LoopbackPeer { _ in .sendAndClose("HTTP/1.1 200 OK\r\nContent-Len") }
            defer { peer.stop() }
            let client = try CurlClient(Self.longTimeouts())
            let error = try #require(throws: CurlError.self) { try client.get(peer.address) }
            #expect(error.cause == .broken)
        }

        @Test func `an answer in a protocol other than HTTP is an error`() throws {
            let peer = try LoopbackPeer { _ in .sendAndClose("220 mail.example.com ESMTP\r\n") }
            defer { peer.stop() }
            let client = try CurlClient(Self.longTimeouts())
            let error = try #require(throws: CurlError.self) { try client.get(peer.address) }
            #expect(error.cause == .broken)
        }

        /// Without `CURLOPT_NOSIGNAL`, curl makes the whole process ignore broken pipes while it works.
        @Test func `curl does not change the app's action for SIGPIPE while it works`() async {
            await #expect(processExitsWith: .success) {
                signalBrokenPipes()
                let peer = try LoopbackPeer { _ in .send(Self.answer("\(signalBrokenPipes())")) }
                #expect(try CurlClient(Self.longTimeouts()).get(peer.address).body == Array("true".utf8))
            }
        }

        @Test func `a refused connection gives the error unreachable, with the port`() throws {
            let port = try LoopbackPeer.freePort()
            let client = try CurlClient(Self.longTimeouts())
            let error = try #require(throws: CurlError.self) { try client.get("http://127.0.0.1:\(port)/") }
            #expect(error.cause == .unreachable)
            #expect(error.code == 7)
            #expect(error.description.contains("\(port)"))
        }

        @Test func `a request to a silent server times out`() throws {
            let peer = try LoopbackPeer { _ in .hang }
            defer { peer.stop() }
            var options = Self.longTimeouts()
            options.totalMilliseconds = 200
            let client = try CurlClient(options)
            let error = try #require(throws: CurlError.self) { try client.get(peer.address) }
            #expect(error.cause == .timedOut)
        }

        /// The server sends nothing, or only a part of the body.
        @Test(arguments: [
            "", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        ])
        func `a missing or truncated response is an error`(text: String) throws {
            let peer = try LoopbackPeer { _ in .sendAndClose(text) }
            defer { peer.stop() }
            let client = try CurlClient(Self.longTimeouts())
            let error = try #require(throws: CurlError.self) { try client.get(peer.address) }
            #expect(error.cause == .broken)
        }

        @Test func `a client can be used again after a failed request`() throws {
            let peer = try LoopbackPeer { request in
                request.head.contains("/bad") ? .sendAndClose("") : .send(Self.answer("fine"))
            }
            defer { peer.stop() }
            let client = try CurlClient(Self.longTimeouts())
            #expect(throws: CurlError.self) { try client.post([1], to: peer.address + "/bad", fields: []) }
            #expect(try client.get(peer.address + "/good").body == Array("fine".utf8))
        }

        @Test(arguments: [
            "", "localhost:80", "file:///etc/passwd", "ftp://127.0.0.1/", "http://a b/", "http://a/\r\nX: y",
            "http://",
        ])
        func `addresses that are invalid, or neither http nor https, are rejected`(address: String) throws {
            let client = try CurlClient(Self.longTimeouts())
            let error = try #require(throws: CurlError.self) { try client.get(address) }
            #expect(error.cause == .invalidAddress)
        }

        @Test(arguments: [
            "http://ada:secret@a b/", "ftp://ada:secret@127.0.0.1/", "ada:secret@127.0.0.1",
            "http://ada:sec@ret@a b/",
        ])
        func `the error for an invalid address contains no user name and no password`(address: String)
            throws
        {
            let client = try CurlClient(Self.longTimeouts())
            let error = try #require(throws: CurlError.self) { try client.get(address) }
            #expect(error.cause == .invalidAddress)
            let text = "\(error)"
            #expect(!text.contains("ada") && !text.contains("sec") && text.contains("@"), "\(text)")
        }

        @Test(arguments: [
            HTTPField("X-Key", "a\r\nX-Other: b"), HTTPField("X\nY", "a"), HTTPField("", "a"),
            HTTPField("X", "\0"),
        ])
        func `a request field with control characters, or without a name, is rejected`(field: HTTPField)
            throws
        {
            let client = try CurlClient(Self.longTimeouts())
            let error = try #require(throws: CurlError.self) {
                try client.get("http://127.0.0.1:1/", fields: [field])
            }
            #expect(error.cause == .invalidField)
            #expect(!error.description.contains("X-Other"), "the value may be a secret")
        }
    }
#endif
