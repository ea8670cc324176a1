import LeakMessage
import LeakSentry
import Testing

/// An unreadable item does not affect other items. Also the ids and the sender of an envelope.
@Suite struct ReadableItemsTests {
    private static let event = "{\"type\":\"event\"}\n{\"message\":\"a\"}\n"
    private static let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)

    private static let unreadable: [[UInt8]] = [
        Array("[1]".utf8), Array("{".utf8), Array("{\"x\":\(deep)}".utf8), Array("".utf8),
        Array("{\"message\":\"".utf8) + [0xFF] + Array("\"}".utf8),
    ]

    private static func envelope(_ type: String, _ payload: [UInt8], and rest: String) -> [UInt8] {
        Array("{}\n{\"type\":\"\(type)\",\"length\":\(payload.count)}\n".utf8) + payload
            + Array("\n\(rest)".utf8)
    }

    @Test(arguments: unreadable)
    func `an event beside an unreadable event is accepted`(payload: [UInt8]) throws {
        let sent = try ReadSubmission(
            SentrySubmission(envelope: Self.envelope("event", payload, and: Self.event)))
        #expect(try sent.report.message == "a")
        #expect(sent.dropped == ["sentry_unreadable": 1])
    }

    @Test(arguments: unreadable)
    func `an unreadable client report is skipped`(payload: [UInt8]) throws {
        let sent = try ReadSubmission(
            SentrySubmission(envelope: Self.envelope("client_report", payload, and: Self.event)))
        #expect(try sent.report.message == "a")
        #expect(sent.dropped.isEmpty)
    }

    @Test(arguments: unreadable, ["event", "client_report"])
    func `if nothing else of an envelope can be read, the error has the position of the unreadable item`(
        payload: [UInt8], type: String
    ) {
        let body = Self.envelope(type, payload, and: "{\"type\":\"session\"}\n{}\n")
        let error = #expect(throws: SentryError.self) { try SentrySubmission(envelope: body) }
        #expect(error?.line == 3)
        #expect(error?.isTooLarge == false)
    }

    private static let a = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    private static let b = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

    private static let report =
        "{\"type\":\"client_report\"}\n{\"discarded_events\":[{\"reason\":\"r\",\"category\":\"error\",\"quantity\":1}]}\n"

    private static func named(_ id: String) -> String {
        "{\"type\":\"event\"}\n{\"event_id\":\"\(id)\",\"message\":\"m\"}\n"
    }

    @Test(arguments: [
        ("an event with an id", "{\"event_id\":\"\(a)\"}", named(b), [b]),
        ("an event without an id", "{\"event_id\":\"\(a)\"}", event, [a]),
        ("an unreadable event", "{\"event_id\":\"\(a)\"}", "{\"type\":\"event\"}\n[]\n" + report, [a]),
        ("two events", "{}", named(b) + named(a) + named(b), [b, a]),
        ("an event with an id and an event without", "{}", named(b) + event, []),
        ("feedback", "{\"event_id\":\"\(a)\"}", "{\"type\":\"user_report\"}\n{}\n" + report, []),
        ("nothing", "{\"event_id\":\"\(a)\"}", "", []),
    ])
    func `the ids by which a repeated envelope is recognised are those of its events`(
        what: String, header: String, items: String, ids: [String]
    ) throws {
        let submission = try SentrySubmission(envelope: Array("\(header)\n\(items)".utf8))
        #expect(submission.idempotencyIDs == ids, "\(what)")
    }

    @Test func `a batch has a sender only if its envelope has an event`() throws {
        #expect(try SentrySubmission(envelope: Array("{}\n\(Self.event)".utf8)).hasOrigin)
        let submission = try SentrySubmission(envelope: Array("{}\n\(Self.report)".utf8))
        #expect(!submission.hasOrigin && submission.reportCount == 0)
    }
}
