import Testing

@testable import LeakGrammar
@testable import LeakMessage

/// Frames as tools and loggers print them, and call stacks of several threads.
@Suite struct ToolFrameTests {
    struct Form: CustomTestStringConvertible {
        var testDescription: String
        var lines: [String]
        var key: [String]
    }

    private static let apple = [
        "1   Shop   0x0000000104f85eb0 Cart.load() + 104",
        "2   Shop   0x0000000104f85fb0 CartModel.bind() + 24",
        "3   UIKitCore   0x00000001b0000000 -[UIViewController loadViewIfRequired] + 712",
    ]
    private static let appleKey = ["at Cart.load() in Shop", "at CartModel.bind() in Shop"]

    static let forms = [
        Form(testDescription: "quoted in a message", lines: apple.map { "> " + $0 }, key: appleKey),
        Form(testDescription: "list of Markdown", lines: apple.map { "- " + $0 }, key: appleKey),
        Form(
            testDescription: "numbered list", lines: apple.enumerated().map { "\($0 + 1). \($1)" },
            key: appleKey),
        Form(
            testDescription: "lines of a log",
            lines: apple.map { "2026-11-24 10:33:00.123456+0100 Shop[3933:3009455] " + $0 }, key: appleKey),
        Form(
            testDescription: "lines with a time",
            lines: zip(["10:33:00.123 ", "[10:33:00] ", "2026-11-24T10:33:00Z "], apple).map { $0 + $1 },
            key: appleKey),
        Form(
            testDescription: "lines with another time",
            lines: zip(
                ["2026-11-24 10:33:00,5+0100 ", "[2026-11-24 10:33:00.123-08:00] ", "10:33:00 "], apple
            ).map { $0 + $1 }, key: appleKey),
        Form(
            testDescription: "V8 with a function without a name in a folder with a space",
            lines: [
                "    at Cart.load (/Applications/My App.app/x.js:3:4)",
                "    at /Users/jane doe/app/x.js:8:22", "    at async file:///Users/jane doe/x.js:9:1",
                "    at openCart (app.js:9:1)",
            ], key: ["at Cart.load", "at openCart"]),
        Form(
            testDescription: "Firefox",
            lines: [
                "load@http://localhost/x.js:1:2", "openCart/<@http://localhost/x.js:9:2",
                "promise callback*openCart@http://localhost/x.js:3:2",
                "async*main@file:///Users/jane/My App/x.js:5:1", "@http://localhost/x.js:9:2",
            ], key: ["at load", "at openCart", "at main"]),
        Form(
            testDescription: "Java without the word at, as Netty prints it",
            lines: [
                "\tcom.acme.Cart.load(Cart.java:12)", "\tcom.acme.shop.Main.main(Main.kt:3)",
                "\tjava.base/java.lang.Thread.run(Thread.java:829)",
            ], key: ["at Cart.load in com.acme", "at Main.main in com.acme.shop"]),
        Form(
            testDescription: "leaks, the outermost call first",
            lines: [
                "4   dyld   0x18159d0e0 start + 2360", "3   Shop   0x100d5b848 main + 2088  main.swift:108",
                "2   Shop   0x100dcdc1c Cart.load() + 64  Cart.swift:355",
                "1   libswiftCore.dylib   0x1a5cdc1c0 swift_allocObject + 64",
            ], key: ["at Cart.load() in Shop", "at main in Shop"]),
        Form(
            testDescription: "V8 with the name that a caller has",
            lines: ["    at Cart.load [as onClick] (app.js:3:4)", "    at bind (app.js:9:1)"],
            key: ["at Cart.load", "at bind"]),
        Form(
            testDescription: "Dart's package stack_trace",
            lines: [
                "package:shop/cart.dart 12:5                     CartState.load.<fn>",
                "package:shop/cart.dart 9:3                      CartState.initState",
                "package:flutter/src/widgets/framework.dart 5611:55  StatefulElement._firstBuild",
                "dart:async/zone.dart 1407:47                    _rootRunUnary",
            ], key: ["at CartState.load in shop", "at CartState.initState in shop"]),
        Form(
            testDescription: "lldb with inlined calls and values of arguments",
            lines: [
                "  * frame #0: 0x0000000100003f14 Shop`Cart.load() [inlined] Cart.inner() at Cart.swift:12:5 [opt]",
                "    frame #1: 0x0000000100003f14 Shop`Cart.load() at Cart.swift:8 [opt]",
                "    frame #2: 0x0000000100003f20 Shop`CartModel.bind(self=0x0000600001234567) at CartModel.swift:9:1",
                "    frame #3: 0x0000000100003f30 Shop`Cart.add(item=<unavailable>, self=0x0000600001234567) at Cart.swift:20:3",
            ],
            key: [
                "at Cart.inner() in Shop", "at Cart.load() in Shop", "at CartModel.bind() in Shop",
                "at Cart.add(_:) in Shop",
            ]),
        Form(
            testDescription: "a stripped app of Apple's systems",
            lines: [
                "1   Shop                                0x00000001023bcd8a _mh_execute_header + 24240",
                "2   Shop                                0x00000001023cf318 __mh_execute_header + 99240",
                "3   Kit                                 0x00000001043cf318 _mh_dylib_header + 4096",
                "4   Shop                                0x00000001023cf400 main + 4",
            ], key: ["at main in Shop"]),
        Form(
            testDescription: "system images without paths",
            lines: [
                "ARKit", "EventKit", "CoreHaptics", "NaturalLanguage", "CryptoKit",
                "AuthenticationServices", "CarPlay", "ActivityKit", "LinkPresentation",
                "_MapKit_SwiftUI", "libMainThreadChecker.dylib", "libBacktraceRecording.dylib",
                "libAccessibility.dylib", "libMobileGestalt.dylib", "TCC",
            ].map { "2   \($0)   0x00000001023bcd8a -[Helper run] + 12" }
                + [
                    "./shop(_start+0x25) [0x55dd8268e1b9]", "3   Shop   0x00000001023bcd8a Cart.load() + 12",
                    // These names of system frameworks are also names of apps and their frameworks.
                    "4   Charts   0x00000001023bcd8a Cart.draw() + 12",
                    "5   Messages   0x00000001023bcd8a Cart.send() + 12",
                ],
            key: ["at Cart.load() in Shop", "at Cart.draw() in Charts", "at Cart.send() in Messages"]),
        Form(
            testDescription: "sample",
            lines: [
                "    + 2489 start  (in dyld) + 1903  [0x18e5e3f28]",
                "    + ! 2489 main  (in Shop) + 76  [0x1042b1a4c]  main.swift:12",
                "    + !   : | 2489 Cart.load()  (in Shop) + 12,16,...  [0x1042b1a60,0x1042b1a64]",
                "    + !   : | + 2489 ???  (in Shop)  load address 0x1042b0000 + 0x1a4c  [0x1042b1a4c]",
                "    2489 -[NSRunLoop run]  (in Foundation) + 8  [0x18e5e3f28]",
            ], key: ["at main in Shop", "at Cart.load() in Shop"]),
        Form(
            testDescription: "sample without names",
            lines: [
                "2489 ???  (in Shop)  load address 0x1042b0000 + 0x1a4c  [0x1042b1a4c]",
                "2489 ???  (in Shop)  load address 0x1042b0000 + 0x2a4c  [0x1042b2a4c]",
            ], key: ["at Shop + 0x1a4c", "at Shop + 0x2a4c"]),
        Form(
            testDescription: "atos",
            lines: [
                "closure #1 in Cart.load(from:) (in Shop) (Cart.swift:12)", "-[Order add:] (in Shop) + 52",
                "main (in Shop) (/Users/jane/main.m:8)", "0x1042b1a4c (in Shop) + 3",
                "-[UIView load] (in UIKitCore) + 52",
            ], key: ["at Cart.load(from:) in Shop", "at -[Order add:] in Shop", "at main in Shop"]),
        Form(
            testDescription: "gdb",
            lines: [
                "#0  shop::Cart::add (this=0x7ffe1, n=3, s=0x1 \"Jane\") at /home/jane/cart.cpp:12",
                "#1  0x0000555 in main (argc=1, argv=0x7f) at main.cpp:5",
                "#2  __libc_start_main () from /lib/x86_64-linux-gnu/libc.so.6",
                "#3  0x0000555555555085 in _start () from /lib/x86_64-linux-gnu/libc.so.6",
            ], key: ["at shop::Cart::add", "at main"]),
        Form(
            testDescription: "Valgrind",
            lines: [
                "==4232==    at 0x4843848: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)",
                "==4232==    by 0x4843850: operator new(unsigned long) (vg_replace_malloc.c:483)",
                "==4232==    by 0x109196: shop::Cart::add(Item const&) (cart.cpp:3)",
                "==4232==    by 0x1091AA: main (in /home/jane/shop)",
            ], key: ["at shop::Cart::add()", "at main in shop"]),
        Form(
            testDescription: "Android with a prefix of addresses",
            lines: [
                "#00 pc 0x0000000000012345  /data/app/~~AbC1==/com.acme-xYz==/lib/arm64/libshop.so (Cart::add()+24)",
                "#01 pc 0x12389  /data/app/~~AbC1==/com.acme-xYz==/lib/arm64/libshop.so (Cart::load()+24)",
            ], key: ["at Cart::add() in libshop", "at Cart::load() in libshop"]),
        Form(
            testDescription: "Android with a library in an APK",
            lines: [
                "#01 pc 00000000000a1b2c  /data/app/~~A==/com.acme-x==/base.apk!libshop.so (offset 0x2f000) "
                    + "(Cart::load(int)+24) (BuildId: 5e7b2f4488dd44be)",
                "#02 pc 00000000000a1b2c  /memfd:jit-cache (deleted) (com.acme.Cart.load+124)",
                "#03 pc 0000000000001234  [anon:dalvik-classes.dex extracted in memory from /data/app/base.apk] "
                    + "(com.acme.Home.load+124)",
                "#04 pc 0000000000001234  <anonymous:0000007f12345000>",
            ],
            key: [
                "at Cart::load() in libshop", "at com.acme.Cart.load in memfd:jit-cache",
                "at com.acme.Home.load",
            ]),
        Form(
            testDescription: "Android with a library in an APK, without names",
            lines: [
                "#01 pc 00000000000a1b2c  /data/app/~~A==/base.apk!libshop.so (offset 0x2f000) (BuildId: 5e7b2f4488dd44be)",
                "#02 pc 00000000000a1b30  /data/app/~~A==/base.apk!libshop.so (offset 0x2f000)",
                "#03 pc 0000000000001234  <anonymous:0000007f12345000>",
            ], key: ["at 5E7B2F4488DD44BE + 0xa1b2c", "at libshop + 0xa1b30"]),
        Form(
            testDescription: "sanitizer without names",
            lines: [
                "    #0 0x7fcb4f2b8c57 in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69",
                "    #1 0x560e4317118d  (/tmp/shop+0x118d)",
                "    #2 0x560e43171190  (/tmp/shop+0x1190) (BuildId: 5e7b2f4488dd44be)",
                "    #3 0x000104b1c0aa  (Shop:arm64+0x1000017b0)",
            ], key: ["at shop + 0x118d", "at 5E7B2F4488DD44BE + 0x1190", "at Shop + 0x17b0"]),
        Form(
            testDescription: "sanitizer on Macs with both processors",
            lines: [
                "#1 0x000104b1c0aa in Cart.load() (Shop:arm64+0x100003f4c)",
                "#2 0x000104b1c0aa in main+0x94 (Shop:x86_64h+0x100003f4c)",
            ], key: ["at Cart.load() in Shop", "at main in Shop"]),
        Form(
            testDescription: "Valgrind with its heading",
            lines: [
                "==13212== Memcheck, a memory error detector", "==13212== Copyright (C) 2002-2022",
                "==13212== Command: ./shop", "==13212== 4 bytes in 1 blocks are definitely lost",
                "==13212==    by 0x109196: load (cart.c:3)", "==13212==    by 0x1091AA: openCart (cart.c:9)",
            ], key: ["at load", "at openCart"]),
        Form(
            testDescription: "V8 with functions of its own between",
            lines: [
                "    at load (http://localhost/x.js:1:2)", "    at Promise.all (index 0)",
                "    at async Promise.any (index 12)", "    at async openCart (http://localhost/x.js:5:2)",
            ], key: ["at load", "at openCart"]),
        Form(
            testDescription: "Safari with functions of its own between",
            lines: [
                "load@http://localhost/x.js:1:2", "forEach@[native code]",
                "openCart@http://localhost/x.js:3:2",
            ], key: ["at load", "at openCart"]),
        Form(
            testDescription: "gdb without numbers",
            lines: [
                "0x00007f1234567890 in shop::Cart::add (this=0x7ffe1, n=3) at /home/jane/cart.cpp:12",
                "0x00007f1234567a90 in main () at main.cpp:5",
            ], key: ["at shop::Cart::add", "at main"]),
        Form(
            testDescription: "GCC's parts of functions",
            lines: [
                "1   Shop   0x0000000104f85eb0 cart_load.cold + 104",
                "2   Shop   0x0000000104f85fb0 cart_bind.constprop.0.cold + 24",
                "3   Shop   0x0000000104f86fb0 cart_add.isra.0.part.1 + 24",
            ], key: ["at cart_load in Shop", "at cart_bind in Shop", "at cart_add in Shop"]),
        Form(
            testDescription: "private functions without a module",
            lines: [
                "1   Shop   0x0000000104f85eb0 CartModel.(load in _0123456789ABCDEF0123456789ABCDEF)() + 104",
                "2   Shop   0x0000000104f85fb0 (Row in _0123456789ABCDEF0123456789ABCDEF).bind(to:) + 24",
            ], key: ["at CartModel.load() in Shop", "at Row.bind(to:) in Shop"]),
        Form(
            testDescription: "Go",
            lines: [
                "goroutine 7 [chan receive]:", "runtime.gopark(0xc00001, {0x2, 0x3})",
                "\t/usr/local/go/src/runtime/proc.go:398 +0x1d",
                "github.com/acme/shop/cart.(*Cart).Add(0xc000012345, {0xc0001, 0x1})",
                "\t/home/jane/shop/cart/cart.go:12 +0x1d", "main.main.func1.2()",
                "\t/home/jane/shop/main.go:8 +0x25",
                "created by main.start in goroutine 1", "\t/home/jane/shop/main.go:5 +0x3a",
            ], key: ["at (*Cart).Add in github.com/acme/shop/cart", "at main in main", "at start in main"]),
    ]

    @Test(arguments: forms)
    func `frames that a tool prints are read as a stack, alone or after a text`(form: Form) throws {
        let stack = try #require(CallStack(form.lines))
        #expect(stack.keyElements == form.key)
        let one = try #require(CallStack([form.lines.joined(separator: "\n")]))
        #expect(one.keyElements == form.key)
        let text = "`CartModel` was not released\n" + form.lines.joined(separator: "\n")
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.guessedClassName == "CartModel")
        if !form.testDescription.hasSuffix("names") { #expect(message.callStack?.keyElements == form.key) }
        let redacted = DetectorMessage.redacted(text)
        #expect(DetectorMessage.redacted(redacted) == redacted)
        #expect(
            DetectorMessage(redacted, guessesClass: true).callStack?.keyElements
                == message.callStack?.keyElements)
    }

    /// The text that a log writes before each line; `N` is a digit.
    static let logPrefixes = [
        "2026-11-24 10:33:00.123 ", "2026-11-24 10:33:00,123 ", "11-24 10:33:0N.123  1234  567N E Tag: ",
        "E/Tag( 123N): ",
        "2026-11-24 10:33:00.12N  1234-567N  Tag                     com.acme             D  ",
        "I/flutter ( 1234): ", "flutter: ", "Nov 24 10:33:0N host shop[123]: ", "web-1  | ",
        "2026-11-24T10:33:00.12345678NZ stdout F ", "2026-11-24T10:33:0N+0000 error com.acme.shop : [Shop] ",
        "2026-11-24 10:33:00.12345N+0100 0x1a2bN    Default     0x0                  1234   0    Shop: ",
        "2026-11-24 10:33:00.123+0100 Df Shop[1234:567N] [com.acme.shop:leaks] ", "[ERROR] ",
        "2026-11-24 10:33:00.12345N+0100 My Shop[1234:567N] ",
    ]
    private static let framesInLogs = [
        apple,
        [
            "0\t0x0000559e83f910dc [ra] [0] Shop Cart.load() + 6",
            "1\t0x0000559e83f920dc [ra] [0] Shop CartModel.bind() + 6",
        ],
        ["    at com.acme.Cart.load(Cart.java:3)", "    at com.acme.CartModel.bind(Cart.java:9)"],
        [
            "#0      Cart.load (package:shop/cart.dart:3:5)",
            "#1      CartModel.bind (package:shop/cart.dart:9:5)",
        ],
        [
            "#00 pc 0000000000012345  /data/app/lib/arm64/libshop.so (Cart::load()+24)",
            "#01 pc 0000000000012389  /data/app/lib/arm64/libshop.so (CartModel::bind()+24)",
        ],
        [
            "#0  0x0000555555555085 in Cart::load (n=3) at c.cc:5",
            "#1  0x0000555555555555 in CartModel::bind (n=3) at c.cc:9",
        ],
    ]

    @Test(arguments: logPrefixes)
    func `frames in the lines of a log are read like frames without the log, in a stack and in a text`(
        prefix: String
    ) throws {
        for frames in Self.framesInLogs {
            let lines = frames.enumerated().map { prefix.replacing("N", with: "\($0)") + $1 }
            let key = try #require(CallStack(frames)).keyElements
            #expect(key.count == 2)
            #expect(CallStack(lines)?.keyElements == key, "\(lines)")
            let message = DetectorMessage(
                "`CartModel` was not released\n" + lines.joined(separator: "\n"), guessesClass: true)
            #expect(message.callStack?.keyElements == key, "\(lines)")
            #expect(message.guessedClassName == "CartModel")
        }
    }

    @Test func `words before the first frame on its line are not a log prefix`() {
        let text = "CartModel leaked: " + Self.apple.joined(separator: "\n")
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.guessedClassName == "CartModel" && message.callStack?.keyElements == Self.appleKey)
        let redacted = DetectorMessage.redacted(text)
        #expect(DetectorMessage.redacted(redacted) == redacted)
        #expect(DetectorMessage(redacted, guessesClass: true).callStack?.keyElements == Self.appleKey)
    }

    @Test(arguments: [
        "Note: 3 apples at 0x1f", "Jane: at noon (room:1)", "Jane: at home.of(Jane)", "a | 3 of 0x12",
        "tasks: #1 call Jane (home:3)", "text = 'Jane: 3   Shop   0x0000000104f85eb0 x'",
        "see: com.acme.Cart.load(Cart.java:12)", "com.acme.Cart.load(Jane)", "Cart.load(Cart.java:12)",
    ])
    func `a sentence that resembles a frame after a separator is not read as a frame`(line: String) {
        #expect(CallFrame(line) == nil)
    }

    @Test func `a line of 4 KiB of separators is read in the time of any other line`() {
        for part in [": 1 ", "| # ", "] a", "  0", " F 3 ", ": 1 0x", ": at a(", ": 1 S 0x00000000z "] {
            let line = String(repeating: part, count: FrameReader.lineByteLimit / part.utf8.count)
            let duration = ContinuousClock().measure { for _ in 0..<20 { _ = CallFrame(line) } }
            #expect(duration < .seconds(2), "\(part): \(duration)")
        }
    }

    @Test(arguments: [", ", " | ", "; ", ",", "   "])
    func `frames on one line are read like frames on several lines`(separator: String) {
        let text = "`CartModel` was not released: " + Self.apple.joined(separator: separator)
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.callStack?.keyElements == Self.appleKey && message.guessedClassName == "CartModel")
        let redacted = DetectorMessage.redacted(text)
        #expect(DetectorMessage.redacted(redacted) == redacted)
        #expect(DetectorMessage(redacted, guessesClass: true).callStack?.keyElements == Self.appleKey)
        #expect(
            DetectorMessage(Self.apple.joined(separator: separator)).callStack?.keyElements == Self.appleKey)
    }

    @Test(arguments: [
        "2 Shop 0x0000000104f85eb0 Cart.load() + 104, 2 Shop 0x0000000104f85eb0 Cart.load() + 104",
        "1 Shop 0x0000000104f85eb0 Cart.load() + 104, 3 Shop 0x0000000104f85eb0 Cart.load() + 104",
        "1 Shop 0x10 Cart.load() + 104, 2 Shop 0x20 Cart.load() + 104",
        "1 Shop 0x0000000104f85eb0 Cart.load() + 2 Shop 0x0000000104f85eb0 Cart.load() + 104",
        "`CartModel` was not released after 1 Shop 0x0000000104f85eb0, 2 Shops",
    ])
    func `numbers and addresses that only resemble frames on one line are not read as frames`(text: String) {
        #expect(DetectorMessage(text).callStack == nil)
    }

    @Test(arguments: ["```\n", "```swift\n", "Call stack:\n```\n"])
    func `a Markdown code fence around frames is not part of the text`(fence: String) {
        let plain = DetectorMessage(
            "`CartModel` was not released\n" + Self.apple.joined(separator: "\n"), guessesClass: true)
        let fenced = DetectorMessage(
            "`CartModel` was not released\n" + fence + Self.apple.joined(separator: "\n") + "\n```",
            guessesClass: true)
        #expect(
            fenced.callStack?.keyElements == Self.appleKey && plain.callStack?.keyElements == Self.appleKey)
        #expect(fenced.guessedClassName == "CartModel" && fenced.maskedText == plain.maskedText)
    }

    @Test(arguments: [
        (
            "std::function<void (int)>::operator()(int) const (this=0x7ffe, n=5)",
            "std::function::operator()()"
        ),
        ("shop::(anonymous namespace)::load (n=5)", "shop::(anonymous namespace)::load"),
        ("(anonymous namespace)::load (n=5)", "(anonymous namespace)::load"),
        (
            "std::map<int, (anonymous namespace)::Cart>::at (this=0x1)",
            "std::map::at"
        ),
        ("shop::operator<< (out=..., cart=...)", "shop::operator<<"),
        ("shop::operator< (a=..., b=...)", "shop::operator<"),
        ("shop::Cart::operator() (this=0x1)", "shop::Cart::operator()"),
        ("shop::Cart::operator->() const (this=0x1)", "shop::Cart::operator->()"),
        ("run(void (*)(int)) (call=0x1)", "run()"), ("main ()", "main"),
    ])
    func `brackets in types and operators are not read as the arguments that gdb prints`(
        call: String, function: String
    ) {
        #expect(CallFrame("#1  0x0000555 in \(call) at cart.cpp:12")?.function == function)
    }

    @Test(arguments: [
        ("main.glob..func1", "glob..func1"), ("main.glob..func2.1", "closure in glob..func2"),
        ("main.init.func1", "closure in init"),
        ("main.Map[...]", "Map"), ("main.Map[...].func1", "closure in Map"),
        ("main.(*List[...]).Push", "(*List).Push"),
        ("main.(*Cart).Add-fm", "(*Cart).Add"), ("main.load-range1", "closure in load"),
        ("main.load.func1-range2", "closure in load"), ("main.load.gowrap1", "closure in load"),
    ])
    func `Go closures, wrappers and generic functions have the name of the function in the source`(
        call: String, function: String
    ) {
        let frame = CallFrame("\(call)(0xc0001, {0x2, 0x3}) /home/jane/shop/main.go:12 +0x1d")
        #expect(frame?.function == function && frame?.module == "main")
    }

    @Test(arguments: [
        "#1 (x=1) at a.c:1", "#1 load(x=1) at a.c:1", "#1 f<void (int)>::g at a.c:1",
        "CartModel (in Shop)", "leaked (in Shop) here", "main.main()", "Cart.load() at noon",
        "Cart.swift:19 viewDidLoad()", "10.0.0.1:443 open(retry)", "CartModel(id: 5) @ 0x6000012340",
        "2 items (in cart)",
        "+ 2 items", "see cart.go:12", "#1 leak at cart", "load (x) at home", "a (in Shop) (yes)",
        "in (in ) + 3", "leaked (Cart.swift:95)", "CartModel leaked (Cart.swift:95)",
        "Cart.swift:19 was leaked",
        "Cart.swift:19 leaked (twice)", "see you @ 0x10", "Jane (Doe) (x:1)", "10:33:00 CartModel leaked",
        "[10:33:00] 3 items", "10:33:00.5 Cart.load()", "1() (a.b:1)",
    ])
    func `lines that only resemble frames are not read as frames`(line: String) {
        #expect(CallFrame(line) == nil)
    }

    /// llvm-symbolizer, which sanitizers call, names lambdas between quotes.
    @Test func `the quotes in the name of a C++ lambda are not a quotation`() {
        let text =
            "leaked `CartModel`\n#0 0x1f in foo(int)::'lambda'()::operator()() const /x/a.cpp:3:9\n"
            + "#1 0x2f in bar() /x/b.cpp:8:1\n#2 0x3f in shop::load()::'lambda0'(int)::operator()(int) const /x/a.cpp:5:9"
        let message = DetectorMessage(text, guessesClass: true)
        #expect(message.callStack?.keyElements == ["at foo()", "at bar()", "at shop::load()"])
        #expect(DetectorMessage.redacted(text) == text)
        for typed in ["label::'lambda' Jane'(x)", "label '::'lambda'(Jane)'", "'a::'lambda0'(' Jane'"] {
            #expect(!DetectorMessage.redacted("leaked " + typed).contains("Jane"))
        }
    }

    // MARK: Several threads

    private static let waiting = [
        "0   Shop   0x0000000102b14728 main + 64", "1   Shop   0x0000000102b14729 Loop.wait() + 64",
    ]
    private static let crashed = [
        "0   Shop   0x0000000102b14738 Cart.load() + 120", "1   Shop   0x0000000102b14739 Cart.open() + 6",
    ]

    /// Stacks of Apple's crash reports, of Swift 6's crash reports, and of lldb.
    @Test(arguments: [
        ("Thread 0:", "Thread 5 Crashed:"), ("Thread 0:", "Thread 5 Crashed:: Dispatch queue: loader"),
        (
            "Thread 0 name:  Dispatch queue: com.apple.main-thread\nThread 0:",
            "Thread 5 name: loader\nThread 5 Crashed:"
        ),
        ("Thread 0:", "Thread 5 crashed:"), ("Thread 0:", "Thread 5 \"loader\" crashed:"),
        ("  thread #1, queue = 'com.apple.main-thread'", "* thread #5, stop reason = breakpoint 1.1"),
    ])
    func `if a text has several threads, its call stack is that of the crashed thread`(
        first: String, second: String
    ) throws {
        let threads = [first] + Self.waiting + [second] + Self.crashed + ["Thread 6:"] + Self.waiting
        let key = ["at Cart.load() in Shop", "at Cart.open() in Shop"]
        #expect(CallStack(threads)?.keyElements == key)
        #expect(CallStack([threads.joined(separator: "\n")])?.keyElements == key)
        #expect(CallStack([second] + Self.crashed + [first] + Self.waiting)?.keyElements == key)
        for head in ["`CartModel` leaked\n", ""] {
            let text =
                head + threads.joined(separator: "\n")
                + "\n\nThread 5 crashed with ARM Thread State (64-bit):\n x0: 0x1"
            let message = DetectorMessage(text, guessesClass: true)
            #expect(message.callStack?.keyElements == key)
            #expect(message.guessedClassName == (head.isEmpty ? nil : "CartModel"))
            let redacted = DetectorMessage.redacted(text)
            #expect(DetectorMessage.redacted(redacted) == redacted)
            #expect(DetectorMessage(redacted, guessesClass: true).isSameLeak(as: message))
        }
    }

    @Test(arguments: [
        "Thread 5:", "Thread 5 crashed with ARM Thread State (64-bit):", "Thread Crashed:",
        "the thread 5 Crashed:",
        "Thread 5 Crashed", "Thread 5 uncrashed:",
    ])
    func `without a crash heading, the call stack is that of the first thread`(heading: String) {
        let text = "Thread 0:\n" + (Self.waiting + [heading] + Self.crashed).joined(separator: "\n")
        #expect(
            DetectorMessage(text).callStack?.keyElements == ["at main in Shop", "at Loop.wait() in Shop"])
    }

    @Test func `long function and image names that differ only at their end are different frames`() throws {
        let long = String(repeating: "a", count: 600)
        let lines = ["1", "2"].flatMap { ["\(long)\($0) (in Shop) + 1", "load (in \(long)\($0)) + 1"] }
        let frames = try lines.map { try #require(CallFrame($0)) }
        #expect(Set(frames).count == 4)
        #expect(
            frames.allSatisfy { ($0.function?.utf8.count ?? 0) <= 512 && ($0.module?.utf8.count ?? 0) <= 128 }
        )
        // Addresses in a name change from launch to launch.
        let launches = try ["1f", "2e3"].map { try #require(CallFrame("\(long) 0x\($0) (in Shop) + 1")) }
        #expect(launches[0] == launches[1])
    }

    @Test func `a backtrace after the description of an object is read`() {
        let frames = "\n0   Shop   0x0000000104f85eb0 main + 1\n1   Shop   0x0000000104f85ec0 Cart.load() + 1"
        for head in [
            "leaked <Shop.CartView: 0x1f; frame = (0 0; 1 1); layer = <CALayer: 0x2f>>",
            "leaked <Shop.CartView: 0x1f; opaque = NO; layer = <CALayer: 0x2f>>\nCall stack:",
        ] {
            let message = DetectorMessage(head + frames)
            #expect(message.className == "Shop.CartView")
            #expect(message.callStack?.keyElements == ["at main in Shop", "at Cart.load() in Shop"])
            let redacted = DetectorMessage.redacted(head + frames)
            #expect(DetectorMessage.redacted(redacted) == redacted)
            #expect(DetectorMessage(redacted) == message)
        }
    }

    @Test(arguments: [
        "leaked <Shop.Field: 0x1f; text = 'FRAMES'>", "leaked <Shop.Field: 0x1f; text = 'FRAMES",
        "leaked <Shop.Field: 0x1f; text = \"a>FRAMES\nmore\">",
        "leaked <Shop.Field: 0x1f; text = 'it's>FRAMES",
        "leaked <Shop.Field: 0x1f; layer = <CALayer: 0x2f>FRAMES",
        "<Shop.Cart: 0x2f> keeps <Shop.Field: 0x1f; text = ''; placeholder = a: 0x1f>FRAMES>",
        "leaked <Shop.Field: 0x1f; frame = (0 0; 1 1); text = 'a'; layer = <CALayer: 0x2f>>FRAMES",
        "leaked <Shop.Field: 0x1f a; frame = (0 0; 1 1)>FRAMES",
    ])
    func `frames that a user may have typed are not kept`(text: String) {
        let typed = "\n0   Shop   0x0000000104f85eb0 Jane + 1\n1   Shop   0x0000000104f85ec0 Jane + 1"
        #expect(!DetectorMessage.redacted(text.replacing("FRAMES", with: typed)).contains("Jane"))
    }
}
