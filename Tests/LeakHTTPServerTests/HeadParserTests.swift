import LeakSeededRandom
import LeakHTTPVectors
import Testing

@testable import LeakHTTPServer

@Suite struct HeadParserTests {
    @Test func `a test vector gives the same result for each way to split it`() throws {
        for vector in try Vector.all() {
            let bytes = vector.bytes
            var whole = ParserRun()
            whole.feed(bytes)
            var byteByByte = ParserRun()
            // A body of a megabyte is sent in pieces of 101 bytes, because all its bytes are the same.
            let pieceLength = bytes.count > 100_000 ? 101 : 1
            for start in stride(from: 0, to: bytes.count, by: pieceLength) {
                byteByByte.feed(bytes[start..<min(start + pieceLength, bytes.count)])
            }
            #expect(byteByByte.events == whole.events, "\(vector), byte by byte")
            for cut in Self.cuts(of: vector) {
                var halves = ParserRun()
                halves.feed(bytes[..<cut])
                halves.feed(bytes[cut...])
                #expect(halves.events == whole.events, "\(vector), cut at \(cut)")
            }
        }
    }

    /// Returns the offsets at which a vector is cut in two: everywhere except in the middle of a long repetition, where all
    /// offsets are equivalent.
    private static func cuts(of vector: Vector) -> Set<Int> {
        let reach = vector.bytes.count < 4000 ? 300 : 20
        var cuts: Set<Int> = []
        var start = 0
        for piece in vector.pieces {
            let end = start + piece.count
            cuts.formUnion(start...min(start + reach, end))
            cuts.formUnion(max(end - reach, start)...end)
            start = end
        }
        return cuts
    }

    @Test
    func `damaged test vectors cause no crash, and give the same result if they are parsed byte by byte`()
        throws
    {
        let vectors = try Vector.all().map(\.bytes).filter { (1..<300).contains($0.count) }
        var random = SeededRandom(seed: 20_261_121)
        for round in 0..<2000 {
            var bytes = vectors[round % vectors.count]
            for _ in 0...random.next() % 3 where !bytes.isEmpty {
                let place = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 4 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                case 2:
                    bytes.insert([0, 9, 10, 13, 32, 34, 37, 58, 59, 61][Int(random.next() % 10)], at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(8), at: place)
                }
            }
            var whole = ParserRun()
            whole.feed(bytes)
            var byteByByte = ParserRun()
            for byte in bytes { byteByByte.feed(CollectionOfOne(byte)) }
            #expect(byteByByte.events == whole.events, "\(bytes)")
        }
    }

    /// If each step parsed from the start, four times the bytes would take sixteen times as long.
    @Test func `a request head that arrives byte by byte is scanned once`() {
        #expect(
            (0..<4).contains { _ in
                secondsToParseByteByByte(fieldLength: 16_000) < max(
                    secondsToParseByteByByte(fieldLength: 4_000), 0.001) * 9
            })
    }

    /// Returns the processor time in seconds for parsing a head byte by byte, with a field of `fieldLength` bytes.
    private func secondsToParseByteByByte(fieldLength: Int) -> Double {
        let head =
            "GET / HTTP/1.1\r\nHost: a\r\nX-Long: " + String(repeating: "x", count: fieldLength) + "\r\n\r\n"
        let bytes = Array(head.utf8)
        var parser = HeadParser(limits: Limits())
        var length: Int?
        let before = threadSeconds()
        for count in 1...bytes.count {
            // The parser gets a longer part of the same storage each time, so the test itself copies nothing.
            length = try? parser.advance(over: bytes.span.extracting(first: count))
        }
        let seconds = threadSeconds() - before
        #expect(length == bytes.count)
        return seconds
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", nil),
        ("BREW / HTTP/1.1\r\n\r\n", RequestError.unknownMethod),
        ("TRACE / HTTP/1.1\r\n", .refusedMethod),
        ("CONNECT a:80 HTTP/1.1\r\n", .refusedMethod),
        ("GET / HTTP/2.0\r\n", .unsupportedVersion),
        ("GET / HTTP/1.1\r\n\r\n", .invalidHost),
        ("GET / HTTP/1.1\r\nHost:\r\n\r\n", .invalidHost),
        ("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", nil),
        ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", .invalidHost),
        ("GET / HTTP/1.1\r\nHost: a:123456\r\n\r\n", .invalidHost),
        ("GET https://a:443/x?y HTTP/1.1\r\nHost: a\r\n\r\n", nil),
        ("GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("GET http://u@a/x HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("GET ftp://a/x HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("GET /%zz HTTP/1.1\r\n", .malformedPercentEncoding),
        ("GET /% HTTP/1.1\r\n", .malformedPercentEncoding),
        ("GET /%4 HTTP/1.1\r\n", .malformedPercentEncoding),
        ("GET /?a=%4 HTTP/1.1\r\n", .malformedPercentEncoding),
        ("GET /a%2fb HTTP/1.1\r\n", .hiddenCharacter),
        ("GET /a%5cb HTTP/1.1\r\n", .hiddenCharacter),
        ("GET /a%00b HTTP/1.1\r\n", .hiddenCharacter),
        ("GET /%C2%9f HTTP/1.1\r\n", .hiddenCharacter),
        ("GET /%7f HTTP/1.1\r\n", .hiddenCharacter),
        ("GET /%c2a HTTP/1.1\r\n", .malformedPercentEncoding),
        ("GET / HTTP/1.1\r\nContent-Type: a/b\r\ncontent-type: a/b\r\n", .repeatedField),
        ("GET / HTTP/1.1\r\nOrigin: http://a\r\norigin: http://b\r\n", .repeatedField),
        ("POST / HTTP/1.1\r\nIdempotency-Key: a\r\nidempotency-key: b\r\n", .repeatedField),
        ("GET / HTTP/1.1\r\nAuthorization: Bearer a\r\nAuthorization: Bearer a\r\n", .repeatedField),
        ("GET /%c0%af HTTP/1.1\r\n", .malformedPercentEncoding),
        ("GET /%e2%82 HTTP/1.1\r\n", .malformedPercentEncoding),
        ("GET /caf%c3%a9?q=%0a HTTP/1.1\r\nHost: a\r\n\r\n", nil),
        ("GET /a\\b HTTP/1.1\r\n", .malformedRequestLine),
        ("GET /a{b} HTTP/1.1\r\n", .malformedTarget),
        ("GET /a?{b}|c HTTP/1.1\r\nHost: a\r\n\r\n", nil),
        ("GET /a%c2%85b HTTP/1.1\r\n", .hiddenCharacter),
        ("GET /a%c2%a0b HTTP/1.1\r\nHost: a\r\n\r\n", nil),
        ("GET http://a%zz/ HTTP/1.1\r\n", .malformedTarget),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1234567890123456\r\n", .bodyTooLong),
        ("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue, x\r\n\r\n", .unknownExpectation),
    ])
    func `a head is accepted, or rejected with the error for the rule that it breaks`(
        head: String, expected: RequestError?
    ) {
        #expect(error(of: head) == expected)
    }

    @Test(arguments: [
        ("a", true), ("a.b-c_d:8080", true), ("a:", true), ("a%41", true), ("1.2.3.4:65535", true),
        ("[::]", true), ("[::1]", true), ("[1::]:80", true), ("[1:2:3:4:5:6:7:8]", true),
        ("[1:2:3:4:5:6:7::]", true), ("[::ffff:1.2.3.4]", true), ("[1:2:3:4:5:6:1.2.3.4]", true),
        ("", false), (":80", false), ("a:65536", false), ("a:+1", false), ("a%4", false), ("a%zz", false),
        ("[]", false), ("[:]", false), ("[:::]", false), ("[1]", false), ("[.]", false), ("[1::2::3]", false),
        ("[12345::]", false), ("[1:2:3:4:5:6:7:8:9]", false), ("[1:2:3:4:5:6:7:]", false),
        ("[:1::]", false), ("[1:2:3:4:5:6:7:8::]", false), ("[::1.2.3]", false), ("[::1.2.3.256]", false),
        ("[::1.2.3.04]", false), ("[::1.2.3.4:5]", false), ("[::1]a", false), ("[::1%25eth0]", false),
        ("[::1", false), ("::1", false),
    ])
    func `a host is accepted only if it is valid by RFC 3986`(host: String, isHost: Bool) {
        let bytes = Array(host.utf8)
        #expect(HostSyntax.isAuthority(bytes.span, from: 0, to: bytes.count) == isHost)
    }

    @Test func `the bytes of a head and its target, and the number of its fields, are limited`() {
        var limits = Limits()
        limits.headBytes = 200
        limits.targetBytes = 20
        limits.fields = 3
        let host = "Host: a\r\n"
        func target(_ count: Int) -> String { "/" + String(repeating: "t", count: count - 1) }
        #expect(error(of: "GET \(target(20)) HTTP/1.1\r\n\(host)\r\n", limits: limits) == nil)
        #expect(error(of: "GET \(target(21)) HTTP/1.1\r\n\(host)\r\n", limits: limits) == .targetTooLong)
        #expect(error(of: "GET \(target(21))", limits: limits) == .targetTooLong)
        #expect(error(of: "GET / HTTP/1.1\r\n\(host)A: b\r\nC: d\r\n\r\n", limits: limits) == nil)
        #expect(error(of: "GET / HTTP/1.1\r\n\(host)A: b\r\nC: d\r\nE", limits: limits) == .tooManyFields)
        let start = "GET / HTTP/1.1\r\n\(host)X: "
        func filled(_ total: Int) -> String {
            start + String(repeating: "x", count: total - start.utf8.count - 4)
        }
        #expect(error(of: filled(200) + "\r\n\r\n", limits: limits) == nil)
        #expect(error(of: filled(201) + "\r\n\r\n", limits: limits) == .headTooLong)
        #expect(error(of: filled(205), limits: limits) == .headTooLong)
        // An invalid byte after the longest permitted head is never examined.
        #expect(error(of: filled(205) + "\0", limits: limits) == .headTooLong)
    }

    @Test func `the HTTP version and the field Connection decide whether the connection stays open`() throws {
        func keeps(_ head: String) throws -> Bool {
            var parser = HeadParser(limits: Limits())
            let bytes = Array(head.utf8)
            _ = try parser.advance(over: bytes.span)
            return parser.head.keepsAlive
        }
        #expect(try keeps("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        #expect(try !keeps("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Close\r\n\r\n"))
        #expect(try !keeps("GET / HTTP/1.0\r\n\r\n"))
        #expect(try keeps("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"))
        #expect(try !keeps("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n"))
    }
}
