import Testing

@testable import LeakGrammar
@testable import LeakMessage

/// Call stacks that log entries in JSON contain as strings.
@Suite struct JSONFrameStringsTests {
    private static let apple = [
        "1   Shop   0x0000000104f85eb0 Cart.load() + 104",
        "2   Shop   0x0000000104f85fb0 CartModel.bind() + 24",
        "3   UIKitCore   0x00000001b0000000 -[UIViewController loadViewIfRequired] + 712",
    ]
    private static let key = ["at Cart.load() in Shop", "at CartModel.bind() in Shop"]

    private static func array(_ lines: [String] = apple) -> String {
        "[" + lines.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    private static func expectKept(_ text: String, as message: DetectorMessage) {
        let kept = DetectorMessage.redacted(text)
        #expect(DetectorMessage.redacted(kept) == kept, "\(kept)")
        #expect(!kept.contains("Jane"), "\(kept)")
        #expect(DetectorMessage(kept, guessesClass: true).isSameLeak(as: message), "\(kept)")
    }

    /// Log entries in JSON about a leak of `CartModel`.
    static let entries: [String] = [
        #"{"class":"CartModel","stack":\#(array())}"#, #"{"stack":\#(array()),"class":"CartModel"}"#,
        #"{"class":"CartModel","stack":"\#(apple.joined(separator: #"\n"#))"}"#,
        #"{"class":"CartModel","user":"Jane Doe","extra":{"at":3,"trace":\#(array()),"names":["Jane","Doe"]}}"#,
        #"{"message":"CartModel leaked","level":"error","stack":\#(array())}"#,
        #"{"message":"`CartModel` was not released","stack":"\#(apple.joined(separator: #"\n"#))\n"}"#,
        #"Leak: {"class":"CartModel","stack":\#(array())}"#, #"[{"class":"CartModel","stack":\#(array())}]"#,
        #"{"class":"CartModel","text":"Jane","stack":\#(array(["called by"] + apple + ["and so on"]))}"#,
        #"{"class":"CartModel","first":["Jane","Doe"],"stack":\#(array()),"second":\#(array(apple.reversed()))}"#,
    ]

    @Test(arguments: entries) func `frames in a log entry are its call stack`(text: String) {
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.className ?? message.guessedClassName == "CartModel")
        #expect(message.callStack?.keyElements == Self.key)
        Self.expectKept(text, as: message)
    }

    @Test func `log entries of two launches are the same leak, and entries with another function are not`() {
        func message(_ slide: Int, _ function: String) -> DetectorMessage {
            let lines = Self.apple.map {
                $0.replacing("0x0000000104f8", with: "0x00000001\(slide)f8").replacing(
                    "Cart.load()", with: function)
            }
            return DetectorMessage(
                #"{"class":"CartModel","stack":\#(Self.array(lines))}"#, guessesClass: true)
        }
        #expect(message(10, "Cart.load()").isSameLeak(as: message(27, "Cart.load()")))
        #expect(!message(10, "Cart.load()").isSameLeak(as: message(10, "Cart.save()")))
    }

    @Test func `each leak in a JSON list has its own call stack`() {
        let other = Self.apple.map { $0.replacing("Cart.", with: "Home.") }
        let text =
            #"[{"class":"CartModel","stack":\#(Self.array())},{"class":"HomeModel","stack":\#(Self.array(other))}]"#
        for text in [text, DetectorMessage.redacted(text)] {
            let messages = MessageSplitter.parts(of: text).map {
                DetectorMessage($0.text, guessesClass: true)
            }
            #expect(messages.map(\.guessedClassName) == ["CartModel", "HomeModel"])
            #expect(
                messages.map(\.callStack?.keyElements) == [
                    Self.key, ["at Home.load() in Shop", "at CartModel.bind() in Shop"],
                ])
        }
    }

    /// Each entry has fewer than two frames, or other text between or in the frames.
    @Test(arguments: [
        #"{"class":"CartModel","note":"\#(apple[0])"}"#,
        #"{"class":"CartModel","stack":\#(array([apple[0]]))}"#,
        #"{"class":"CartModel","stack":\#(array([apple[0], "Jane", apple[1]]))}"#,
        #"{"class":"CartModel","note":"Jane\n\#(apple[0])\n\#(apple[1])"}"#,
        #"{"class":"CartModel","names":["Jane","Doe"],"note":"Jane\nDoe"}"#,
        #"{"class":"CartModel","stack":\#(array(apple.map { $0 + " <UILabel: 0x1f; text = 'Jane'>" }))}"#,
    ]) func `single or interrupted frame strings are not a call stack, and are not stored`(text: String) {
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.guessedClassName == "CartModel" && message.callStack == nil)
        let kept = DetectorMessage.redacted(text)
        #expect(!kept.contains("Cart.load()") && !kept.contains("Jane"), "\(kept)")
        Self.expectKept(text, as: message)
    }

    @Test(arguments: entries)
    func `a truncated log entry with frames gives the same leak before and after redaction`(
        text: String
    ) {
        for end in stride(from: 1, to: text.count, by: 7) {
            let cut = String(text.prefix(end))
            Self.expectKept(cut, as: DetectorMessage(cut, guessesClass: true))
        }
    }

    @Test func `from a log entry over the maximum length, the frames that fit are read`() {
        let frames = (0..<200).map {
            "\($0)   Shop   0x0000000104f85eb0 Cart.step\($0)(\(String(repeating: "x", count: 60))) + 104"
        }
        let text = #"{"class":"CartModel","stack":\#(Self.array(frames))}"#
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.guessedClassName == "CartModel" && message.callStack?.keyElements.count ?? 0 > 10)
        Self.expectKept(text, as: message)
    }

    /// Returns the leaks of a text, each with its class and calls.
    private static func leaks(_ text: String) -> [String] {
        let parts = MessageSplitter.parts(of: text)
        let messages =
            parts.isEmpty
            ? [DetectorMessage(text, guessesClass: true)]
            : parts.map { DetectorMessage($0.text, guessesClass: true) }
        return zip(messages, parts.map(\.className) + [nil]).map { message, name in
            let className = name ?? message.className ?? message.guessedClassName ?? "-"
            return ([className] + (message.callStack?.keyElements ?? [])).joined(separator: " ")
        }
    }

    private static let home = apple.map { $0.replacing("Cart.", with: "Home.") }
    private static let cartLeak = (["CartModel"] + key).joined(separator: " ")
    private static let homeLeak = cartLeak.replacing("Cart.", with: "Home.").replacing(
        "CartModel at", with: "HomeModel at")

    @Test(arguments: [
        (
            #"[{"call stack":\#(array()),"class":"CartModel"},{"call stack":\#(array(home)),"class":"HomeModel"}]"#,
            ["CartModel", "HomeModel"]
        ),
        (
            #"[{"stack":\#(array()),"class":"CartModel"},{"stack":\#(array(home)),"class":"HomeModel"}]"#,
            [cartLeak, homeLeak]
        ),
        (
            #"{"stack":\#(array()),"class":"CartModel"}"# + "\n"
                + #"{"stack":\#(array(home)),"class":"HomeModel"}"#, [cartLeak, homeLeak]
        ),
        (
            #"[{"class":"HomeModel","count":0,"stack":\#(array(home))},{"class":"CartModel","count":1,"stack":\#(array())}]"#,
            [cartLeak]
        ),
        (#"{"class":"CartModel","owner":{"stack":\#(array(home))},"stack":\#(array())}"#, [cartLeak]),
        (#"{"class":"CartModel","trace":\#(array([apple[2], apple[2]])),"stack":\#(array())}"#, [cartLeak]),
        (
            #"{"message":"CartModel leaked"}"# + "\n" + #"{"message":"other","stack":\#(array(home))}"#,
            ["CartModel"]
        ),
    ]) func `a call stack in JSON belongs to the leak in the same object`(text: String, leaks: [String]) {
        #expect(Self.leaks(text) == leaks)
        let kept = DetectorMessage.redacted(text)
        #expect(Self.leaks(kept) == leaks, "\(kept)")
        #expect(DetectorMessage.redacted(kept) == kept)
    }

    @Test func `call stacks of several threads in JSON are not joined`() {
        let text =
            #"{"class":"CartModel","threads":[{"id":1,"stack":\#(Self.array())},{"id":2,"stack":\#(Self.array(Self.home))}]}"#
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.callStack?.keyElements == Self.key)
        Self.expectKept(text, as: message)
    }

    /// Messages that contain quotes themselves.
    @Test(arguments: [
        #"{\"class\":\"CartModel\"}"#, "{'class': 'CartModel'}", #"{ class = \"CartModel\"; }"#,
        #"[{\"class\":\"CartModel\"},{\"class\":\"HomeModel\"}]"#,
        #"Retain Cycle: (\"-> CartModel \", \"-> _x -> HomeModel \")"#,
        #"XCTAssertNil failed: \"Shop.CartModel\" - not deallocated"#, "CartModel leaked, says 'Jane",
    ]) func `a message in a log entry gives the same facts with and without frames`(words: String) {
        let alone = DetectorMessage(#"{"message":"\#(words)"}"#, guessesClass: true)
        let text = #"{"message":"\#(words)","stack":\#(Self.array())}"#
        var message = DetectorMessage(text, guessesClass: true)
        Self.expectKept(text, as: message)
        message.callStack = nil
        #expect(message.isSameLeak(as: alone))
    }

    @Test(arguments: [
        #""cards":["4111111111111111","5500000000000004"]"#,
        #""stack":["4111111111111111","5500000000000004"]"#,
        #""phones":"5551234\n5554567""#, #""trace":"5551234\n5554567""#,
        #""token":["f47ac10b58cc4372","550e8400e29b11d4"]"#,
        #""notes":["at Jane Doe called me (x:1:2)","at Jane (native)"]"#,
        ##""notes":["#1 Jane Doe (a:1)","#2 Jane Foo (b:1)"]"##,
        #""stack":["1   Shop   0x0000000104f85eb0 a(\u201cJane\u201d) + 1","2   Shop   0x0000000104f85fb0 b(\u2018Jane\u2019) + 24"]"#,
        #""stack":["1   Shop   0x0000000104f85eb0 a(\u0026quot;Jane\u0026quot;) + 1","2   Shop   0x0000000104f85fb0 b(\u0026lt;UILabel: 0x1f; text = Jane\u003e) + 24"]"#,
        #""stack":["at load (https:\/\/shop.example\/reset?token=Jane:3:4)","at bind (https:\/\/x\/y?mail=Jane:9:1)"]"#,
        ##""trace":["#1 0x1f in Cart::add (user=Jane) at a.cpp:12","#2 0x2f in Cart::pay (card=Jane) at a.cpp:12"]"##,
        #""stack":["at jane.doe(Jane@example.com)","at jane.doe(Jane@example.com)"]"#,
        ##""stack":["#0  User(name: Jane) at a.cpp:1","#1  User(name: Jane) at a.cpp:1"]"##,
    ]) func `text that a user typed is removed even if it resembles a frame`(member: String) {
        for head in [#""class":"CartModel""#, #""message":"CartModel leaked""#] {
            let text = "{\(head),\(member)}"
            let message = DetectorMessage(text, guessesClass: true)
            #expect(message.guessedClassName == "CartModel" && message.callStack == nil)
            Self.expectKept(text, as: message)
            #expect(
                !DetectorMessage.redacted(text).contains {
                    $0.isNumber && $0 != "0" && $0 != "1" && $0 != "2"
                })
        }
    }

    @Test(arguments: [#"a(x:\tb:)"#, #"a(x)\r"#, #"a(x\u0000)"#, #"a\u200b()"#, #"a\/b()"#])
    func `a log entry with an escaped character in a frame is the same leak after redaction`(name: String) {
        let lines = Self.apple + ["4   Shop   0x0000000104f85eb0 \(name) + 104"]
        for head in [#""class":"CartModel""#, #""message":"CartModel leaked""#] {
            let text = #"{\#(head),"stack":\#(Self.array(lines))}"#
            Self.expectKept(text, as: DetectorMessage(text, guessesClass: true))
        }
    }

    @Test func `system frames in a log entry do not change the template of its text`() {
        let two = DetectorMessage(#"{"event":"some","stack":\#(Self.array(Array(Self.apple.prefix(2))))}"#)
        let three = DetectorMessage(#"{"event":"some","stack":\#(Self.array())}"#)
        #expect(two.callStack?.keyElements == three.callStack?.keyElements && two.template == three.template)
        #expect(two.template == DetectorMessage(#"{"event":"some","stack":["…"]}"#).template)
    }

    @Test func `a log entry with a class after very many frames is the same leak after redaction`() {
        let frames = (0..<100).map {
            "\($0)   Shop   0x0000000104f85eb0 Cart.step\($0)(\(String(repeating: "x", count: 40))) + 104"
        }
        let text = #"{"stack":\#(Self.array(frames)),"class":"CartModel"}"#
        Self.expectKept(text, as: DetectorMessage(text, guessesClass: true))
    }
}
