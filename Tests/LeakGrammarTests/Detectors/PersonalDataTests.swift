import LeakDetectorTexts
import LeakSeededRandom
import Testing

@testable import LeakGrammar
@testable import LeakMessage

@Suite struct PersonalDataTests {
    private func masked(_ text: String) -> String { PersonalDataMasker.masked(Text(text)).string }

    @Test(arguments: [
        ("mail to jane.doe+x@example.com.", "mail to …@…."),
        ("to jane%40example.com&x", "to …@…&x"),
        ("GET https://jane:pw@example.com/a/b?token=1&x=2 failed", "GET https://…@example.com/a/b?… failed"),
        ("https://example.com/a#jane", "https://example.com/a#…"),
        ("POST /login?email=x y", "POST /login?… y"),
        ("open file:///var/mobile/Jane%20Doe.pdf failed", "open file://… failed"),
        ("/Users/jane/Shop/Cart.swift:81: x", "/Users/…/Shop/Cart.swift:81: x"),
        ("C:\\Users\\jane doe\\x", "C:\\Users\\…\\x"), ("in /home/jane", "in /home/…"),
        ("call +49 (170) 1234567 now", "call +00 (000) 0000000 now"),
        ("card 4111 1111 1111 1111", "card 0000 0000 0000 0000"),
        ("order 123456 of 7", "order 123456 of 7"), ("after 12.41s (3 left)", "after 12.41s (3 left)"),
        ("<Cart: 0x7f88acc69260>", "<Cart: 0x7f88acc69260>"), ("Cart20260101View", "Cart20260101View"),
        ("The file “Jane’s taxes.pdf” couldn’t be opened.", "The file “…” couldn’t be opened."),
        ("Die Datei „Jane“ fehlt", "Die Datei „…“ fehlt"),
        ("le fichier «Jane» manque", "le fichier «…» manque"),
        ("no end “Jane Doe", "no end “…"), ("‘Jane’ couldn’t", "‘…’ couldn’t"),
        ("‚Jane‘ fehlt, ‹Jane› manque, 『ジェーン』", "‚…‘ fehlt, ‹…› manque, 『…』"),
        ("Authorization: Bearer a.b-c\nnext", "Authorization: …\nnext"),
        ("api_key=abc, x; access_token = d", "api_key=…; access_token = …"),
        ("Field text = Jane Doe; frame = 1", "Field text = …; frame = 1"),
        ("Field(placeholder: Jane, title: Bob)", "Field(placeholder: …"),
        ("accessibilityLabel=Jane\nnext", "accessibilityLabel=…\nnext"),
        ("message: it stays", "message: it stays"),
        ("text = nil; x", "text = nil; x"), ("label = <UILabel: 0x1f>", "label = <UILabel: 0x1f>"),
        ("@\"<Cart: 0x1f>\"", "@\"<Cart: 0x1f>\""),
        (
            #"{"debug_id":"70B89F27-1634-3580-A695-577743123456","imageOffset":"0x1285b80"}"#,
            #"{"debug_id":"70B89F27-1634-3580-A695-577743123456","imageOffset":"0x1285b80"}"#
        ),
        (#"{"debug_id":"5551234567"}"#, #"{"debug_id":"0000000000"}"#),
    ])
    func `personal data is masked, and nothing else`(text: String, expected: String) {
        #expect(masked(text) == expected)
        #expect(masked(masked(text)) == masked(text))
    }

    @Test(arguments: DetectorText.all)
    func `a report that is redacted for sending is still the same leak`(vector: DetectorText) {
        var report = LeakReport()
        report.message = vector.message
        let redacted = report.redactedForSending()
        var before = LeakReport()
        before.fill(from: DetectorMessage(vector.message, demangle: demangle))
        var after = LeakReport()
        after.fill(from: DetectorMessage(redacted.message ?? "", demangle: demangle))
        #expect(before == after, "\(redacted)")
        #expect(redacted.className == nil, "the class is read from the text, not from a field")
    }

    @Test func `a class that masking removes from the text of a report is kept in a field`() {
        var report = LeakReport()
        report.message = "Leaked title = Cart and <Shop.Cart: 0x1f> after 12345678.5s"
        let redacted = report.redactedForSending()
        #expect(redacted.message == "Leaked title = …> after 00000000.5s")
        #expect(redacted.className == "Shop.Cart")
        #expect(redacted.redactedForSending() == redacted)
    }

    @Test(arguments: [
        "text=Jane Doe", "text = Jane Doe; tag = 3", "placeholder=Jane Doe", "accessibilityLabel: Jane Doe",
    ])
    func `a value that a user typed is not sent, even if it has no quotes in a name or description`(
        attribute: String
    ) {
        var report = LeakReport()
        report.className = "UITextField(\(attribute.replacing(": ", with: "=")))"
        report.stack = [
            "UIWindow", "UITextField \(attribute.replacing(": ", with: "="))",
            "<UITextField: 0x1f; \(attribute)>",
        ]
        report.children = ["<UITextField: 0x1f; \(attribute); alpha = 1>"]
        report.message =
            "leaked <UITextField: 0x1f; frame = (0 0; 1 1); \(attribute); layer = <CALayer: 0x2f>>"
        report.log = ["tapped <UITextField: 0x1f; \(attribute)>"]
        let sent = report.redactedForSending()
        #expect(!String(decoding: sent.json(), as: UTF8.self).contains("Jane"))
        #expect(sent.redactedForSending() == sent)
        #expect(
            sent.stack.first == "UIWindow" && sent.message?.hasPrefix("leaked <UITextField: 0x1f; …>") == true
        )
    }

    @Test func `arguments that a debugger prints with a function are not masked`() {
        var report = LeakReport()
        report.stack = [
            "frame #0: 0x1f Shop`Cart.load(text=3) at Cart.swift:2", "frame #1: 0x2f Shop`main + 1",
        ]
        #expect(report.redactedForSending().stack == report.stack)
    }

    @Test func `texts in the user info of an error are masked, and numbers stay`() {
        var report = LeakReport()
        report.error = ReportedError(
            domain: "NSURLErrorDomain", code: -1001,
            userInfo: [
                CustomKey("NSLocalizedDescription", .string("“Jane.pdf” timed out")),
                CustomKey("NSErrorFailingURLKey", .string("https://x.org/p?user=jane")),
                CustomKey("NSFilePath", .string("/var/mobile/Documents/Jane.pdf")),
                CustomKey("view", .string("<UITextField: 0x1f; text = 'Jane'>")),
                CustomKey("said", .string("he said \"Jane\"")), CustomKey("retries", .number(3)),
            ])
        let redacted = report.redactedForSending()
        #expect(
            redacted.error?.userInfo == [
                CustomKey("NSLocalizedDescription", .string("\"…\" timed out")),
                CustomKey("NSErrorFailingURLKey", .string("https://x.org/p?…")),
                CustomKey("NSFilePath", .string("…")),
                CustomKey("view", .string("<UITextField: 0x1f; …>")),
                CustomKey("said", .string("he said \"…\"")), CustomKey("retries", .number(3)),
            ])
        #expect(redacted.error?.code == -1001)
    }

    @Test func `reason, log and keys of the app are not masked, except descriptions of objects`() {
        var report = LeakReport()
        report.className = "Shop.Cart"
        report.reason = "closed by jane@example.com"
        report.log = ["tapped <UIButton: 0x1f; text = 'Jane'>", "order 12345678 of 'Jane'"]
        report.keys = [CustomKey("mail", .string("jane@example.com"))]
        let redacted = report.redactedForSending()
        #expect(redacted.reason == report.reason)
        #expect(redacted.log == ["tapped <UIButton: 0x1f; …>", "order 12345678 of 'Jane'"])
        #expect(redacted.keys == report.keys)
    }

    /// Returns text as users type it: words with quotes, brackets and words of detectors between them.
    private static func typed(_ random: inout SeededRandom) -> String {
        let pieces = [
            "'", "\"", ">", "<", ";", "; layer = <CALayer: 0x2f>", "\\", "]", ")", ", ", ": ", " has leaked",
            "“", "”", "'>", "='",
            " not deallocated after being ", "Deinited after 1.0s", "@", "?a=", "://", "\u{2028}", "é",
            "0x1f", "title: \"",
        ]
        var text = "SECRET"
        for _ in 0...random.below(6) { text += random.element(of: pieces) + "SECRET" }
        return text
    }

    private static let attributes = [
        "text", "placeholder", "accessibilityLabel", "accessibilityIdentifier", "accessibilityValue", "title",
        "attributedText",
    ]

    @Test func `text that a user typed is removed from every description of an object`() {
        var random = SeededRandom(seed: 12)
        let heads = [
            "VIEW STILL IN MEMORY ", "VIEWCONTROLLER STILL IN MEMORY ", "Expected deallocation of ",
            "Something leaked: ",
            "2017-11-14 11:58:37.373501+0800 app[1:2] VIEW STILL IN MEMORY ", "LEAKED VIEW DEINITED ",
            "视图泄漏: ",
            "XCTAssertNil failed: \"", "*** Expected deallocation of ", "Detect Possible Leak: ",
        ]
        for _ in 0..<1_500 {
            let quote = random.element(of: ["'", "\"", ""])
            let attribute = "\(random.element(of: Self.attributes)) = \(quote)\(Self.typed(&random))\(quote)"
            let object =
                "<UITextField: 0x7f9849a214d0; frame = (0 0; 1 1); \(attribute); layer = <CALayer: 0x2f>>"
            var report = LeakReport()
            let text =
                random.element(of: heads) + object
                + random.element(of: ["", "\n\nDeinited after 8.9s.", " has leaked"])
            if random.below(4) == 0 {
                report.error = ReportedError(
                    domain: "d", code: 1,
                    userInfo: [
                        CustomKey(ReportedError.descriptionKey, .string(text)),
                        CustomKey("view", .string("at " + object)),
                    ])
            } else {
                report.message = text
            }
            report.log = ["tapped " + object]
            report.keys = [CustomKey("view", .string(object))]
            let redacted = report.redactedForSending()
            let sent = String(decoding: redacted.json(), as: UTF8.self)
            #expect(!sent.contains("SECRET"), "\(text)\n\(sent)")
            #expect(redacted.redactedForSending() == redacted, "\(text)")
        }
    }

    @Test func `the texts of an alert are removed, even if they contain quotes and brackets`() {
        var random = SeededRandom(seed: 13)
        for _ in 0..<500 {
            let lines = ["title", "message", "actions", "textfields"].map {
                "\($0): \"\(Self.typed(&random))\""
            }
            var report = LeakReport()
            report.message =
                "ALERTCONTROLLER STILL IN MEMORY <UIAlertController: 0x7fb1c0000>\n"
                + lines.joined(separator: "\n")
            let sent = report.redactedForSending().message ?? ""
            #expect(!sent.contains("SECRET"), "\(lines)\n\(sent)")
            #expect(DetectorMessage(sent).className == "UIAlertController")
        }
    }

    /// With quadratic time, this test would take minutes.
    @Test(arguments: [
        "@", "a@", "%40", "a%40", "://", "?a", "?a=", "1 ", "1234567 ", "/Users/", "text = ", "“", "„", "‘",
        "text=“a@b.c?d=",
    ])
    func `a repetitive text of 64 KiB is masked in linear time, and grows at most fourfold`(part: String) {
        let text = String(repeating: part, count: 64 * 1024 / part.utf8.count)
        #expect(masked(text).utf8.count <= text.utf8.count * 4)
    }
}
