import LeakSeededRandom
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// The format in which one tool prints a call frame, with the parts that change between launches and between builds.
struct FrameForm: CustomTestStringConvertible, Sendable {
    /// The parts of one frame.
    struct Frame {
        var number: Int
        var image: String
        /// Number of the function, such as 7 in `Cart.step7()`. Some forms print it as a symbol.
        var step: Int
        var isSystem: Bool
        var address: UInt64
        var offset: Int
        var line: Int
        var build: Int
        /// A number that differs in each launch.
        var launch: UInt64

        /// Offset of the function in its image. Each build moves the functions.
        var functionOffset: UInt64 { UInt64(step * 0x1000 + build * 0x40) }
    }

    let name: String
    let print: @Sendable (Frame) -> String
    /// `true` for frames that do not name their function, so that two builds of one leak are two groups.
    var isStripped = false
    /// `true` if each frame names its image and has a Swift function.
    var hasImageAndSwiftFunction = true
    /// `true` for tools that print the calls of a thread as a tree, the outermost function first.
    var isOutermostFirst = false
    /// Builds the message of a report from its frames. `nil` puts the frames into `stack` instead.
    var text: (@Sendable ([String], _ build: Int) -> String)?

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

    /// Returns the id of the app's image, which differs in each build.
    static func uuid(_ build: Int) -> String { "CA12CAFA-91BA-3E1C-BE9C-E34DB96FE7D\(build)" }

    static let all: [FrameForm] = native + virtualMachines + tools + json + stripped

    private static let native: [FrameForm] = [
        FrameForm(name: "callStackSymbols") {
            "\($0.number)   \($0.image)   \(hexadecimal($0.address, digits: 16)) \(symbol($0)) + \($0.offset)"
        },
        FrameForm(name: "backtrace_symbols") {
            "\(path($0))(\(symbol($0))+\(hexadecimal(UInt64($0.offset)))) [\(hexadecimal($0.address))]"
        },
        FrameForm(name: "lldb") {
            "frame #\($0.number): \(hexadecimal($0.address, digits: 16)) \($0.image)`\(function($0)) + \($0.offset)"
        },
        FrameForm(name: "lldb with source lines") {
            "frame #\($0.number): \(hexadecimal($0.address, digits: 16)) \($0.image)`\(function($0))"
                + ($0.isSystem ? "" : " at Cart.swift:\($0.line):9")
        },
        FrameForm(name: "Swift 6") {
            "\($0.number) [ra] \(hexadecimal($0.address, digits: 16)) \(function($0)) + \($0.offset) in \($0.image)"
                + ($0.isSystem ? "" : " at /Users/me\($0.offset)/Cart.swift:\($0.line):9")
        },
        FrameForm(name: "Backtrace of Swift 6") {
            // Images are numbered by their addresses, so the numbers differ in each launch.
            "\($0.number)\t\(hexadecimal($0.address, digits: 16)) [ra] [\($0.launch % 9)] \($0.image) "
                + "\(function($0)) + \($0.offset)"
                + ($0.isSystem ? "" : " at /Users/me/Cart.swift:\($0.line):9")
        },
        FrameForm(
            name: "Backtrace of Swift 6 in a log, with its images",
            print: {
                let time =
                    "2026-11-24 10:33:\(10 + $0.launch % 50).\($0.number) Shop[\($0.launch % 9_000):2] "
                return time + "\($0.number)\t\(hexadecimal($0.address, digits: 16)) [ra] [\($0.launch % 2)] "
                    + "\($0.image) \(function($0)) + \($0.offset)"
                    + ($0.isSystem ? "" : " at /Users/me/Cart.swift:\($0.line):9")
            },
            text: { frames, build in
                let time = String(frames[0].prefix(24)) + "Shop[7:2] "
                let start = frames[0].split(separator: "\t")[1].prefix(14)
                let images = [
                    "\(start)0000-\(start)ffff ab\(build)5e7b2f4488dd Shop /Users/me/Shop",
                    "0x00007f0000000000-0x00007f0000ffffff <no build ID> libswiftCore.so /opt/libswiftCore.so",
                ]
                // Images are listed in the order of their addresses.
                let order = start.last == "0" ? images : images.reversed()
                let list = ["Images:", ""] + order.enumerated().map { "\($0.offset)\t\($0.element)" }
                return (["Shop.Cart leaked"] + frames + ["3\t..."] + list.map { time + $0 })
                    .joined(separator: "\n")
            }),
        FrameForm(name: "Swift 6 at a terminal") {
            $0.isSystem
                ? "\($0.number) [ra] \(hexadecimal($0.address, digits: 16)) \(function($0)) + \($0.offset) in \($0.image)"
                : "\($0.number) \(function($0)) + \($0.offset) in \($0.image) at /Users/me/Cart.swift:\($0.line):9"
        },
        FrameForm(name: "columns with a number sign") {
            "#\($0.number)  \($0.image) \(hexadecimal($0.address)) \(function($0)) + \($0.offset)"
                + ($0.isSystem ? "" : " (Cart.swift:\($0.line))")
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
        FrameForm(
            name: "Android native",
            print: { frame in
                let path =
                    frame.isSystem
                    ? "/apex/com.android.runtime/lib64/bionic/libc.so"
                    : "/data/app/~~\(frame.launch)==/com.acme.shop-\(frame.launch)==/lib/arm64/Shop"
                let digits = String(frame.functionOffset, radix: 16)
                let padded = String(repeating: "0", count: 16 - digits.count) + digits
                return
                    "#0\(frame.number) pc \(padded)  \(path) (\(symbol(frame))+\(frame.offset)) (BuildId: ab\(frame.build)c)"
            }),
    ]

    private static let virtualMachines: [FrameForm] = [
        FrameForm(
            name: "Java",
            print: {
                ($0.isSystem
                    ? "at android.os.Looper.loop\($0.step)(Looper.java:"
                    : "at com.acme.shop.Cart.step\($0.step)(Cart.java:")
                    + "\($0.line))"
            }, hasImageAndSwiftFunction: false),
        FrameForm(
            name: "JavaScript",
            print: {
                $0.isSystem
                    ? "at loop\($0.step) (native)"
                    : "at Cart.step\($0.step) (http://host\($0.offset)/b.js:\($0.line):\($0.offset))"
            }, hasImageAndSwiftFunction: false),
        FrameForm(
            name: "JavaScript of Safari",
            print: {
                $0.isSystem
                    ? "loop\($0.step)@[native code]"
                    : "Cart.step\($0.step)@http://host\($0.launch)/b\($0.build).js:\($0.line):\($0.offset)"
            }, hasImageAndSwiftFunction: false),
        FrameForm(
            name: "JavaScript of Firefox",
            print: {
                $0.isSystem
                    ? "loop\($0.step)@[native code]"
                    : "\($0.number == 2 ? "promise callback*" : "")Cart.step\($0.step)"
                        + "@http://host\($0.launch)/b\($0.build).js:\($0.line):\($0.offset)"
            }, hasImageAndSwiftFunction: false),
        FrameForm(
            name: "Java in logcat",
            print: {
                "11-24 10:33:\(10 + $0.launch % 50).123  \(1000 + $0.launch % 9000)  \(1000 + $0.launch % 9000) E Shop:     at "
                    + ($0.isSystem
                        ? "android.os.Looper.loop\($0.step)(Looper.java:"
                        : "com.acme.shop.Cart.step\($0.step)(Cart.java:")
                    + "\($0.line))"
            }, hasImageAndSwiftFunction: false),
        FrameForm(
            name: "JavaScript of Hermes",
            print: {
                $0.isSystem
                    ? "    at loop\($0.step) (native)"
                    : "    at Cart.step\($0.step) (address at /data/user/0/com.acme/files/\($0.launch).bundle:\(1 + $0.build):\($0.offset))"
            }, hasImageAndSwiftFunction: false),
        FrameForm(
            name: "Dart",
            print: {
                "#\($0.number)      Cart.step\($0.step) (package:\($0.isSystem ? "flutter" : "shop")/src/c.dart:\($0.line):9)"
            }, hasImageAndSwiftFunction: false),
        FrameForm(
            name: "Kotlin",
            print: {
                "at \($0.number)  \($0.image)  \(hexadecimal($0.address)) kfun:"
                    + ($0.isSystem ? "kotlin.Loop#run\($0.step)(){}" : "com.acme.Cart#step\($0.step)(){}")
                    + " + \($0.offset)"
            }, hasImageAndSwiftFunction: false),
        FrameForm(
            name: "Go",
            print: {
                $0.isSystem
                    ? "runtime.loop\($0.step)(0x\($0.launch), {0x2, 0x3})\n\t/usr/local/go/src/runtime/proc.go:\($0.line) +0x1d"
                    : "github.com/acme/shop/cart.(*Cart).step\($0.step)(0xc\($0.launch), {0x\($0.build), 0x1})\n"
                        + "\t/home/me\($0.build)/shop/cart.go:\($0.line) +0x\($0.offset)"
            }, hasImageAndSwiftFunction: false),
    ]

    private static let tools: [FrameForm] = [
        FrameForm(
            name: "leaks",
            print: {
                "\($0.number)   \($0.image)   \(hexadecimal($0.address)) \(function($0)) + \($0.offset)"
                    + ($0.isSystem ? "" : "  Cart.swift:\($0.line)")
            }, isOutermostFirst: true),
        FrameForm(
            name: "leaks with recorded stacks",
            print: {
                "\($0.number)   \($0.image)   \(hexadecimal($0.address)) \(function($0)) + \($0.offset)"
                    + ($0.isSystem ? "" : "  Cart.swift:\($0.line)")
            }, isOutermostFirst: true,
            text: { frames, build in
                ([
                    "leaks Report Version: 4.0", "",
                    "STACK OF \(1 + build) INSTANCES OF 'ROOT LEAK: <Shop.Cart>':",
                ]
                    + frames + ["====", "    1 (48 bytes) ROOT LEAK: <Shop.Cart 0x600000c0400\(build)> [48]"])
                    .joined(separator: "\n")
            }),
        FrameForm(
            name: "malloc_history",
            print: {
                "\($0.number)   \(function($0)) + \($0.offset) (\($0.image) + \($0.functionOffset)) [\(hexadecimal($0.address))] \(16 + $0.launch % 99)"
            }, isOutermostFirst: true),
        FrameForm(
            name: "sample",
            print: {
                "    + \(String(repeating: "! ", count: $0.number))\(1 + $0.launch % 10_000) \(function($0))  (in \($0.image)) + \($0.offset)"
                    + "  [\(hexadecimal($0.address))]" + ($0.isSystem ? "" : "  Cart.swift:\($0.line)")
            }, isOutermostFirst: true),
        FrameForm(name: "atos") {
            "\(function($0)) (in \($0.image)) " + ($0.isSystem ? "+ \($0.offset)" : "(Cart.swift:\($0.line))")
        },
        FrameForm(
            name: "Valgrind",
            print: {
                "==\(4000 + $0.launch % 4000)==    \($0.number == 0 ? "at" : "by") \(hexadecimal($0.address)): "
                    + ($0.isSystem
                        ? "loop\($0.step) (in /lib/x86_64-linux-gnu/libc.so.6)"
                        : "shop::Cart::step\($0.step)(int) (cart.cpp:\($0.line))")
            }, hasImageAndSwiftFunction: false),
        FrameForm(
            name: "gdb",
            print: {
                "#\($0.number)  \(hexadecimal($0.address, digits: 16)) in "
                    + ($0.isSystem
                        ? "loop\($0.step) () from /lib/x86_64-linux-gnu/libc.so.6"
                        : "shop::Cart::step\($0.step) (this=\(hexadecimal($0.launch)), n=\($0.build)) at /home/me\($0.build)/cart.cpp:\($0.line)")
            }, hasImageAndSwiftFunction: false),
    ]

    private static let json: [FrameForm] = [
        FrameForm(
            name: ".ips",
            print: {
                """
                {"imageOffset":\($0.functionOffset),"symbol":"\(function($0))","symbolLocation":\($0.offset),\
                "imageIndex":\($0.isSystem ? 1 : 0)}
                """
            },
            text: { frames, build in
                """
                {"app_name":"Shop","bug_type":"309"}
                {"threads":[{"id":1,"frames":[{"imageOffset":1,"symbol":"wait","imageIndex":0},{"imageOffset":2,"symbol":"run","imageIndex":0}]},\
                {"triggered":true,"id":2,"frames":[\(frames.joined(separator: ","))]}],\
                "usedImages":[{"base":4294967296,"uuid":"\(uuid(build))","path":"/home/me/Shop","name":"Shop"},\
                {"base":8294967296,"uuid":"\(uuid(9))","path":"/usr/lib/libswiftCore.so","name":"libswiftCore.so"}]}
                """
            }),
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
    ]

    static let stripped: [FrameForm] = [
        FrameForm(
            name: "backtrace_symbols of a stripped build",
            print: { "\(path($0))(+\(hexadecimal($0.functionOffset))) [\(hexadecimal($0.address))]" },
            isStripped: true),
        FrameForm(
            name: "crash report of a stripped build",
            print: {
                "\($0.number)  \($0.image)  \(hexadecimal($0.address)) "
                    + "\(hexadecimal($0.address - $0.functionOffset)) + \($0.functionOffset)"
            }, isStripped: true),
        FrameForm(
            name: "MetricKit",
            print: {
                """
                {"binaryUUID":"\(uuid($0.isSystem ? 9 : $0.build))","offsetIntoBinaryTextSegment":\($0.functionOffset),\
                "binaryName":"\($0.image)","address":\($0.address)}
                """
            }, isStripped: true),
    ]

    /// Returns the call stack of a leak, with the addresses of one launch.
    ///
    /// - Parameter leak: determines which functions of the app are called.
    func stack(ofLeak leak: Int, launch: inout SeededRandom, build: Int) -> [String] {
        let slide = 0x1_0000_0000 + UInt64(launch.below(1 << 20)) << 14
        let number = UInt64(launch.below(1 << 30))
        let frames = (0..<5).map { [launch = number] number in
            let isSystem = number == 0 || number == 3
            return print(
                Frame(
                    number: number, image: isSystem ? "libswiftCore.so" : "Shop",
                    step: number * 100 + (isSystem ? 0 : leak), isSystem: isSystem,
                    address: slide + UInt64(number * 0x1_0000 + build * 64 + leak * 0x10_0000),
                    offset: 8 + number * 4 + build * 16,
                    line: 10 + number + build * 3, build: build, launch: launch))
        }
        return isOutermostFirst ? frames.reversed() : frames
    }

    /// Fills a report with the call stack that ``stack(ofLeak:launch:build:)`` returns.
    func fill(_ report: inout LeakReport, ofLeak leak: Int, launch: inout SeededRandom, build: Int) {
        let frames = stack(ofLeak: leak, launch: &launch, build: build)
        guard let text else {
            (report.className, report.event, report.stack) = ("Shop.Cart", .leak, frames)
            return
        }
        report.message = text(frames, build)
    }
}

@Suite struct CallStackFormsTests {
    private func key(
        _ form: FrameForm, leak: Int = 1, _ launch: inout SeededRandom, build: Int = 0,
        symbols: CallStack.Symbols = { _, _ in [] }
    ) -> [String] {
        var report = LeakReport()
        form.fill(&report, ofLeak: leak, launch: &launch, build: build)
        let rule = GroupingRules.group(report, app: "shop", module: "Shop", symbols: symbols).identity
            .groupingKey
        return [rule.className] + rule.stack
    }

    @Test(arguments: FrameForm.all)
    func `a leak is one group in a thousand launches, and in five builds if its frames name functions`(
        form: FrameForm
    ) {
        var random = SeededRandom(seed: 13)
        var keys: Set<[String]> = []
        for launch in 0..<1_000 {
            keys.insert(key(form, &random, build: form.isStripped ? 0 : launch % 5))
        }
        #expect(keys.count == 1)
        #expect(
            (keys.first?.count ?? 0) == 4, "the class and three functions of the app: \(keys.first ?? [])")
    }

    @Test(arguments: FrameForm.all)
    func `twenty leaks with similar call stacks are twenty groups`(form: FrameForm) {
        var random = SeededRandom(seed: 14)
        let keys = (1...20).map { key(form, leak: $0, &random) }
        #expect(Set(keys).count == 20)
    }

    @Test(arguments: FrameForm.stripped)
    func `if frames do not name functions, a leak is one group in each of five builds`(form: FrameForm) {
        var random = SeededRandom(seed: 16)
        var keys: [Int: Set<[String]>] = [:]
        for launch in 0..<1_000 {
            keys[launch % 5, default: []].insert(key(form, &random, build: launch % 5))
        }
        #expect(keys.values.allSatisfy { $0.count == 1 && $0.first?.count == 4 })
        #expect(Set(keys.values.flatMap(\.self)).count == 5)
    }

    @Test
    func `after symbolication, a leak in five builds is one group, and twenty leaks are twenty groups`()
        throws
    {
        let form = try #require(FrameForm.stripped.first { $0.name == "MetricKit" })
        var random = SeededRandom(seed: 17)
        func key(leak: Int, build: Int) -> [String] {
            self.key(form, leak: leak, &random, build: build) { image, location in
                guard image == FrameForm.uuid(build), case .offset(let offset) = location else { return [] }
                return [
                    SymbolicatedFrame(function: "Cart.step\((Int(offset) + 1 - build * 0x40) / 0x1000)()")
                ]
            }
        }
        let keys = Set((0..<1_000).map { key(leak: 1, build: $0 % 5) })
        #expect(keys.count == 1 && keys.first?.last == "at Cart.step401() in Shop", "\(keys)")
        #expect(Set((1...20).map { key(leak: $0, build: $0 % 5) }).count == 20)
    }

    @Test(arguments: [
        FrameForm(name: "addresses") { FrameForm.hexadecimal($0.address, digits: 16) },
        FrameForm(name: "callStackReturnAddresses") { "\($0.address)" },
    ])
    func `if a stack has only addresses, the class decides the group`(form: FrameForm) {
        var random = SeededRandom(seed: 18)
        for launch in 0..<1_000 {
            #expect(key(form, leak: 1 + launch % 20, &random, build: launch % 5) == ["Cart"])
        }
    }

    @Test func `a leak is one group in the output of the leaks tool and in a crash report`() throws {
        var random = SeededRandom(seed: 19)
        let keys = try ["leaks", "leaks with recorded stacks", "crash report"].map { name in
            key(try #require(FrameForm.all.first { $0.name == name }), &random)
        }
        #expect(Set(keys).count == 1, "\(keys)")
    }

    @Test
    func `a leak is one group in all fifteen forms of frames that name image and function, innermost first`()
    {
        var random = SeededRandom(seed: 15)
        let forms = FrameForm.all.filter {
            !$0.isStripped && $0.hasImageAndSwiftFunction && !$0.isOutermostFirst && $0.text == nil
        }
        let keys = forms.map { key($0, &random, build: 2) }
        #expect(forms.count == 15 && Set(keys).count == 1, "\(Set(keys))")
    }
}
