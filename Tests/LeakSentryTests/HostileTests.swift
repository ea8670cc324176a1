import LeakSeededRandom
import LeakGrammar
import LeakMessage
import LeakSentry
import Testing

/// For any input, there is either no batch, or the reader of the wire format accepts the whole batch. Long input is read in
/// linear time.
@Suite struct HostileTests {
    /// Returns the problem of the submission's batch as text; `nil` if there is no batch or no problem.
    private func problem(_ submission: SentrySubmission?) -> String? {
        guard let batch = submission?.batch else { return nil }
        do {
            let document = try WireReader.read(batch, as: .json)
            guard document.rejected.isEmpty else { return "\(document.rejected)" }
            guard document.reportCount > 0 || !document.dropped.isEmpty else { return "nothing to count" }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func checkBoth(_ body: [UInt8]) {
        for submission in [try? SentrySubmission(envelope: body), try? SentrySubmission(event: body)] {
            if let problem = problem(submission) {
                Issue.record("\(problem) of \(String(decoding: body.prefix(4_000), as: UTF8.self))")
            }
        }
    }

    private static let pieces: [String] = [
        "\"", "{", "}", "[", "]", ",", ":", "\\u0000", "\\ud800", "\\\"", "\u{85}", "null", "true", "-1",
        "1e400",
        "9223372036854775807", "{}", "[]", "\"\"", "{{ default }}", "\n", "\u{1F}", "fatal", "exception",
        "contexts",
        "leak", "class", "0x10", String(repeating: "ä", count: 700),
    ]

    @Test(arguments: ["exception_stack", "message_fingerprint", "client_report", "session"])
    func `a damaged request of an SDK is refused, or gives a valid batch`(name: String) throws {
        let envelope = try Captured.envelope(name)
        // The whole envelope, the envelope without the length in its item header, and the payload alone.
        let lines = envelope.split(separator: UInt8(ascii: "\n"))
        let bodies = [
            envelope, Array(lines[0] + [10] + Array("{\"type\":\"event\"}\n".utf8) + lines[2]),
            Array(lines[2]),
        ]
        var random = SeededRandom(seed: 7)
        for round in 0..<600 {
            var body = random.element(of: bodies)
            for _ in 0...random.below(4) {
                let start = random.below(body.count)
                let end = min(body.count, start + random.below(round.isMultiple(of: 4) ? 200 : 4))
                let piece: [UInt8] =
                    switch random.below(4) {
                    case 0: [UInt8(truncatingIfNeeded: random.next())]
                    case 1: []
                    case 2: Array(body[random.below(body.count)...].prefix(random.below(100)))
                    default: Array(random.element(of: Self.pieces).utf8)
                    }
                body.replaceSubrange(start..<end, with: piece)
                if body.isEmpty { body = [UInt8(ascii: "{")] }
            }
            checkBoth(body)
        }
    }

    /// The events have values of every kind under every name that the reader knows.
    @Test func `an event with random values is refused, or gives a valid batch`() {
        let names = [
            "event_id", "type", "timestamp", "level", "release", "dist", "environment", "fingerprint",
            "message",
            "logentry", "exception", "values", "value", "stacktrace", "frames", "function", "module",
            "package",
            "in_app", "instruction_addr", "image_addr", "debug_meta", "images", "image_size", "code_file",
            "tags",
            "extra", "breadcrumbs", "category", "user", "id", "contexts", "os", "name", "version", "device",
            "model",
            "app", "app_identifier", "app_version", "app_build", "leak", "class", "kind", "stack", "children",
            "cycle",
            "reason", "count", "alive", "waited_ms", "lived_ms", "mechanism", "handled", "meta", "ns_error",
            "domain",
            "code", "data", "NSLocalizedDescription", "user info", "formatted", "leak.class", "leak.kind",
        ]
        let texts = [
            "", " ", "a", "a\\u0000b", "\\u0085", "\\ud83d", String(repeating: "\\u00e4\\n", count: 400),
            "com.acme.shop@1+2", "{{ default }}", "0x10",
            "<A: 0x1f>",
            "VIEWCONTROLLER STILL IN MEMORY <Shop.Cart: 0x7f88acc69260>", "Memory Leak: (\\n A,\\n B\\n)",
            "freed",
            "retain-cycle", "01936f2c-7c1e-7a44-9d0e-6b8d4c1f2a90",
        ]
        var random = SeededRandom(seed: 11)
        func value(_ depth: Int) -> String {
            switch depth > 0 ? random.below(10) : random.below(5) {
            case 0: return random.element(of: ["null", "true", "false"])
            case 1:
                return random.element(of: ["0", "-1", "1.5", "1e400", "9223372036854775807", "1795176000.5"])
            case 2...4: return "\"\(random.element(of: texts))\""
            case 5...6:
                let isLong = random.below(40) == 0
                let elements = (0..<(isLong ? 150 : random.below(3))).map { _ in value(isLong ? 0 : depth - 1)
                }
                return "[" + elements.joined(separator: ",") + "]"
            default:
                let isLong = random.below(40) == 0
                let fields = (0..<(isLong ? 90 : random.below(5))).map { index in
                    "\"\(isLong ? "k\(index)" : random.element(of: names))\":\(value(isLong ? 0 : depth - 1))"
                }
                return "{" + fields.joined(separator: ",") + "}"
            }
        }
        for _ in 0..<800 {
            let fields = (0..<6).map { _ in "\"\(random.element(of: names))\":\(value(5))" }
            checkBoth(Array("{\(fields.joined(separator: ","))}".utf8))
        }
    }

    @Test(arguments: [
        (
            "frames", #"{"exception":[{"type":"E","stacktrace":{"frames":["#,
            #"{"function":"f","instruction_addr":"0x10"},"#, "{}]}}]}"
        ),
        ("images", #"{"message":"a","debug_meta":{"images":["#, #"{"image_addr":"0x10"},"#, "{}]}}"),
        ("exceptions", #"{"exception":["#, #"{"type":"E","value":"<<<<<<"},"#, "{}]}"),
        ("tags", #"{"message":"a","tags":["#, #"["a","b"],"#, "[]]}"),
        ("keys", #"{"message":"a","extra":{"#, #""a":1,"#, #""b":2}}"#),
        ("breadcrumbs", #"{"message":"a","breadcrumbs":["#, #"{"message":"b"},"#, "{}]}"),
        ("a fingerprint", #"{"message":"a","fingerprint":["#, #""{{ default }}","a","#, #""b"]}"#),
        ("a text", #"{"message":""#, "<A: 0x1f> '(", #""}"#),
        ("a value", #"{"exception":{"type":"E","value":""#, "Memory Leak: (", #""}}"#),
        ("a release", #"{"message":"a","release":""#, "@+", #""}"#),
        ("an escaped text", #"{"message":""#, "\\u4e2d", #""}"#),
        ("a name", #"{"message":"a",""#, "\\u4e2d", #"":1}"#),
    ])
    func `an event with a megabyte of one repeated part is read in linear time`(
        what: String, head: String, part: String, tail: String
    ) throws {
        let room = (1 << 20) - head.utf8.count - tail.utf8.count
        let body = head + String(repeating: part, count: room / part.utf8.count) + tail
        let start = ContinuousClock.now
        let submission = try SentrySubmission(event: Array(body.utf8))
        // This takes about two seconds without optimisation on a slow machine. With quadratic time it would take hours.
        #expect(ContinuousClock.now - start < .seconds(60), "\(what)")
        #expect(problem(submission) == nil)
    }

    @Test(arguments: [
        (#"{"exception":[{"type":"E","stacktrace":{"frames":["#, "{},", "{}]}}]}"),
        (#"{"message":"a","fingerprint":["#, "1,", "1]}"),
        (#"{"message":"a","breadcrumbs":["#, "{},", "{}]}"),
    ])
    func `an event of 16 MiB is counted as too large without being read, and other items are read`(
        head: String, part: String, tail: String
    ) throws {
        let event = head + String(repeating: part, count: (16 << 20) / part.utf8.count) + tail
        let items = "{\"type\":\"event\"}\n\(event)\n{\"type\":\"event\"}\n{\"message\":\"b\"}\n"
        let start = ContinuousClock.now
        let sent = try ReadSubmission(envelope: "{}\n\(items)")
        #expect(sent.dropped == ["sentry_too_large": 1])
        #expect(try sent.report.message == "b")
        // Only the ends of lines are searched in the large event.
        #expect(ContinuousClock.now - start < .seconds(30))
        let error = #expect(throws: SentryError.self) { try SentrySubmission(event: Array(event.utf8)) }
        #expect(error?.isTooLarge == true)
    }

    @Test func `an event may have exactly one megabyte`() throws {
        let (head, tail) = (#"{"message":"a","x":""#, #""}"#)
        let fill = String(repeating: "x", count: (1 << 20) - head.utf8.count - tail.utf8.count)
        #expect(try ReadSubmission(event: head + fill + tail).report.message == "a")
        let sent = try ReadSubmission(envelope: "{}\n{\"type\":\"event\"}\n\(head)\(fill)x\(tail)")
        #expect(sent.dropped == ["sentry_too_large": 1])
    }

    @Test func `990 unreadable items are counted in linear time`() throws {
        let bad = String(repeating: "{\"type\":\"event\"}\n{\n", count: 990)
        let filler =
            "{\"type\":\"attachment\",\"length\":\(16 << 20)}\n" + String(repeating: "a", count: 16 << 20)
        let start = ContinuousClock.now
        let sent = try ReadSubmission(
            envelope: "{}\n\(filler)\n\(bad){\"type\":\"event\"}\n{\"message\":\"a\"}\n")
        #expect(sent.dropped == ["sentry_unreadable": 990])
        // If all lines before each item were counted again, this would take minutes.
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `900 items and a large attachment are skipped in linear time`() throws {
        let attachment =
            "{\"type\":\"attachment\",\"length\":33554432}\n" + String(repeating: "\n", count: 32 << 20)
            + "\n"
        let items = String(repeating: "{\"type\":\"session\"}\n{}\n", count: 900)
        let start = ContinuousClock.now
        let sent = try ReadSubmission(
            SentrySubmission(
                envelope: Array("{}\n\(attachment)\(items){\"type\":\"event\"}\n{\"message\":\"a\"}".utf8)))
        #expect(try sent.report.message == "a")
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}
