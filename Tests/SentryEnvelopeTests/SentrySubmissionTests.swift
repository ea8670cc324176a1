import Foundation
import LeakMessage
import SentryEnvelope
import Testing

/// Requests of sentry-sdk 2.75.0 as they came in.
enum Captured {
    static let names = ["client_report", "exception_stack", "message_fingerprint", "session"]

    static func envelope(_ name: String) throws -> [UInt8] {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: "envelope", subdirectory: "Envelopes"))
        return Array(try Data(contentsOf: url))
    }
}

@Suite struct SentrySubmissionTests {
    @Test(arguments: Captured.names)
    func `what an SDK really sends is read, and read again without a rejection`(name: String) throws {
        let submission = try SentrySubmission(envelope: Captured.envelope(name))
        guard let batch = submission.batch else {
            #expect(name == "session")
            return
        }
        let document = try WireReader.read(batch, as: .json)
        #expect(document.rejected.isEmpty)
        #expect(document.reports.count == (name == "client_report" ? 0 : 1))
    }
}
