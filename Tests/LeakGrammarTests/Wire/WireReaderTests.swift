import LeakSeededRandom
import Testing

@testable import LeakGrammar
@testable import LeakMessage

func read(_ text: String, as format: WireFormat = .json) throws(WireError) -> WireDocument {
    try WireReader.read(Array(text.utf8), as: format)
}

@Suite struct WireReaderTests {
    private static let full = """
        {"type":"freed","id":"01936f2c-7c1e-7a44-9d0e-6b8d4c1f2a90","at":"2026-11-20T12:00:00.123Z",
        "kind":"view_controller","class":"Shop.Checkout","stack":["UINavigationController","Shop.Checkout"],
        "children":["A"],"cycle":["Shop.Checkout.onPaid","closure"],"reason":"dismissed","waited_ms":1000,
        "alive":3,"lived_ms":0,"count":2,"message":"a\\nb \\u00e9 <X: 0x1>",
        "error":{"domain":"com.acme","code":-8,"userInfo":{"NSLocalizedDescription":"d","n":1,"o":{}}},
        "keys":{"tab":"cart","ab":2,"on":true,"none":null},"log":["one","two"],"fingerprint":["f","g"],
        "app":{"id":"a","module":"Shop","version":"1","build":"2"},
        "device":{"os":"iOS","os_version":"19.1","model":"iPhone17,1"},"install":"i","user":"u","new":[1,{"x":2}]}
        """

    @Test func `every field of a report is read`() throws {
        let document = try read(Self.full)
        let report = document.report(at: 0)
        #expect(document.rejected.isEmpty)
        #expect(report.event == .freed)
        #expect(report.id == "01936f2c-7c1e-7a44-9d0e-6b8d4c1f2a90")
        #expect(report.at?.milliseconds == 1_795_176_000_123)
        #expect(report.kind == .viewController)
        #expect(report.className == "Shop.Checkout")
        #expect(report.stack == ["UINavigationController", "Shop.Checkout"])
        #expect(report.children == ["A"])
        #expect(report.cycle == ["Shop.Checkout.onPaid", "closure"])
        #expect(report.reason == "dismissed")
        #expect(report.waitedMilliseconds == 1000)
        #expect(report.alive == 3)
        #expect(report.livedMilliseconds == 0)
        #expect(report.count == 2)
        #expect(report.message == "a\nb é <X: 0x1>")
        #expect(report.error?.domain == "com.acme")
        #expect(report.error?.code == -8)
        #expect(
            report.error?.userInfo == [
                CustomKey("NSLocalizedDescription", .string("d")), CustomKey("n", .number(1)),
            ])
        #expect(
            report.keys == [
                CustomKey("tab", .string("cart")), CustomKey("ab", .number(2)),
                CustomKey("on", .boolean(true)),
            ])
        #expect(report.log == ["one", "two"])
        #expect(report.fingerprint == ["f", "g"])
        #expect(report.app == AppInfo(id: "a", module: "Shop", version: "1", build: "2"))
        #expect(report.device == DeviceInfo(os: "iOS", osVersion: "19.1", model: "iPhone17,1"))
        #expect(report.install == "i")
        #expect(report.user == "u")
        #expect(document.string(document.reports[0].errorText) == "d")
        #expect(String(decoding: document.bytes(of: document.reports[0].raw), as: UTF8.self) == Self.full)
    }

    @Test func `a field with the value null is read like a missing field`() throws {
        let document = try read(
            #"{"class":"A","type":null,"stack":null,"count":null,"error":null,"app":null}"#)
        var expected = LeakReport()
        expected.className = "A"
        #expect(document.report(at: 0) == expected)
    }

    @Test func `a field name with escape sequences is read like the name without them`() throws {
        #expect(try read(#"{"cl\u0061ss":"A"}"#).report(at: 0).className == "A")
    }

    @Test(arguments: [
        (#"{"class":"A"}"#, 1), (#"[{"class":"A"},{"class":"B"}]"#, 2), (#"{"reports":[{"class":"A"}]}"#, 1),
        ("[]", 0), (#"{"reports":[]}"#, 0), (#"{"sessions":[]}"#, 0), (#"{"checks":[]}"#, 0),
        (#"{"dropped":{}}"#, 0), (#"{"sent_at":0}"#, 0), (#"{"app":{"id":"a"}}"#, 0),
        (#"{"app":{"id":"a"},"class":"A"}"#, 1), (#"{"class":"A","sent_at":5,"checks":3}"#, 1),
        (#"{"class":"ignored","reports":[{"class":"A"},{"class":"B"}]}"#, 2), (#"{"reports":null}"#, 0),
    ])
    func `a body is read as one report, as an array of reports, or as a batch`(text: String, reports: Int)
        throws
    {
        let document = try read(text)
        #expect(document.reports.count == reports)
        #expect(document.rejected.isEmpty)
    }

    @Test func `the parts of a batch are read in any order`() throws {
        let document = try read(
            """
            {"reports":[{"class":"A","app":{"version":"2"},"user":"v"},{"class":"B"},{"class":"C","app":{"id":"z"}}],
            "app":{"id":"a","module":"Shop","version":"1","build":"7"},
            "device":{"os":"iOS"},"install":"i","user":"u","sent_at":1700000000000,
            "sessions":[{"id":"s","started_at":"1970-01-01T00:00:01Z","checks":12,"leaks":1,"unseen":9},
            {"id":"t","later":[]}],
            "checks":[{"class":"A","count":40}],"dropped":{"budget":3,"queue_full":0}}
            """)
        #expect(document.sentAt?.milliseconds == 1_700_000_000_000)
        #expect(
            document.sessions == [
                EndedSession(
                    id: "s", startedAt: WireTime(milliseconds: 1000), checks: 12, leaks: 1, unseen: 9),
                EndedSession(id: "t", checks: 0, leaks: 0),
            ])
        #expect(document.checks == [ClassChecks(className: "A", count: 40)])
        #expect(
            document.dropped == [
                DroppedReports(reason: "budget", count: 3), DroppedReports(reason: "queue_full", count: 0),
            ])
        let origins = document.reports.map { document.origin(of: $0) }
        #expect(document.app(origins[0]) == AppInfo(id: "a", module: "Shop", version: "2"))
        #expect(document.app(origins[1]) == AppInfo(id: "a", module: "Shop", version: "1", build: "7"))
        #expect(document.app(origins[2]) == AppInfo(id: "z"))
        #expect(origins.map { document.string($0.user) } == ["v", "u", "u"])
        #expect(document.device(origins[0]) == DeviceInfo(os: "iOS"))
        #expect(document.reports.map { document.string($0.className) } == ["A", "B", "C"])
    }

    @Test func `spaces between the elements of a list change nothing that is read`() {
        let elements = [
            #""A""#, #""""#, #""Shop.Flow""#, #""0   Shop   0x0000000104a3c2f8 $s4Shop4FlowC + 123""#,
            #""é€😀""#,
            #""\#(String(repeating: "x", count: 511))""#, #""\#(String(repeating: "x", count: 512))""#,
            #""\#(String(repeating: "x", count: 513))""#, #""\u0041\n""#, #""\"","B""#, "\"\t\"", #""open"#,
            #""\x""#,
            "null", "5", "[]", "A", "",
        ]
        var random = SeededRandom(seed: 3)
        var failures = 0
        for _ in 0..<3_000 {
            // Most elements are valid, so that reading reaches an invalid element at every index.
            let list = (0..<random.number(1...9)).map { _ in
                elements[random.once(in: 9) ? random.below(elements.count) : random.below(5)]
            }
            func result(_ separator: String) -> [String] {
                let json = #"{"class":"C","stack":[\#(list.joined(separator: separator))],"cycle":["D"]}"#
                do throws(WireError) {
                    let document = try read(json)
                    let stacks = document.reports.map { document.report($0).stack.description }
                    return stacks + document.rejected.map(\.reason)
                } catch {
                    failures += 1
                    return [error.reason]
                }
            }
            #expect(result(",") == result("  ,  "), "\(list)")
        }
        #expect(failures > 500)
    }

    @Test func `invalid reports of a batch are rejected by index, and the others are accepted`() throws {
        let long = String(repeating: "x", count: 700)
        let document = try read(#"[{"class":"A"},{"class":"\#(long)"},5,{"class":"B"},{}]"#)
        #expect(document.reports.map(\.index) == [0, 3])
        #expect(
            document.rejected == [
                Rejection(index: 1, reason: "class is 700 bytes, the limit is 512"),
                Rejection(index: 2, reason: "report is a number, must be a JSON object"),
                Rejection(
                    index: 4,
                    reason: "class is missing; add class, message, error with a domain, cycle or fingerprint"),
            ])
    }

    @Test(arguments: [
        (#"{"error":{"domain":"Shop.E","code":3}}"#, true), (#"{"error":{"domain":"Shop.E"}}"#, true),
        (#"{"error":{"domain":"","code":3}}"#, false), (#"{"error":{"code":3}}"#, false),
        (#"{"cycle":["A","B"]}"#, true), (#"{"cycle":[]}"#, false), (#"{"stack":["A"]}"#, false),
    ])
    func `a report may name its leak by an error without text, or by a cycle`(json: String, isAccepted: Bool)
        throws
    {
        #expect(try read(json).rejected.isEmpty == isAccepted)
    }

    @Test func `each line of an NDJSON body is read as a report`() throws {
        let document = try read("\n{\"class\":\"A\"}\r\n  \n{\"class\":1}\n{\"message\":\"m\"}", as: .ndjson)
        #expect(document.reports.map(\.index) == [0, 2])
        #expect(document.rejected.map(\.reason) == ["class is a number, must be a string"])
        do throws(WireError) {
            _ = try read("{\"class\":\"A\"}\n{\"class\":\"B\"\n{}", as: .ndjson)
            Issue.record("the body was accepted")
        } catch {
            #expect((error.line, error.column) == (2, 13))
            #expect(error.reason == "not JSON: the text ends too early")
        }
    }

    @Test func `a plain text is read as the message of one report`() throws {
        let document = try read("\u{FEFF} VIEW STILL IN MEMORY <\"A\">\n\n", as: .text)
        #expect(document.report(at: 0).message == "VIEW STILL IN MEMORY <\"A\">")
        #expect(jsonError(in: Array(document.bytes(of: document.reports[0].raw))) == nil)
        #expect(throws: WireError.self) { try read(" \n", as: .text) }
        #expect(throws: WireError.self) { try WireReader.read([0xFF], as: .text) }
        let limit = WireLimits.messageBytes
        #expect(try read(String(repeating: "\"", count: limit), as: .text).reports.count == 1)
        #expect(
            try read(String(repeating: "\"", count: limit + 1), as: .text).rejected.map(\.reason)
                == ["message is 8193 bytes, the limit is 8192"])
    }

    @Test(arguments: [
        ("", 1, 1, "not JSON: the text ends too early"),
        ("{\n \"class\": A}", 2, 11, "not JSON: expected a value"),
        ("{\"class\":\"A\"} x", 1, 15, "not JSON: more text after the value"),
        ("{\"reports\":\"x\"}", 1, 12, "reports is a string, must be an array"),
        ("{\n\"reports\":[],\"sent_at\":\"x\"}", 2, 24, "sent_at is not a time, must be a time such as"),
        ("{\"reports\":[],\"app\":1}", 1, 21, "app is a number, must be a JSON object"),
        ("{\"sessions\":[{\"checks\":\"1\"}]}", 1, 24, "sessions[0].checks is a string, must be an integer"),
        ("{\"sessions\":[1]}", 1, 14, "sessions[0] is a number, must be a JSON object"),
        ("{\"checks\":[{\"count\":1}]}", 1, 12, "checks[0] has no class"),
        ("{\"dropped\":{\"a\":-1}}", 1, 17, "dropped.a is -1, must be an integer from 0 to 1000000"),
    ])
    func `the error about an invalid body has the line and column of the mistake and a reason`(
        text: String, line: Int, column: Int, reason: String
    ) {
        do throws(WireError) {
            _ = try read(text)
            Issue.record("the body was accepted")
        } catch {
            #expect((error.line, error.column) == (line, column))
            #expect(error.reason.hasPrefix(reason), "\(error.reason)")
        }
    }

    @Test func `the error about a body that is not UTF-8 has the position of the invalid byte`() {
        #expect(throws: WireError("not UTF-8", at: 3, in: Array("{\n\"x".utf8))) {
            try WireReader.read([0x7B, 0x0A, 0x22, 0xC3, 0x28], as: .json)
        }
    }

    @Test func `a report or batch that is truncated after any byte is rejected`() throws {
        let batch = Array(#"{"app":{"id":"é"},"reports":[\#(Self.full)],"dropped":{"a":1}}"#.utf8)
        for text in [Array(Self.full.utf8), batch] {
            for end in text.indices {
                #expect(throws: WireError.self) { try WireReader.read(Array(text[..<end]), as: .json) }
            }
        }
    }

    @Test func `random changes of bytes in a body cause no crash`() throws {
        var random = SeededRandom(seed: 11)
        let text = Array(Self.full.utf8)
        for _ in 0..<3_000 {
            var changed = text
            for _ in 0...random.below(4) { changed[random.below(changed.count)] = UInt8(random.below(256)) }
            for format in [WireFormat.json, .ndjson, .text] {
                guard let document = try? WireReader.read(changed, as: format) else { continue }
                for index in document.reports.indices { _ = document.report(at: index) }
            }
        }
    }
}
