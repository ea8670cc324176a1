import LeakCollectorSupport
import Foundation
import LeakGzip
import LeakHTTPClient
import LeakHTTPVectors
import LeakStore
import Testing

@testable import LeakCollector

/// Several envelopes of one sender that belong together, and events that are left out of an envelope.
@Suite struct SentryEnvelopesServedTests {
    private static let id = "00112233445566778899aabbccddeeff"
    private static let event =
        #"{"event_id":"\#(id)","message":"m","fingerprint":["one"],"release":"com.acme.shop@5.2.0"}"#
    private static let report =
        #"{"discarded_events":[{"reason":"ratelimit_backoff","category":"error","quantity":4}]}"#

    private static func envelope(_ header: String, _ items: (type: String, payload: String)...) -> [UInt8] {
        Array(
            ("\(header)\n"
                + items.map {
                    "{\"type\":\"\($0.type)\",\"length\":\($0.payload.utf8.count)}\n\($0.payload)\n"
                }
                .joined()).utf8)
    }

    private static func dropped(_ running: RunningCollector, _ app: String) throws -> [String: Int] {
        let summary = try running.json("/api/v1/summary?app=\(app)")
        let parts = try #require(summary["dropped"] as? [[String: Any]])
        return Dictionary(
            uniqueKeysWithValues: parts.map { ($0["reason"] as? String ?? "", $0["count"] as? Int ?? 0) })
    }

    private static func apps(_ running: RunningCollector) throws -> [String] {
        let apps = try #require(try running.json("/api/v1/apps")["apps"] as? [[String: Any]])
        return apps.compactMap { ($0["id"] ?? $0["app"] ?? $0["name"]) as? String }
    }

    @Test func `user feedback that arrives before its event does not replace the event`() throws {
        let running = try RunningCollector()
        let feedback = Self.envelope(
            "{\"event_id\":\"\(Self.id)\"}", ("user_report", "{}"), ("client_report", Self.report))
        #expect(try running.postEnvelope(feedback).text == #"{"id":"\#(Self.id)"}"#)
        for _ in 0..<2 {
            let answer = try running.postEnvelope(
                Self.envelope("{\"event_id\":\"\(Self.id)\"}", ("event", Self.event)))
            #expect(answer.text == #"{"id":"\#(Self.id)"}"#)
        }
        #expect(try running.json("/api/v1/summary?app=com.acme.shop")["reports"] as? Int == 1)
    }

    @Test func `a Sentry client report without an event counts for the app of the last event`() throws {
        let running = try RunningCollector()
        #expect(try running.postEnvelope(Self.envelope("{}", ("event", Self.event))).status == 200)
        #expect(try running.postEnvelope(Self.envelope("{}", ("client_report", Self.report))).status == 200)
        #expect(try Self.dropped(running, "com.acme.shop") == ["sentry_ratelimit_backoff": 4])
        #expect(try Self.apps(running) == ["com.acme.shop"])
    }

    @Test func `without an earlier event a Sentry client report counts for the default app`() throws {
        let running = try RunningCollector()
        #expect(try running.postEnvelope(Self.envelope("{}", ("client_report", Self.report))).status == 200)
        #expect(try Self.apps(running) == [SubmissionBuilder.defaultApp])
    }

    @Test func `an event above a megabyte is counted as dropped, and the rest of its envelope is accepted`()
        throws
    {
        let running = try RunningCollector()
        // The contents repeat only after 4,000 frames. Contents that repeat sooner would compress so well that the server would
        // inflate at most a megabyte of them.
        let part = (0..<4_000).map { "{\"lineno\":\($0 * 7_919)}," }.joined()
        let frames = String(repeating: part, count: (2 << 20) / part.utf8.count)
        let large = #"{"exception":{"type":"E","stacktrace":{"frames":[\#(frames){}]}}}"#
        let fields = [RunningCollector.sentryField, HTTPField("Content-Encoding", "gzip")]
        let body = Self.envelope("{}", ("event", large), ("event", Self.event))
        #expect(try running.postEnvelope(Gzip.deflate(body, level: 1), fields: fields).status == 200)
        #expect(try Self.dropped(running, "com.acme.shop") == ["sentry_too_large": 1])
        #expect(try running.json("/api/v1/summary?app=com.acme.shop")["reports"] as? Int == 1)
        let answer = try running.postEnvelope(
            Gzip.deflate(Array(large.utf8), level: 1), to: "/api/1/store/", fields: fields)
        #expect(answer.status == 413 && answer.text.contains("the limit is 1048576"), "\(answer.text)")
    }

    @Test
    func `an event that cannot be read is counted as dropped, and the rest of its envelope is accepted`()
        throws
    {
        let running = try RunningCollector()
        let body = Self.envelope("{}", ("event", "[1]"), ("client_report", "nonsense"), ("event", Self.event))
        #expect(try running.postEnvelope(body).status == 200)
        #expect(try Self.dropped(running, "com.acme.shop") == ["sentry_unreadable": 1])
        let answer = try running.postEnvelope(Array("[1]".utf8), to: "/api/1/store/")
        #expect(answer.status == 400)
    }

    @Test func `the last Sentry sender is stored for at most the maximum number of ingest keys`() {
        let senders = SentrySenders()
        for key in 0..<Int64(SentrySenders.maxKeyCount + 100) {
            senders.record(.init(app: "a\(key)", environment: AppKey.production, version: "1"), of: key)
            #expect(senders.lastSender(of: key)?.app == "a\(key)")
        }
        let kept = (0..<Int64(SentrySenders.maxKeyCount + 100)).count { senders.lastSender(of: $0) != nil }
        #expect(kept == SentrySenders.maxKeyCount)
    }
}
