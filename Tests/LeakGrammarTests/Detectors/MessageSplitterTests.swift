import Testing

@testable import LeakGrammar
@testable import LeakMessage

/// Texts that report several leaks, and classes in dictionaries, lists, quotations and sentences. Also call stacks in such
/// texts, and text that is masked.
@Suite struct MessageSplitterTests {
    /// Returns the class that each part of a text names.
    private static func classes(_ text: String) -> [String] {
        MessageSplitter.parts(of: text).map { part in
            part.className ?? DetectorMessage(part.text, guessesClass: true).guessedClassName ?? "?"
        }
    }

    @Test func `several JSON lists of leaks in one message are read`() {
        let text =
            #"{"leaks":[{"class":"CartModel"},{"class":"HomeModel"}]}"# + "\n"
            + #"{"leaks":[{"class":"ListModel"},{"class":"PageModel"}]}"#
        #expect(Self.classes(text) == ["CartModel", "HomeModel", "ListModel", "PageModel"])
    }

    /// Dictionaries as `NSLog`, Swift, Python, Ruby and Java print them.
    @Test(arguments: [
        #"{ class = "CartModel"; count = 3; text = "Jane \"Doe\""; }"#,
        "{\n    class = CartModel;\n    text = \"Jane; Doe\";\n}",
        #"["class": "CartModel", "text": "Jane, Doe"]"#,
        #"["text": "Jane = Doe", "leakedClass": "Shop.CartModel"]"#,
        #"[AnyHashable("class"): "CartModel", AnyHashable("text"): "Jane"]"#,
        #"["className": Optional("CartModel")]"#,
        "{'class': 'CartModel', 'text': \"Jane's cart\", 'n': None}",
        "{'class': 'CartModel', 'text': 'Jane\\'s cart'}",
        #"{"class" => "CartModel", "text" => "Jane"}"#, #"{:class=>"CartModel", :text=>"Jane"}"#,
        "leak: {'class': 'CartModel', 'by': {'name': 'Jane', 'of': ['Jane', 2.5]}}",
        #"["class": <Shop.CartModel: 0x7f88acc69260>, "text": "Jane"]"#,
    ])
    func `the class is found under its key in a dictionary of any language`(text: String) {
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.guessedClassName?.hasSuffix("CartModel") == true)
        let kept = DetectorMessage.redacted(text)
        #expect(!kept.contains("Jane") && !kept.contains("Doe") && DetectorMessage.redacted(kept) == kept)
        #expect(DetectorMessage(kept, guessesClass: true) == message)
    }

    @Test(arguments: [
        #"{ name = "Jane Doe"; }"#, "{'name': 'JaneDoe'}", #"["text": "CartModel"]"#, "{ class = jane; }",
        "{ class = Cart",
        "user typed \"{ class = JaneDoe; }\"", "<UITextField: 0x1f; text = '{ class = JaneDoe; }'>",
        "{ class = Jane Doe; }", "[]",
        "{'class'}", "{class}", "{{{{", "[[[[\"class\":", "{'class': 'Cart' 'Jane'}", "{class=}",
        "['class', 'CartModel']", "leak (class: CartModel)",
    ])
    func `no class is found in malformed dictionaries and in dictionaries with text that a user typed`(
        text: String
    ) {
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.guessedClassName == nil)
        #expect(DetectorMessage.redacted(DetectorMessage.redacted(text)) == DetectorMessage.redacted(text))
    }

    @Test(arguments: ["{", "[", "(", "{a=", "[\"a\":", "{'", "<", "a=>", ";", "AnyHashable(", "{class=A;"])
    func `no class is found in 8 KiB of repeated brackets and keys`(part: String) {
        let text = "{class=A; b=" + String(repeating: part, count: 8192 / part.utf8.count)
        #expect(DetectorMessage(text, guessesClass: true).guessedClassName == nil)
    }

    /// The output of `leaks` with recorded stacks, as https://github.com/mpogue2/SquareDesk/issues/966 shows it.
    private static func leaksReport(
        _ classes: [String], root: String = "ROOT LEAK", address: String = "0x600000c0400"
    ) -> String {
        let stacks = classes.map { name in
            """
            STACK OF 2 INSTANCES OF '\(root): <\(name)>':
            4   dyld                                  0x18159d0e0 start + 2360
            3   Shop                                  0x100d5b848 main + 2088  main.swift:108
            2   Shop                                  0x100dcdc1c open\(name)() + 64  Cart.swift:355
            1   libsystem_malloc.dylib                0x18174ac1c _malloc_zone_malloc + 64
            ====
                2 (96 bytes) \(root): <\(name) \(address)0> [48]
                   1 (48 bytes) title --> <NSString \(address)5> [48]  "Jane Doe"

            """
        }
        return
            "leaks Report Version: 4.0, multi-line stacks\nProcess 92154: 3104 nodes malloced for 512 KB\n\n"
            + stacks.joined(separator: "\n")
    }

    @Test(arguments: ["ROOT LEAK", "ROOT CYCLE"])
    func `each stack in the output of the leaks tool is a leak of the class in its heading`(
        root: String
    ) throws {
        let text = Self.leaksReport(["CartModel", "HomeModel"], root: root)
        let parts = MessageSplitter.parts(of: text)
        #expect(parts.map(\.className) == ["CartModel", "HomeModel"] && parts.map(\.alive) == [2, 2])
        for part in parts {
            let message = DetectorMessage(part.text)
            let name = try #require(part.className)
            #expect(message.className == name)
            #expect(message.callStack?.keyElements == ["at open\(name)() in Shop", "at main in Shop"])
        }
        let redacted = DetectorMessage.redacted(text)
        #expect(!redacted.contains("Jane") && DetectorMessage.redacted(redacted) == redacted)
        #expect(MessageSplitter.parts(of: redacted) == parts)
    }

    @Test
    func `a leak without a stack, between stacks in the output of the leaks tool, is a leak of its class`() {
        let alone = "\n    1 (48 bytes) ROOT LEAK: <ListModel 0x600000c04080> [48]\n\n"
        for text in [
            alone + Self.leaksReport(["CartModel", "HomeModel"]),
            Self.leaksReport(["CartModel"]) + alone + Self.leaksReport(["HomeModel"]),
        ] {
            let names = Self.classes(text)
            #expect(Set(names) == ["CartModel", "HomeModel", "ListModel"] && names.count == 3)
            let redacted = DetectorMessage.redacted(text)
            #expect(MessageSplitter.parts(of: redacted) == MessageSplitter.parts(of: text))
        }
    }

    @Test func `an apostrophe in the path of the app before the output of the leaks tool is no quotation`() {
        let text = "Process:         Shop [77]\nPath:            /Volumes/Jane's Disk/Shop\n----\n"
        #expect(
            Self.classes(text + Self.leaksReport(["CartModel", "HomeModel"])) == ["CartModel", "HomeModel"])
    }

    @Test func `a block without a class in the output of the leaks tool is a leak without a class`() {
        let text = Self.leaksReport(["malloc in QObject::doSetObjectName(QString const&)"])
        let parts = MessageSplitter.parts(of: text)
        #expect(parts.map(\.className) == [nil])
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.className == nil && message.guessedClassName == nil)
        #expect(message.callStack?.keyElements.last == "at main in Shop")
    }

    @Test
    func `a call stack on one line, as older versions of the leaks tool print it, is read innermost first`() {
        func block(_ name: String, _ address: String) -> String {
            "Leak: 0x7f8e4c\(address)  size=48  zone: DefaultMallocZone_0x10f2\(address)   \(name)  Swift  Shop\n"
                + "\t0x00000000 0x00000000 4a616e65 20446f65     ....Jane Doe\n"
                + "\tCall stack: [thread 0x1e\(address)]: | start | main main.swift:3 | open\(name)() Cart.swift:12 "
                + "| swift_allocObject | malloc\n"
        }
        for address in ["405a10", "9960b0"] {
            let one = DetectorMessage(block("CartModel", address), guessesClass: true)
            #expect(one.guessedClassName == "CartModel")
            #expect(one.callStack?.keyElements == ["at openCartModel()", "at main"])
            let text = block("CartModel", address) + block("HomeModel", address)
            #expect(Self.classes(text) == ["CartModel", "HomeModel"])
            let redacted = DetectorMessage.redacted(text)
            #expect(!redacted.contains("Jane") && DetectorMessage.redacted(redacted) == redacted)
            #expect(Self.classes(redacted) == ["CartModel", "HomeModel"])
        }
    }

    @Test(arguments: [
        "<UITextView: 0x1f; text = 'a'>\n", "typed 'a\n", "a; b\n",
    ])
    func `a heading of the leaks tool after text that a user may have typed is not read`(front: String) {
        #expect(
            LeaksStackReport(Text(front + Self.leaksReport(["Jane"])), FrameReader(demangle: { _ in nil }))
                == nil)
    }

    /// Reports of LeakSanitizer, https://clang.llvm.org/docs/LeakSanitizer.html.
    private static func sanitizerReport(process: Int, _ functions: [String]) -> String {
        let leaks = functions.enumerated().map { number, function in
            """
            \(number == 0 ? "Direct" : "Indirect") leak of \(24 * (number + 1)) byte(s) in \(number + 1) object(s) allocated from:
                #0 0x55d5f5a0e4f8 in operator new(unsigned long) /build/asan_new_delete.cpp:95:3
                #1 0x55d5f5a4c1a\(process % 10) in \(function) /home/me/cart.cpp:12:9
                #2 0x55d5f5a4c1b3 in main /home/me/main.cpp:5:3
                #3 0x7f1b2c029d8f in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16

            """
        }
        return "=================================================================\n"
            + "==\(process)==ERROR: LeakSanitizer: detected memory leaks\n\n" + leaks.joined(separator: "\n")
            + "\nSUMMARY: AddressSanitizer: 72 byte(s) leaked in 3 allocation(s).\n"
    }

    @Test
    func
        `a report of LeakSanitizer is split into its leaks, each with its call stack, without process number`()
    {
        func keys(_ text: String) -> [[String]] {
            MessageSplitter.parts(of: text).map { part in
                let message = DetectorMessage(part.text)
                #expect(message.className == nil && message.template.isEmpty)
                return message.callStack?.keyElements ?? []
            }
        }
        let functions = ["shop::Cart::load(int)", "shop::Order::save()::{lambda()#1}::operator()() const"]
        let text = Self.sanitizerReport(process: 4711, functions)
        #expect(
            keys(text) == [["at shop::Cart::load()", "at main"], ["at shop::Order::save()", "at main"]])
        #expect(MessageSplitter.parts(of: text).map(\.alive) == [1, 2])
        #expect(keys(Self.sanitizerReport(process: 12, functions)) == keys(text))
        #expect(keys(Self.sanitizerReport(process: 12, [functions[0]])) == [keys(text)[0]])
        let kept = DetectorMessage.redacted(text)
        #expect(keys(kept) == keys(text) && DetectorMessage.redacted(kept) == kept && !kept.contains("4711"))
        #expect(DetectorMessage(text).callStack?.keyElements == keys(text)[0])
    }

    @Test func `a long report of LeakSanitizer is truncated to the leaks that fit`() {
        let text = Self.sanitizerReport(process: 1, (0..<40).map { "f\($0)" })
        let kept = DetectorMessage.redacted(text)
        #expect(kept.utf8.count <= WireLimits.messageBytes && DetectorMessage.redacted(kept) == kept)
        let count = MessageSplitter.parts(of: kept).count
        #expect((16..<40).contains(count), "\(count)")
    }

    @Test(arguments: [WireLimits.messageBytes - 1, WireLimits.messageBytes, WireLimits.messageBytes + 900])
    func `the first leak of a report of LeakSanitizer keeps its frames, however long they are`(
        byteCount: Int
    ) {
        func report(padding: Int) -> String {
            let frames = (0..<60).map { number in
                let count = padding / 60 + (number == 0 ? padding % 60 : 0)
                return
                    "#\(number) 0x55d5f5a4c1a3 in shop::cart\(number)\(String(repeating: "x", count: count))() /cart.cpp:12:9"
            }
            return (["Direct leak of 24 byte(s) in 1 object(s) allocated from:"] + frames).joined(
                separator: "\n")
        }
        let text = report(padding: byteCount - report(padding: 0).utf8.count)
        #expect(text.utf8.count == byteCount)
        let kept = DetectorMessage.redacted(text)
        #expect(kept.utf8.count <= WireLimits.messageBytes && DetectorMessage.redacted(kept) == kept)
        let frames = DetectorMessage(text).callStack?.keyElements ?? []
        let keptFrames = DetectorMessage(kept).callStack?.keyElements ?? []
        #expect(!keptFrames.isEmpty && frames.starts(with: keptFrames), "\(kept)")
        #expect(byteCount > WireLimits.messageBytes || keptFrames == frames)
    }

    /// Traces of LeakCanary without the first lines, which apps cut off.
    @Test func `the last object of a LeakCanary trace without its first line is the leaked object`() {
        let trace =
            "├─ com.shop.App instance\n│    Leaking: UNKNOWN\n│    ↓ App.holder\n╰→ com.shop.CartActivity instance\n"
            + "     Leaking: YES (com.shop.CartActivity received Activity#onDestroy() callback)"
        for text in [trace, "│ GC Root: Thread object\n│\n" + trace, "● com.shop.Root instance\n" + trace] {
            #expect(MessageSplitter.parts(of: text) == [])
            #expect(DetectorMessage(text, guessesClass: true).guessedClassName == "com.shop.CartActivity")
        }
        let other = trace.replacing("CartActivity", with: "HomeFragment")
        #expect(Self.classes(trace + "\n\n" + other) == ["com.shop.CartActivity", "com.shop.HomeFragment"])
    }

    @Test func `words beside a class in a list may be names of persons, and are not read as classes`() {
        #expect(!Self.classes("Leaked: CartController, Jane, Paul").contains("Jane"))
    }

    @Test(arguments: [
        "Leaked: CartModel, HomeModel", "Leaked objects:\n- CartModel\n- HomeModel",
        "Leaked objects:\n* CartModel (2)\n* HomeModel (1)", "Memory leaks:\n1. CartModel\n2. HomeModel",
        "Still in memory, leaked:\nCartModel: 2\nHomeModel: 1",
        "Leaks\n| Class | Count |\n|---|---|\n| CartModel | 2 |\n| HomeModel | 1 |",
        #"["CartModel","HomeModel"]"#, #"{"leaks":["CartModel","HomeModel"]}"#,
        "{\"class\":\"CartModel\"}\n{\"class\":\"HomeModel\"}",
        #"{"class":"CartModel"} {"class":"HomeModel"}"#,
        #"{"leaks":[{"class":"CartModel","count":3},{"class":"HomeModel"}]}"#,
        "Leaked: CartModel, cart, HomeModel", "Leaked: CartModel; HomeModel",
        "Leaked objects:\n- CartModel\n- cart\n- HomeModel",
        "{\"class\":\"CartModel\"},\n{\"class\":\"HomeModel\"}",
        "{\"class\":\"CartModel\"},\n{\"class\":\"HomeModel\"},",
        "[{\"class\":\"CartModel\"}]\n[{\"class\":\"HomeModel\"}]",
        "{\"class\":\"CartModel\"}\n[{\"class\":\"HomeModel\"}]",
        "[{\"class\":\"CartModel\"}]\n{\"class\":\"HomeModel\"}",
        "[\"CartModel\"]\n{\"class\":\"HomeModel\"}",
        "{\"leaks\":[{\"class\":\"CartModel\"}]}\n{\"leaks\":[{\"class\":\"HomeModel\"}]}",
        "{\"class\":\"CartModel\"}, [\"HomeModel\"]",
        "Leaked:\n- CartModel: 0x1f\n- HomeModel (0x2f)", "Leaked: CartModel 0x7f88acc69260, HomeModel 0x0",
        "Leaked: {\"class\":\"CartModel\"}, {\"class\":\"HomeModel\"}",
        "[[\"class\": \"CartModel\"], [\"class\": \"HomeModel\"]]",
        "[{'class': 'CartModel'}, {'class': 'HomeModel'}]",
        "(\n        {\n        class = CartModel;\n        count = 3;\n    },\n        {\n        class = HomeModel;\n    }\n)",
    ])
    func `each leak of a message is a part of its own`(text: String) {
        #expect(Self.classes(text) == ["CartModel", "HomeModel"])
        let sure = MessageSplitter.parts(of: text).filter { !$0.isGuessed }
        #expect(sure == [])
    }

    @Test(arguments: [
        ("Leaked: Cart<Item>, Order", ["Cart<Item>", "Order"]),
        ("Leaked: Order; Store<Cart, Map<Int, Item>>", ["Order", "Store<Cart, Map<Int, Item>>"]),
        ("Leaked: CartModel, cart, Order, home, HomeModel", ["CartModel", "Order", "HomeModel"]),
    ])
    func `generic types and short names are read as classes in a list of types`(text: String, names: [String])
    {
        #expect(Self.classes(text) == names)
        let kept = DetectorMessage.redacted(text)
        #expect(kept == text)
    }

    @Test(arguments: [
        "Leaked CartViewModel, retained by: CartService, CartController",
        "CartViewController still alive after dismiss\nChildren:\n- HeaderController\n- FooterController",
        "CartViewController was not released, children still alive: HeaderView, FooterView",
        "Retained by: AppDelegate, RootController, CartController",
        "Retain cycle leaked: CartViewController, CartViewModel, CartService",
        "Leak: CartViewController\nretained by:\nHomeCoordinator\nAppCoordinator",
        "Memory leak: CartViewController\nPath:\nUINavigationController\nCartViewController",
        "Object not released: CartViewModel\nReferences:\n- CartViewController\n- CartService",
        "Leaked. Retain chain:\n1. AppDelegate\n2. HomeCoordinator\n3. CartViewController",
        #"{"class":"CartModel","objects":["HomeController","OrderController"]}"#,
        #"{"class":"CartModel","activities":[{"name":"HomeActivity"},{"name":"OrderActivity"}]}"#,
        #"Memory leak, stack: ["UINavigationController","CartViewController"]"#,
        "Leaked: it was the cart, really", "Leaked: CartModel", "Loaded: CartModel, HomeModel",
        "Leaked classes: CartModel, HomeModel and 3 others", "Leaked: CartModel, CartModel",
        "Leaked: CartModel, cart, model, HomeModel", "Leaked: Cart, Order", "Leaked: CartModel, cart",
        "Leaked: CartModel, HomeModel, as the list says", "Leaked: Cart<3 items>, Order",
        #"["Jane","Joe"]"#,
        #"["CartModel"]"#, #"{"class":"CartModel"}"#,
    ])
    func `a text about one leak or no leak is not split into parts`(text: String) {
        #expect(MessageSplitter.parts(of: text) == [])
    }

    @Test(arguments: [
        #"{"class":"CartModel","reten"#, #"{"event":"leak","class":"CartModel","note":"Jane"#,
        #"{"class":"CartModel","#, #"{"leaks":[{"class":"CartModel"},{"class"#, #"{"class":"CartModel""#,
    ])
    func `the class is found in truncated JSON, and text that users typed is removed`(text: String) {
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.guessedClassName == "CartModel")
        let redacted = DetectorMessage.redacted(text)
        #expect(!redacted.contains("Jane") && DetectorMessage.redacted(redacted) == redacted)
        #expect(DetectorMessage(redacted, guessesClass: true) == message)
    }

    @Test(arguments: [
        "Leaked objects:\n- CartModel (3)\n- HomeModel",
        "Leaks\n| Class | Count |\n|---|---|\n| CartModel | 3 |\n| HomeModel |  |",
        "Leaked: CartModel x3, HomeModel",
        #"{"leaks":[{"class":"CartModel","count":3},{"class":"HomeModel"}]}"#,
        #"{"class":"CartModel","instances":3},{"class":"HomeModel","of":{"count":7}}"#,
    ])
    func `the number beside a class is read as the number of living objects`(text: String) {
        let alive = MessageSplitter.parts(of: text).map {
            $0.alive ?? DetectorMessage($0.text, guessesClass: true).alive
        }
        #expect(alive == [3, nil])
    }

    @Test(arguments: [
        ("Leaked:\nCartModel: 0\nHomeModel: 1", ["HomeModel"]),
        ("Leaked: CartModel x0, HomeModel x2", ["HomeModel"]),
        ("Leaked: CartModel (0), HomeModel (0)", []),
        ("Leaked objects:\n- CartModel: 0\n- HomeModel\n- ListModel", ["HomeModel", "ListModel"]),
        ("Leaks\n| Class | Count |\n|---|---|\n| CartModel | 0 |\n| HomeModel | 1 |", ["HomeModel"]),
        (#"[{"class":"CartModel","count":0},{"class":"HomeModel","count":2}]"#, ["HomeModel"]),
        (
            #"{"leaks":[{"class":"CartModel","count":0},{"class":"HomeModel"},{"class":"ListModel"}]}"#,
            ["HomeModel", "ListModel"]
        ),
        (#"[{"class":"CartModel","count":0},{"class":"HomeModel","count":0}]"#, []),
        (#"{"class":"CartModel","of":{"count":0}},{"class":"HomeModel"}"#, ["CartModel", "HomeModel"]),
        (#"{"class":"CartModel","count":0}"#, []), ("Leaked: CartModel: 0", []), ("Leaked CartModel (0)", []),
        ("0 CartModel leaked", []), ("CartModel leaked 0 times", []), ("Cart leaked 0 times", []),
        ("0 Cart leaked", []),
        ("leaked: 0 CartModel", []), ("1.0 CartModel leaked", ["CartModel"]),
        ("CartModel: 0 leaks", []), ("Leaked: CartModel: 0x1f", ["CartModel"]),
        ("CartModel leaked (0 s)", ["CartModel"]),
        ("leaked CartModel 0.5 s ago", ["CartModel"]),
    ])
    func `a class with a count of 0 instances is not a leak`(text: String, names: [String]) {
        let parts = Self.classes(text)
        let found =
            parts.isEmpty
            ? [DetectorMessage(text, guessesClass: true).guessedClassName].compactMap(\.self) : parts
        #expect(found == names)
        let kept = DetectorMessage.redacted(text)
        #expect(Self.classes(kept) == parts && DetectorMessage.redacted(kept) == kept)
    }

    /// A stored report must contain each of its leaks, otherwise `collector regroup` would merge them.
    @Test(arguments: [
        "{(\n  (\n    \"-> CartModel \",\n    \"-> _handler -> Block \"\n  ),\n  (\n    \"-> OrderModel \",\n    \"-> _owner -> Service \"\n  )\n)}",
        "Retain cycles: {((\"-> CartModel \"), (\"-> OrderModel \", \"-> _owner -> Service \"))}",
        #"[{"class":"CartModel"},{"class":"OrderModel"},{"cla"#,
        #"[{"class":"CartModel"},{"class":"OrderModel"},{"class":"HomeModel","note":"Jane","more"#,
        #"[{"class":"CartModel"},{"class":"OrderModel"},{"note":"Jane","class"#,
        "{\"class\":\"CartModel\"}\n{\"class\":\"OrderModel\"}\n{\"class\":\"HomeMo",
        "Leaked: CartModel, OrderModel", #"["CartModel","OrderModel"]"#,
        "Leaked: CartModel; cart; OrderModel",
        "{\"class\":\"CartModel\",\"note\":\"Jane\"},\n{\"class\":\"OrderModel\"}",
        "{\"class\":\"CartModel\"}\n[{\"class\":\"OrderModel\",\"note\":\"Jane\"}]",
        "[{\"class\":\"CartModel\"},{\"class\":\"OrderModel\"}]\n{\"class\":\"Home",
        "[{\"class\":\"CartModel\"}]\n[{\"class\":\"OrderModel\"},{\"note\":\"Jane",
    ])
    func `a text about several leaks has the same leaks after redaction`(text: String) {
        func leaks(_ text: String) -> [[String]] {
            MessageSplitter.parts(of: text).map { part in
                let message = DetectorMessage(part.text, guessesClass: true)
                return [part.className ?? message.guessedClassName ?? ""] + message.cycle
            }
        }
        let kept = DetectorMessage.redacted(text)
        #expect(leaks(text).count == 2 && Set(leaks(text)).count == 2)
        #expect(leaks(kept) == leaks(text) && DetectorMessage.redacted(kept) == kept)
        #expect(!kept.contains("Jane"))
    }

    @Test(arguments: ["}{\"a", "]{", "}[\"", "{", "[\"", "x} {\"class\":"])
    func `a text with brackets in the wrong order has no parts and no class`(text: String) {
        #expect(MessageSplitter.parts(of: text) == [])
        #expect(DetectorMessage(text, guessesClass: true).guessedClassName == nil)
    }

    @Test(arguments: [
        ("“Jane Doe” is still there", "\"…\" is still there"),
        ("‘Jane’ is still there", "'…' is still there"),
        ("«Jane» is still there", "\"…\" is still there"), ("„Jane“ is still there", "\"…\" is still there"),
        ("「Jane」 is still there", "\"…\" is still there"), ("it didn’t go", "it didn't go"),
    ])
    func `quotations in curved and angled quotes are masked`(text: String, kept: String) {
        #expect(DetectorMessage.redacted(text) == kept)
    }

    @Test(arguments: [
        ("user typed `Jane Doe` and leaked", "user typed `…` and leaked"),
        ("leaked `JaneDoe`", "leaked `…`"), ("titled `JaneStore`, leaked", "titled `…`, leaked"),
        ("leaked `it is `Jane` here` again", "leaked `…` again"), ("leaked `Jane", "leaked `…"),
        ("leaked ``Jane Doe``", "leaked \"…\""), ("leaked ''Jane Doe''", "leaked \"…\""),
        ("leaked ``Jane Doe''", "leaked \"…\""), ("leaked `Jane Doe'", "leaked '…'"),
        ("leaked &quot;Jane Doe&quot; here", "leaked \"…\" here"),
        ("leaked &#39;Jane Doe&#39; here", "leaked '…' here"),
        ("leaked &amp;amp;quot;Jane Doe&amp;amp;quot; here", "leaked \"…\" here"),
        ("leaked &qu\u{200B}ot;Jane&qu\u{200B}ot; here", "leaked \"…\" here"),
        ("Leaked &lt;CartView: 0x1f; text = &#39;Jane&#39;&gt;", "Leaked <CartView: 0x1f; …>"),
        (#"{"class":"CartModel","text":"&quot;Jane&quot;"}"#, #"{"class":"CartModel","text":"…"}"#),
        ("label \"a `Jane\" b` leaked", "label \"…\" leaked"),
    ])
    func `quotations in backticks, doubled quotes and HTML entities are masked`(text: String, kept: String) {
        let redacted = DetectorMessage.redacted(text)
        #expect(redacted == kept && DetectorMessage.redacted(redacted) == redacted)
    }

    private static let quotes = [
        ("`", "`"), ("``", "``"), ("``", "''"), ("''", "''"), ("“", "”"), ("„", "“"), ("«", "»"), ("‹", "›"),
        ("‘", "’"),
        ("‚", "‘"), ("「", "」"), ("&quot;", "&quot;"), ("&#34;", "&#34;"), ("&#0034;", "&#0034;"),
        ("&#x0022;", "&#X22;"),
        ("&#039;", "&#0039;"), ("&#x027;", "&#X27;"), ("&ldquo;", "&rdquo;"), ("&bdquo;", "&ldquo;"),
        ("&lsquo;", "&rsquo;"),
        ("&laquo;", "&raquo;"), ("&#8220;", "&#8221;"), ("&#x201C;", "&#x201d;"), ("&#8216;", "&#8217;"),
        ("&grave;", "&#96;"),
        ("&amp;ldquo;", "&amp;rdquo;"), ("&amp;#0034;", "&amp;#0034;"), ("&QUOT;", "&QUOT;"),
        ("&#34", "&#34"), ("&#8220", "&#8221"),
    ]

    @Test(arguments: quotes)
    func `a value that a user typed is removed from quotes of all kinds`(opening: String, closing: String) {
        let quotation = opening + "Jane Doe" + closing
        for text in [
            "label \(quotation) leaked", "label: \(quotation)", "text=\(quotation), leaked",
            "(\(quotation)) leaked",
            "\(quotation) leaked", "leaked\n\(quotation)", "it's \(quotation) that leaked",
        ] {
            let redacted = DetectorMessage.redacted(text)
            #expect(!redacted.contains("Jane") && !redacted.contains("Doe"), "\(redacted)")
            #expect(DetectorMessage.redacted(redacted) == redacted)
        }
        // Two straight quotes behind a letter may be apostrophes.
        guard Text("\(opening)").first != UInt8(ascii: "'"), !["&#039;", "&#x027;"].contains(opening) else {
            return
        }
        #expect(!DetectorMessage.redacted("title\(quotation) leaked").contains("Jane"))
        #expect(!DetectorMessage.redacted("CartModel leaked, see label.\(quotation)(x)").contains("Jane"))
    }

    @Test(arguments: [
        "`CartModel` was not released", "closure captured `CartModel` strongly, a leak",
        "''CartModel'' was not released", "``CartModel'' was not released", "`CartModel' was not released",
        "&#39;CartModel&#39; was not released", "&quot;CartModel&quot; was not released",
        "Leaked &lt;CartModel: 0x1f&gt;", "leak of `CartModel`; see `docs`",
        "object 'Jane' of class 'CartModel' was not released", "object 'Jane' of class 'CartModel'",
        "label \"it's Jane\" of class \"CartModel\" leaked", "object `Jane Doe` of type `CartModel` leaked",
        "{&quot;class&quot;:&quot;CartModel&quot;,&quot;text&quot;:&quot;Jane&quot;}",
        "`CartModel` leaked\nframe #0: 0x1f Shop`main + 1\nframe #1: 0x2f ???`x\nframe #2: 0x3f Shop`-[Cart add] + 4",
    ])
    func `a class in backticks, doubled or escaped quotes is found, and text that a user typed is removed`(
        text: String
    ) {
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.className ?? message.guessedClassName == "CartModel")
        let redacted = DetectorMessage.redacted(text)
        #expect(!redacted.contains("Jane") && DetectorMessage.redacted(redacted) == redacted)
        #expect(DetectorMessage(redacted, guessesClass: true) == message)
    }

    @Test(arguments: [
        "object 'Jane' of class 'CartModel' and 'x' leaked", "leaked 'Jane' and 'Joe' of class 'CartModel'",
        "leaked 'Jane' of class 'Cart Model'", "leaked 'Jane' because of class 'CartModel'",
    ])
    func `if more than a class is quoted, the words between the quotes are masked too`(text: String) {
        #expect(!DetectorMessage.redacted(text).contains("class"))
    }

    @Test(arguments: [
        "No leak in HomeVC", "no leaks found in HomeViewController", "HomeVC is not leaking",
        "HomeVC did not leak",
        "0 leaks in HomeVC", "No memory leaks: HomeVC", "HomeViewController has no leaks",
        "leak in MyShop: cart", "No leaks in HomeModel and CartModel", "No leak found: CartModel",
        "Neither HomeModel nor CartModel leaked",
        "Leak in MyShop app: cart", "memory leak found in MyShop module",
        "`HomeViewController` is not leaking",
        "Done without leaks in HomeViewController", "It isn't a leak of HomeViewController",
    ])
    func `no class is found in a text that denies a leak or names only the app`(text: String) {
        #expect(DetectorMessage(text, guessesClass: true).guessedClassName == nil)
    }

    @Test(arguments: [
        ("There should be no leak in HomeVC", "HomeVC"), ("expected no leaks of HomeVC", "HomeVC"),
        ("leak in HomeVC: it was kept", "HomeVC"), ("Leak in Shop.CartList: retained", "Shop.CartList"),
        ("leak in MyShop: CartModel", "CartModel"), ("memory leak in CartBadge", "CartBadge"),
        ("No leak in CartVC.\nLeak in HomeVC", "HomeVC"), ("no leaks before; HomeVC leaked", "HomeVC"),
        ("HomeVC was not released, no leaks expected", "HomeVC"),
        ("HomeModel was not leaked but CartModel was", "CartModel"),
        ("HomeModel did not leak and CartModel did.", "CartModel"),
        ("No leaks but CartModel", "CartModel"),
        ("no leak in HomeModel: CartModel was not released", "CartModel"),
        ("No leak in HomeModel and leak in CartModel", "CartModel"),
        ("no leaks until CartModel leaked", "CartModel"),
        ("CartModel did not leak until HomeModel was added", "CartModel"),
        ("no leaks in HomeModel and CartModel is still alive", "CartModel"),
        ("no leaks except CartModel", "CartModel"),
        ("class Store<[CartModel]> leaked", "Store<[CartModel]>"),
        ("leak of Store<(Int) -> CartModel>", "Store<(Int) -> CartModel>"),
        ("leak in CartBadge: retained by the footer", "CartBadge"),
        ("Memory leak detected in CartBadge: 3 instances", "CartBadge"),
        ("Leak detected in CartBadge: closure captures self", "CartBadge"),
        ("Leak in CartBadge:", "CartBadge"),
        ("Memory leak detected in CartBadge:\nheld by HomeCoordinator", "CartBadge"),
    ])
    func `the class that leaked is found beside a class without a leak, an owner or details`(
        text: String, className: String
    ) {
        #expect(DetectorMessage(text, guessesClass: true).guessedClassName == className)
    }

    /// The number of an anonymous class changes between builds. It is kept, because `Cart` alone is a class that did not leak.
    @Test(arguments: ["leaked class=Cart$1", "leaked class=Cart$2", "leaked class=com.acme.Cart$3"])
    func `an anonymous class of Java keeps its number`(text: String) {
        let name = DetectorMessage(text, guessesClass: true).guessedClassName
        #expect(name.map { text.hasSuffix("=\($0)") } == true)
    }

    @Test func `functions after the backtick in frames of lldb are not quotations`() {
        let frames = [
            "frame #0: 0x1f Shop`main + 1", "frame #1: 0x2f ???`x", "frame #2: 0x3f Shop`-[Cart add] + 4",
        ]
        let text = "leaked\n" + frames.joined(separator: "\n")
        #expect(DetectorMessage.redacted(text) == text)
        let stack = CallStack([
            "* frame #0: 0x1f Shop`Cart.`init`(x:) + 8", "frame #1: 0x2f Shop`Cart.load() + 8",
        ])
        #expect(stack?.keyElements == ["at Cart.`init`(x:) in Shop", "at Cart.load() in Shop"])
    }

    @Test(arguments: [
        "CartModel leaked; HomeModel leaked", "CartModel is still in memory; HomeModel was not released.",
        "2 leaks: CartModel, HomeModel", "2 leaks found: CartModel and HomeModel",
        "Leaks: CartModel, HomeModel",
        "Leaked classes: CartModel, HomeModel", #"{"leaks":["CartModel","HomeModel"]}"#,
    ])
    func `a line that names several leaks is split`(text: String) {
        let parts = MessageSplitter.parts(of: text)
        #expect(parts.map(\.className) == ["CartModel", "HomeModel"], "\(parts)")
    }

    @Test(arguments: [
        "CartModel leaked; HomeModel was freed", "CartModel leaked; retry later",
        "2 leaks in CartModel, HomeModel is fine",
        "Models: CartModel, HomeModel", #"{"sizes":{"CartModel":2,"HomeModel":1}}"#,
        "No leaks: CartModel, HomeModel",
        "0 leaks: CartModel, HomeModel",
    ])
    func `a line about one leak or no leak is not split`(text: String) {
        #expect(MessageSplitter.parts(of: text).isEmpty)
    }

    @Test func `a class in curved quotes is found if the text says that it was not released`() {
        let message = DetectorMessage("“CartModel” was not released", guessesClass: true)
        #expect(message.guessedClassName == "CartModel")
    }

    @Test(arguments: [
        ["leaked at 3:05 AM on Monday", "leaked at 11:45 PM on Tuesday", "leaked at 23:45 on Friday"],
        ["leaked on Mon, 3 Feb 2026", "leaked on Tue, 28 March 2026", "leaked on Sun, 1 May 2026"],
        ["leaked at 3PM", "leaked at 11AM", "leaked at 11 pm"],
        ["leaked on Tue Nov 24 10:33:00 UTC 2026", "leaked on Wed Mar 4 01:02:03 CET 2027"],
        ["leaked on Feb 3", "leaked on March 14"], ["Monday: something leaked", "Sunday: something leaked"],
        ["something leaked 1.5 MB", "something leaked 15 MB", "something leaked 12.25 MB"],
        ["kept by /Users/jane/Library/a", "kept by /Users/joe.doe/Library/a"],
        ["kept by /home/jane/a", "kept by /home/joe/a"],
        [#"kept by C:\Users\jane\a"#, #"kept by C:\Users\joe\a"#],
    ])
    func `numbers, times and home folders do not distinguish texts`(texts: [String]) {
        #expect(Set(texts.map { DetectorMessage($0).template }).count == 1)
    }

    @Test(arguments: [
        ["it may leak", "it might leak"], ["Mon leaked", "Sun leaked"], ["I am leaking", "we are leaking"],
        ["leak in MondayPage", "leak in SundayPage"], ["leak in May", "leak in June"],
    ])
    func `words that may be something other than a time distinguish texts`(texts: [String]) {
        #expect(Set(texts.map { DetectorMessage($0).template }).count == 2)
    }
}
