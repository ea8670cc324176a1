import LeakDetectorTexts
import LeakSeededRandom
import Testing

@testable import LeakGrammar
@testable import LeakMessage

@Suite struct RedactionTests {
    private static let secret = "Jane Doe <jane@x.org>"

    @Test(arguments: [
        "VIEW STILL IN MEMORY <UILabel: 0x1f; frame = (0 0; 1 1); text = '\(secret)'; layer = <_UILabelLayer: 0x2f>>",
        "VIEW STILL IN MEMORY <UILabel: 0x1f; text = 'it's 'x'; \(secret)'; layer = <_UILabelLayer: 0x2f>>",
        "VIEW STILL IN MEMORY <UILabel: 0x1f; text = '\(secret)",
        "LEAKED VIEW DEINNITED <UILabel: 0x1f; text = '\(secret)'>\n\nDeinnited after 8.912s.",
        "ALERTCONTROLLER STILL IN MEMORY <UIAlertController: 0x1f>\ntitle: \"\(secret)\"\nmessage: \"M\"\nactions:  \"A\"",
        "VIEWCONTROLLER STILL IN MEMORY <UIAlertController: 0x1f>\n title: \"T\";\nmessage: \"\(secret)\";\nactions:  -;",
        "LEAKED ALERTCONTROLLER DEINITED <UIAlertController: 0x1f>\ntitle: \"100\nmessage: \"\(secret)\nactions:  \"A\n\nDeinited after 1.5s.",
        "NAVIGATIONCONTROLLER STILL IN MEMORY <UINavigationController: 0x1f>\n📄 <A: 0x2f; text = '\(secret)'>\n📄 <B: 0x3f>",
        "VIEWCONTROLLER STILL IN MEMORY <UINavigationController: 0x1f>:\n[<A: 0x2f>, <B: 0x3f; text = '\(secret)'>]",
        "XCTAssertNil failed: \"<UILabel: 0x1f; text = '\(secret)'>\" - Expected deallocation of Optional(<UILabel: 0x1f; text = '\(secret)'>)",
        "Expected deallocation of <UITextField: 0x1f; text = '\(secret)'; placeholder = \(secret)>",
        "<UILabel: 0x1f; text = '\(secret)'> has leaked. Objects are expected: NSMapTable {\n[1] 2 -> <UILabel: 0x1f; text = '\(secret)'>\n}",
        "Eventually did deallocate <UILabel: 0x1f; text = '\(secret)'> after 12.41s (3 left)",
        "视图泄漏: <UILabel: 0x1f; text = '\(secret)'> \n视图所在控制器 AMLeaksFinder.ViewHasLeakVC \n操作路径:\nA -> \n",
        "Possibly Memory Leak.\nIn case that <UILabel: 0x1f; text = '\(secret)'> should not be dealloced, override -willDealloc in X by returning NO.\nView-ViewController stack: (\n    A\n)",
        "Memory Leak: (\n    Foo,\n    \"\(secret)\"\n)",
        "Something leaked: <UILabel: 0x1f; text = '\(secret)'>",
        "Something leaked: \"\(secret)\"",
        "2017-11-14 11:58:37.373501+0800 app[1:2] VIEW STILL IN MEMORY <UILabel: 0x1f; text = '\(secret)'>",
        "--- -[UIViewController dealloc] @\"<UILabel: 0x1f; text = '\(secret)'>\"",
        "VIEW STILL IN MEMORY <UITextField: 0x1f; frame = (0 0; 1 1); text=\(secret); opaque = NO>",
        "<UITextField: 0x1f; text=\(secret)> has leaked. Objects are expected",
        "leaked <UITextField: 0x1f placeholder=\(secret)>",
    ])
    func `redaction removes text that a user typed and keeps the facts of the detector`(text: String) {
        let redacted = DetectorMessage.redacted(text)
        #expect(!redacted.contains("Jane"), "\(redacted)")
        var before = DetectorMessage(text)
        var after = DetectorMessage(redacted)
        // Leaves out `maskedText`, which stands for a missing class, because it masks values in another way than redaction.
        before.maskedText = ""
        after.maskedText = ""
        #expect(before == after, "\(redacted)")
        #expect(DetectorMessage.redacted(redacted) == redacted)
    }

    /// Texts that the fuzzer found. Earlier rules changed each of them in a second redaction, or kept the quoted text.
    @Test(arguments: [
        "{\"Jane not deallocated after being ", "[{\"<FooInteractor: 0x1f> Jane has leaked\" x",
        ",视图泄漏:L: 0xAAG1f; text = 'it's Jane\nactions:  \">",
        "Something leaked: title = 'T' and label = \"a' Jane 2s ago 'b\"",
        "Something leaked: \"x\ntitle: \"Jane\"\"", "Leak \"<Jane D: 0x8f> title='x'\"",
        "Leak \"<Box<Jane D>: 0x8f> title='x'\"", "Leak of '<Box<\u{2}, Jane D>m:e='x''",
        "Optional(<Shop.Field: 0; placeholder = Jane>)", "Something leaked: \"a\" b Jane has leaked\"",
        "Expected deallocation of \"a\" b 2s ago Jane\"",
        "Expected deallocation of <Odd 'view': 0x1f; placeholder = Jane",
        "LEAKED VIEW DEINITED <A: 0x1; text = 'Deinited after Jane",
        "*** Terminating app due to x, reason: 'Leak of 'Jane' \"b\" here', terminating",
    ])
    func `hostile texts are masked, and masking twice changes nothing`(text: String) {
        let redacted = DetectorMessage.redacted(text)
        #expect(!redacted.contains("Jane"), "\(redacted)")
        #expect(DetectorMessage.redacted(redacted) == redacted)
        #expect(DetectorMessage(redacted) == DetectorMessage(text))
    }

    @Test(arguments: [
        // The time, the owner and the class are each inside a text that a user typed.
        "Gone: '<A: 0x1f> after 3s", "Memory Leak: (\n  <B: 0x2f>]P&\"Jane\",\n  A\n)",
        "Leak '<A: 0x1f> not deallocated after being '",
    ])
    func `classes, owners and times in text that redaction removes are not read`(text: String) {
        #expect(DetectorMessage(text) == DetectorMessage(DetectorMessage.redacted(text)))
        #expect(DetectorMessage(text).livedMilliseconds == nil)
        #expect(DetectorMessage(text).stack.allSatisfy { !$0.contains("B") })
    }

    @Test func `if the last round of redaction still changes a text, nothing of the text is kept`() {
        let text = MessageNormalizer.plain("VIEW STILL IN MEMORY <UILabel: 0x1f; text = '\(Self.secret)'>")
        #expect(
            MessageRedactor.kept(of: text, rounds: 2).text.string == "VIEW STILL IN MEMORY <UILabel: 0x1f; …>"
        )
        #expect(MessageRedactor.kept(of: text, rounds: 1).text.string == "…")
        #expect(DetectorMessage.redacted("…") == "…")
        #expect(DetectorMessage("…").className == nil)
    }

    @Test func `the names of a stack are kept even if the last round of redaction still changes the stack`() {
        let frame = #"{"function":"f","package":"/x/Shop","vars":{"name":"Jane"},"lineno":3}"#
        let stack = ["Shop.Root", frame, "UILabel text='Jane'", "Shop.Cart"]
        #expect(
            CallStack.redacted(stack, rounds: 1) == [
                "Shop.Root", "{\"…\":3}", "UILabel text='…'", "Shop.Cart",
            ])
        let settled = CallStack.redacted(stack)
        #expect(CallStack.redacted(settled, rounds: 1) == settled && !settled.joined().contains("Jane"))
    }

    @Test func `redacting random stacks of quotes, brackets and frames twice changes nothing`() {
        var random = SeededRandom(seed: 13)
        let parts = [
            "{", "}", "\"", "'", "`", "<A: 0x1f>", ": 0x1f", "<", ">", ";", "\",\"package\":\"",
            "\",\"filename\":\"", "\"}",
            "\\\"", "\\n", "/", "class '", "Cart", "leaked ", "text=", "\",\"imageOffset\":12",
            "frame #0: 0x1f Shop`", "::'lambda'(",
        ]
        for _ in 0..<2_000 {
            let stack = (0...random.below(3)).map { _ in
                let middle = (0...random.below(7)).map { _ in random.element(of: parts) }.joined()
                return random.below(2) == 0
                    ? middle : "{\"function\":\"" + middle + "\",\"package\":\"Shop\"}"
            }
            let kept = CallStack.redacted(["Shop.Root"] + stack)
            #expect(kept.first == "Shop.Root" && CallStack.redacted(kept) == kept, "\(stack)")
        }
    }

    @Test(arguments: DetectorText.all)
    func `a detector's text gives the same facts after redaction`(vector: DetectorText) {
        let redacted = DetectorMessage.redacted(vector.message)
        var before = DetectorMessage(vector.message, demangle: demangle)
        var after = DetectorMessage(redacted, demangle: demangle)
        before.maskedText = ""
        after.maskedText = ""
        #expect(before == after, "\(redacted)")
    }

    @Test func `redaction does not change text without personal data`() {
        let text = "VIEWCONTROLLER STILL IN MEMORY <MyApp.FooController: 0x7f88acc69260>"
        #expect(DetectorMessage.redacted(text) == text)
        #expect(DetectorMessage.redacted("The user's cart is alive") == "The user's cart is alive")
    }

    @Test(arguments: [
        ("user 4711 at 0x7f88acc69260", "user # at #"),
        ("cart-4E7B1E6C-0C0B-4B63-8E0A-0A6C1B2D3E4F!", "cart-#!"),
        ("item 9f86d081884c7d65 \t of\n3.5", "item # of #.#"), ("text = 'it's Jane'; x", "text = '…'; x"),
        ("facade beef", "facade beef"),
    ])
    func `numbers, addresses, ids and quotations are masked in a text without a class`(
        text: String, masked: String
    ) {
        #expect(DetectorMessage("Expected deallocation of " + text).maskedText == masked)
    }

    @Test func `redaction shortens descriptions of objects in names, log lines, keys and fingerprints`() {
        var report = LeakReport()
        report.className = "<UILabel: 0x1f; text = '\(Self.secret)'>"
        report.stack = ["\"MyApp.Root\"", "UILabel text='\(Self.secret)'"]
        report.children = ["Optional(<Field: 0x1f; placeholder = \(Self.secret)>)"]
        report.log = ["tapped <UIButton: 0x1f; text = '\(Self.secret)'>", "opened 'cart'"]
        report.keys = [CustomKey("k", .string("<UILabel: 0x1f; text = '\(Self.secret)'>"))]
        report.fingerprint = ["<UILabel: 0x1f; text = '\(Self.secret)'>"]
        let redacted = report.redacted()
        #expect(redacted.className == "<UILabel: 0x1f; …>")
        #expect(redacted.stack == ["\"MyApp.Root\"", "UILabel text='…'"])
        #expect(redacted.children == ["<Field: 0x1f; …>"])
        #expect(redacted.log == ["tapped <UIButton: 0x1f; …>", "opened 'cart'"])
        #expect(redacted.keys == [CustomKey("k", .string("<UILabel: 0x1f; …>"))])
        #expect(redacted.fingerprint == ["<UILabel: 0x1f; …>"])
        #expect(redacted.redacted() == redacted)
    }

    @Test
    func
        `redaction keeps only the localized description in an error's userInfo, unless keepsUserInfo is true`()
    {
        var report = LeakReport()
        report.message = "VIEW STILL IN MEMORY <UILabel: 0x1f; text = '\(Self.secret)'>"
        report.error = ReportedError(
            domain: "d", code: 8,
            userInfo: [
                CustomKey("NSLocalizedDescription", .string("<UILabel: 0x1f; text = '\(Self.secret)'>")),
                CustomKey("mail", .string(Self.secret)),
            ])
        let redacted = report.redacted()
        #expect(!String(decoding: redacted.json(), as: UTF8.self).contains("Jane"))
        #expect(redacted.error?.userInfo.count == 1)
        #expect(report.redacted(keepsUserInfo: true).error?.userInfo.last == report.error?.userInfo.last)
    }

    /// Each string of one byte becomes "…", which has three bytes, so the redacted text is truncated although the text was not.
    @Test func `a text that becomes longer and is truncated by redaction gives the same facts`() {
        let fields = (0..<900).map { "\"k\($0)\":\"x\"" }.joined(separator: ",")
        let frames = (0..<120).map { "\($0)  Shop  0x00000001 Cart.load\($0)() + 4" }.joined(separator: "\n")
        let typed = (0..<1200).map { "\"\($0 % 10)!\"" }.joined(separator: ",\n    ")
        for text in [
            "{\(fields)}", "it leaked \"x\"\n\(frames)", "Memory Leak: (\n    \(typed)\n)",
            "it leaked \(String(repeating: "more ", count: 1628))\"x\"\n\(frames)",
        ] {
            let text = String(text.prefix(WireLimits.messageBytes))
            let redacted = DetectorMessage.redacted(text)
            #expect(redacted.utf8.count <= WireLimits.messageBytes)
            #expect(DetectorMessage(redacted) == DetectorMessage(text))
            #expect(DetectorMessage.redacted(redacted) == redacted)
        }
    }
}
