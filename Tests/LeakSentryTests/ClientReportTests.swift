import LeakGrammar
import LeakMessage
import LeakSentry
import Testing

@Suite struct ClientReportTests {
    private func sent(_ reports: String...) throws -> ReadSubmission {
        try ReadSubmission(
            envelope: "{}\n"
                + reports.map { "{\"type\":\"client_report\"}\n{\"discarded_events\":[\($0)]}\n" }.joined())
    }

    private func discarded(_ reason: String, _ category: String, _ quantity: String) -> String {
        "{\"reason\":\"\(reason)\",\"category\":\"\(category)\",\"quantity\":\(quantity)}"
    }

    @Test func `dropped events in an SDK's client reports are summed by reason`() throws {
        let sent = try sent(
            discarded("ratelimit_backoff", "error", "3") + "," + discarded("network_error", "default", "1"),
            discarded("ratelimit_backoff", "error", "4"))
        #expect(sent.dropped == ["sentry_ratelimit_backoff": 7, "sentry_network_error": 1])
        #expect(sent.document.reports.isEmpty)
    }

    @Test(arguments: ["transaction", "session", "span", "attachment", "replay", "profile", "log_item", ""])
    func `dropped events of an SDK in categories other than error and default are not counted`(
        category: String
    ) throws {
        let body =
            "{}\n{\"type\":\"client_report\"}\n{\"discarded_events\":[\(discarded("a", category, "3"))]}"
        #expect(try SentrySubmission(envelope: Array(body.utf8)).batch == nil)
    }

    @Test(arguments: ["0", "-4", "\"3\"", "null", "1.5", "[3]"])
    func `dropped events with an invalid quantity are ignored`(quantity: String) throws {
        let sent = try sent(discarded("a", "error", quantity) + "," + discarded("b", "error", "2"))
        #expect(sent.dropped == ["sentry_b": 2])
    }

    @Test(arguments: ["not_a_leak", "empty", "too_large", "unreadable"])
    func `an SDK's reason for dropping events is counted as sentry_other if only the collector may use it`(
        reason: String
    ) throws {
        #expect(try sent(discarded(reason, "error", "2")).dropped == ["sentry_other": 2])
    }

    @Test(arguments: ["", "a\\u0007b", String(repeating: "x", count: 58), "\\u0085"])
    func
        `an SDK's reason for dropping events is counted as sentry_other if the wire format does not allow it`(
            reason: String
        ) throws
    {
        #expect(try sent(discarded(reason, "error", "2")).dropped == ["sentry_other": 2])
    }

    @Test func `dropped events of more reasons than a batch may have are all counted`() throws {
        let many = (0..<100).map { discarded("r\($0)", "error", "2") }.joined(separator: ",")
        let sent = try sent(many)
        #expect(sent.dropped.values.reduce(0, +) == 200)
        #expect(sent.dropped.count == WireLimits.droppedCount)
        #expect(sent.dropped["sentry_r0"] == 2)
    }

    @Test func `sums of dropped events stay within the limit of the wire format`() throws {
        let huge = discarded("a", "error", "\(Int.max)")
        #expect(try sent(huge + "," + huge, huge).dropped == ["sentry_a": WireLimits.droppedReports])
    }
}
