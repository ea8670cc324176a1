import LeakBrotliEncoding
import LeakGzip
import LeakHTTPServer
import LeakHTTPVectors
import Testing

/// Bodies in a content coding, over sockets. RFC 9110 §8.4.
@Suite struct CodingTests {
    /// Sends `bytes`, followed by an ordinary request.
    ///
    /// - Returns: the answer to `bytes`, and `true` if the request after them was answered too.
    private func exchange(_ bytes: [[UInt8]], limits: Limits = Limits()) throws -> (
        reply: Reply?, isNextServed: Bool
    ) {
        try withServer(limits: limits) { server in
            let client = Client(port: server.port)
            for piece in bytes { client.send(piece) }
            client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = client.answers(1)
            while !client.isEnded && Reply.all(in: client.received).count < 2, client.read(milliseconds: 500)
            {}
            let replies = Reply.all(in: client.received)
            return (replies.first, replies.count == 2 && replies[1].status == 200)
        }
    }

    private func postRequest(_ body: [UInt8], _ coding: String) -> [UInt8] {
        let head =
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    private static let text = Array(
        (0..<3000).map { #"{"class":"Shop.Cart\#($0 % 41)","id":\#($0 &* 7919)}\#n"# }.joined().utf8)

    @Test(arguments: BodyEncoding.allCases)
    func `a body is decompressed before the service sees it`(packing: BodyEncoding) throws {
        for bytes in [[], Array("hello".utf8), Self.text] {
            let (reply, isNextServed) = try exchange([postRequest(packing.pack(bytes), packing.name)])
            #expect(reply?.status == 200 && reply?.body == bytes)
            #expect(isNextServed)
        }
    }

    @Test(arguments: BodyEncoding.allCases)
    func `a compressed body may arrive byte by byte`(packing: BodyEncoding) throws {
        let pieces = postRequest(packing.pack(Array("hello, hello, hello".utf8)), packing.name).map { [$0] }
        let (reply, isNextServed) = try exchange(pieces)
        #expect(reply?.text == "hello, hello, hello")
        #expect(isNextServed)
    }

    @Test(arguments: BodyEncoding.allCases)
    func `a compressed body may arrive in chunks, with trailers`(packing: BodyEncoding) throws {
        let body = packing.pack(Self.text)
        var pieces = [
            Array(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: \(packing.name)\r\nTransfer-Encoding: chunked\r\n\r\n"
                    .utf8)
        ]
        for start in stride(from: 0, to: body.count, by: 700) {
            let piece = body[start..<min(start + 700, body.count)]
            pieces.append(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
        }
        pieces.append(Array("0\r\nX-T: v\r\n\r\n".utf8))
        let (reply, isNextServed) = try exchange(pieces)
        #expect(reply?.body == Self.text)
        #expect(isNextServed)
    }

    @Test(arguments: BodyEncoding.allCases)
    func `a damaged compressed body gets 400, and its connection stays open`(packing: BodyEncoding) throws {
        let body = packing.pack(Array("hello".utf8))
        let other = BodyEncoding.allCases.first { $0.name != packing.name && $0 != .brotli } ?? packing
        let damaged = [
            ("cut short", Array(body.dropLast())), ("followed by a byte", body + [0]), ("twice", body + body),
            ("no such thing", Array("no such thing".utf8)), ("another coding", other.pack(Self.text)),
            ("one byte", [body[0]]),
        ]
        for (title, bytes) in damaged {
            let (reply, isNextServed) = try exchange([postRequest(bytes, packing.name)])
            #expect(reply?.status == 400, "\(title)")
            #expect(
                reply?.text.contains("not one complete stream of its Content-Encoding") == true, "\(title)")
            #expect(isNextServed, "\(title)")
        }
        let empty =
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: \(packing.name)\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        #expect(try exchange([Array(empty.utf8)]).reply?.status == 400)
    }

    @Test(arguments: [BodyEncoding.gzip, .zlib])
    func `a compressed body with a wrong checksum gets 400, and its connection stays open`(
        packing: BodyEncoding
    ) throws {
        var body = packing.pack(Array("hello".utf8))
        body[body.count - (packing == .gzip ? 6 : 1)] ^= 1
        let (reply, isNextServed) = try exchange([postRequest(body, packing.name)])
        #expect(reply?.status == 400)
        #expect(isNextServed)
    }

    @Test(arguments: BodyEncoding.allCases)
    func `a decompression bomb gets 413, and its connection stays open`(packing: BodyEncoding) throws {
        let bomb = packing.pack([UInt8](repeating: 0, count: 16 << 20))
        let (reply, isNextServed) = try exchange([postRequest(bomb, packing.name)])
        #expect(reply?.status == 413)
        #expect(isNextServed)
        var limits = Limits()
        limits.inflatedBytes = 100
        for (count, status) in [(101, 413), (100, 200)] {
            let body = packing.pack([UInt8](repeating: 7, count: count))
            #expect(try exchange([postRequest(body, packing.name)], limits: limits).reply?.status == status)
        }
    }

    /// A repetitive body, such as a stack of equal frames, is not a decompression bomb if it is within the limit of an
    /// uncompressed body.
    @Test(arguments: BodyEncoding.allCases)
    func `a body of a megabyte is accepted, even if it was compressed to about a kilobyte`(
        packing: BodyEncoding
    ) throws {
        let bytes = [UInt8](repeating: 0x20, count: 1 << 20)
        let body = packing.pack(bytes)
        #expect(body.count < 1200)
        let (reply, isNextServed) = try exchange([postRequest(body, packing.name)])
        #expect(reply?.status == 200 && reply?.body == bytes)
        #expect(isNextServed)
        #expect(try exchange([postRequest(packing.pack(bytes + [0x20]), packing.name)]).reply?.status == 413)
    }

    @Test func `requests of one connection may have different content codings`() throws {
        try withServer { server in
            let client = Client(port: server.port)
            var requests: [UInt8] = []
            let order = (0..<24).map { BodyEncoding.allCases[$0 * 7 % 4] }
            for (index, packing) in order.enumerated() {
                requests += postRequest(packing.pack(Array("body \(index)".utf8)), packing.name)
            }
            client.send(requests)
            #expect(client.answers(24).map(\.text) == (0..<24).map { "body \($0)" })
        }
    }

    @Test(arguments: ["GZIP", "X-Gzip", "Deflate", "BR"])
    func `the name of a content coding may have capital letters`(coding: String) throws {
        let packing: BodyEncoding = coding == "BR" ? .brotli : coding == "Deflate" ? .zlib : .gzip
        #expect(try exchange([postRequest(packing.pack(Array("hello".utf8)), coding)]).reply?.text == "hello")
    }

    @Test(arguments: [
        "zstd", "compress", "brotli", "gzip, gzip", "gzip, br", "br, identity", "br;q=1", "br,", "*",
    ])
    func `a body with an unsupported content coding, or several, gets 415 and the supported codings`(
        coding: String
    ) throws {
        let (reply, isNextServed) = try exchange([postRequest([1], coding)])
        #expect(reply?.status == 415)
        #expect(reply?.field("accept-encoding") == "gzip, deflate, br")
        #expect(!isNextServed)
    }
}
