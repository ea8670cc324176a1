import LeakSeededRandom
import LeakGzip
import LeakHTTPServer
import LeakHTTPVectors
import Testing
import LeakPlatform

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
    func `a request that is too long is rejected and its connection closed`(tooLong: TooLong) throws {
        let expected = tooLong.status
        let text = tooLong.request
        let (status, isEnded, reply) = try status(of: Array(text.utf8))
        #expect(status == expected)
        #expect(isEnded)
        #expect(reply?.field("content-type") == "application/problem+json")
        #expect(reply?.field("connection") == "close")
    }

    @Test func `a peer that is still sending two megabytes can read its rejection`() throws {
        try withServer { server in
            let client = Client(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2097152\r\n\r\n")
            client.send([UInt8](repeating: 0, count: 2 << 20))
            #expect(client.answers(1).first?.status == 413)
            #expect(client.waitForEnd())
        }
    }

    @Test func `a body of the maximum size is read whole, in one piece and in chunks`() throws {
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

    @Test func `small requests are served before bodies that take long to decompress`() throws {
        let counted = Guarded<[String]>([])
        let service = ClosureService { request, responder in
            counted.with { $0.append("\(request.bodyCount)") }
            responder.send(
                Response(.ok, type: "text/plain", body: .bytes(Array("\(request.bodyCount)".utf8))))
        }
        // The bytes are random enough that the server does not reject them as a decompression bomb.
        var random = SeededRandom(seed: 1)
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

    @Test func `the response to the last permitted request of a connection announces the close`() throws {
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
