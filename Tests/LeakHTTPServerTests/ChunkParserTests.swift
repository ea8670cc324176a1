import Testing

@testable import LeakHTTPServer

@Suite struct ChunkParserTests {
    private func events(_ body: String, limits: Limits = Limits()) -> String? {
        var reading = ParserRun(limits: limits)
        reading.feed("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)".utf8)
        return reading.events.count > 1 ? reading.events.last?.description : nil
    }

    @Test(arguments: [
        ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"),
        ("5;a\r\nhello\r\n0;b=c;d=\"e \\\" f\"\r\n\r\n", "hello"),
        ("0\r\nX-Checked: yes\r\n\r\n", ""),
        ("5;\r\nhello", "malformedChunk"),
        ("5;a=\r\nhello", "malformedChunk"),
        ("5;a=\"b\r\nhello", "malformedChunk"),
        ("5;a=\"b\"c\r\nhello", "malformedChunk"),
        ("5 ;a\r\nhello", "malformedChunk"),
        ("123456789\r\n", "malformedChunk"),
        ("7fffffff\r\n", "bodyTooLong"),
        ("0\r\nContent-Length: 5\r\n\r\n", "malformedTrailer"),
        ("0\r\nAuthorization: x\r\n\r\n", "malformedTrailer"),
        ("0\r\nIf-Match: x\r\n\r\n", "malformedTrailer"),
        ("0\r\nX-A : x\r\n\r\n", "malformedTrailer"),
        ("0\r\n X-A: x\r\n\r\n", "malformedTrailer"),
    ])
    func `a valid chunked body is read, and an invalid chunked body is rejected with an error`(
        body: String, expected: String
    ) {
        #expect(events(body) == expected)
    }

    @Test func `the size of all chunks of a body together is limited`() {
        var limits = Limits()
        limits.bodyBytes = 10
        #expect(events("5\r\nhello\r\n5\r\nhello\r\n0\r\n\r\n", limits: limits) == "hellohello")
        #expect(events("5\r\nhello\r\n6\r\n", limits: limits) == "bodyTooLong")
    }

    @Test func `the size of chunk extensions and trailers together is limited`() {
        var limits = Limits()
        limits.chunkOverheadBytes = 20
        #expect(events("0\r\nX-A: 12345678901\r\n\r\n", limits: limits) == "")
        #expect(events("0;a\r\nX-A: 12345678901\r\n\r\n", limits: limits) == "chunkOverheadTooLong")
    }
}
