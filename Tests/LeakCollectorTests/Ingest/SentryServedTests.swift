import LeakBrotliEncoding
import LeakCollectorSupport
import Foundation
import LeakGzip
import LeakHTTPClient
import LeakHTTPVectors
import LeakStore
import Testing

@testable import LeakCollector

/// Requests of Sentry SDKs over real sockets.
@Suite struct SentryServedTests {
    private static func reports(_ running: RunningCollector) throws -> Int? {
        try running.json("/api/v1/summary")["reports"] as? Int
    }

    private static let event =
        #"{"event_id":"00112233445566778899aabbccddeeff","message":"m","fingerprint":["one"]}"#

    @Test(arguments: [
        "/api/1/envelope/", "/api/1/envelope", "/api/007/envelope/", "/api/4294967296/envelope/",
    ])
    func `an envelope is accepted at the address of any project number, and the response has the event's id`(
        path: String
    ) throws {
        let running = try RunningCollector()
        let answer = try running.postEnvelope(SentryCapture.message.bytes, to: path)
        #expect(answer.status == 200)
        #expect(answer.field("Content-Type") == "application/json")
        #expect(answer.text == #"{"id":"\#(SentryCapture.messageID)"}"#)
        let leaks = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        #expect(leaks.count == 1)
        #expect(leaks.first?["app"] as? String == "com.example.myapp")
        #expect(leaks.first?["class"] as? String == "ProfileViewController")
        // The context `leak` of the event has a count of 3.
        #expect(leaks.first?["reports"] as? Int == 3)
    }

    @Test(arguments: ["/api/1/store/", "/api/1/store"])
    func `a request to the deprecated address for a single event is accepted`(path: String) throws {
        let running = try RunningCollector()
        let answer = try running.postEnvelope(Array(Self.event.utf8), to: path, type: "application/json")
        #expect(answer.text == #"{"id":"00112233445566778899aabbccddeeff"}"#)
        #expect(try Self.reports(running) == 1)
    }

    @Test(arguments: [
        "/api/x/envelope/", "/api/1a/envelope/", "/api/-1/envelope/", "/api//envelope/", "/api/1/envelope//",
        "/api/1/security/", "/api/envelope/", "/api/%D9%A1/envelope/",
    ])
    func `a request for envelopes whose path has no valid project number gets 404`(path: String) throws {
        let running = try RunningCollector()
        #expect(try running.postEnvelope(SentryCapture.message.bytes, to: path).status == 404)
    }

    @Test(arguments: [
        "application/x-sentry-envelope", "text/plain;charset=UTF-8", "application/json",
        "application/octet-stream", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "",
    ])
    func `an envelope is recognised with any media type, compressed or not`(type: String) throws {
        let running = try RunningCollector()
        #expect(try running.postEnvelope(SentryCapture.message.bytes, type: type).status == 200)
        let fields = [RunningCollector.sentryField, HTTPField("Content-Encoding", "gzip")]
        let small = Gzip.deflate(try SentryCapture.exception.bytes, level: 6)
        #expect(try running.postEnvelope(small, fields: fields, type: type).status == 200)
        #expect(try running.json("/api/v1/leaks")["total"] as? Int == 2)
    }

    /// sentry-sdk for Python sends brotli if the module `brotli` can be imported.
    @Test func `an envelope may be compressed with brotli`() throws {
        let running = try RunningCollector()
        let fields = [RunningCollector.sentryField, HTTPField("Content-Encoding", "br")]
        let small = BrotliEncoding.compress(try SentryCapture.message.bytes)
        #expect(try running.postEnvelope(small, fields: fields).status == 200)
        #expect(try Self.reports(running) == 3)
    }

    private static let key = RunningCollector.key

    @Test(arguments: [
        ([RunningCollector.sentryField], "", 200),
        ([HTTPField("Authorization", "Sentry sentry_version=7,sentry_key=\(key)")], "", 200),
        ([], "?sentry_version=7&sentry_key=\(key)", 200),
        ([RunningCollector.sentryField], "?sentry_key=\(key)", 200),
        ([RunningCollector.sentryField, HTTPField("Authorization", "Basic YTpi")], "", 200),
        ([], "", 403), ([HTTPField("Authorization", "Bearer \(key)")], "", 403),
        ([HTTPField("X-Leak-Key", key)], "", 403),
        ([RunningCollector.sentryField], "?sentry_key=other", 403),
        ([HTTPField("X-Sentry-Auth", "Sentry sentry_key=\(key)x")], "", 403),
        ([HTTPField("X-Sentry-Auth", "Sentry sentry_key=\(RunningCollector.token)")], "", 403),
    ])
    func `the public key of an SDK must be an ingest key, in a header field or in the address`(
        fields: [HTTPField], query: String, status: Int
    ) throws {
        let running = try RunningCollector()
        let answer = try running.postEnvelope(
            SentryCapture.message.bytes, to: "/api/1/envelope/" + query, fields: fields)
        #expect(answer.status == status)
        #expect(!answer.text.contains(Self.key))
        if status != 200 { #expect(answer.field("Content-Type") == "application/problem+json") }
        #expect(try Self.reports(running) == (status == 200 ? 3 : 0))
    }

    @Test(arguments: [
        ("https://\(key)@leaks.example/1", 200), ("https://\(key):secret@leaks.example/1", 200),
        ("https://other@leaks.example/1", 403), ("https://leaks.example/1", 403), ("nonsense", 403),
    ])
    func `the DSN in an envelope must have the same key as the request`(dsn: String, status: Int) throws {
        let running = try RunningCollector()
        let body = SentryCapture.envelope(
            SentryCapture.messageID, header: #","dsn":"\#(dsn)""#, event: Self.event)
        #expect(try running.postEnvelope(body).status == status)
        let tunnelled = try running.postEnvelope(body, fields: [])
        #expect(tunnelled.status == 403)
        #expect(try tunnelled.json["detail"] as? String ?? "" != "")
        #expect(try Self.reports(running) == (status == 200 ? 1 : 0))
    }

    @Test func `a repeated event is counted once, even with other content`() throws {
        let running = try RunningCollector()
        let id = "00112233445566778899aabbccddeeff"
        let answers = try [
            Self.event, Self.event, #"{"message":"m","fingerprint":["other"]}"#,
        ].enumerated().map { number, event in
            try running.postEnvelope(
                SentryCapture.envelope(
                    id, header: #","sent_at":"2026-11-20T21:27:0\#(number)Z""#, event: event))
        }
        #expect(answers.map(\.status) == [200, 200, 200])
        #expect(Set(answers.map(\.text)) == [#"{"id":"\#(id)"}"#])
        // A batch of our own reporter with this id as its idempotency key is not a repeat.
        let fields = [HTTPField("X-Leak-Key", Self.key), HTTPField("Idempotency-Key", id)]
        #expect(try running.post(#"{"class":"Two"}"#, fields: fields).json["duplicate"] as? Bool == false)
        #expect(try Self.reports(running) == 2)
    }

    @Test func `no Idempotency-Key that a client may send equals the key of an event`() {
        for ids in [[SentryCapture.messageID], [SentryCapture.messageID, "b"], (0..<900).map { "\($0)" }] {
            let key = SentryIngest.idempotencyKey(of: ids)
            #expect(key.map { !Ingest.isIdempotencyKey($0) && $0.utf8.count < 100 } == true)
        }
        #expect(SentryIngest.idempotencyKey(of: []) == nil)
        #expect(SentryIngest.idempotencyKey(of: ["a", "b"]) != SentryIngest.idempotencyKey(of: ["b", "a"]))
    }

    @Test func `Sentry sessions are accepted and not stored`() throws {
        let running = try RunningCollector()
        let answer = try running.postEnvelope(SentryCapture.session.bytes)
        #expect(answer.status == 200 && answer.text == "{}")
        let apps = try #require(try running.json("/api/v1/apps")["apps"] as? [[String: Any]])
        #expect(apps.isEmpty)
    }

    @Test func `events that an SDK dropped are counted in the summary and on the page of its key's app`()
        throws
    {
        let running = try RunningCollector()
        let (_, secret) = try Credentials(store: running.store).create(
            .keys, name: "shop", app: "shop", now: WallClock.milliseconds())
        let field = HTTPField("X-Sentry-Auth", "Sentry sentry_key=\(secret)")
        var status = 0
        for _ in 0..<12_000 where status != 200 {
            status = try running.postEnvelope(SentryCapture.clientReport.bytes, fields: [field]).status
            if status != 200 { Client.pause() }
        }
        let summary = try running.json("/api/v1/summary?app=shop")
        let dropped = try #require(summary["dropped"] as? [[String: Any]])
        #expect(dropped.first?["reason"] as? String == "sentry_ratelimit_backoff")
        #expect(dropped.first?["count"] as? Int == 3)
        #expect(try running.get("/?app=shop").text.contains("sentry_ratelimit_backoff: 3"))
        // An event of another app is rejected.
        let other = try running.postEnvelope(SentryCapture.message.bytes, fields: [field])
        #expect(other.status == 403)
        #expect(other.text.contains("this ingest key is restricted to the app shop"))
    }

    @Test(arguments: [
        ("", 400), ("nonsense", 400), ("{}\n{\"type\":\"event\"}\nnonsense\n", 400),
        ("{}\n{\"type\":\"event\",\"length\":99}\n{}", 400), ("{\"event_id\":7}\n", 200), ("{}\n", 200),
    ])
    func `an invalid envelope gets 400 with the position of the mistake, and a lone header gets 200`(
        body: String, status: Int
    ) throws {
        let running = try RunningCollector()
        let answer = try running.postEnvelope(Array(body.utf8))
        #expect(answer.status == status, "\(answer.text)")
        guard status == 400 else { return }
        let json = try answer.json
        #expect(json["line"] is Int && json["column"] is Int && json["detail"] is String)
    }

    @Test func `an envelope with an attachment over the limit is refused with 413, compressed or not`() throws
    {
        let running = try RunningCollector()
        let item = [UInt8](repeating: 0x61, count: 20 << 20)
        let head = Array("{}\n{\"type\":\"attachment\",\"length\":\(item.count)}\n".utf8)
        #expect(try running.postEnvelope(head + item).status == 413)
        let fields = [RunningCollector.sentryField, HTTPField("Content-Encoding", "gzip")]
        #expect(try running.postEnvelope(Gzip.deflate(head + item, level: 6), fields: fields).status == 413)
    }

    /// Returns an envelope with an event and an attachment of `count` bytes that cannot be compressed.
    private static func envelope(attachmentBytes count: Int) -> [UInt8] {
        var state: UInt64 = 1
        let attachment = (0..<count).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let event = #"{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc","message":"Leak: Cart"}"#
        return Array(
            "{}\n{\"type\":\"event\"}\n\(event)\n{\"type\":\"attachment\",\"length\":\(count)}\n".utf8)
            + attachment
    }

    @Test(arguments: [false, true])
    func `an event is stored even if a large attachment follows it in its envelope`(isCompressed: Bool) throws
    {
        let running = try RunningCollector()
        let body = Self.envelope(attachmentBytes: 12 << 20)
        let fields =
            [RunningCollector.sentryField] + (isCompressed ? [HTTPField("Content-Encoding", "gzip")] : [])
        let answer = try running.postEnvelope(
            isCompressed ? Gzip.deflate(body, level: 1) : body, fields: fields)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try running.json("/api/v1/summary")["reports"] as? Int == 1)
        // The limit of other addresses is unchanged.
        #expect(try running.post([UInt8](repeating: 0x20, count: 2 << 20), "application/json").status == 413)
    }

    @Test func `a large envelope without a valid key is refused before its body is read`() throws {
        let running = try RunningCollector()
        let client = Client(port: running.port)
        client.send(
            "POST /api/1/envelope/ HTTP/1.1\r\nHost: a\r\nX-Sentry-Auth: Sentry sentry_key=guess\r\n"
                + "Content-Length: \(12 << 20)\r\n\r\n")
        #expect(client.answers(1, milliseconds: 60_000).first?.status == 403)
    }

    @Test
    func `an SDK over the rate limit gets a time to wait, and its refused events are counted as dropped`()
        throws
    {
        let running = try RunningCollector { $0.reportsPerSecond = 1 }
        var answer = try running.postEnvelope(SentryCapture.session.bytes)
        for _ in 0..<50 where answer.status == 200 {
            answer = try running.postEnvelope(SentryCapture.session.bytes)
        }
        #expect(answer.status == 429)
        let seconds = try #require(answer.field("Retry-After"))
        #expect(
            answer.field("X-Sentry-Rate-Limits")
                == "\(seconds):default;error;transaction;session:key:reports_per_second")
        var refused = 1
        repeat {
            Client.pause()
            answer = try running.postEnvelope(SentryCapture.message.bytes)
            if answer.status == 429 { refused += 1 }
        } while answer.status == 429
        #expect(answer.status == 200)
        let summary = try running.json("/api/v1/summary?app=com.example.myapp")
        let dropped = try #require(summary["dropped"] as? [[String: Any]])
        #expect(dropped.compactMap { $0["reason"] as? String } == ["sentry_rate_limit"])
        #expect(dropped.first?["count"] as? Int == refused)
    }
}
