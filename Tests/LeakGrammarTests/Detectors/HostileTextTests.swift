import LeakDetectorTexts
import LeakSeededRandom
import Testing

@testable import LeakGrammar
@testable import LeakMessage

@Suite struct HostileTextTests {
    @Test(arguments: DetectorText.all)
    func `a detector's text that is truncated at any character is read without a crash`(vector: DetectorText)
    {
        let scalars = Array(vector.message.unicodeScalars)
        for end in scalars.indices {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars[..<end])
            let message = DetectorMessage(String(text), demangle: demangle)
            #expect(message.className?.isEmpty != true)
            _ = DetectorMessage.redacted(String(text))
        }
    }

    @Test func `random texts are read without a crash`() {
        var random = SeededRandom(seed: 31)
        let vectors = DetectorText.all.map(\.message)
        let parts = [
            "<", ">", "<<", "(", ")", "\"", "'", ":", ";", " 0x1f", "\n", "\r\n", "📄", "-> ", "…", "_Tt",
            "$s", "Optional(",
            "STILL IN MEMORY", "DEINITED ", " after ", "9999999999999999999s.", "[1]", "泄漏", "\u{FEFF}", "\0",
            "\u{1F}", "A.b",
        ]
        for _ in 0..<1_500 {
            var text = Array(random.element(of: vectors).unicodeScalars)
            for _ in 0...random.below(5) {
                let place = random.below(text.count + 1)
                switch random.below(3) {
                case 0: text.insert(contentsOf: random.element(of: parts).unicodeScalars, at: place)
                case 1: text.removeSubrange(place..<min(text.count, place + random.below(9)))
                default: text.insert(Unicode.Scalar(UInt8(random.below(256))), at: place)
                }
                if text.isEmpty { text = ["x"] }
            }
            let string = String(String.UnicodeScalarView(text))
            let message = DetectorMessage(string, demangle: demangle)
            #expect(!(message.className ?? "A").utf8.contains { $0 < 0x20 })
            #expect(!message.maskedText.utf8.contains { $0 < 0x20 })
            _ = DetectorMessage.redacted(string)
        }
    }

    @Test(arguments: [
        "<", "(", "Optional(", "\"", "[", "-> ", "(unknown context at $1).", "<A: 0x1>", "Fatal error: ",
        "_Tt", "'",
    ])
    func `texts of 20,000 repeated parts are read without a crash`(part: String) {
        let text = String(repeating: part, count: 20_000)
        for head in [
            "", "VIEW STILL IN MEMORY ", "Memory Leak: (", "Retain Cycle: (", "Expected deallocation of ",
        ] {
            _ = DetectorMessage(head + text)
            _ = DetectorMessage.redacted(head + text)
        }
    }

    @Test func `the title of an alert cannot imitate the rest of the detector's text`() {
        let text = """
            ALERTCONTROLLER STILL IN MEMORY <UIAlertController: 0x1f>
            title: "x

            Deinited after 1.0s.
            LEAKED VIEW DEINITED <Evil: 0x2f>"
            actions:  "OK"
            """
        let message = DetectorMessage(text)
        #expect(message.event == .leak)
        #expect(message.className == "UIAlertController")
        #expect(message.livedMilliseconds == nil)
    }

    @Test func `a label's text cannot name another class`() {
        let text =
            "VIEW STILL IN MEMORY <UILabel: 0x1f; text = 'x> LEAKED VIEW DEINITED <Evil: 0x2f>:\n[<Evil: 0x3f>]'>"
        let message = DetectorMessage(text)
        #expect(message.className == "UILabel")
        #expect(message.event == .leak)
        #expect(message.children.isEmpty)
    }

    @Test(arguments: [
        "VIEW STILL IN MEMORY <UILabel: 0x1f; text = 'Expected deallocation of Evil'; x = 1>",
        "VIEW STILL IN MEMORY <UILabel: 0x1f; text = 'a.swift:1: Fatal error: Expected deallocation of Evil'>",
        "VIEW STILL IN MEMORY <UILabel: 0x1f; text = 'Evil has leaked. Memory Leak: (Evil)'>",
        "VIEW STILL IN MEMORY <UILabel: 0x1f; text = '控制器泄漏:<Evil: 0x1>'>",
    ])
    func `the text of a detector inside a quotation in another detector's text is ignored`(text: String) {
        #expect(DetectorMessage(text).className == "UILabel")
        #expect(DetectorMessage(text).detector == .leakedViewControllerDetector)
    }

    @Test func `class and time are read from a text that a format string has garbled`() {
        let text = """
            LEAKED ALERTCONTROLLER DEINITED <UIAlertController: 0x7f88acc69260>
            title: "Save 500f"
            message: "100

            Deinited after 12.345s.
            """
        let message = DetectorMessage(text)
        #expect(message.className == "UIAlertController")
        #expect(message.event == .freed)
        #expect(message.livedMilliseconds == 12_345)
    }

    @Test(arguments: [
        "", " ", "\n\n", "()", "Memory Leak: (\n)", "Retain Cycle: Fail to find a retain cycle", "Hello",
    ])
    func `no class is found in a text without a class`(text: String) {
        let message = DetectorMessage(text)
        #expect(message.className == nil)
        #expect(message.stack.isEmpty)
        #expect(message.cycle.isEmpty)
    }

    @Test(arguments: [
        "<", ">", "(", ")", "()", "A<", "A<B>", "<A>", "A.", "(A in _F)", "(A in _", " in _F)",
        "(extension in M):",
        " for ", " #1 in ", "__C.", "Hosting<", "UIHostingController<A>.", "Optional(", "NSKVONotifying_",
        "\"", "'",
        "0x1", "after 1", "after ", ": 0x1", "<A: 0x1>", "<A: 0x1>, ", "📄<A: 0x1>\n", "\\U0041", "\\", ",",
        "[",
        "- [", "é", "\n", " ", "a'b\"", "->", "A->", "_TtC1M1A", "$s1M1AC",
    ])
    func `reading a repetitive text takes time in proportion to its length`(part: String) {
        for head in [part, "A" + part, "(" + part] {
            expectLinear(head, part) { name in
                _ = TypeName(name, demangle: { _ in name + name }).split(appModule: "Shop")
            }
        }
        for head in [
            "", "VIEW STILL IN MEMORY ", "VIEW STILL IN MEMORY <A: 0x1>\n",
            "VIEW STILL IN MEMORY <A: 0x1>:\n[",
            "Memory Leak: (", "Retain Cycle: (", "2017-11-14 11:58:37 ", "Fatal error: ", "[",
        ] {
            expectLinear(head, part) { text in
                _ = DetectorMessage(text, demangle: demangle)
                _ = DetectorMessage.redacted(text)
            }
        }
    }

    @Test(arguments: [
        #"["1   Shop   0x0000000104f85eb0 a() + 1","2   Shop   0x0000000104f85eb1 b() + 1"],"#,
        #""1   Shop   0x0000000104f85eb0 a() + 1\n2   Shop   0x0000000104f85eb1 b() + 1","#, #"["a","b"],"#,
        #""1   Shop   0x0000000104f85eb0 a() + 1","#,
        #"{"class":"A1Model","s":["1   A   0x0000000104f85eb0 a() + 1"]},"#,
    ])
    func `reading JSON with many call stacks takes time in proportion to its length`(part: String) {
        for head in [#"{"class":"CartModel","stack":["#, #"{"message":"CartModel leaked","stack":["#, "["] {
            expectLinear(head, part) { text in
                _ = DetectorMessage(text, demangle: demangle, guessesClass: true)
                _ = DetectorMessage.redacted(text)
                _ = MessageSplitter.parts(of: text)
            }
        }
    }

    /// Expects that a text of eight times the length takes at most 32 times as long. A quadratic algorithm would take 64
    /// times as long.
    private func expectLinear(
        _ head: String, _ part: String, location: SourceLocation = #_sourceLocation,
        _ work: (String) -> Void
    ) {
        func seconds(_ byteCount: Int) -> Double {
            let text = head + String(repeating: part, count: byteCount / part.utf8.count)
            let before = threadSeconds()
            work(text)
            return threadSeconds() - before
        }
        // Repeats a measurement that is too short or was disturbed.
        for _ in 0..<4 where seconds(4096) < max(seconds(512), 0.005) * 32 { return }
        Issue.record("\(head)\(part)", sourceLocation: location)
    }
}
