import Foundation
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Reports that look alike and are different leaks, and reports of one leak that look different. The tests also cover the
/// classes, call stacks and freed objects that are found in texts.
@Suite struct LookAlikeTests {
    private static func identity(
        message: String? = nil, className: String? = nil, stack: [String] = [],
        symbols: CallStack.Symbols = { _, _ in [] }
    ) -> LeakIdentity {
        var report = LeakReport()
        (report.message, report.className, report.stack) = (message, className, stack)
        if className != nil { report.event = .leak }
        return GroupingRules.group(report, app: "shop", module: nil, symbols: symbols).identity
    }

    // MARK: Call stacks

    /// Two calls, as runtimes and debuggers print them. `%` stands for the name or the offset of the inner call.
    private static let forms = [
        "0   Shop   0x0000000104f85eb0 % + 104\n1   Shop   0x0000000104f86000 Cart.open() + 88",
        "/opt/shop/Shop(%+0x85) [0x7ff4ba06c305]\n/opt/shop/Shop(Cart.open+0x12) [0x7ff4ba06c405]",
        "0 [ra] 0x00005582b7a1c305 % + 404 in Shop at /home/me/cart.swift:4:15\n"
            + "\n     3│   let cart = Cart()\n *   4│   open(cart)\n      │   ▲\n\n"
            + "1 [ra] 0x00005582b7a1c405 Cart.open() + 12 in Shop at /home/me/cart.swift:9:1",
        "#0  % (this=0x7ffe1, n=3) at /home/me/cart.cpp:12\n#1  0x0000555 in main (argc=1) at main.cpp:5",
        "%@http://localhost/shop.js:20:26\nopen@http://localhost/shop.js:12:3",
        "at % (index.android.bundle:1:2345)\n    at open (index.android.bundle:1:345)",
        "#0      % (package:shop/cart.dart:12:5)\n<asynchronous suspension>\n"
            + "#1      Cart.open (package:shop/cart.dart:44:5)",
        "at com.acme.%(Cart.kt:12)\n\tat com.acme.Cart.open(Cart.kt:44)",
    ]

    @Test(arguments: forms, ["", "memory leak\n", "\n\nCartModel is still alive"])
    func `texts with a call stack are distinguished by their calls`(form: String, words: String) {
        func identity(_ call: String) -> LeakIdentity {
            let stack = form.replacing("%", with: call)
            return Self.identity(message: words.hasPrefix("\n") ? stack + words : words + stack)
        }
        let one = identity("Cart.load")
        #expect(one.groupingKey.stack.count == 2)
        #expect(one.id != identity("Cart.store").id)
        #expect(one.className == (words.contains("CartModel") ? "CartModel" : nil))
        #expect(!one.title.contains("(empty text)"))
    }

    @Test(arguments: [
        "CartModel leaked. [\"FRAMES\"]", "CartModel leaked. Call stack: [\"FRAMES\"]",
        "CartModel was not deallocated (\n    \"FRAMES\"\n)",
    ])
    func `a printed array of frames is read as a call stack`(form: String) {
        func identity(_ call: String, _ address: String) -> LeakIdentity {
            let frames = [call, "main"].enumerated().map { "\($0)   Shop   \(address)\($0) \($1) + 12" }
            return Self.identity(message: form.replacing("FRAMES", with: frames.joined(separator: "\", \"")))
        }
        let one = identity("$s4Shop4CartC4loadyyF", "0x0000000104f85eb")
        #expect(one.className == "CartModel" && one.groupingKey.stack.count == 2)
        #expect(one.id == identity("$s4Shop4CartC4loadyyF", "0x0000000204f85eb").id)
        #expect(one.id != identity("$s4Shop4CartC4saveyyF", "0x0000000104f85eb").id)
    }

    /// Prefixes of log lines. `N` stands for the number of the launch.
    @Test(arguments: [
        "2026-11-24 10:33:0N.123 ", "11-24 10:33:0N.123  1234  567N E Tag: ", "E/Tag( 123N): ",
        "Nov 24 10:33:0N host shop[123N]: ", "web-1  | ", "2026-11-24T10:33:0NZ stdout F ", "[ERROR] ",
        "2026-11-24T10:33:0N+0000 error com.acme.shop : [Shop] ",
    ])
    func `a backtrace in a log is one leak in all launches, and another call is another leak`(prefix: String)
    {
        func ids(_ call: String) -> [LeakID] {
            (1...3).flatMap { launch in
                let lines = [call, "main"].enumerated().map { number, call in
                    prefix.replacing("N", with: "\(launch)")
                        + "\(number)\t0x0000559e83f\(launch)10dc [ra] [\(launch)] Shop \(call)() + 6"
                }
                return [
                    Self.identity(className: "CartModel", stack: lines).id,
                    Self.identity(message: "CartModel leaked\n" + lines.joined(separator: "\n")).id,
                ]
            }
        }
        #expect(Set(ids("load")).count == 1)
        #expect(Set(ids("load") + ids("save")).count == 2)
    }

    @Test(arguments: ["", "web-1  | ", "2026-11-24 10:33:00.123 [main] ERROR leaks - "])
    func `leaks of Netty are distinguished by the calls that created the buffer`(prefix: String) {
        func id(_ call: String) -> LeakID {
            let lines = [
                "LEAK: ByteBuf.release() was not called before it's garbage-collected.", "Created at:",
                "\tio.netty.buffer.PooledByteBufAllocator.newDirectBuffer(PooledByteBufAllocator.java:363)",
                "\tcom.acme.\(call)(\(call.prefix(4)).java:12)", "\tcom.acme.Main.main(Main.java:3)",
            ]
            return Self.identity(message: lines.map { prefix + $0 }.joined(separator: "\n")).id
        }
        #expect(id("Cart.load") != id("Home.load") && id("Cart.load") == id("Cart.load"))
    }

    @Test(arguments: ["", "I/native( 12N): ", "web-1  | "])
    func `call frames of a Linux program in a log are one leak in all launches`(prefix: String) {
        func id(_ call: String, launch: Int) -> LeakID {
            let lines = [call, "main"].map {
                prefix.replacing("N", with: "\(launch)") + "./shop(\($0)+0x12) [0x55d06884\(launch)7b0]"
            }
            return Self.identity(className: "Cart", stack: lines).id
        }
        #expect(
            id("load", launch: 1) == id("load", launch: 2) && id("load", launch: 1) != id("save", launch: 1))
    }

    @Test(arguments: [
        "Direct leak of 24 byte(s) in 1 object(s) allocated from:\n    #0 0x7fcb4ADDR in malloc a.cpp:69\n"
            + "    #1 0x55d06ADDR  (/srv/shop+0xOFFSET)\n    #2 0x55d07ADDR  (/srv/shop+0x1800)\n",
        "STACK OF 1 INSTANCE OF 'ROOT LEAK: <malloc in xmlParse>':\n2   Shop   0x1040ADDR 0x104000000 + OFFSET\n"
            + "1   libsystem_malloc.dylib   0x18174ac1c _malloc_zone_malloc + 64\n====\n",
    ])
    func `leaks of a program without symbols are distinguished by offsets, not by addresses`(
        form: String
    ) {
        func id(offset: String, address: String) -> LeakID {
            Self.identity(
                message: form.replacing("OFFSET", with: offset).replacing("ADDR", with: address)
            ).id
        }
        #expect(id(offset: "1790", address: "8c57") == id(offset: "1790", address: "9e12"))
        #expect(id(offset: "1790", address: "8c57") != id(offset: "1830", address: "8c57"))
    }

    @Test func `memory contents in the dump of Visual C++ do not distinguish leaks, and are not kept`() {
        func text(_ contents: String, _ bytes: String) -> String {
            "Detected memory leaks!\nDumping objects ->\ncart.cpp(12) : {152} normal block at 0x00A71B90, 24 bytes long.\n"
                + " Data: <\(contents)> \(bytes) \nObject dump complete."
        }
        let (jane, john) = (
            text("Jane Doe    ", "4A 61 6E 65 20 44 6F 65"), text("<b> > John", "4A 6F 68 6E")
        )
        #expect(Self.identity(message: jane).id == Self.identity(message: john).id)
        #expect(
            !DetectorMessage.redacted(jane).contains("Jane")
                && !DetectorMessage.redacted(john).contains("John"))
        #expect(Self.identity(message: jane).id == Self.identity(message: DetectorMessage.redacted(jane)).id)
    }

    @Test func `protocol witnesses in two types are two leaks, and a witness counts as its method`() {
        func id(_ calls: [String]) -> LeakID {
            let stack = (calls + ["main"]).enumerated().map {
                "\($0)   Shop   0x0000000104f85e\($0)0 \($1) + 8"
            }
            return Self.identity(className: "Cart", stack: stack).id
        }
        let witness = "protocol witness for Loader.load() in conformance CartModel"
        #expect(
            id([witness]) == id(["CartModel.load()"]) && id([witness]) == id(["CartModel.load()", witness]))
        #expect(id([witness]) != id([witness.replacing("CartModel", with: "HomeModel")]))
        let mangled = "$s4Shop9CartModelCAA6LoaderA2aDP4loadyyFTW"
        #expect(id([mangled]) == id([witness]))
        let inits = ["CartModel.init()", "CartModel.__allocating_init()"]
        #expect(id(inits) == id([inits[0]]) && id([inits[1]]) == id([inits[0]]))
        #expect(id(["$s4Shop9CartModelCACycfC"]) == id([inits[0]]))
    }

    @Test
    func `a stack in the output of the leaks tool gives the same leak as its class with callStackSymbols`() {
        func report(_ name: String, _ call: String, address: String = "0x100dcdc1") -> String {
            "STACK OF 1 INSTANCE OF 'ROOT LEAK: <\(name)>':\n3   dyld   \(address)0 start + 2360\n"
                + "2   Shop   \(address)4 main + 2088  main.swift:108\n1   Shop   \(address)c \(call) + 64\n====\n"
                + "    1 (48 bytes) ROOT LEAK: <\(name) 0x600000c04000> [48]\n"
        }
        func groups(_ text: String) -> GroupingRules.Groups {
            var report = LeakReport()
            report.message = "leaks Report Version: 4.0\n\n" + text
            return GroupingRules.groups(report, app: "shop", module: nil)
        }
        func id(_ text: String) -> LeakID { groups(text).first.identity.id }
        let one = id(report("CartModel", "load()"))
        #expect(one == id(report("CartModel", "load()", address: "0x104f85eb")))
        #expect(one != id(report("HomeModel", "load()")) && one != id(report("CartModel", "save()")))
        let symbols = ["0   Shop   0x0000000104f85eb0 load() + 64", "1   Shop   0x0000000104f86000 main + 8"]
        #expect(one == Self.identity(className: "CartModel", stack: symbols).id)
        let both = groups(report("CartModel", "load()") + "\n" + report("HomeModel", "save()"))
        #expect(both.first.identity.id == one && both.others.map(\.identity.className) == ["HomeModel"])
    }

    @Test func `call frames after a path of owners are not part of the path`() {
        func stack(_ address: String) -> [String] {
            ["Nav", "Tabs", "CartVC"] + (0..<3).map { "\($0)   Shop   \(address)\($0) main + 14" }
        }
        let one = Self.identity(className: "CartModel", stack: stack("0x0000000104f85eb"))
        #expect(one.id == Self.identity(className: "CartModel", stack: stack("0x0000000204f85eb")).id)
        #expect(one.groupingKey.stack == ["Nav", "Tabs", "CartVC"])
    }

    @Test func `the call stack of an error without text distinguishes leaks`() {
        func id(_ call: String) -> LeakID {
            var report = LeakReport()
            report.error = ReportedError(domain: "com.acme.leaks", code: 7)
            report.stack = [
                "0   Shop   0x0000000104f85eb0 \(call) + 12", "1   Shop   0x0000000104f86000 main + 8",
            ]
            return GroupingRules.group(report, app: "shop", module: nil).identity.id
        }
        #expect(id("Order.save()") != id("Profile.edit()"))
    }

    @Test func `a call after an asynchronous suspension of Dart distinguishes leaks`() {
        func text(_ call: String) -> String {
            "leak of CartModel\n#0      load (package:shop/cart.dart:1:5)\n#1      next (package:shop/cart.dart:2:5)\n"
                + "<asynchronous suspension>\n#2      \(call) (package:shop/cart.dart:3:5)"
        }
        #expect(Self.identity(message: text("open")).id != Self.identity(message: text("close")).id)
    }

    /// Demanglers of other versions, and other compilers, write arguments differently.
    @Test
    func `a C++ function is one leak in all spellings of its types, and another function is another leak`() {
        func id(_ function: String) -> LeakID {
            Self.identity(
                className: "CartModel",
                stack: [
                    "0   Shop   0x0000000104f85eb0 \(function) + 104",
                    "1   Shop   0x0000000104f86000 main + 8",
                ]
            ).id
        }
        let string = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
        let one = id("shop::Cart::load(std::string const&)")
        for other in [
            "shop::Cart::load(\(string) const&)", "_ZN4shop4Cart4loadERKSs",
            "shop::Cart::load(std::string const&)::{lambda(\(string))#2}::operator()(\(string)) const",
            "shop::Cart::load(std::string const&)::$_0::operator()() const",
        ] { #expect(id(other) == one, "\(other)") }
        #expect(
            id("shop::Cart::save(std::string const&)") != one
                && id("shop::Order::load(std::string const&)") != one)
    }

    /// Apple's crash reports print such frames for an app without symbols.
    @Test func `if a frame has the image's name instead of a function, its number is read as image offset`() {
        func id(_ offset: Int, _ address: String) -> LeakID {
            Self.identity(
                className: "CartModel",
                stack: ["0   Shop   \(address) Shop + \(offset)", "1   Shop   \(address) Shop + 12"]
            ).id
        }
        #expect(id(33208, "0x0000000104f85eb0") == id(33208, "0x0000000204f85eb0"))
        #expect(id(33208, "0x0000000104f85eb0") != id(33212, "0x0000000104f85eb0"))
        #expect(CallFrame("0   main   0x0000000104f85eb0 main + 12")?.function == "main")
    }

    @Test(arguments: ["#% 0x10063be1*", "0000000104008a*", "00007fff2041*00", "  10063be1c0*"])
    func `a leak whose call stack has only addresses is grouped by its class`(form: String) {
        func stack(_ digit: String) -> [String] {
            (0..<3).map { form.replacing("%", with: "\($0)").replacing("*", with: "\($0)\(digit)") }
        }
        let alone = Self.identity(className: "CartModel")
        #expect(Self.identity(className: "CartModel", stack: stack("4")).id == alone.id)
        #expect(Self.identity(className: "CartModel", stack: stack("f")).id == alone.id)
    }

    @Test func `crash reports are distinguished by the calls of the thread that crashed`() {
        func report(_ call: String, thread: Int = 5, waiting: String = "wait()") -> String {
            """
            Incident Identifier: 6156848E-344E-4D9E-84E0-87AFD0D0AE7\(thread)
            Exception Type:  EXC_BREAKPOINT (SIGTRAP)
            Triggered by Thread:  \(thread)

            Thread 0 name:   Dispatch queue: com.apple.main-thread
            Thread 0:
            0   libsystem_kernel.dylib        \t0x00000001b1e5b0f4 mach_msg_trap + 8
            1   Shop                          \t0x0000000102b14728 \(waiting) + 64
            2   Shop                          \t0x0000000102b14729 main + 64

            Thread \(thread) name:
            Thread \(thread) Crashed:
            0   libswiftCore.dylib            \t0x00000001bd38543c _assertionFailure + 308
            1   Shop                          \t0x0000000102b14728 \(call) + 120
            2   Shop                          \t0x0000000102b14728 Cart.open() + 64

            Thread \(thread) crashed with ARM Thread State (64-bit):
                x0: 0x0000000000000000
            """
        }
        let one = Self.identity(message: report("Cart.load()"))
        #expect(one.groupingKey.stack == ["at Cart.load() in Shop", "at Cart.open() in Shop"])
        #expect(Self.identity(message: report("Cart.load()", thread: 7, waiting: "sleep()")).id == one.id)
        #expect(Self.identity(message: report("Cart.save()")).id != one.id)
    }

    // MARK: Functions that compilers number

    @Test(arguments: [
        ("_ZZN4shop4Cart3addEvENK3$_0clEv", "_ZZN4shop4Cart3addEvENK3$_1clEv"),
        ("_ZN3$_08__invokeEv", "_ZN3$_18__invokeEv"),
        ("_ZZN4shop4Cart3addEvEN3$_08__invokeEv", "_ZZN4shop4Cart3addEvENK3$_2clEv"),
    ])
    func `C++ lambdas that differ only in the number that clang gives them are one function`(
        one: String, other: String
    ) throws {
        func frame(_ symbol: String) throws -> CallFrame {
            try #require(CallFrame("1   Shop   0x0000000104f85eb0 \(symbol) + 104"))
        }
        #expect(try frame(one) == frame(other))
        #expect(try frame(one).function?.hasPrefix("lambda") == true)
    }

    @Test(arguments: ["WOb", "WOr", "WOh", "WOs", "WOe"])
    func `functions that the compiler generates to copy values are not part of a grouping key`(suffix: String)
    {
        let outlined = "1   Shop   0x0000000104f85eb0 $s4Shop9CartModelC\(suffix) + 104"
        let call = "2   Shop   0x0000000104f85fb0 $s4Shop9CartModelC4bind2toySi_tF + 24"
        #expect(
            Self.identity(className: "CartModel", stack: [outlined, call]).id
                == Self.identity(className: "CartModel", stack: [call]).id)
    }

    @Test(arguments: [
        ("com.shop.CartActivity$onCreate$1", "invoke", "com.shop.CartActivity$onCreate$2", "invoke"),
        ("com.shop.CartActivity$1", "onClick", "com.shop.CartActivity$2", "onClick"),
        ("com.shop.CartActivity", "lambda$load$0", "com.shop.CartActivity", "lambda$load$1"),
    ])
    func `lambdas in JSON frames of Kotlin and Java that differ only in their number are one function`(
        module: String, function: String, otherModule: String, otherFunction: String
    ) throws {
        func frame(_ module: String, _ function: String) throws -> CallFrame {
            try #require(CallFrame(#"{"function":"\#(function)","module":"\#(module)","in_app":true}"#))
        }
        #expect(try frame(module, function) == frame(otherModule, otherFunction))
        #expect(try frame(module, function) != frame(module + "X", function))
        #expect(try frame(module, function).module == "com.shop.CartActivity")
    }

    @Test func `frames in a text get their function names from a mapping`() {
        let text =
            "CartModel is still alive\n\tat a.a.b(r8-map-id-7f5bbd1:12)\n\tat a.a.c(r8-map-id-7f5bbd1:44)"
        let named = Self.identity(message: text) { _, place in
            guard case .method(_, let name, _) = place else { return [] }
            return [SymbolicatedFrame(function: name == "b" ? "load" : "open", className: "com.acme.Cart")]
        }
        #expect(named.groupingKey.stack == ["at Cart.load in com.acme", "at Cart.open in com.acme"])
    }

    // MARK: Frames in JSON

    private static func tree(_ functions: [String], isThreads: Bool) -> String {
        if isThreads {
            let frames = functions.map {
                #"{"imageOffset":12,"symbol":"\#($0)","symbolLocation":3,"imageIndex":1}"#
            }
            return #"{"app_name":"Shop"}"# + "\n"
                + #"{"threads":[{"frames":[{"symbol":"a","imageIndex":1},{"symbol":"b","imageIndex":1}]},"#
                + #"{"triggered":true,"frames":[\#(frames.joined(separator: ","))]}],"#
                + #""usedImages":[{"name":"dyld"},{"name":"Shop","uuid":"6f1b0c3e-7b7b-3d8c-9e0d-0d1c6b6a1f00"}]}"#
        }
        let frames = functions.reversed().reduce("") { inner, name in
            let calls = inner.isEmpty ? "" : #","subFrames":[\#(inner)]"#
            return
                #"{"binaryName":"Shop","address":74565,"symbol":"\#(name)","offsetIntoBinaryTextSegment":123\#(calls)}"#
        }
        return
            #"{"callStackTree":{"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\#(frames)]}],"#
            + #""callStackPerThread":true}}"#
    }

    @Test(arguments: [true, false], ["", "CartModel is still alive\n"])
    func `the call frames of a diagnostic report in JSON decide the group`(isThreads: Bool, words: String) {
        func text(_ call: String) -> String {
            words + Self.tree([call, "Cart.open()", "main"], isThreads: isThreads)
        }
        let one = Self.identity(message: text("Cart.load()"))
        #expect(
            one.groupingKey.stack == ["at Cart.load() in Shop", "at Cart.open() in Shop", "at main in Shop"])
        #expect(one.className == (words.isEmpty ? nil : "CartModel"))
        #expect(one.id != Self.identity(message: text("Cart.store()")).id)
        let kept = DetectorMessage.redacted(text("Cart.load()"))
        #expect(Self.identity(message: kept).id == one.id)
        #expect(DetectorMessage.redacted(kept) == kept)
    }

    /// Two calls without names, in the forms of MetricKit and `.ips`. ``filled(_:inner:launch:build:)`` replaces the words
    /// in capitals, and `image-id`.
    private static let unnamedCallForms = [
        #"{"callStackTree":{"callStacks":[{"threadAttributed":true,"callStackRootFrames":[{"binaryUUID":"IMAGE-ID","#
            + #""offsetIntoBinaryTextSegment":INNER,"sampleCount":1,"binaryName":"Shop","address":717LAUNCH66264,"subFrames":["#
            + #"{"binaryUUID":"IMAGE-ID","offsetIntoBinaryTextSegment":6948,"binaryName":"Shop","address":71LAUNCH60612}]}]}]}}"#,
        #"{"app_name":"Shop"}"# + "\n"
            + #"{"threads":[{"frames":[{"imageOffset":1,"imageIndex":1},{"imageOffset":2,"imageIndex":1}]},{"triggered":true,"#
            + #""frames":[{"imageOffset":INNER,"imageIndex":1},{"imageOffset":6948,"imageIndex":1},{"imageOffset":77,"imageIndex":0}]}],"#
            + #""usedImages":[{"base":437LAUNCH528,"path":"/usr/lib/libAcme.dylib","name":"libAcme.dylib"},"#
            + #"{"base":437LAUNCH728,"uuid":"image-id","path":"/private/var/Jane/Shop.app/Shop","name":"Shop"}]}"#,
    ]

    private static func filled(_ form: String, inner: Int = 19_165_304, launch: Int = 11, build: Int = 1)
        -> String
    {
        let id = "6F1B0C3E-7B7B-3D8C-9E0D-577743123\(100 + build)"
        let texts = ["INNER": "\(inner)", "LAUNCH": "\(launch)", "IMAGE-ID": id, "image-id": id.lowercased()]
        return texts.reduce(form) { $0.replacing($1.key, with: $1.value) }
    }

    @Test(arguments: unnamedCallForms, ["", "CartModel is still alive\n", "screen stays\n"])
    func `a call without a name in JSON is grouped by its image offset`(form: String, words: String) throws {
        func identity(_ text: String) -> LeakIdentity { Self.identity(message: words + text) }
        let one = identity(Self.filled(form))
        let image = "6F1B0C3E-7B7B-3D8C-9E0D-577743123101"
        #expect(one.groupingKey.stack == ["at \(image) + 0x1247078", "at \(image) + 0x1b24"])
        #expect(
            one.className == (words.hasPrefix("Cart") ? "CartModel" : nil)
                && !one.title.contains("(empty text)"))
        #expect(identity(Self.filled(form, launch: 22)).id == one.id)
        #expect(identity(Self.filled(form, inner: 19_165_308)).id != one.id)
        #expect(identity(Self.filled(form, build: 2)).id != one.id)
        #expect(CallStack.imageIDs(ofUnnamedFunctionsIn: one.groupingKey.stack) == [image])

        // The report as it is stored and as a device sends it has the same group.
        var report = LeakReport()
        report.message = words + Self.filled(form)
        for kept in [report.redacted(), report.redactedForSending()] {
            #expect(Self.identity(message: kept.message).id == one.id)
            #expect(kept.redactedForSending() == kept && kept.message?.contains("Jane") == false)
        }

        // With symbols, both builds are one leak.
        func named(_ build: Int) -> LeakIdentity {
            Self.identity(message: words + Self.filled(form, build: build)) { _, place in
                [SymbolicatedFrame(function: place == .offset(6947) ? "Cart.open()" : "Cart.load()")]
            }
        }
        #expect(named(1).groupingKey.stack == ["at Cart.load() in Shop", "at Cart.open() in Shop"])
        #expect(named(1).id == named(2).id)
    }

    @Test(arguments: [
        #"{"crash":{"threads":[{"crashed":true,"backtrace":{"contents":[FRAMES]}}]}}"#,
        #"{"stacktrace":{"frames":[FRAMES]}}"#,
    ])
    func `for texts with image offsets, the group cache gives the same groups as the rules`(form: String)
        throws
    {
        var cache = GroupCache()
        for digit in ["1", "2", "1"] {
            let frames = ["0x1023X0010", "0x102300020"].map {
                #"{"package":"Shop","object_name":"Shop","image_addr":"0x102300000","instruction_addr":"\#($0)"}"#
            }
            var report = LeakReport()
            report.message =
                "leak\n"
                + form.replacing("FRAMES", with: frames.joined(separator: ",").replacing("X", with: digit))
            let kept = DetectorMessage.redacted(report.message ?? "")
            for message in [report.message ?? "", kept] {
                report.message = message
                let document = try WireReader.read(report.json(), as: .json)
                let group = cache.group(document, document.reports[0], app: "shop", module: nil).first
                    .identity
                #expect(group.id == GroupingRules.group(report, app: "shop", module: nil).identity.id)
                #expect(group.groupingKey.stack.count == 2)
            }
        }
        #expect(cache.count == 4)
    }

    @Test func `a deep and a truncated call tree in JSON are read as call stacks`() {
        let names = (0..<100).map { "load\($0)()" }
        let whole = Self.tree(Array(names.prefix(40)), isThreads: false)
        #expect(DetectorMessage("leak\n" + whole).callStack?.frames.count == 40)
        let cut = String(Self.tree(names, isThreads: false).prefix(6000))
        #expect((20..<100).contains(DetectorMessage("leak\n" + cut).callStack?.frames.count ?? 0))
    }

    @Test(arguments: ["", "leak\n"])
    func `redacting a text with JSON frames twice changes nothing, and its call stack is kept`(words: String)
    {
        let frames =
            #"{"instruction_addr":"0x1f"},{"function":"f","module":"m","in_app":true},{"function":"g","package":"p"},"#
            + #"{"function":"Jane Doe"}"#
        let text = words + #"{"stacktrace":{"frames":[\#(frames)]}}"#
        let kept = DetectorMessage.redacted(text)
        #expect(DetectorMessage.redacted(kept) == kept)
        #expect(DetectorMessage(kept).callStack?.keyElements == ["at g in p", "at f in m"])
        #expect(!kept.contains("Jane"))
    }

    @Test(arguments: [
        #"{"crash":{"threads":[{"crashed":false,"backtrace":{"contents":[LOOP]}},{"crashed":true,"backtrace":{"contents":[CALLS]}}]}}"#,
        #"{"threads":{"values":[{"crashed":false,"stacktrace":{"frames":[LOOP]}},{"crashed":true,"stacktrace":{"frames":[SLLAC]}}]}}"#,
        #"{"callStackTree":{"callStacks":[{"callStackRootFrames":[LOOP]},{"threadAttributed":true,"callStackRootFrames":[TREE]}]}}"#,
    ])
    func `if a report in JSON has several threads, its call stack is that of the marked thread`(form: String)
    {
        func frame(_ name: String) -> String {
            #"{"symbol_name":"\#(name)","object_name":"Shop","object_addr":4096"#
        }
        let calls = ["load", "open"].map { frame($0) + "}" }
        let json = form.replacing("LOOP", with: frame("wait") + "}," + frame("loop") + "}")
            .replacing("CALLS", with: calls.joined(separator: ","))
            .replacing("SLLAC", with: calls.reversed().joined(separator: ","))
            .replacing("TREE", with: frame("load") + #","subFrames":["# + calls[1] + "," + calls[0] + "]}")
        let identity = Self.identity(message: "CartModel is still alive\n" + json)
        #expect(identity.groupingKey.stack == ["at load in Shop", "at open in Shop"])
    }

    @Test func `deeply nested JSON is redacted on a thread with a stack of 256 KiB`() throws {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            for text in ["[", #"{"frames":["#, #"{"subFrames":[{"symbol":"f","#] {
                let nested = #"{"frames":"# + String(repeating: text, count: 4_000)
                _ = DetectorMessage.redacted("leak\n" + nested)
            }
            done.signal()
        }
        // This is half of the stack that secondary threads have on Apple's systems.
        thread.stackSize = 256 * 1024
        thread.start()
        done.wait()
    }

    @Test(arguments: [
        "Leak found:\n"
            + #"{"class":"CartModel","stacktrace":{"frames":[{"function":"f","module":"m"},{"function":"g","module":"m"}]}}"#,
        #"{"frames":[{"function":"f","module":"m"},{"function":"g","module":"m"}]}"#
            + "\nCartModel is still alive",
        "0   Shop   0x0000000104f85eb0 load() + 104\n1   Shop   0x0000000104f86000 open() + 88\n\n<CartModel: 0x1f> is still alive",
        "0   Shop   0x0000000104f85eb0 load() + 104\n1   Shop   0x0000000104f86000 open() + 88\n\nCartModel wasn't released",
        "0   Shop   0x0000000104f85eb0 load() + 104\n1   Shop   0x0000000104f86000 open() + 88\n\nInstance of 'CartModel' leaked",
        String(repeating: "0   Shop   0x0000000104f85eb0 load() + 104\n", count: 150)
            + "\nCartModel is still alive",
    ])
    func `a class before or after the call frames of a text is found`(text: String) {
        #expect(Self.identity(message: text).className == "CartModel")
        let kept = DetectorMessage.redacted(text)
        #expect(DetectorMessage.redacted(kept) == kept)
        #expect(Self.identity(message: kept).id == Self.identity(message: text).id)
    }

    @Test(arguments: [
        "0   Shop   0x0000000104f85eb0 load() + 104\n1   Shop   0x0000000104f86000 open() + 88\n"
            + String(repeating: "a\n", count: 512),
        (0..<2).map {
            "\($0)   Shop   0x0000000104f85eb0 \(String(repeating: "load", count: 1_200))\($0)() + 104"
        }.joined(separator: "\n"),
        "0   UIKitCore   0x0000000104f85eb0 -[UIView load] + 104\n1   UIKitCore   0x0000000104f86000 -[UIView open] + 88",
    ])
    func `texts with unusual call frames have a title, and the same group before and after redaction`(
        text: String
    ) {
        let kept = DetectorMessage.redacted(text)
        #expect(DetectorMessage.redacted(kept) == kept)
        #expect(Self.identity(message: kept).id == Self.identity(message: text).id)
        #expect(Self.identity(message: text).title != "(empty text)")
    }

    @Test func `a JSON list of leaks is not mistaken for a call stack`() {
        let text =
            #"{"class":"CartModel","module":"Shop"}"# + "\n" + #"{"class":"HomeModel","module":"Shop"}"#
        #expect(MessageSplitter.parts(of: text).count == 2)
        #expect(DetectorMessage(text).callStack == nil)
        let field = "<UITextField: 0x1f; text = '\n" + Self.tree(["jane", "doe"], isThreads: true)
        #expect(!DetectorMessage.redacted(field).contains("jane"))
    }

    // MARK: Generic arguments

    @Test(arguments: [
        ("Shop.Store<Feed.ViewState>", "Shop.Store<Chat.ViewState>"),
        ("$s4Shop5StoreCy4Feed9ViewStateVG", "$s4Shop5StoreCy4Chat9ViewStateVG"),
        ("Store<Home.State>", "Store<Cart.State>"), ("Store<HomeState.Type>", "Store<CartState.Type>"),
        ("Shop.Store<Shop.HomeState.Type>", "Shop.Store<Shop.CartState.Type>"),
    ])
    func `generic arguments that differ in module or type give different leaks`(one: String, other: String) {
        #expect(Self.identity(className: one).id != Self.identity(className: other).id)
    }

    @Test(arguments: [
        ("Shop.Store<Shop.HomeState>", "Store<HomeState>"), ("Shop.Store<Swift.Int>", "Shop.Store<Int>"),
        ("Shop.Store<Shop.HomeState, Swift.Int>", "Store<HomeState, Int>"),
        ("Swift.Array<Shop.Item>", "Array<Item>"),
        ("SwiftUI.UIHostingController<Shop.CartView>", "UIHostingController<CartView>"),
    ])
    func `a generic class is the same leak with and without the names of its modules`(
        one: String, other: String
    ) {
        #expect(Self.identity(className: one).id == Self.identity(className: other).id)
    }

    @Test func `a generic class is the same leak if the sender names its module and if it does not`() {
        var report = LeakReport()
        (report.className, report.event) = ("Shop.Store<Feed.ViewState, Shop.Item>", .leak)
        let named = GroupingRules.group(report, app: "shop", module: "Shop").identity
        #expect(GroupingRules.group(report, app: "shop", module: nil).identity.id == named.id)
        #expect(named.className == "Store<Feed.ViewState, Item>")
    }

    // MARK: Sentences

    @Test(arguments: [
        ("-[CartController dealloc] was never called", "CartController"),
        ("-[CartController dealloc] not called within 3s", "CartController"),
        ("-[CartController dealloc] wasn't called", "CartController"),
        ("-[CartController dealloc] not called, retained by <HomeModel: 0x1f>", "CartController"),
        ("LeakMonitor: dealloc was not called for CartModel", "CartModel"),
        ("XCTAssertTrue failed - CartViewModel deallocated", "CartViewModel"),
        ("CartViewModel deallocated: false", "CartViewModel"),
        (
            "2026-11-25 10:00:00.123 Shop[123:4567] -[CartController dealloc] was never called",
            "CartController"
        ),
        ("CartController: deinit was not called", "CartController"),
        ("expected PaymentCoordinator to be nil but was still in memory", "PaymentCoordinator"),
        ("Speicherleck: CartViewModel wurde nicht freigegeben", "CartViewModel"),
        ("CartViewModel が解放されていません(メモリリーク)", "CartViewModel"),
        ("Утечка памяти: CartViewModel не освобождён", "CartViewModel"),
        ("'CartViewModel' wurde nicht freigegeben", "CartViewModel"),
        ("「CartViewModel」が解放されていません", "CartViewModel"),
        ("'CartViewModel' isn't deallocated", "CartViewModel"),
        ("CartViewModel n'a pas été désalloué", "CartViewModel"),
        ("CaféListViewModel leaked", "CaféListViewModel"),
        ("ÜbersichtViewController not deallocated", "ÜbersichtViewController"),
        ("泄漏：CartViewModel 未释放", "CartViewModel"),
        ("UIHostingController<OrderView> was not deallocated", "UIHostingController<OrderView>"),
        ("Store<HomeState> was not deallocated", "Store<HomeState>"),
        ("Leaked: Cache<Order>", "Cache<Order>"),
        (#"The view controller "CartVC" (in storyboard Main) leaked after viewDidDisappear"#, "CartVC"),
    ])
    func `the class is found in a sentence about a leak, and the object is not counted as freed`(
        text: String, className: String
    ) {
        var report = LeakReport()
        report.message = text
        let group = GroupingRules.group(report, app: "shop", module: nil)
        #expect(group.identity.className == className)
        #expect(!group.isFreed)
    }

    @Test(arguments: [
        "Parent <HomeVC: 0x1> dismissed; leaked: <CartModel: 0x2>",
        "Leak: CartModel, delegate = <Shop.AppRouter: 0x600002a1>",
        "<Shop.LeakMonitor: 0x600002a1> CartModel was not deallocated",
        "<CartModel: 0x2> leaked, held by <HomeVC: 0x1>",
        "Screen <HomeVC: 0x1> closed but <CartModel: 0x600> is still alive", "<CartModel: 0x2>",
        "<_NSMainThread: 0x600001700000>{number = 1, name = main} CartModel has leaked",
        #"{"level":"error","message":"CartModel leaked"}"#,
        #"{"timestamp":1,"level":"warn","message":"CartModel was not deallocated"}"#,
        #"{"error":{"kind":"MemoryLeak","message":"CartModel leaked"}}"#,
        #"{"message":"{\"class\":\"CartModel\"}"}"#,
        #"{"jsonPayload":{"message":"<CartModel: 0x1f> is still alive"}}"#,
        #"{"events":[{"exceptions":[{"message":"CartModel leaked"}]}]}"#,
    ])
    func `if a text names several objects, the leak is the object that it calls leaked`(text: String) {
        let identity = Self.identity(message: text)
        #expect(identity.className == "CartModel")
        let kept = DetectorMessage.redacted(text)
        #expect(DetectorMessage.redacted(kept) == kept)
        #expect(Self.identity(message: kept).id == identity.id)
    }

    @Test(arguments: [
        "-[CartController dealloc]", "-[CartController dealloc] called",
        #"-[UIViewController dealloc] @"<CartController: 0x1f>""#,
        "--- -[UIViewController dealloc] <CartController: 0x1f>",
        "-[UIViewController dealloc] CartController",
        "-[CartController dealloc] called, not leaked", "-[CartController dealloc] called without leaks",
        "-[UIViewController dealloc] Optional(Shop.CartController)",
        "-[UIViewController dealloc] CartController",
    ])
    func `a logged call of dealloc means that the object was freed`(text: String) {
        var report = LeakReport()
        report.message = text
        let group = GroupingRules.group(report, app: "shop", module: nil)
        #expect(group.identity.className == "CartController")
        #expect(group.isFreed)
    }

    @Test(arguments: [
        "No leaks. CartModel deallocated OK", "CartModel deallocated, no leaks found.",
        "CartModel was released.",
        "0 leaks for 0 total leaked bytes. CartModel was freed", "CartModel was deallocated",
        "CartModel deinit",
        "deinit CartModel", "♻️ deinit: CartModel", "✅ CartModel deinit called", "deinit of CartModel called",
        "CartModel dealloc", "CartModel is being deinitialized", "CartModel finally deallocated after 12.3s",
        "CartModel wurde freigegeben", "CartModel 已释放", "CartModelが解放されました", "CartModel is no longer leaking",
        "CartModel leaks no more",
    ])
    func `a sentence that says that an object was freed is read as freed, not as a leak`(text: String) {
        var report = LeakReport()
        report.message = text
        let group = GroupingRules.group(report, app: "shop", module: nil)
        #expect(group.isFreed && group.identity.className == "CartModel")
    }

    @Test(arguments: [
        "No leak in CartModel", "Kein Speicherleck in CartModel", "Aucune fuite mémoire dans CartModel",
        "CartModel 没有泄漏", "Leak check passed for CartModel", "CartModelはメモリリークしていません",
    ])
    func `no class is found in a sentence that denies a leak`(text: String) {
        #expect(Self.identity(message: text).className == nil)
    }

    @Test(arguments: [
        "CartModel was deallocated 9 s late: memory leak",
        "Memory leak: CartModel was deallocated only after a warning",
        "An instance of class CartModel was deallocated while key value observers were still registered with it",
        "deinit of CartModel was not called", "CartModel deinit not called",
        "CartModel wurde nicht freigegeben",
        "\u{1B}[31mCartModel leaked\u{1B}[0m",
    ])
    func `the class is found in a sentence about an object that was freed late or not at all`(text: String) {
        #expect(Self.identity(message: text).className == "CartModel")
    }

    @Test(arguments: [
        "Found 2 leaked objects: <CartModel>, <HomeModel>",
        "Found 2 leaked objects: <CartModel: 0x1f>, <HomeModel: 0x2f>",
        "Leaked objects: [CartModel, HomeModel]", "Leaked objects: [<CartModel: 0x1f>, <HomeModel: 0x2f>]",
        "2 leaked objects:\n<CartModel: 0x1f>\n<HomeModel: 0x2f>", "CartModel and HomeModel leaked",
        "CartModel, HomeModel were not deallocated", "2 leaks found: CartModel and HomeModel",
        "CartModel & HomeModel are still alive",
    ])
    func `each object in a text that lists leaked objects is a leak`(text: String) {
        var report = LeakReport()
        report.message = text
        let groups = GroupingRules.groups(report, app: "shop", module: nil)
        #expect(([groups.first] + groups.others).map(\.identity.className) == ["CartModel", "HomeModel"])
    }

    @Test(arguments: [
        "", "Memory Leak\n", "2026-11-25 10:00:00.123 Shop[12:34] ",
        "2026-11-25 10:00:00.123 Shop[12:34] Memory Leak\n",
    ])
    func `a retain cycle is the same leak after a heading or the prefix of a log line`(front: String) {
        func cycle(_ name: String) -> String {
            "Retain Cycle: (\n    \"-> \(name) \",\n    \"-> _viewModel -> CartViewModel \"\n)"
        }
        let alone = Self.identity(message: cycle("CartController"))
        #expect(Self.identity(message: front + cycle("CartController")).id == alone.id)
        #expect(Self.identity(message: front + cycle("HomeController")).id != alone.id)
        #expect(alone.cycle.count == 2)
    }

    @Test(arguments: ["", "MLeaksFinder: ", "[MLeaksFinder] "])
    func `a list of MLeaksFinder is read with and without the detector's name before it`(tag: String) {
        let text = tag + "Memory Leak: (\n    UINavigationController,\n    CartController,\n    CartView\n)"
        let identity = Self.identity(message: text)
        #expect(identity.className == "CartView")
        #expect(
            identity.id
                == Self.identity(message: "Memory Leak: (UINavigationController, CartController, CartView)")
                .id)
    }

    @Test(arguments: [
        #"{"class":"BannerSIZEView"}"#, #"{"class":"A","stack":["Root","BannerSIZEView"]}"#,
        #"{"class":"Store<IconSIZE>"}"#, #"{"cycle":["BannerSIZEView","B"]}"#,
        #"{"error":{"domain":"com.acme.GridSIZE","code":1}}"#,
        #"{"class":"A","stack":["3   Shop   0x0000000104f85eb0 Image.resizeSIZE() + 8","4   Shop   0x0000000104f85eb0 b() + 8"]}"#,
        #"{"class":"A","stack":["3   KitSIZE   0x0000000104f85eb0 b() + 8","4   KitSIZE   0x0000000104f85eb0 c() + 8"]}"#,
        #"{"message":"BannerSIZEView leaked"}"#,
    ])
    func `names with different sizes such as 320x50 are different, because a size is no address`(body: String)
        throws
    {
        var cache = GroupCache()
        let sizes = ["320x50", "320x100", "320x5"]
        let groups = try sizes.map { size in
            let request = IngestRequest(
                body: Array(body.replacing("SIZE", with: size).utf8), format: .json,
                receivedAt: SubmissionBuilderTests.now)
            let key = Credential(id: 7, purpose: .ingest, name: "k", hash: [], createdAt: 0)
            return try #require(
                SubmissionBuilder(request, key: key, cache: &cache).submission.sightings.first?.leak)
        }
        #expect(Set(groups.map(\.id)).count == 3)
        if let name = groups[0].className, name != "A" { #expect(name.contains("320x50")) }
    }

    @Test(arguments: ["0X", "0x"])
    func `an address in a name does not make a leak for each launch`(mark: String) {
        let names = ["7f88acc69260", "7f9b00c12340"].map { "Cart \(mark)\($0) in Home" }
        #expect(Set(names.map { Self.identity(className: $0).id }).count == 1)
        #expect(Set(names.map { Self.identity(className: "A", stack: ["Root", $0]).id }).count == 1)
        let tabs = ["7f88acc69260", "7f9b00c12340"].map { "web-1  | 0\t0x\($0) [?] Cart" }
        #expect(Set(tabs.map { Self.identity(className: "A", stack: ["Root", $0]).id }).count == 1)
    }

    @Test(arguments: [
        #"at Shop.CartModel.Load() in C:\Users\USER\Cart.cs:line 3"#,
        "Shop.CartModel.load() at /Users/USER/Cart.swift:3",
        #"c:\users\USER\cart.cpp"#, "Shop.load() at /System/Volumes/Data/Users/USER/shop/Cart.swift:3",
    ])
    func `the name of a user in the path of a file does not make a leak for each developer`(owner: String) {
        let keys = ["jane", "John Roe"].map { user in
            Self.identity(className: "A", stack: ["Root", owner.replacing("USER", with: user)]).groupingKey
                .stack
        }
        #expect(keys[0] == keys[1] && !keys[0].joined().contains("jane"))
    }
}
