import Foundation
import LeakGrammar
import LeakMessage
import LeakSentry
import Testing

/// A Sentry request after the reader of the wire format has read the resulting batch.
struct ReadSubmission {
    let submission: SentrySubmission
    let document: WireDocument

    init(_ submission: SentrySubmission) throws {
        self.submission = submission
        document = try WireReader.read(try #require(submission.batch), as: .json)
        #expect(document.rejected.isEmpty, "\(document.rejected)")
    }

    init(event: String) throws { try self.init(SentrySubmission(event: Array(event.utf8))) }

    init(envelope: String) throws { try self.init(SentrySubmission(envelope: Array(envelope.utf8))) }

    /// The only report of the batch.
    var report: LeakReport {
        get throws {
            try #require(document.reports.count == 1)
            return document.report(at: 0)
        }
    }

    var dropped: [String: Int] {
        Dictionary(uniqueKeysWithValues: document.dropped.map { ($0.reason, $0.count) })
    }

    var app: AppInfo { document.app(document.origin) }
    var device: DeviceInfo { document.device(document.origin) }
    var install: String? { document.string(document.origin.install) }
}

/// Files of the folder `Envelopes`: `*.envelope` are received requests of sentry-sdk 2.75.0, `*.json` are the batches
/// that are made from them.
enum Captured {
    static let names = ["client_report", "exception_stack", "message_fingerprint", "session"]

    static func envelope(_ name: String) throws -> [UInt8] { try bytes(name, "envelope") }

    static func batch(_ name: String) throws -> String {
        String(decoding: try bytes(name, "json"), as: UTF8.self)
    }

    private static func bytes(_ name: String, _ ending: String) throws -> [UInt8] {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: ending, subdirectory: "Envelopes"))
        return Array(try Data(contentsOf: url))
    }
}
