import Gzip
import HTTPServer
import HTTPVectors
import Testing
import Threads

@Suite struct LimitTests {
    private func status(of bytes: [UInt8], limits: Limits = Limits()) throws -> (
        status: Int?, isEnded: Bool, Reply?
    ) {
        try withServer(limits: limits) { server in
            let client = Client(port: server.port)
            client.send(bytes)
            let replies = client.answers(1)
            while client.read(milliseconds: 50) {}
            return (replies.first?.status, client.isEnded, replies.first)
        }
    }

    private func post(_ body: [UInt8], coding: String = "gzip") -> [UInt8] {
        Array(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
                .utf8)
            + body
    }

    enum TooLong: String, CaseIterable {
        case target, fields, head, announcedBody, chunk

        var request: String {
            switch self {
            case .target: "GET /" + String(repeating: "a", count: 2048) + " HTTP/1.1\r\nHost: a\r\n\r\n"
            case .fields: "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 64) + "\r\n"
            case .head:
                "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n"
            case .announcedBody: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n"
            case .chunk: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n"
            }
        }

        var status: Int {
            switch self {
            case .target: 414
            case .fields, .head: 431
            case .announcedBody, .chunk: 413
            }
        }
    }

    @Test(arguments: TooLong.allCases)
    func `what is too long is refused and closed`(tooLong: TooLong) throws {
        let expected = tooLong.status
        let text = tooLong.request
        let (status, isEnded, reply) = try status(of: Array(text.utf8))
        #expect(status == expected)
        #expect(isEnded)
        #expect(reply?.field("content-type") == "application/problem+json")
        #expect(reply?.field("connection") == "close")
    }

    @Test func `a peer that is still sending two megabytes gets to read its refusal`() throws {
        try withServer { server in
            let client = Client(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2097152\r\n\r\n")
            client.send([UInt8](repeating: 0, count: 2 << 20))
            #expect(client.answers(1).first?.status == 413)
            #expect(client.waitForEnd())
        }
    }

    @Test func `the largest body is echoed whole, in one piece and in chunks`() throws {
        let body = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try withServer { server in
            let client = Client(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
            client.send(body)
            #expect(client.answers(1).first?.body == body)

            let chunked = Client(port: server.port)
            chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            var start = 0
            for count in [1, 70_000, 65_536, 300_000, body.count - 435_537] {
                chunked.send("\(String(count, radix: 16))\r\n")
                chunked.send(Array(body[start..<start + count]))
                chunked.send("\r\n")
                start += count
            }
            chunked.send("0\r\n\r\n")
            #expect(chunked.answers(1).first?.body == body)
        }
    }

    @Test func `gzip is inflated before the service sees it`() throws {
        let (status, isEnded, reply) = try status(of: post(Gzip.deflate(Array("hello".utf8))))
        #expect(status == 200)
        #expect(!isEnded)
        #expect(reply?.text == "hello")
    }

    @Test func `gzip in chunks with trailers is inflated`() throws {
        let small = Gzip.deflate(Array("hello".utf8))
        let head =
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
        let bytes =
            Array((head + "4\r\n").utf8) + small[..<4]
            + Array("\r\n\(String(small.count - 4, radix: 16))\r\n".utf8)
            + small[4...] + Array("\r\n0\r\nX-T: v\r\n\r\n".utf8)
        #expect(try status(of: bytes).2?.text == "hello")
    }

    @Test func `damaged gzip is 400, and the connection goes on`() throws {
        let small = Gzip.deflate(Array("hello".utf8))
        var wrong = small
        wrong[small.count - 6] ^= 1
        for body in [Array(small.dropLast()), wrong, small + [0], small + small, Array("no gzip".utf8)] {
            let (status, isEnded, _) = try status(of: post(body))
            #expect(status == 400)
            #expect(!isEnded)
        }
    }

    @Test func `who asks for little is served before bodies that take long to inflate`() throws {
        let counted = Guarded<[String]>([])
        let service = ClosureService { request, responder in
            counted.with { $0.append("\(request.bodyCount)") }
            responder.send(
                Response(.ok, type: "text/plain", body: .bytes(Array("\(request.bodyCount)".utf8))))
        }
        // Random enough to stay below the ratio.
        var random = SplitMix(state: 1)
        var text: [UInt8] = []
        while text.count < 15 << 20 {
            for _ in 0..<700 { text.append(UInt8(truncatingIfNeeded: random.next() & 0x3F) + 0x30) }
            text += [UInt8](repeating: 0x61, count: 60_000)
        }
        let small = Gzip.deflate(text)
        let head =
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: \(small.count)\r\n\r\n"
        try withServer(service) { server in
            let heavy = (0..<24).map { _ in Client(port: server.port) }
            for client in heavy { client.send(Array(head.utf8) + small) }
            let light = Client(port: server.port)
            light.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(light.answers(1, milliseconds: 20_000).first?.text == "0")
            for client in heavy {
                #expect(client.answers(1, milliseconds: 60_000).first?.text == "\(text.count)")
            }
            let order = counted.with { $0 }
            #expect(order.count == 25)
            #expect(order.firstIndex(of: "0") ?? .max < 20, "\(order)")
        }
    }

    @Test func `a gzip bomb is 413`() throws {
        let bomb = Gzip.deflate([UInt8](repeating: 0, count: 16 << 20), level: 9)
        #expect(try status(of: post(bomb)).status == 413)
        var limits = Limits()
        limits.inflatedBytes = 100
        #expect(
            try status(of: post(Gzip.deflate([UInt8](repeating: 7, count: 101))), limits: limits).status
                == 413)
        #expect(
            try status(of: post(Gzip.deflate([UInt8](repeating: 7, count: 100))), limits: limits).status
                == 200)
    }

    @Test(arguments: ["br", "deflate", "gzip, gzip", "gzip, br"])
    func `another coding is 415 and names gzip`(coding: String) throws {
        let (status, _, reply) = try status(of: post([1], coding: coding))
        #expect(status == 415)
        #expect(reply?.field("accept-encoding") == "gzip")
    }

    @Test func `the last request of a connection says so`() throws {
        var limits = Limits()
        limits.requestsPerConnection = 3
        try withServer(limits: limits) { server in
            let client = Client(port: server.port)
            client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 4))
            #expect(client.answers(3).map { $0.field("connection") } == [nil, nil, "close"])
            #expect(client.waitForEnd())
            #expect(Reply.all(in: client.received).count == 3)
        }
    }
}
