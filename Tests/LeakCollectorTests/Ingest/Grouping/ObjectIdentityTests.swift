import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Addresses and other text that changes from launch to launch do not change the group, in any spelling. The tests also cover
/// classes in quotes, and frames in unusual spellings.
@Suite struct ObjectIdentityTests {
    private func id(_ change: (inout LeakReport) -> Void) -> LeakID {
        var report = LeakReport()
        report.event = .leak
        change(&report)
        return GroupingRules.group(report, app: "shop", module: "Shop").identity.id
    }

    /// Returns a form with the class in place of `X` and eight digits of an address in place of `#`.
    private func filled(_ form: String, _ name: String, _ digits: String) -> String {
        form.replacing("X", with: name).replacing("#", with: digits)
    }

    static let names = [
        "X 0x#", "X (0x#)", "X - 0x#", "X[0x#]", "X at 0x#", "X: 0x#", "X@0x#", "0x# X", "self=0x# X",
        "<X: 0x#>",
        "com.acme.shop.X@#", "X@#[Main]", "X{# \u{23}0 id=0x7f0800}", "<shop.X object at 0x#>",
    ]

    @Test(arguments: names)
    func `the address of an object is not part of its class name`(form: String) {
        let digits = ["1a2b3c4d", "5ce6b7a0", "7f0841b2"]
        let places: [(inout LeakReport, String) -> Void] = [
            { $0.className = $1 },
            { ($0.className, $0.stack) = ("Shop.Cart", ["Root", $1, "Shop.Cart"]) },
            { ($0.className, $0.children) = ("Shop.Cart", [$1]) },
            { $0.cycle = ["Shop.Cart", $1] },
        ]
        for (number, place) in places.enumerated() {
            let cart = Set(digits.map { digits in id { place(&$0, filled(form, "CartController", digits)) } })
            #expect(cart.count == 1, "place \(number)")
            // Children of an app's class do not determine the group.
            guard number != 2 else { continue }
            #expect(
                !cart.contains(id { place(&$0, filled(form, "HomeController", digits[0])) }),
                "place \(number)")
        }
    }

    @Test(arguments: [
        "X#\u{1}", "X#\u{1}(lifecycle state: created)", "Instance of 'X' (#\u{1})", "Instance of 'X'",
    ])
    func `the identity hash that Flutter prints is not part of the class name`(form: String) {
        func id(_ name: String, _ digits: String) -> LeakID {
            self.id { $0.className = form.replacing("X", with: name).replacing("\u{1}", with: digits) }
        }
        #expect(id("CartState", "a527b") == id("CartState", "d58d4"))
        #expect(id("CartState", "a527b") != id("HomeState", "a527b"))
    }

    @Test(arguments: ["X@objc", "user@example.com", "X#12", "X{a b}", "Shop.0xCart"])
    func `hash signs, at signs and braces stay in a class name if they begin no address or object number`(
        form: String
    ) {
        #expect(
            TypeName(form.replacing("X", with: "Cart")).text.utf8.filter { "#@{".utf8.contains($0) }
                == form.utf8.filter { "#@{".utf8.contains($0) })
    }

    static let quotations = [
        #"Optional("Shop.X") leaked"#, #"leaked object: Optional("Shop.X")"#, #"vc="X" leaked"#,
        #"vc: "X" leaked"#,
        #"viewController="X" leaked"#, "Leak detected: vc='X'", #"level=warn msg="leak" vc="X" addr=0x#"#,
        #"level=warn msg="leak detected" class="X""#, #"class="X" event="leak""#,
        #"leak class="X" reason="screen closed""#, "msg='leak' class='X'",
        #"Leak(className="X", address="0x#")"#,
        "Leak(class_name='X', screen='Checkout')", #"Leak(clazz="X")"#, #"<leak class="X" addr="0x#"/>"#,
        #"{"typeName":"Shop.X"}"#, #"{"vc":"X","leak":true}"#, #"{"vc_class":"X"}"#,
        #"{"leakedClassName":"X"}"#,
        #"{"leakedClasses":["X"]}"#, #"{"event":"leak","payload":{"info":{"klass":"X"}}}"#,
    ]

    @Test(arguments: quotations)
    func `a class in quotes is found and distinguishes leaks`(form: String) {
        func leak(_ name: String, _ digits: String) -> LeakIdentity {
            var report = LeakReport()
            report.message = filled(form, name, digits)
            return GroupingRules.group(report, app: "shop", module: "Shop").identity
        }
        #expect(leak("CartController", "1a2b3c4d").id == leak("CartController", "5ce6b7a0").id)
        #expect(leak("CartController", "1a2b3c4d").id != leak("HomeController", "1a2b3c4d").id)
        #expect(leak("CartController", "1a2b3c4d").className == "CartController")
    }

    @Test(arguments: [
        #"msg="Jane" class="CartController" user="Jane" a=1"#,
        #"msg="Jane", class="CartController", Jane "Jane""#,
        #"msg="Jane" class="CartController" Jane's "Jane"#, #"a="Jane" b="Jane" class="CartController" Jane"#,
    ])
    func `quotations beside a quoted class are masked, and masking twice changes nothing`(text: String) {
        let masked = DetectorMessage.redacted(text)
        #expect(masked.contains("CartController"))
        #expect(masked.ranges(of: "Jane").count <= 1, "\(masked)")
        #expect(DetectorMessage.redacted(masked) == masked)
    }

    static let frames = [
        "Shop      0x000000010~ Cart + 12", "    \"0   Shop   0x000000010~ Cart + 12\",",
        "- 0   Shop   0x000000010~ Cart + 12",
        "[0] 0   Shop   0x000000010~ Cart + 12", "0   Shop   0x000000010~ Cart + 12,", "Cart + 817",
        "Shop Cart + 330",
    ]

    @Test(arguments: frames)
    func `frames with list marks, or without number, address or image, are read as frames`(form: String) {
        func id(_ function: String, _ digits: String, _ offset: String) -> LeakID {
            let frame = form.replacing("Cart", with: function).replacing("~", with: digits).replacing(
                "12", with: offset
            )
            .replacing("817", with: offset).replacing("330", with: offset)
            return self.id { ($0.className, $0.stack) = ("Shop.CartViewModel", [frame, frame]) }
        }
        let bind = "$s4Shop13CartViewModelC4bindyyF"
        let load = "$s4Shop13CartViewModelC4loadyyF"
        #expect(id(bind, "02a3f10", "12") == id(bind, "4b21e44", "817"))
        #expect(id(bind, "02a3f10", "12") != id(load, "02a3f10", "12"))
    }

    @Test func `app frames after system frames in one backtrace distinguish leaks`() {
        func id(_ function: String) -> LeakID {
            self.id {
                $0.message = """
                    Leak of stream
                    \tat java.lang.Daemons$Daemon.run0(D.java:1)
                    \tat java.lang.Daemons$Daemon.run1(D.java:1)
                    Caused by: java.lang.Throwable: created here
                    \tat com.acme.A.\(function)(A.kt:1)
                    \tat com.acme.A.main(A.kt:4)
                    """
            }
        }
        #expect(id("a") == id("a"))
        #expect(id("a") != id("b"))
    }

    @Test func `the number of a Java proxy class is not part of the function`() {
        func id(_ proxy: String) -> LeakID {
            self.id {
                ($0.className, $0.stack) = (
                    "com.acme.Cart", ["\tat \(proxy).load(Unknown Source)", "\tat com.acme.A.main(A.kt:4)"]
                )
            }
        }
        #expect(id("$Proxy12") == id("$Proxy3"))
        #expect(id("com.sun.proxy.$Proxy2") == id("com.sun.proxy.$Proxy3"))
    }

    @Test func `a block has the same group with and without the descriptor that lldb prints`() {
        func id(_ arguments: String) -> LeakID {
            self.id {
                $0.className = "CartController"
                $0.stack = [
                    "frame #0: 0x0000000104f85eb0 Shop`__33-[CartController viewDidLoad]_block_invoke\(arguments) at C.m:4:9",
                    "frame #1: 0x0000000104f85fb0 Shop`main + 24",
                ]
            }
        }
        #expect(id("(.block_descriptor=0x0000600000c1)") == id(""))
    }
}
