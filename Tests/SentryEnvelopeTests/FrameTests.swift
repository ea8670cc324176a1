import LeakMessage
import SentryEnvelope
import Testing

@Suite struct FrameTests {
    private func stack(_ frames: String, images: String = "") throws -> [String] {
        try Sent(
            event: """
                {"exception":{"values":[{"type":"E","stacktrace":{"frames":[\(frames)]}}]},
                "debug_meta":{"images":[\(images)]}}
                """
        ).report.stack
    }

    @Test func `calls are named by module and function, the innermost last`() throws {
        let frames = """
            {"function":"main","module":"shop.app"},{"function":"pay"},{"module":"alone"},{"function":" "},null,7,
            {"function":["x"],"module":"shop"},{"function":"$s4Shop4CartC3payyyF","package":"/Shop.app/Shop"}
            """
        #expect(try stack(frames) == ["shop.app.main", "pay", "$s4Shop4CartC3payyyF"])
    }

    @Test func `the app's own calls stand for all when there are any`() throws {
        let frames = """
            {"function":"start","in_app":false},{"function":"a","in_app":true},{"function":"b"},
            {"function":"c","in_app":true},{"function":"d","in_app":"true"}
            """
        #expect(try stack(frames) == ["a", "c"])
        #expect(try stack(#"{"function":"a","in_app":false},{"function":"b"}"#) == ["a", "b"])
    }

    @Test func `of a long stack the innermost calls are kept`() throws {
        let stack = try stack((0..<500).map { "{\"function\":\"f\($0)\"}" }.joined(separator: ","))
        #expect(stack.count == WireLimits.stackCount && stack.first == "f372" && stack.last == "f499")
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
    func `a call without a name is named by its place in its image`(frame: String, name: String?) throws {
        #expect(try stack(frame, images: Self.image) == [name].compactMap(\.self))
    }

    @Test func `an image is found among many`() throws {
        let images = (0..<50).shuffled().map {
            "{\"image_addr\":\"0x\(String(0x1000 * ($0 + 1), radix: 16))\",\"code_file\":\"/lib\($0)\"}"
        }
        let frames = (0..<50).map { "{\"instruction_addr\":\(0x1000 * ($0 + 1) + $0)}" }
        #expect(
            try stack(frames.joined(separator: ","), images: images.joined(separator: ","))
                == (0..<50).map { "lib\($0) + \($0)" })
    }

    /// A launch of the app puts its images elsewhere.
    @Test(arguments: [
        "/a/Shop.app/Shop", "/usr/lib/swift/libswiftCore.dylib", "/S/UIKitCore", "/usr/lib/libobjc.A.dylib",
        "/a/My App",
        "/a/com.acme.Kit", "/a/Tools for Shop",
    ])
    func `the name of a place is the same in each launch and is cleaned to itself`(path: String) throws {
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
