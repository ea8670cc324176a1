import LeakSeededRandom
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct CallStackGroupingTests {
    private func identity(_ stack: [String], of className: String? = "Shop.CartModel") -> LeakIdentity {
        var report = LeakReport()
        report.className = className
        report.event = .leak
        report.stack = stack
        return GroupingRules.group(report, app: "shop", module: "Shop").identity
    }

    private func text(_ message: String) -> LeakIdentity {
        var report = LeakReport()
        report.message = message
        return GroupingRules.group(report, app: "shop", module: nil).identity
    }

    // MARK: Vectors

    @Test(arguments: FrameVector.stacks)
    func `two recorded call stacks of one leak are one group, and no stack of another leak is in it`(
        vector: FrameVector
    ) {
        let id = identity(vector.stack ?? []).id
        let same = Set(
            FrameVector.stacks.filter { identity($0.stack ?? []).id == id }.compactMap(\.id))
        #expect(same == Set([vector.id, vector.sameAs].compactMap(\.self)))
    }

    // MARK: Frames

    private let frames = [
        "0   libswiftCore.dylib   0x00000001a4a1b9f4 swift_allocObject + 56",
        "1   Shop                 0x0000000104f85eb0 $s4Shop9CartModelC4bind2toySi_tFyycfU_ + 104",
        "2   Shop                 0x0000000104f85fb0 $s4Shop9CartModelC4bind2toySi_tF + 24",
        "3   UIKitCore            0x00000001b0000000 -[UIViewController loadViewIfRequired] + 712",
        "4   UIKitCore            0x00000001b0000100 -[UIViewController view] + 12",
        "5   CoreFoundation       0x00000001b1000100 CFRunLoopRunSpecific + 12",
        "6   Shop                 0x0000000104f86000 main + 88",
    ]

    @Test func `the grouping key of a call stack has only functions of the app`() {
        let identity = identity(frames)
        #expect(identity.groupingKey.version == 2)
        #expect(identity.groupingKey.className == "CartModel")
        #expect(identity.groupingKey.stack == ["at CartModel.bind(to:) in Shop", "at main in Shop"])
        #expect(
            identity.stack == [
                "at swift_allocObject in libswiftCore.dylib", "at closure #1 in CartModel.bind(to:) in Shop",
                "at CartModel.bind(to:) in Shop", "at 3 frames of UIKitCore, CoreFoundation",
                "at main in Shop",
            ])
    }

    @Test func `a path of owners has a grouping key of version 1`() {
        let identity = identity(["UINavigationController", "Shop.CartViewController"])
        #expect(identity.groupingKey.version == 1)
        #expect(identity.groupingKey.stack == ["CartViewController"])
    }

    @Test(arguments: [
        ["0x104f85eb0", "0x104f85fb0"], ["4377304752", "4377305008"],
        ["0   UIKitCore   0x00000001b0000000 -[UIViewController view] + 12"],
    ])
    func `if a call stack has no function of the app, the class decides the group`(stack: [String]) {
        let identity = identity(stack)
        #expect(identity.id == self.identity([]).id)
        #expect(identity.groupingKey.stack.isEmpty)
        #expect(!identity.stack.isEmpty)
    }

    @Test(arguments: [
        ("com.acme.Cart$$ExternalSyntheticLambda3.run", "com.acme.Cart$$ExternalSyntheticLambda7.run"),
        ("com.acme.-$$Lambda$Cart$1f2e.run", "com.acme.-$$Lambda$Cart$99ab.run"),
        ("com.acme.Cart$load$1.invokeSuspend", "com.acme.Cart$load$2$1.invoke"),
        ("com.acme.Cart$load$$inlined$map$1.emit", "com.acme.Cart$load$$inlined$map$2.emit"),
        ("com.acme.Cart$1.onClick", "com.acme.Cart$2.onClick"),
        ("com.acme.Cart.load$default", "com.acme.Cart.load"),
        ("com.acme.Cart.lambda$load$0", "com.acme.Cart.load$lambda$1"),
    ])
    func `names that Java and Kotlin compilers generate for parts of one function are one function`(
        one: String, other: String
    ) {
        func id(_ name: String) -> LeakID {
            identity([
                "at \(name)(Cart.kt:9)", "at com.acme.Cart.access$100(Cart.kt:1)",
                "at com.acme.App.go(App.kt:3)",
            ]).id
        }
        #expect(id(one) == id(other))
        #expect(id(one) != id("com.acme.Shop.load"))
    }

    @Test func `call frames without names are grouped by their offset in the image`() {
        let stripped = ["./shop(+0x41b9) [0x55dd8268e1b9]", "/lib/libc.so.6(+0x85) [0x7ff4ba06c305]"]
        let again = ["./shop(+0x41b9) [0x55aa8268e1b9]", "/lib/libc.so.6(+0x99) [0x7ff4ba06c399]"]
        let other = ["./shop(+0x51b9) [0x55dd8268f1b9]"]
        #expect(identity(stripped).groupingKey.stack == ["at shop + 0x41b9"])
        #expect(identity(stripped).id == identity(again).id)
        #expect(identity(stripped).id != identity(other).id)
    }

    @Test func `a recursive call occurs once in the grouping key`() {
        let walk = ["a", "b"].map { "1   Shop   0x0000000104f85eb0 Tree.\($0)() + 1" }
        let once = identity(walk).id
        #expect(identity(walk + walk + walk).id == once)
        #expect(identity([walk[0], walk[0], walk[1], walk[1]]).id == once)
        #expect(identity([walk[1], walk[0]]).id != once)
    }

    @Test func `call stacks with different functions are different leaks`() {
        let names = (0..<20).map { "1   Shop   0x0000000104f85eb0 Cart.load\($0)() + 1" }
        #expect(Set(names.map { identity([$0]).id }).count == 20)
    }

    @Test func `a call stack does not change the group of a report with a fingerprint`() {
        var report = LeakReport()
        (report.className, report.event, report.fingerprint) = ("A", .leak, ["mine"])
        let before = GroupingRules.group(report, app: "shop", module: nil).identity
        report.stack = frames
        let after = GroupingRules.group(report, app: "shop", module: nil).identity
        #expect(after.id == before.id && after.groupingKey.version == 1)
    }

    // MARK: Texts

    @Test
    func `a text with a backtrace is grouped by the class in the text and the functions of the backtrace`() {
        let message = "VIEWCONTROLLER STILL IN MEMORY <Shop.CartViewController: 0x7f88acc69260>"
        let one = text("\(message)\nCall stack:\n" + frames.joined(separator: "\n"))
        let moved = frames.map { $0.replacing("0x00000001", with: "0x00000002") }
        #expect(one.className == "CartViewController")
        #expect(one.groupingKey.stack == ["at CartModel.bind(to:) in Shop", "at main in Shop"])
        #expect(one.id == text("\(message)\n" + moved.joined(separator: "\n")).id)
        #expect(one.id != text(message).id)
    }

    @Test func `a text of unknown form is grouped without the addresses of its backtrace`() {
        let one = text("screen stays\n" + frames.joined(separator: "\n"))
        let other = text(
            "screen stays\n" + frames.joined(separator: "\n").replacing("0x00000001", with: "0x00000003"))
        #expect(one.id == other.id)
        #expect(one.title == "screen stays")
    }

    @Test func `redaction of a sample keeps the functions of its call stack and removes values of arguments`()
        throws
    {
        var report = LeakReport()
        report.className = "A"
        report.stack = [
            #"frame #0: 0x0000000104f85eb0 Shop`Cart.name(user="Jane") at Cart.swift:29:24"#,
            #"{"function":"f","package":"/x/Shop","vars":{"name":"Jane"},"lineno":3}"#,
        ]
        let sample = report.redacted()
        #expect(!"\(sample)".contains("Jane"))
        #expect(sample.redacted() == sample)
        let one = GroupingRules.group(report, app: "a", module: nil).identity
        let other = GroupingRules.group(sample, app: "a", module: nil).identity
        #expect(one.id == other.id)
        #expect(one.groupingKey.stack == ["at Cart.name(_:) in Shop", "at f in Shop"])
    }

    // MARK: Pages

    @Test
    func `the list of leaks shows only the app's functions of a call stack, and all of a path of owners`() {
        #expect(
            LeakPath(brief: identity(frames)).elements == ["CartModel.bind(to:) in Shop", "main in Shop"])
        let owners = ["UINavigationController", "CartModel"]
        #expect(LeakPath(brief: identity(owners)).elements == owners)
    }

    private func card(_ stack: [String]) -> String {
        String(decoding: GroupingCard(leak: identity(stack)).html.bytes, as: UTF8.self)
    }

    @Test func `the leak's page says how its call stack decides the group`() {
        #expect(card(frames).contains("same class, same 2\u{A0}app frames"))
        #expect(card(frames).contains("CartModel.bind(to:) in Shop") && card(frames).contains(" ← "))
        #expect(card(["0x104f85eb0"]).contains("so only the class is used"))
        #expect(!card(["UINavigationController", "CartModel"]).contains("app frames"))
        #expect(!card(frames).contains("older grouping rule"))
        let old = LeakIdentity(
            id: LeakID(high: 1, low: 1), app: "shop", kind: "object", className: "CartModel", module: nil,
            title: "CartModel", stack: frames, children: [], cycle: [], quality: .full,
            groupingKey: GroupingKey(version: 1, className: "CartModel", stack: frames))
        #expect(
            String(decoding: GroupingCard(leak: old).html.bytes, as: UTF8.self).contains(
                "older grouping rule"))
    }

    // MARK: Further texts

    @Test(arguments: [
        ("$s4Shop4CartC3add33_0123456789ABCDEF0123456789ABCDEFLLyySiF", "at Cart.add(_:) in Shop"),
        ("$s4Shop4CartC3add33_0123456789ABCDEF0123456789ABCDEFLL2toySi_tF", "at Cart.add(to:) in Shop"),
        ("$s4Shop4CartC3addyyF5innerL_yyF", "at inner in Cart.add() in Shop"),
        ("$s4Shop5OrderC3addyyF5innerL_yyF", "at inner in Order.add() in Shop"),
        ("Cart.add() (.cold.1)", "at Cart.add() in Shop"), ("cart_add.llvm.81234567", "at cart_add in Shop"),
    ])
    func `a function in a grouping key has the name that Xcode shows`(symbol: String, key: String) {
        let stack = [
            "0   Shop   0x0000000104f85eb0 \(symbol) + 12", "1   Shop   0x0000000104f85eb0 main + 1",
        ]
        #expect(identity(stack).groupingKey.stack == [key, "at main in Shop"])
    }

    @Test(arguments: [
        ["Thread 0 Crashed:"], ["* thread #1, queue = main"], ["*** First throw call stack:"], ["("], [""],
        ["Thread 0:", ""],
    ])
    func `heading lines before a call stack do not change the group`(heading: [String]) {
        #expect(identity(heading + frames).id == identity(frames).id)
    }

    @Test(arguments: [
        #"{"function":"f(name: \"Jane Doe\")","in_app":true}"#,
        #"{"function":"<Foo: 0x1; text = 'Jane Doe'>","in_app":true,"package":"a 'Jane Doe' b"}"#,
        #"{"function":"f","in_app":true,"filename":"/Users/Jane Doe/Cart.swift","vars":{"a":"Jane Doe"}}"#,
    ])
    func `text that a user typed is removed from a frame in JSON`(frame: String) {
        var report = LeakReport()
        (report.className, report.stack) = ("A", [frame])
        #expect(!"\(report.redacted())".contains("Jane Doe"))
        #expect(!"\(identity([frame]).stack) \(identity([frame]).groupingKey)".contains("Jane Doe"))
        #expect(identity(report.redacted().stack).id == identity([frame]).id)
    }

    @Test func `Sentry frames whose functions have the same name but different modules give different leaks`()
    {
        let one = #"{"function":"add","module":"com.acme.Cart"}"#
        let other = #"{"function":"add","module":"com.acme.Order"}"#
        #expect(identity([one]).id != identity([other]).id)
    }

    @Test(arguments: [
        (
            "#00 pc 0000000000012345  /data/app/com.acme-1==/lib/arm64/libshop.so (Cart::add()+24) (BuildId: abc)",
            "at Cart::add() in libshop"
        ),
        ("#0  0x1 in cart_add () at cart.c:44", "at cart_add"),
        ("#0 0x1 in cart_add (/x/shop+0x1f) (BuildId: 0f1e2d)", "at cart_add in shop"),
        ("0   Contacts   0x0000000104f85eb0 Cart.add() + 1", ""),
    ])
    func `source lines, addresses, paths and build ids of frames are not part of the grouping key`(
        frame: String, key: String
    ) {
        #expect(identity([frame]).groupingKey.stack == (key.isEmpty ? [] : [key]))
    }

    /// In a stripped app, the only symbol before a frame is the start of its image.
    @Test
    func `the symbol at the start of an image is not a function, so the image offset decides the group`() {
        func stack(_ offset: Int) -> [String] {
            ["1   Shop   0x00000001023bcd8a _mh_execute_header + \(offset)"]
        }
        #expect(identity(stack(24_240)).groupingKey.stack == ["at Shop + 0x5eb0"])
        #expect(identity(stack(99_240)).id != identity(stack(24_240)).id)
    }

    /// The texts end in a backtrace, as lines or as a printed array.
    @Test(arguments: [
        "HEAD\n0   Shop   0x00000001ADDRESS FUNCTION + 12\n1   Shop   0x00000001ADDRESS main + 1",
        #"HEAD ["0   Shop   0x00000001ADDRESS FUNCTION + 12", "1   Shop   0x00000001ADDRESS main + 1"]"#,
    ])
    func `a class in a field and the calls in the text are one grouping key if both are about one class`(
        text: String
    ) throws {
        func report(_ className: String, _ function: String, _ address: String, _ head: String) -> LeakReport
        {
            var report = LeakReport()
            (report.event, report.className) = (.leak, className)
            report.message = text.replacing("HEAD", with: head).replacing("ADDRESS", with: address)
                .replacing("FUNCTION", with: "$s4Shop4CartC\(function)yyF")
            return report
        }
        let reports = [
            report("Shop.Cart", "3add", "04f85eb0", "a leak"),
            report("Shop.Cart", "3add", "04f99eb0", "Shop.Cart was not deallocated"),
            report("Shop.Cart", "4drop", "04f85eb0", "a leak"),
            // The text is about another class, so its calls do not belong to the class of the report.
            report("Shop.Order", "3add", "04f85eb0", "Shop.Cart was not deallocated"),
            // The field or the text may have the short name of a nested class.
            report("Shop.Cart.Row", "3add", "04f85eb0", "Row was not deallocated"),
            report("Row", "3add", "04f85eb0", "<Shop.Cart.Row: 0x1> was not deallocated"),
            // `Shop.Row` is another class: a name with its module is not the short name of a nested class.
            report("Shop.Cart.Row", "3add", "04f85eb0", "<Shop.Row: 0x1> was not deallocated"),
        ]
        var cache = GroupCache()
        let identities = try reports.map { report in
            let direct = GroupingRules.group(report, app: "shop", module: "Shop").identity
            let document = try WireReader.read(report.json(), as: .json)
            let cached = cache.group(document, document.reports[0], app: "shop", module: "Shop").first
            #expect(cached.identity.id == direct.id)
            return direct
        }
        #expect(identities[0].groupingKey.stack == ["at Cart.add() in Shop", "at main in Shop"])
        #expect(identities[1].id == identities[0].id)
        #expect(identities[2].id != identities[0].id)
        #expect(identities[3].groupingKey.stack == [])
        #expect(identities[4].groupingKey.stack == identities[0].groupingKey.stack)
        #expect(identities[5].groupingKey.stack == identities[0].groupingKey.stack)
        #expect(identities[6].groupingKey.stack == [])
    }

    // MARK: The cache

    @Test(arguments: ["[]", "[ ]", "[\n\n]"])
    func `if a report's field stack is an empty list, the group cache uses the call stack in the text`(
        list: String
    )
        throws
    {
        func report(_ function: String) -> String {
            #"{"type":"leak","class":"Shop.Cart","stack":\#(list),"message":"a leak\n0   Shop   0x0000000104f85eb0 $s4Shop4CartC\#(function)yyF + 12\n1   Shop   0x0000000104f85eb0 main + 1"}"#
        }
        var cache = GroupCache()
        let ids = try ["3add", "4drop"].map { function in
            let document = try WireReader.read(Array(report(function).utf8), as: .json)
            let cached = cache.group(document, document.reports[0], app: "shop", module: "Shop").first
            let direct = GroupingRules.group(document.report(at: 0), app: "shop", module: "Shop")
            #expect(cached.identity.id == direct.identity.id)
            return cached.identity.id
        }
        #expect(ids[0] != ids[1])
    }

    /// Stacks with `X` in place of a digit. The digit looks like a part of an address, but is none: stacks with different
    /// digits are different leaks.
    @Test(arguments: [
        #"["0x0000000102230000","{\"package\":\"Shop\",\"image_addr\":\"0x102230000\",\"instruction_addr\":\"0x10223X000\"}"]"#,
        #"["0x12345678X Foo","Cart"]"#, #"["0x123 (Shop) 0x12345678X add","Cart"]"#,
        #"["* 1 Foo 0x12345678X x","Cart"]"#,
        #"["frame #1 hello","Shop 0x12345678X","Cart"]"#, #"["1 Foo) [0xX]","Cart"]"#,
        #"["a b) [0xX]","Cart"]"#,
        #"["0xA 0xB 0x12345678X","Cart"]"#,
    ])
    func `if stacks differ in one digit, the group cache gives the same groups as the grouping rules`(
        stack: String
    ) throws {
        var cache = GroupCache()
        for digit in ["1", "2", "1"] {
            let body = #"{"class":"Cart","type":"leak","stack":\#(stack.replacing("X", with: digit))}"#
            let document = try WireReader.read(Array(body.utf8), as: .json)
            let direct = GroupingRules.group(document.report(at: 0), app: "shop", module: "Shop").identity
            #expect(
                cache.group(document, document.reports[0], app: "shop", module: "Shop").first.identity.id
                    == direct.id)
        }
    }

    private func cached(_ stack: [String], in cache: inout GroupCache) throws -> LeakIdentity {
        var report = LeakReport()
        (report.className, report.event, report.stack) = ("Shop.CartModel", .leak, stack)
        let document = try WireReader.read(report.json(), as: .json)
        return cache.group(document, document.reports[0], app: "shop", module: "Shop").first.identity
    }

    @Test
    func `call stacks of further launches, with other addresses, find the cached group of the first launch`()
        throws
    {
        var cache = GroupCache()
        var random = SeededRandom(seed: 7)
        for vector in FrameVector.stacks.compactMap(\.stack) + [frames] {
            let stack = Array(vector.prefix(32))
            let first = try cached(stack, in: &cache)
            #expect(first.id == identity(stack).id)
            let known = cache.count
            for _ in 0..<20 {
                let slide = UInt64(random.below(1 << 20)) << 12
                let moved = stack.map { Self.withMovedAddresses($0, by: slide) }
                #expect(try cached(moved, in: &cache).id == identity(moved).id)
                if moved.allSatisfy({ !$0.hasPrefix("{") && !$0.contains("at ") && !$0.contains("@") }) {
                    #expect(cache.count == known, "\(moved.first ?? "")")
                }
            }
        }
    }

    /// Returns the frame with changed addresses. Only hexadecimal numbers of at least nine digits are addresses.
    private static func withMovedAddresses(_ frame: String, by slide: UInt64) -> String {
        var result = ""
        var rest = frame[...]
        while let range = rest.firstRange(of: "0x") {
            result += rest[..<range.upperBound]
            rest = rest[range.upperBound...]
            let digits = rest.prefix { $0.isHexDigit }
            if digits.count >= 9, let address = UInt64(digits, radix: 16), address >= 1 << 33 {
                let moved = String(address ^ (slide & 0xFFFF_F000), radix: 16)
                result += String(repeating: "0", count: max(0, digits.count - moved.count)) + moved
            } else {
                result += digits
            }
            rest = rest[digits.endIndex...]
        }
        return result + rest
    }
}
