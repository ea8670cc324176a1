import LeakGrammar
import LeakMessage
import LeakSentry
import Testing

@Suite struct FrameTests {
    private func stack(_ frames: String, images: String = "") throws -> [String] {
        try ReadSubmission(
            event: """
                {"exception":{"values":[{"type":"E","stacktrace":{"frames":[\(frames)]}}]},
                "debug_meta":{"images":[\(images)]}}
                """
        ).report.stack
    }

    /// Returns the modules and functions of a stack, the innermost first.
    private func calls(_ frames: String, images: String = "") throws -> [String] {
        try stack(frames, images: images).map { element in
            let frame = try #require(CallFrame(element))
            return [frame.module, frame.function].compactMap(\.self).joined(separator: ".")
        }
    }

    @Test func `calls of an event are frames with module and function, the innermost first`() throws {
        let frames = """
            {"function":"main","module":"shop.app"},{"function":"pay"},{"module":"alone"},{"function":" "},null,7,
            {"function":["x"],"module":"shop"},{"function":"$s4Shop4CartC3payyyF","package":"/Shop.app/Shop"}
            """
        #expect(try calls(frames) == ["Shop.$s4Shop4CartC3payyyF", "pay", "shop.app.main"])
    }

    @Test func `a frame has the name of an image of the app, but the whole path of a system image`() throws {
        let stack = try stack(
            """
            {"function":"a","package":"/Users/jane/Library/Shop.app/Shop"},{"function":"b","package":"C:\\\\Users\\\\jane\\\\Shop.dll"},
            {"function":"c","package":"/usr/lib/libobjc.A.dylib"}
            """)
        #expect(!stack.contains { $0.contains("jane") } && stack.first?.contains("libobjc.A.dylib") == true)
        #expect(stack.compactMap { CallFrame($0) }.map(\.isSystem) == [true, false, false])
    }

    @Test(arguments: [
        "/opt/jane/Shop/Shop", "/usr/home/jane/Shop", "/usr/local/jane/Shop",
        "/System/Volumes/Data/Users/jane/Shop",
    ])
    func `a frame contains no home folder`(path: String) throws {
        let stack = try stack(#"{"function":"a","package":"\#(path)"}"#)
        #expect(!stack.joined().contains("jane"))
        #expect(
            stack.compactMap { CallFrame($0) }.map { [$0.module ?? "", "\($0.isSystem)"] } == [
                ["Shop", "false"]
            ])
    }

    @Test(arguments: [
        (#""module":"Shop.Cart","package":"Shop, Version=1.0.0.0, Culture=neutral""#, "Shop.Cart"),
        (#""package":"Shop, Version=1.0.0.0, Culture=neutral""#, "Shop"),
        (#""module":"Shop.Cart","package":"Shop""#, "Shop.Cart"),
        (#""module":"Shop.Cart","package":"/usr/lib/x""#, "Shop.Cart"),
    ])
    func `a function is named with its module, or else with its assembly without the version`(
        fields: String, module: String
    )
        throws
    {
        let stack = try stack("{\"function\":\"Pay\",\(fields)}")
        let frame = try #require(stack.first.flatMap { CallFrame($0) })
        #expect(frame.module == module && frame.function == "Pay")
        #expect(frame.isSystem == fields.contains("/usr/"))
        // A frame that a sender of the wire format sends is read in the same way.
        #expect(CallFrame("{\"function\":\"Pay\",\(fields)}")?.module == module)
    }

    @Test func `if a stack has frames of the app, only these are kept`() throws {
        let frames = """
            {"function":"start","in_app":false},{"function":"a","in_app":true},{"function":"b"},
            {"function":"c","in_app":true},{"function":"d","in_app":"true"}
            """
        #expect(try calls(frames) == ["c", "a"])
        #expect(try calls(#"{"function":"a","in_app":false},{"function":"b"}"#) == ["b", "a"])
    }

    @Test func `the innermost calls of a long stack are kept`() throws {
        let calls = try calls((0..<500).map { "{\"function\":\"f\($0)\"}" }.joined(separator: ","))
        #expect(calls.count == WireLimits.stackCount && calls.first == "f499" && calls.last == "f372")
    }

    @Test func `a frame without a function keeps its image offset, and a long function name is truncated`()
        throws
    {
        let long = String(repeating: "é", count: 300)
        let frames = """
            {"function":"\(long)","module":"\(long)"},{"function":"f"},{"instruction_addr":"0x104f1d234"}
            """
        let stack = try stack(frames, images: Self.image)
        #expect(stack.allSatisfy { $0.utf8.count <= WireLimits.elementBytes })
        let read = try #require(CallStack(stack)).frames
        #expect(read.map(\.function?.count) == [nil, 1, read[2].function?.count])
        #expect(
            read[0].offset == 4660 && read[0].module == "Shop" && read[2].function?.hasPrefix("éé") == true)
    }

    @Test(arguments: ["Shop.", "/a/", ""])
    func `long function and module names that differ only at their end are different frames`(start: String)
        throws
    {
        let long = start + String(repeating: "é", count: 300)
        func frame(_ function: String, _ module: String) throws -> CallFrame {
            let frame = "{\"function\":\"\(function)\",\"module\":\"\(module)\",\"package\":\"\(long)\"}"
            let stack = try stack(frame)
            #expect(stack.count == 1 && stack[0].utf8.count <= WireLimits.elementBytes)
            return try #require(CallFrame(stack[0]))
        }
        let frames = try [
            frame(long + "1", long), frame(long + "2", long), frame(long, long + "1"),
            frame(long, long + "2"),
        ]
        #expect(Set(frames).count == 4 && frames[0].function?.hasPrefix(start) == true)
    }

    @Test func `a long function is named without the types of its arguments`() throws {
        let types = (0..<40).map { "a\($0): Shop.Item<Swift.Int>" }.joined(separator: ", ")
        let function = "Shop.Cart.load(\(types)) -> Shop.Item"
        let labels = (0..<40).map { "a\($0):" }.joined()
        let stack = try stack("{\"function\":\"\(function)\"}")
        #expect(stack.compactMap { CallFrame($0)?.function } == ["Cart.load(\(labels))"])
    }

    private static let image =
        #"{"image_addr":"0x104f1c000","image_size":65536,"code_file":"/var/X/Shop.app/Shop"}"#

    @Test(arguments: [
        (
            #"{"instruction_addr":"0x104f1d234","image_addr":"0x104f1c000","package":"/a/Shop.app/Shop"}"#,
            "Shop + 4660"
        ),
        (#"{"instruction_addr":"0x0000000104f1d234"}"#, "Shop + 4660"),
        (#"{"instruction_addr":4377924148}"#, "Shop + 4660"),
        (#"{"instruction_addr":"4377924148","function":"<redacted>"}"#, "Shop + 4660"),
        (#"{"instruction_addr":"0x104f1d234","package":"C:\\x\\Shop Beta"}"#, "Shop Beta + 4660"),
        (
            #"{"instruction_addr":"0x20","image_addr":"0x10","package":"/usr/lib/libobjc.A.dylib"}"#,
            "libobjc_A + 16"
        ),
        (#"{"instruction_addr":"0x104f2c000"}"#, nil), (#"{"instruction_addr":"0x104f1bfff"}"#, nil),
        (#"{"instruction_addr":"0x10","image_addr":"0x20","package":"/a"}"#, nil),
        (#"{"instruction_addr":"0x10","image_addr":"0x10"}"#, nil),
        (#"{"instruction_addr":"0x10","package":"/a"}"#, nil),
        (#"{"instruction_addr":"0x10","image_addr":"0x10","package":"//"}"#, nil),
        (#"{"instruction_addr":"x","package":"/a/b"}"#, nil), (#"{"package":"/a/b"}"#, nil),
    ])
    func `a frame without a function name is named by its offset in its image, or left out without an image`(
        frame: String, name: String?
    ) throws {
        #expect(try stack(frame, images: Self.image) == [name].compactMap(\.self))
    }

    @Test func `the image of an address is found among many images`() throws {
        let images = (0..<50).shuffled().map {
            "{\"image_addr\":\"0x\(String(0x1000 * ($0 + 1), radix: 16))\",\"code_file\":\"/lib\($0)\"}"
        }
        let frames = (0..<50).map { "{\"instruction_addr\":\(0x1000 * ($0 + 1) + $0)}" }
        #expect(
            try stack(frames.joined(separator: ","), images: images.joined(separator: ","))
                == (0..<50).map { "lib\($0) + \($0)" })
    }

    /// Each launch of the app loads its images at other addresses.
    @Test(arguments: [
        "/a/Shop.app/Shop", "/usr/lib/swift/libswiftCore.dylib", "/S/UIKitCore", "/usr/lib/libobjc.A.dylib",
        "/a/My App",
        "/a/com.acme.Kit", "/a/Tools for Shop",
    ])
    func `the name for an image offset is the same in each launch, and redaction does not change it`(
        path: String
    )
        throws
    {
        func name(base: Int) throws -> String {
            let names = try stack(
                "{\"instruction_addr\":\(base + 107_188),\"image_addr\":\(base),\"package\":\"\(path)\"}")
            return try #require(names.first)
        }
        let name = try name(base: 0x1_04F1_C000)
        #expect(
            try name
                == self.stack("{\"instruction_addr\":119476,\"image_addr\":12288,\"package\":\"\(path)\"}")[0]
        )
        let type = TypeName(name)
        #expect(type.text == name || path.contains(" for "))
        #expect(type.split(appModule: nil).name == type.text && type.split(appModule: nil).module == nil)
        #expect(type.text.hasSuffix(" + 107188"))
    }
}
