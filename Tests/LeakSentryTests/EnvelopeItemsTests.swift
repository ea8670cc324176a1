import LeakMessage
import LeakSentry
import Testing

@Suite struct EnvelopeItemsTests {
    private static let event = #"{"message":"a"}"#

    @Test(arguments: [
        ("a length, and a line end at the end", "{}\n{\"type\":\"event\",\"length\":15}\n\(event)\n"),
        ("a length, and no line end", "{}\n{\"type\":\"event\",\"length\":15}\n\(event)"),
        ("no length", "{}\n{\"type\":\"event\"}\n\(event)\n"),
        ("no length and no line end", "{}\n{\"type\":\"event\"}\n\(event)"),
        ("a length of null", "{}\n{\"type\":\"event\",\"length\":null}\n\(event)"),
        ("line ends of Windows, which belong to the payload", "{}\r\n{\"type\":\"event\"}\r\n\(event)\r\n"),
        ("blank lines", "{}\n\n{\"type\":\"event\"}\n\(event)\n\n\n"),
        ("a payload of two lines", "{}\n{\"type\":\"event\",\"length\":16}\n{\"message\":\n\"a\"}\n"),
        (
            "unknown items around it",
            "{}\n{\"type\":\"new\"}\n\n{\"type\":\"event\"}\n\(event)\n{\"type\":\"x\",\"length\":3}\n\n\n\n\n"
        ),
        (
            "an attachment that looks like items",
            "{}\n{\"type\":\"attachment\",\"length\":34}\n{\"type\":\"event\"}\n{\"message\":\"no\"}\n\n{\"type\":\"event\"}\n\(event)"
        ),
        ("an item without a type", "{}\n{}\n\(event)\n{\"type\":\"event\"}\n\(event)"),
    ])
    func `the event in an envelope is found in each layout of the items`(what: String, envelope: String)
        throws
    {
        #expect(try ReadSubmission(envelope: envelope).report.message == "a", "\(what)")
    }

    @Test(arguments: ["{}", "{}\n", "{}\n\n", "{}\n{\"type\":\"event\"}\n{\"type\":\"transaction\"}"])
    func `an envelope without anything to count has no batch`(envelope: String) throws {
        #expect(try SentrySubmission(envelope: Array(envelope.utf8)).batch == nil)
    }

    @Test(arguments: [
        ("", 1, 1, "the header of the envelope"),
        ("\n{}", 1, 1, "the header of the envelope"),
        ("[]\n", 1, 1, "expected an object"),
        ("{}}\n", 1, 3, "more text after the value"),
        ("{\"dsn\"\n", 1, 7, "ends too early"),
        ("{}\nx\n", 2, 1, "the header of an item"),
        ("{}\n{}{}\n", 2, 3, "the header of an item"),
        ("{}\n{\"length\":900}\nabc", 2, 11, "length is 900, but the number of bytes left is 3"),
        ("{}\n{\"length\":1}", 2, 11, "length is 1, but the number of bytes left is 0"),
        ("{}\n{\"length\":2}\nabc\n", 3, 3, "continues after its length of 2"),
        ("{}\n{\"length\":-1}\nabc\n", 2, 11, "leave it out"),
        ("{}\n{\"length\":\"3\"}\nabc\n", 2, 11, "leave it out"),
        ("{}\n{\"length\":1e30}\nabc\n", 2, 11, "leave it out"),
        ("{}\n{\"length\":9223372036854775807}\nabc\n", 2, 11, "bytes left is"),
        ("{}\n{\"type\":\"event\"}\n{\"message\":}\n", 3, 12, "the event is not a JSON object"),
        ("{}\n{\"type\":\"event\"}\n[1]\n", 3, 1, "expected an object"),
        ("{}\n{\"type\":\"client_report\"}\n1\n", 3, 1, "the client report"),
    ])
    func `an invalid envelope is refused with the position of the mistake`(
        envelope: String, line: Int, column: Int, reason: String
    ) {
        let error = #expect(throws: SentryError.self) { try SentrySubmission(envelope: Array(envelope.utf8)) }
        #expect(
            error?.line == line && error?.column == column && error?.reason.contains(reason) == true,
            "\(String(describing: error))")
    }

    @Test func `an event that is not UTF-8 is refused with the position of the invalid byte`() {
        let envelope = Array("{}\n{\"type\":\"event\"}\n{\"message\":\"ä".utf8) + [0xFF] + Array("\"}".utf8)
        let error = #expect(throws: SentryError.self) { try SentrySubmission(envelope: envelope) }
        #expect(error?.line == 3 && error?.column == 14 && error?.reason.contains("UTF-8") == true)
    }

    @Test func `an attachment may contain any bytes`() throws {
        let bytes: [UInt8] = [0xFF, 0x0A, 0x00, 0xC3]
        let envelope =
            Array("{}\n{\"type\":\"attachment\",\"length\":4}\n".utf8) + bytes
            + Array("\n{\"type\":\"event\"}\n{\"message\":\"a\"}".utf8)
        #expect(try ReadSubmission(SentrySubmission(envelope: envelope)).report.message == "a")
    }

    @Test func `an envelope with more than a thousand items is refused`() throws {
        let item = "{}\n\n"
        let full = "{}\n" + String(repeating: item, count: 1_000)
        #expect(try SentrySubmission(envelope: Array(full.utf8)).batch == nil)
        let error = #expect(throws: SentryError.self) {
            try SentrySubmission(envelope: Array((full + "{}").utf8))
        }
        #expect(error?.reason.contains("more than 1000 items") == true)
    }

    @Test(arguments: [
        ("{\"event_id\":\"976BD002-967E-4c8b-a371-f3287f5f7c8c\"}", "976bd002967e4c8ba371f3287f5f7c8c"),
        ("{\"event_id\":\"976bd002967e4c8ba371f3287f5f7c8\"}", nil),
        ("{\"event_id\":\"976bd002967e4c8ba371f3287f5f7c8x\"}", nil),
        ("{\"event_id\":4}", nil), ("{\"event_id\":null}", nil), ("{}", nil),
    ])
    func `the id of an event is read only if it has 32 hexadecimal digits`(text: String, id: String?) throws {
        #expect(try SentrySubmission(event: Array(text.utf8)).eventID == id)
        #expect(try SentrySubmission(envelope: Array(text.utf8)).eventID == id)
        let inside = "{\"event_id\":\"?\"}\n{\"type\":\"event\"}\n\(text)"
        #expect(try SentrySubmission(envelope: Array(inside.utf8)).eventID == id)
    }

    @Test func `the DSN in the header of an envelope is read`() throws {
        let envelope = Array("{\"dsn\":\"https:\\/\\/k@leaks.example.com\\/1\"}".utf8)
        #expect(try SentrySubmission(envelope: envelope).dsn == "https://k@leaks.example.com/1")
        #expect(try SentrySubmission(envelope: Array("{\"dsn\":1}".utf8)).dsn == nil)
    }
}
