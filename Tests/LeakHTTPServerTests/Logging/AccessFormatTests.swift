import Foundation
import LeakHTTPServer
import Testing

@Suite struct AccessFormatTests {
    private static func record(target: [UInt8] = Array("/a?b=c".utf8), agent: [UInt8]? = nil) -> AccessRecord
    {
        AccessRecord(
            time: 784_111_777_045, peer: "192.0.2.1", method: .post, target: target, userAgent: agent,
            status: .created, bytesReceived: 559, bytesSent: 57, duration: .microseconds(1_234_567),
            closesConnection: true)
    }

    private static func text(_ record: AccessRecord) -> String {
        String(decoding: AccessFormat.text.line(record), as: UTF8.self)
    }

    private static func json(_ record: AccessRecord) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(AccessFormat.json.line(record))) as? [String: Any])
    }

    @Test func `a request is logged as a line of text`() {
        #expect(
            Self.text(Self.record(agent: Array("curl/8".utf8)))
                == "192.0.2.1 - - [06/Nov/1994:08:49:37 +0000] \"POST /a?b=c HTTP/1.1\" 201 57 \"-\" \"curl/8\" "
                + "1.234567 559 close\n")
        let unreadable = AccessRecord(time: -1, peer: nil, method: nil, target: [], status: .badRequest)
        #expect(
            Self.text(unreadable)
                == "- - - [31/Dec/1969:23:59:59 +0000] \"-\" 400 0 \"-\" \"-\" 0.000000 0 keep\n")
    }

    @Test func `a request is logged as a line of JSON`() {
        #expect(
            String(decoding: AccessFormat.json.line(Self.record(agent: Array("curl/8".utf8))), as: UTF8.self)
                == #"{"time":"1994-11-06T08:49:37.045Z","peer":"192.0.2.1","method":"POST","target":"/a?b=c","#
                + #""version":"HTTP/1.1","status":201,"bytes_in":559,"bytes_out":57,"duration_ms":1234.567,"#
                + #""closed":true,"user_agent":"curl/8"}"# + "\n")
        let unreadable = AccessRecord(time: -1, peer: nil, method: nil, target: [], status: .badRequest)
        #expect(
            String(decoding: AccessFormat.json.line(unreadable), as: UTF8.self)
                == #"{"time":"1969-12-31T23:59:59.999Z","peer":null,"method":null,"target":null,"#
                + #""version":null,"status":400,"bytes_in":0,"bytes_out":0,"duration_ms":0.000,"#
                + #""closed":false,"user_agent":null}"# + "\n")
    }

    @Test func `a line of the access log says how many lines were dropped`() throws {
        #expect(
            String(decoding: AccessFormat.text.line(dropped: 7, time: 784_111_777_045), as: UTF8.self)
                == "# 06/Nov/1994:08:49:37 +0000 7 lines dropped: this log was not written fast enough\n")
        #expect(
            String(decoding: AccessFormat.json.line(dropped: 7, time: 784_111_777_045), as: UTF8.self)
                == "{\"time\":\"1994-11-06T08:49:37.045Z\",\"dropped\":7}\n")
    }

    /// Texts that a peer may put into a target or a field to forge a line, move a cursor, or break a parser.
    @Test(arguments: [
        "a\nb", "a\r\nb", "\" 200 0 \"-\" \"", "\\\" 200", "\u{1B}[2J", "\u{9B}31m", "\u{0}", "\u{7F}",
        "\u{2028}",
        "\u{202E}evil", "ä😀", "\t",
    ])
    func `text that a peer sends stays within its quotes in the access log`(sent: String) throws {
        for bytes in [
            Array(sent.utf8), Array(sent.utf8) + [0xFF, 0xC0, 0xAF], Array(sent.utf8).dropLast() + [],
        ] {
            let record = Self.record(target: bytes, agent: bytes)
            for line in [AccessFormat.text.line(record), AccessFormat.json.line(record)] {
                #expect(line.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A })
                #expect(line.firstIndex(of: 0x0A) == line.count - 1)
            }
            let text = Self.text(record)
            #expect(text.filter { $0 == "\"" }.count == 6)
            #expect(text.hasSuffix(" 1.234567 559 close\n"))
            let json = try Self.json(record)
            #expect(json["target"] as? String == String(decoding: bytes, as: UTF8.self))
            #expect(json["user_agent"] as? String == String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test func `long values in the access log are truncated`() {
        let record = Self.record(
            target: [UInt8](repeating: 0x61, count: 10_000), agent: [UInt8](repeating: 0x22, count: 10_000))
        #expect(record.target.count == AccessRecord.maxTextBytes)
        #expect(AccessFormat.text.line(record).count < 6 * AccessRecord.maxTextBytes)
    }

    @Test(arguments: [
        ("/sign-in?code=abc", "/sign-in?code=***"),
        ("/sign-in?a=1&code=abc&b=2", "/sign-in?a=1&code=***&b=2"),
        ("/?c%6Fde=abc", "/?c%6Fde=***"), ("/?CODE=abc", "/?CODE=***"), ("/?code=", "/?code=***"),
        ("/?code=a=b?code", "/?code=***"), ("/?xcode=abc", "/?xcode=abc"), ("/?code", "/?code"),
        ("/?&&code=a&", "/?&&code=***&"), ("/code=abc", "/code=abc"), ("/", "/"), ("/?", "/?"),
        ("http://a/?token=x", "http://a/?token=***"), ("/?code=a&code=b", "/?code=***&code=***"),
    ])
    func `secrets in a query are masked in the access log`(target: String, masked: String) {
        var record = Self.record(target: Array(target.utf8))
        record.maskQuery(["code", "token"])
        #expect(String(decoding: record.target, as: UTF8.self) == masked)
    }
}
