import LeakCollectorSupport
import Foundation
import LeakHTTPClient

/// Envelopes that sentry-sdk 2.75.0 for Python sent.
enum SentryCapture: String {
    case message = "message_fingerprint"
    case exception = "exception_stack"
    case clientReport = "client_report"
    case session

    var bytes: [UInt8] {
        get throws {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("LeakSentryTests/Envelopes")
            return [UInt8](try Data(contentsOf: folder.appendingPathComponent("\(rawValue).envelope")))
        }
    }

    /// The event ID of ``message``.
    static let messageID = "976bd002967e4c8ba371f3287f5f7c8c"

    /// Returns an envelope with one event.
    ///
    /// - Parameter header: fields of the envelope's header besides the id.
    static func envelope(_ id: String, header: String = "", event: String) -> [UInt8] {
        Array("{\"event_id\":\"\(id)\"\(header)}\n{\"type\":\"event\"}\n\(event)\n".utf8)
    }
}

extension RunningCollector {
    static let sentryField = HTTPField(
        "X-Sentry-Auth", "Sentry sentry_key=\(key), sentry_version=7, sentry_client=test/1")

    /// Posts an envelope with the collector's key, as a Sentry SDK does.
    func postEnvelope(
        _ body: [UInt8], to path: String = "/api/1/envelope/", fields: [HTTPField] = [sentryField],
        type: String = "application/x-sentry-envelope"
    ) throws -> HTTPResponse {
        try post(body, type, to: path, fields: fields)
    }
}
