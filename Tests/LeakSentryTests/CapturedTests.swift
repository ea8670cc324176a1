import LeakGrammar
import LeakMessage
import LeakSentry
import Testing

@Suite struct CapturedTests {
    @Test(arguments: Captured.names)
    func `requests of real SDKs give the recorded batches`(name: String) throws {
        let submission = try SentrySubmission(envelope: Captured.envelope(name))
        guard let batch = submission.batch else {
            #expect(name == "session", "only a session has nothing to count")
            return
        }
        let written = try Captured.batch(name)
        #expect(String(decoding: batch, as: UTF8.self) + "\n" == written)
        let document = try WireReader.read(batch, as: .json)
        #expect(document.rejected.isEmpty)
    }

    @Test func `the id of an event is read from the header of its envelope`() throws {
        let submission = try SentrySubmission(envelope: Captured.envelope("message_fingerprint"))
        #expect(submission.eventID == "976bd002967e4c8ba371f3287f5f7c8c")
        #expect(try SentrySubmission(envelope: Captured.envelope("session")).eventID == nil)
    }

    @Test func `an envelope that is sent again later gives the same batch`() throws {
        let envelope = String(decoding: try Captured.envelope("exception_stack"), as: UTF8.self)
        let later = envelope.replacing("2026-11-20T21:27:23.559324Z", with: "2026-11-21T08:00:00Z")
        #expect(later != envelope)
        #expect(
            try ReadSubmission(envelope: later).submission == ReadSubmission(envelope: envelope).submission)
    }
}
