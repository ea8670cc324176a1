import LeakMessage
import Testing

@testable import LeakGrammar

/// Backtraces of Swift 6.3 on Linux: `Backtrace.capture()` of the module `Runtime`, and those of the crash handler. Also similar
/// frames, such as those of gdb.
@Suite struct SwiftBacktraceTests {
    /// Returns the description of a backtrace whose images lie at other addresses in each launch.
    private static func description(slide: UInt64, function: UInt64 = 0x17b0) -> [String] {
        func hexadecimal(_ number: UInt64) -> String {
            let digits = String(number, radix: 16)
            return "0x" + String(repeating: "0", count: 16 - digits.count) + digits
        }
        let (app, library) = (0x55d0_6884_7000 + slide, 0x7f70_67c0_0000 - slide)
        return [
            "Architecture: x86_64", "",
            "0\t\(hexadecimal(app + function)) [ra]", "1\t\(hexadecimal(library + 0x500)) [ra]",
            "2\t\(hexadecimal(app + 0x1e80)) [ra]", "3\t...", "", "Images:", "",
            "0\t\(hexadecimal(app))-\(hexadecimal(app + 0x23c0)) 5e7b2f4488dd44be3112ae61d2234ca069553228 b /srv/my app/b",
            "1\t\(hexadecimal(library))-\(hexadecimal(library + 0x9000)) b521f25fdeacf504eca83d97c7308e8fc11be729 "
                + "libswiftCore.so /opt/swift/usr/lib/swift/linux/libswiftCore.so",
        ]
    }

    @Test func `a backtrace without function names gives image offsets that are the same in each launch`()
        throws
    {
        let keys = try (0..<20).map { launch in
            try #require(CallStack(Self.description(slide: UInt64(launch) << 12))).keyElements
        }
        let id = "5E7B2F4488DD44BE3112AE61D2234CA069553228"
        // The innermost offset is that of the call, one byte before the return address.
        #expect(Set(keys) == [["at \(id) + 0x17af", "at \(id) + 0x1e80"]])
        let other = try #require(CallStack(Self.description(slide: 0, function: 0x15e4)))
        #expect(other.keyElements == ["at \(id) + 0x15e3", "at \(id) + 0x1e80"])
    }

    @Test func `symbols name a backtrace without names at the calls, not at the return addresses`() throws {
        let stack = try #require(CallStack(Self.description(slide: 0)))
        var offsets: [UInt64] = []
        _ = stack.named { _, location in
            if case .offset(let offset) = location { offsets.append(offset) }
            return []
        }
        #expect(offsets == [0x17af, 0x4ff, 0x1e7f])
    }

    @Test func `the list of images of a backtrace has no frames`() throws {
        let named = [
            "0\t0x000055d0688487b0 [ra] [0] b CartModel.load() + 415 at /tmp/sw/b.swift:3:25",
            "1\t0x000055d0688485e4 [ra] [12] libKit.so closure #1 in viaKit(_:) + 35",
            "2\t0x00007f7067c00500 [ra] [9] libswiftCore.so _swift_release_dealloc + 35",
            "3\t0x000055d068848e80 [ra] [0] b main + 31 at /tmp/sw/b.swift:7:43",
        ]
        let stack = try #require(CallStack(named + Self.description(slide: 0).suffix(4)))
        #expect(stack.frames.map(\.module) == ["b", "libKit.so", "libswiftCore.so", "b"])
        #expect(stack.keyElements == ["at CartModel.load() in b", "at viaKit(_:) in libKit", "at main in b"])
        #expect(stack.frames.map(\.line) == [3, nil, nil, 7])
    }

    @Test func `frames of a crash printed at a terminal are read, even with source code between them`() throws
    {
        let text = """
            CartModel leaked

            2 0x00007f9fbefa2f65 specialized Array.subscript.getter + 84 in libswiftSwiftOnoneSupport.so
            3 CartModel.load(_:) + 74 in t at /tmp/attack/sw/t.swift:1:70

            *   1| final class CartModel { func load(_ all: [Int]) { print(all[7]) } }
                 |                                                              ^
            4 bind() + 86 in t at /tmp/attack/sw/t.swift:2:42

                1| final class CartModel {}
            *   2| func bind() { CartModel().load([]) }
                 |                           ^
            5 [inlined] [system] main in t at /<compiler-generated>
            """
        let backtrace = try #require(Backtrace(Text(text)))
        #expect(
            backtrace.stack.frames.map(\.function)
                == ["Array.subscript.getter", "CartModel.load(_:)", "bind()"])
        #expect(backtrace.head.string == "CartModel leaked")
    }

    @Test(arguments: [
        "3 leaks in Shop at /tmp/a.txt:1", "3 CartModel.load() in Shop",
        "3 CartModel.load() + 74 at /tmp/t.swift:1:70",
        "3 CartModel.load() in my shop at /tmp/t.swift:1:70",
    ])
    func
        `a numbered text without an address is no frame unless it has a function, an image and a source location`(
            text: String
        )
    {
        #expect(CallFrame(text) == nil)
    }

    @Test func `an image whose name has spaces is the image of its frames`() throws {
        let lines = [
            "0\t0x000055d0688487b0 [ra] [0] my app CartModel.load(_:) + 627 at /srv/b.swift:3:25",
            "1\t0x000055d068848e80 [ra] [0] my app <unknown>",
        ]
        let image = "0\t0x000055d068847000-0x000055d0688493c0 5e7b2f4488dd44be3112 my app /srv/my app"
        let stack = try #require(CallStack(lines + ["", "Images:", "", image]))
        #expect(stack.keyElements == ["at CartModel.load(_:) in my app"])
        #expect(stack.frames.map(\.line) == [3, nil] && stack.frames.map(\.offset) == [nil, 0x1e80])
        #expect(try #require(CallStack([lines[1], lines[1]])).frames.map(\.module) == ["my app", "my app"])
        let crash = "3 CartModel.load(_:) + 74 in my app at /tmp/t.swift:1:70"
        #expect(CallStack([crash, crash])?.keyElements == ["at CartModel.load(_:) in my app"])
    }

    @Test(arguments: ["0\t0x000055d0688487b0 [ra] [0] b <unknown>", "0\t0x000055d0688487b0 [ra]"])
    func `a frame without a function name is named by image name and offset if the image has no build id`(
        frame: String
    ) throws {
        let images = ["Images:", "", "0\t0x000055d068847000-0x000055d0688493c0 <no build ID> b /srv/b"]
        let stack = try #require(CallStack(["Architecture: x86_64", "", frame, ""] + images))
        #expect(stack.keyElements == ["at b + 0x17af"])
    }

    @Test func `the frames of a backtrace are read even if the list of images after them was cut`() throws {
        for slide: UInt64 in [0, 0x3000] {
            let whole = Self.description(slide: slide)
            let list = whole.dropLast()
            for cutLine in [
                "1\t0x00007faf3f600000-0x00007faf3f7995c9 289ee39f8c07b", "1\t0x00007faf3f600000-0x0000",
                "1\t0x0000", "1",
            ] {
                let stack = try #require(
                    CallStack(list + [cutLine, "3   Kit   0x0000000104f85eb0 Kit.run() + 8"]))
                #expect(stack.keyElements == ["at Kit.run() in Kit"], "\(cutLine)")
                let offsets = try #require(CallStack(list + [cutLine]))
                #expect(
                    offsets.keyElements.first == "at 5E7B2F4488DD44BE3112AE61D2234CA069553228 + 0x17af",
                    "\(cutLine)")
            }
        }
    }

    @Test
    func `an asynchronous frame is looked up at its own offset, and a return address at the byte before`()
        throws
    {
        let lines = [
            "1\t0x000055d0688487b0 [ra]", "2\t0x000055d0688488b0 [async]", "3\t0x000055d0688489b0",
            "Images:", "0\t0x000055d068847000-0x000055d0688493c0 5e7b2f4488dd44be3112 b /srv/b",
        ]
        var offsets: [UInt64] = []
        _ = try #require(CallStack(lines)).named { _, location in
            if case .offset(let offset) = location { offsets.append(offset) }
            return []
        }
        #expect(offsets == [0x17af, 0x18b0, 0x19b0])
    }

    @Test(arguments: [
        ("3 0x0000000104b1c0aa look at me(x:) + 20 in Shop at /Users/jane/x.swift:3:4", "look at me(x:)"),
        (
            "3 0x0000000104b1c0aa (unknown context at $10004ab8c).Cart.load() + 20 in Shop at /x.swift:3:4",
            "Cart.load()"
        ),
        ("frame #2: 0x0000000104b1c0aa Shop`Cart.load() at /Users/Jane at home/x.swift:3:4", "Cart.load()"),
        ("#1 0x00007ff6 in Cart::load C:\\Users\\Jane Doe\\cart.cpp:12:3", "Cart::load"),
        ("3   /Users/jane/build/Shop   0x0000000104b1c0aa Cart.load() + 20", "Cart.load()"),
        ("frame #2: 0x0000000104b1c0aa ~/build/Shop`Cart.load() + 20", "Cart.load()"),
        ("3   Shop   0x0000000104b1c0aa /Users/jane/x/Cart.swift:7", nil),
        ("3   Shop   0x0000000104b1c0aa 0x104b1c0aa", nil),
        ("at Object./Users/jane/app/index.js (/Users/jane/app/index.js:3:4)", "Object.index.js"),
        (#"{"module":"file:///Users/jane/Shop","function":"load"}"#, "load"),
        ("3 Shop 0x0000000104b1c0aa load in /Users/jane/x.swift:3:4", "load in x.swift"),
        ("3 Shop 0x0000000104b1c0aa load in /var/home/jane/shop/cart.c:3 + 4", "load in cart.c"),
        ("3 Shop 0x0000000104b1c0aa load in /Users/jane", "load in"),
        ("at Object../src/home/cart.js (main.js:1:2)", "Object../src/home/cart.js"),
        (#"3   \\srv\jane\Shop   0x0000000104b1c0aa load + 20"#, "load"),
    ])
    func `the function and the module of a frame contain neither a path nor an address`(
        line: String, function: String?
    )
        throws
    {
        let frame = try #require(CallFrame(line))
        #expect(frame.function == function)
        #expect(frame.module ?? "Shop" == "Shop")
    }

    @Test(arguments: [
        "2026-11-24 10:33:00.1 Shop[1:2] ", "[10:33:00.123] ", "2026-11-24T10:33:00.123Z ", "> ",
        "2026-11-24 10:33:00.123 ", "11-24 10:33:00.123  1234  5678 E Tag: ", "E/Tag( 1234): ",
        "Nov 24 10:33:00 host shop[123]: ", "web-1  | ", "2026-11-24T10:33:00.123Z stdout F ", "[ERROR] ",
        "flutter: ", "2026-11-24 10:33:00.123+0100 Df Shop[1234:5678] [com.acme.shop:leaks] ",
    ])
    func `a backtrace in the lines of a log gives offsets, and its list of images is not part of the text`(
        prefix: String
    ) throws {
        let lines = Self.description(slide: 0).map { prefix + $0 }
        let id = "5E7B2F4488DD44BE3112AE61D2234CA069553228"
        let stack = try #require(CallStack(lines))
        #expect(stack.keyElements == ["at \(id) + 0x17af", "at \(id) + 0x1e80"])
        #expect(!DetectorMessage(lines.joined(separator: "\n")).maskedText.contains("libswiftCore"))
    }

    @Test(arguments: [
        (
            "protocol witness for Loader.load() in conformance CartModel", "CartModel.load()"
        ),
        (
            "protocol witness for Shop.Loader.load() -> () in conformance Shop.CartModel : Shop.Loader in Shop",
            "CartModel.load()"
        ),
        (
            "protocol witness for Loader.items.getter in conformance Store<A>", "Store.items.getter"
        ),
        (
            "protocol witness for static Equatable.== infix(_:_:) in conformance CartModel",
            "static CartModel.== infix(_:_:)"
        ),
        (
            "specialized protocol witness for Loader.load() in conformance CartModel", "CartModel.load()"
        ),
        ("CartModel.__allocating_init()", "CartModel.init()"),
        ("Shop.CartModel.__allocating_init(id: Swift.Int) -> Shop.CartModel", "CartModel.init(id:)"),
        ("closure #1 in CartModel.__allocating_init(id:)", "closure #1 in CartModel.init(id:)"),
        (
            "closure #1 () -> Shop.Login in closure #1 () -> () in Shop.Cart.bind() -> ()",
            "closure #1 in closure #1 in Cart.bind()"
        ),
    ])
    func `a witness is the method of its type, an allocating initializer is init, and a closure has no type`(
        symbol: String, function: String
    ) {
        #expect(CallFrame("3   Shop   0x0000000104b1c0aa \(symbol) + 20")?.function == function)
    }

    @Test(arguments: ["10:33:00.123 X ERROR Leaks.check():12 - ", "(1234) "])
    func `a frame is read after the words of a log that end with a hyphen or a bracket`(words: String) {
        let frame = CallFrame(words + "0   Shop   0x00000001023bcd8a load() + 282")
        #expect(frame?.function == "load()" && frame?.module == "Shop")
    }

    @Test func `omitted frames do not end the call stack of a text`() {
        let frames = [
            "0\t0x0000559e83f910dc [ra] [0] c CartModel.load() + 6", "1\t...",
            "7\t0x0000559e83f910dc [ra] [0] c openCart() + 6",
        ]
        let message = DetectorMessage("CartModel leaked\n" + frames.joined(separator: "\n"))
        #expect(message.callStack?.keyElements == ["at CartModel.load() in c", "at openCart() in c"])
    }

    @Test func `each of two backtraces has its own images`() throws {
        let first = Self.description(slide: 0)
        let second = Self.description(slide: 0x5000, function: 0x15e4)
        let stack = try #require(CallStack(first + ["Thread 1:"] + second))
        #expect(stack.frames.compactMap(\.offset) == [0x17af, 0x500, 0x1e80, 0x15e3, 0x500, 0x1e80])
    }

    @Test func `an image whose name contains the word in is the image of its frames`() throws {
        let frame = "0\t0x000055d0688487b0 [ra] [0] made in app closure #1 in Cart.load() + 3"
        let image =
            "0\t0x000055d068847000-0x000055d0688493c0 5e7b2f4488dd44be3112 made in app /srv/made in app"
        let stack = try #require(CallStack([frame, "Images:", image]))
        #expect(stack.keyElements == ["at Cart.load() in made in app"])
    }

    @Test(arguments: ["b.exe C:\\Users\\Jane\\b.exe", "b /srv/b"])
    func `an image on Windows and an image with a short id give offsets`(nameAndPath: String) throws {
        let images = [
            "Images (2 omitted):", "0\t0x000055d068847000-0x000055d0688493c0 5e7b2f4 \(nameAndPath)",
        ]
        let stack = try #require(CallStack(["0\t0x000055d0688487b0 [ra]"] + images))
        #expect(stack.frames.map(\.offset) == [0x17af])
    }

    @Test(arguments: [
        ("KonanCart()", false), ("ThrowCartException", false), ("Konan_main", true),
        ("ThrowTypeCastException", true), ("ThrowOutOfMemoryError", true),
    ])
    func `in an image of the app, only functions of Kotlin's runtime count as functions of the system`(
        function: String, isSystem: Bool
    ) {
        #expect(CallFrame("3   Shop   0x0000000104b1c0aa \(function) + 20")?.isSystem == isSystem)
    }

    @Test(arguments: ["[ra", "[0", "CartModel.load(_:) +", "-0", "<unk"])
    func `the end of a line that was cut is no part of a function's name`(columns: String) {
        let function = CallFrame("3\t0x0000559e83f910dc \(columns)")?.function
        #expect(function == (columns.hasPrefix("Cart") ? "CartModel.load(_:)" : nil))
    }

    @Test(arguments: ["", "-", "--------", "0", "12", "00000000-0000-0000-0000-000000000000"])
    func `an id without digits or of zeros only is no image id`(id: String) {
        let json = #"{"package":"Shop","debug_id":"\#(id)","imageOffset":"0x1234"}"#
        #expect(CallFrame(json)?.imageID == nil && CallFrame(json)?.module == "Shop")
        #expect(CallFrame("0x1234 in Shop (\(id))")?.imageID == nil)
    }

    @Test(arguments: [
        ("0x0000000000401136 in openCart ()", "openCart"), ("#1  0x00007f1234567890 in load ()", "load"),
        ("#9  0x0000000000000001 in ?? ()", nil), ("0x401136 in ?? ()", nil),
    ])
    func `gdb's frames without a source location have a function, if gdb knows it`(
        line: String, function: String?
    ) {
        #expect(CallFrame(line)?.function == function)
        #expect(CallFrame(line)?.module == nil)
    }

    @Test func `a list of images without frames is a call stack without frames, and not a path of owners`() {
        let stack = CallStack(["Architecture: x86_64", ""] + Self.description(slide: 0).suffix(4))
        #expect(stack?.frames == [])
    }

    @Test func `a backtrace with names gives the same functions in each launch, and leaves no other text`()
        throws
    {
        for slide: UInt64 in [0, 0x3000] {
            let description = Self.description(slide: slide)
            let named =
                "0\t0x000055d0688487b0 [ra] [\(slide % 7)] b CartModel.load() + 415 at /tmp/b.swift:3:25"
            let second = "1\t0x000055d0688487b0 [ra] [\(slide % 5)] b main + 41 at /tmp/b.swift:9:5"
            let text = (["Architecture: x86_64", "", named, second] + description.suffix(4)).joined(
                separator: "\n")
            let message = DetectorMessage(text, guessesClass: true)
            #expect(message.callStack?.keyElements == ["at CartModel.load() in b", "at main in b"])
            #expect(message.maskedText.isEmpty)
            let redacted = DetectorMessage.redacted(text)
            #expect(!redacted.contains("/srv") && DetectorMessage.redacted(redacted) == redacted)
            #expect(DetectorMessage(redacted).callStack?.keyElements == message.callStack?.keyElements)
            let sentence = DetectorMessage(text + "\nCartModel leaked", guessesClass: true)
            #expect(sentence.guessedClassName == "CartModel")
        }
    }

    @Test(arguments: [
        "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00", "6F1B0C3E7B7B3D8C9E0D0D1C6B6A1F00",
        "6f1b0c3e7b7b3d8c9e0d0d1c6b6a1f00",
    ])
    func `the UUID of an image is the same with and without hyphens and in small letters`(id: String) {
        #expect(CallFrame("0x41b9 in Shop (\(id))")?.imageID == "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00")
    }

    @Test func `an image id that is no UUID stays as it is, and a text without digits is no id`() throws {
        let withAge = "6f1b0c3e-7b7b-3d8c-9e0d-0d1c6b6a1f00-1a"
        #expect(CallFrame("0x41b9 in Shop (\(withAge))")?.imageID == withAge.uppercased())
        #expect(CallFrame("0x41b9 in Shop (--------)")?.imageID == nil)
        let json = #"{"package":"Shop","debug_id":"6f1b0c3e7b7b3d8c9e0d0d1c6b6a1f00","imageOffset":"0x1234"}"#
        #expect(CallFrame(json)?.imageID == "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00")
    }
}
