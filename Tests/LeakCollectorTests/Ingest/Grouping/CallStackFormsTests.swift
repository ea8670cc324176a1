import LeakSeededRandom
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// How one tool prints a call frame, by what changes from launch to launch and from build to build.
struct FrameForm: CustomTestStringConvertible, Sendable {
    /// The parts of one frame.
    struct Frame {
        var number: Int
        var image: String
        /// `Cart.step7()`; as a symbol in the forms that print symbols.
        var step: Int
        var isSystem: Bool
        var address: UInt64
        var offset: Int
        var line: Int
    }

    let name: String
    let print: @Sendable (Frame) -> String
    /// `true` for frames without a function: two builds are two leaks.
    var isStripped = false

    var testDescription: String { name }

    static func hexadecimal(_ number: UInt64, digits: Int = 0) -> String {
        let text = String(number, radix: 16)
        return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func symbol(_ frame: Frame) -> String {
        let name = "step\(frame.step)"
        return frame.isSystem ? "CFRunLoopRun\(frame.step)" : "$s4Shop4CartC\(name.utf8.count)\(name)yyF"
    }

    private static func function(_ frame: Frame) -> String {
        frame.isSystem ? "CFRunLoopRun\(frame.step)" : "Cart.step\(frame.step)()"
    }

    private static func path(_ frame: Frame) -> String {
        frame.isSystem ? "/usr/lib/\(frame.image)" : "/home/me/\(frame.image)"
    }

    static let all: [FrameForm] = [
        FrameForm(name: "callStackSymbols") {
            "\($0.number)   \($0.image)   \(hexadecimal($0.address, digits: 16)) \(symbol($0)) + \($0.offset)"
        },
        FrameForm(name: "backtrace_symbols") {
            "\(path($0))(\(symbol($0))+\(hexadecimal(UInt64($0.offset)))) [\(hexadecimal($0.address))]"
        },
        FrameForm(name: "lldb") {
            "frame #\($0.number): \(hexadecimal($0.address, digits: 16)) \($0.image)`\(function($0)) + \($0.offset)"
        },
        FrameForm(name: "lldb with places") {
            "frame #\($0.number): \(hexadecimal($0.address, digits: 16)) \($0.image)`\(function($0))"
                + ($0.isSystem ? "" : " at Cart.swift:\($0.line):9")
        },
        FrameForm(name: "Swift 6") {
            "\($0.number) [ra] \(hexadecimal($0.address, digits: 16)) \(function($0)) + \($0.offset) in \($0.image)"
                + ($0.isSystem ? "" : " at /Users/me\($0.offset)/Cart.swift:\($0.line):9")
        },
        FrameForm(name: "crash report") {
            "\($0.number)  \($0.image)  \t  \(hexadecimal($0.address)) \(function($0)) + \($0.offset)"
                + ($0.isSystem ? "" : " (Cart.swift:\($0.line))")
        },
        FrameForm(name: "Crashlytics") {
            "\($0.number)  \($0.image)  \(hexadecimal($0.address & 0xFFFFFF)) \(function($0)) + \($0.line)"
                + ($0.isSystem ? "" : " (Cart.swift:\($0.line))")
        },
        FrameForm(name: "sanitizer") {
            "#\($0.number) \(hexadecimal($0.address)) in \(function($0)) (\(path($0))+\(hexadecimal(UInt64($0.offset))))"
        },
        FrameForm(name: "Java") {
            ($0.isSystem
                ? "at android.os.Looper.loop\($0.step)(Looper.java:"
                : "at com.acme.shop.Cart.step\($0.step)(Cart.java:")
                + "\($0.line))"
        },
        FrameForm(name: "JavaScript") {
            $0.isSystem
                ? "at loop\($0.step) (native)"
                : "at Cart.step\($0.step) (http://host\($0.offset)/b.js:\($0.line):\($0.offset))"
        },
        FrameForm(name: "Dart") {
            "#\($0.number)      Cart.step\($0.step) (package:\($0.isSystem ? "flutter" : "shop")/src/c.dart:\($0.line):9)"
        },
        FrameForm(name: "Kotlin") {
            "at \($0.number)  \($0.image)  \(hexadecimal($0.address)) kfun:"
                + ($0.isSystem ? "kotlin.Loop#run\($0.step)(){}" : "com.acme.Cart#step\($0.step)(){}")
                + " + \($0.offset)"
        },
        FrameForm(name: "KSCrash") {
            """
            {"object_name":"\($0.image)","object_addr":\($0.address - 4096),"symbol_name":"\(symbol($0))",\
            "instruction_addr":\($0.address)}
            """
        },
        FrameForm(name: "Sentry") {
            """
            {"package":"\(path($0))","function":"\(function($0))","instruction_addr":"\(hexadecimal($0.address))",\
            "in_app":\(!$0.isSystem),"lineno":\($0.line)}
            """
        },
        FrameForm(
            name: "backtrace_symbols of a stripped build",
            print: { "\(path($0))(+\(hexadecimal(UInt64($0.step * 0x1000)))) [\(hexadecimal($0.address))]" },
            isStripped: true),
        FrameForm(
            name: "crash report of a stripped build",
            print: {
                "\($0.number)  \($0.image)  \(hexadecimal($0.address)) "
                    + "\(hexadecimal($0.address - UInt64($0.step * 0x1000))) + \($0.step * 0x1000)"
            }, isStripped: true),
        FrameForm(
            name: "MetricKit",
            print: {
                """
                {"binaryUUID":"CA12CAFA-91BA-3E1C-BE9C-E34DB96FE7DF","offsetIntoBinaryTextSegment":\($0.step * 0x1000),\
                "binaryName":"\($0.image)","address":\($0.address)}
                """
            }, isStripped: true),
    ]

    /// - Parameter leak: decides which functions of the app are called.
    func stack(ofLeak leak: Int, launch: inout SeededRandom, build: Int) -> [String] {
        let slide = 0x1_0000_0000 + UInt64(launch.below(1 << 20)) << 14
        return (0..<5).map { number in
            let isSystem = number == 0 || number == 3
            return print(
                Frame(
                    number: number, image: isSystem ? "libswiftCore.so" : "Shop",
                    step: number * 100 + (isSystem ? 0 : leak), isSystem: isSystem,
                    address: slide + UInt64(number * 0x1_0000 + build * 64 + leak * 0x10_0000),
                    offset: 8 + number * 4 + build * 16,
                    line: 10 + number + build * 3))
        }
    }
}

@Suite struct CallStackFormsTests {
    private func key(_ stack: [String]) -> [String] {
        var report = LeakReport()
        (report.className, report.event, report.stack) = ("Shop.Cart", .leak, stack)
        let rule = Grouping.group(report, app: "shop", module: "Shop").identity.groupedBy
        return [rule.className] + rule.stack
    }

    @Test(arguments: FrameForm.all)
    func `a thousand launches of five builds are one group`(form: FrameForm) {
        var random = SeededRandom(seed: 13)
        var keys: Set<[String]> = []
        for launch in 0..<1_000 {
            keys.insert(key(form.stack(ofLeak: 1, launch: &random, build: form.isStripped ? 0 : launch % 5)))
        }
        #expect(keys.count == 1)
        #expect(
            (keys.first?.count ?? 0) == 4, "the class and three functions of the app: \(keys.first ?? [])")
    }

    @Test(arguments: FrameForm.all)
    func `twenty stacks that look alike stay apart`(form: FrameForm) {
        var random = SeededRandom(seed: 14)
        let keys = (1...20).map { key(form.stack(ofLeak: $0, launch: &random, build: 0)) }
        #expect(Set(keys).count == 20)
    }

    @Test func `a leak is one group in all forms that name the functions of its image`() {
        var random = SeededRandom(seed: 15)
        let forms = FrameForm.all.filter {
            !$0.isStripped && !["Java", "JavaScript", "Dart", "Kotlin"].contains($0.name)
        }
        let keys = forms.map { key($0.stack(ofLeak: 1, launch: &random, build: 2)) }
        #expect(forms.count == 10 && Set(keys).count == 1, "\(Set(keys))")
    }
}
