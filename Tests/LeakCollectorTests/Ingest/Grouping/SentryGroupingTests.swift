import LeakGrammar
import LeakMessage
import LeakStore
import LeakSentry
import Testing

@testable import LeakCollector

/// Groups of events of a Sentry SDK.
@Suite struct SentryGroupingTests {
    private func leak(_ event: String) throws -> LeakIdentity {
        let batch = try #require(try SentrySubmission(event: Array(event.utf8)).batch)
        let document = try WireReader.read(batch, as: .json)
        return GroupingRules.group(document.report(at: 0), app: "com.acme.shop", module: nil).identity
    }

    /// Returns an exception. `base` is the address of the image, which differs in each launch.
    private func exception(
        _ value: String, type: String = "LeakedObject", base: Int = 0x1_0000, offset: Int = 107_188,
        function: String = "present"
    ) -> String {
        """
        {"exception":{"values":[{"type":"\(type)","value":"\(value)","mechanism":{"type":"generic","handled":true},
        "stacktrace":{"frames":[{"function":"\(function)","module":"Shop.Router"},
        {"instruction_addr":"0x\(String(base + offset, radix: 16))","image_addr":\(base),
        "package":"/a/libShop.Kit.dylib"}]}}]}}
        """
    }

    @Test func `exceptions that differ in text and in the address of the image are one leak`() throws {
        let one = try leak(exception("5.0 s after dismissal"))
        let other = try leak(exception("Jane's cart, 9.1 s", base: 0x7_F000))
        #expect(one.id == other.id)
        #expect(one.className == "LeakedObject" && one.quality == .full)
        #expect(one.groupingKey.className == "LeakedObject")
        #expect(one.groupingKey.version == 2 && one.groupingKey.stack == ["at present in Shop.Router"])
    }

    /// Version 1 of the grouping rules distinguished leaks by closures, recursion and the system's frames.
    @Test func `an exception is grouped by the app's functions, without closures and system frames`() throws {
        func event(_ frames: String) -> String {
            """
            {"exception":{"values":[{"type":"LeakedObject","value":"v","mechanism":{"type":"generic","handled":true},
            "stacktrace":{"frames":[\(frames)]}}]}}
            """
        }
        func frame(_ function: String, _ package: String) -> String {
            #"{"function":"\#(function)","package":"\#(package)"}"#
        }
        let shop = "/a/Shop.app/Shop"
        let one = try leak(
            event([frame("main", shop), frame("closure #1 in Cart.load()", shop)].joined(separator: ",")))
        let other = try leak(
            event(
                [
                    frame("start", "/usr/lib/dyld"), frame("main", shop),
                    frame("closure #2 in Cart.load()", shop),
                    frame("Cart.load()", shop), frame("-[UIView load]", "/System/Library/UIKitCore"),
                ].joined(separator: ",")))
        #expect(one.id == other.id && one.groupingKey.stack == ["at Cart.load() in Shop", "at main in Shop"])
    }

    @Test func `exceptions with another type, call or image offset are different leaks`() throws {
        let leaks = [
            exception("a"), exception("a", type: "OtherObject"), exception("a", function: "push"),
            exception("a", offset: 107_192, function: "<redacted>"),
            exception("a", offset: 107_196, function: "<redacted>"),
        ]
        #expect(Set(try leaks.map { try leak($0).id }).count == leaks.count)
    }

    @Test(arguments: [
        #"{"message":"TEXT"}"#, #"{"logentry":{"message":"%s","formatted":"TEXT"}}"#,
        #"{"message":{"formatted":"TEXT"},"threads":{"values":[{"stacktrace":{"frames":[{"function":"timer"}]}}]}}"#,
        #"{"exception":[{"type":"Leak","value":"TEXT","stacktrace":{"frames":[{"function":"timer"}]}}]}"#,
        #"{"exception":[{"type":"d","value":"Code: 8","mechanism":{"type":"NSError","meta":{"ns_error":{"domain":"d","code":8}},"data":{"NSLocalizedDescription":"TEXT"}}}]}"#,
    ])
    func `a detector's text is the same leak, whether or not Sentry sent it`(event: String) throws {
        for text in [
            "VIEWCONTROLLER STILL IN MEMORY <Shop.CheckoutViewController: 0x7f88acc69260>",
            "Memory Leak: (\\n    MyTableViewController,\\n    UITableView,\\n    MyTableViewCell\\n)",
            "Retain Cycle: (\\n    \\\"-> _someObject -> __NSArrayI \\\",\\n    \\\"-> MyObject \\\"\\n)",
        ] {
            let plain = text.replacing("\\n", with: "\n").replacing("\\\"", with: "\"")
            #expect(try leak(event.replacing("TEXT", with: text)).id == group(plain).identity.id)
        }
    }

    @Test(arguments: [
        #"{"logentry":{"message":"%s leaked","params":["NAME"]}}"#,
        #"{"logentry":{"message":"{} is still alive","params":["NAME"]}}"#,
        #"{"logentry":{"message":"Memory leak","params":["NAME"]}}"#,
        #"{"message":"Memory leak","extra":{"class":"NAME"}}"#,
        #"{"exception":[{"type":"MemoryLeak","value":"at checkout"}],"extra":{"leakedClass":"NAME"}}"#,
        #"{"message":"Memory leak","threads":[{"current":true,"stacktrace":{"frames":[{"function":"NAME"},{"function":"f"}]}}]}"#,
    ])
    func `events with equal messages are two leaks if a parameter, an extra or a frame differs`(event: String)
        throws
    {
        let names = ["CartModel", "HomeModel"]
        let leaks = try names.map { try leak(event.replacing("NAME", with: $0)) }
        #expect(leaks[0].id != leaks[1].id)
        #expect(leaks.map(\.className) == (event.contains("threads") ? [nil, nil] : names))
    }

    @Test func `another domain or code of an error is another leak, but another description is not`() throws {
        func error(_ domain: String, _ code: Int, _ description: String) -> String {
            """
            {"exception":[{"type":"\(domain)","value":"Code: \(code)","mechanism":{"type":"NSError",
            "meta":{"ns_error":{"domain":"\(domain)","code":\(code)}},
            "data":{"NSLocalizedDescription":"\(description)"}}}]}
            """
        }
        let one = try leak(error("com.acme.shop", 8, "The cart is still there."))
        #expect(try leak(error("com.acme.shop", 8, "Der Warenkorb ist noch da.")).id == one.id)
        #expect(try leak(error("com.acme.shop", 9, "The cart is still there.")).id != one.id)
        #expect(try leak(error("com.acme.mail", 8, "The cart is still there.")).id != one.id)
        #expect(one.title == "com.acme.shop: The cart is still there.")
    }

    /// Fingerprints are keys of version 1. The expected ids were computed from the keys with Python's hashlib.
    @Test(arguments: [
        (
            #"{"function":"$s4Shop4CartC3payyyF","package":"/a/Shop.app/Shop"}"#,
            "9a81067db804e9e744329689bfd4f356"
        ),
        (
            #"{"function":"Shop.Cart.pay()","package":"/a/Shop.app/Shop","instruction_addr":"0x20"}"#,
            "898989c5dc2c1ac78cc227b03336a2bc"
        ),
        (
            #"{"function":"main"},{"instruction_addr":4660,"image_addr":0,"package":"/a/Shop"}"#,
            "07376fb33a690b8d0d9244cf6f0f2955"
        ),
        (
            #"{"function":"main","package":"/a/Shop"},{"instruction_addr":"x"}"#,
            "e5bca4b1e4f8394c984dd24dcd268380"
        ),
    ])
    func `a fingerprint that contains the default grouping keeps its leak id in later collector versions`(
        frames: String, id: String
    ) throws {
        let event =
            #"{"fingerprint":["{{ default }}","x"],"exception":[{"type":"E","stacktrace":{"frames":[\#(frames)]}}]}"#
        let leak = try leak(event)
        #expect(leak.id.description == id && leak.groupingKey.version == 1)
    }

    @Test
    func `a fingerprint replaces the default grouping, or splits its groups if it contains the default`()
        throws
    {
        func leak(_ fingerprint: String, _ type: String) throws -> LeakID {
            try self.leak("{\"fingerprint\":\(fingerprint),\"exception\":[{\"type\":\"\(type)\"}]}").id
        }
        #expect(try leak(#"["x"]"#, "A") == leak(#"["x"]"#, "B"))
        #expect(try leak(#"["{{ default }}","x"]"#, "A") != leak(#"["{{ default }}","x"]"#, "B"))
        #expect(try leak(#"["{{ default }}","x"]"#, "A") != leak(#"["{{ default }}","y"]"#, "A"))
        #expect(try leak(#"["{{ default }}"]"#, "A") == leak("[]", "A"))
    }
}
