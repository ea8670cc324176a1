import LeakSeededRandom

/// Generator of texts about one leak, as detectors print them on many devices: with different addresses, spellings of
/// the class, and lines around the text.
struct MessageVariants {
    var random: SeededRandom
    let module = "MyApp"

    private mutating func address() -> String { "0x" + random.hexadecimal(7 + random.below(6)) }

    private mutating func context() -> String { "(unknown context at $\(random.hexadecimal(9)))." }

    /// Returns a class of the app in one of its spellings inside a description.
    mutating func spelling(_ name: String) -> String {
        let isSimple = !name.contains(".") && !name.contains("<")
        switch random.below(isSimple ? 9 : 3) {
        case 0: return name
        case 1, 2: return "\(module).\(name)"
        case 3: return "\(module).\(context())\(name)"
        case 4: return "\(module).\(context())\(context())\(name)"
        case 5: return "_TtC5MyApp\(name.utf8.count)\(name)"
        case 6: return "NSKVONotifying_\(module).\(name)"
        case 7: return "_TtC5MyAppP33_\(random.hexadecimal(32).uppercased())\(name.utf8.count)\(name)"
        default: return "$s5MyApp\(name.utf8.count)\(name)C"
        }
    }

    private mutating func description(_ name: String) -> String { "<\(spelling(name)): \(address())>" }

    private mutating func view(_ name: String) -> String {
        let text = random.element(of: ["Jane", "it's 5%", "a; b", "<x>", "\\n"])
        let parts = random.element(of: [
            "", "; baseClass = UIControl", "; frame = (0 \(random.below(900)); 1 1); text = '\(text)'",
            "; frame = (0 0; 0 0); layer = <CALayer: \(address())>",
        ])
        return "<\(spelling(name)): \(address())\(parts)>"
    }

    private mutating func seconds() -> String { "\(random.below(900)).\(100 + random.below(900))" }

    /// Returns a text about one object.
    mutating func text(_ name: String) -> String {
        let text: String
        switch random.below(27) {
        case 0: text = "VIEWCONTROLLER STILL IN MEMORY \(description(name))"
        case 1: text = "VIEW STILL IN MEMORY \(view(name))"
        case 2: text = "VIEWCONTROLLER STILL IN MEMORY     \(description(name))"
        case 3: text = "VIEWCONTROLLER STILL IN MEMORY \(description(name))\napp state on leak: INACTIVE"
        case 4: text = "LEAKED VIEW DEINITED \(view(name))\n\nDeinited after \(seconds())s."
        case 5: text = "LEAKED VIEWCONTROLLER DEINITED \(description(name))\nDeinited after \(seconds())s."
        case 6: text = "\(name) not deallocated after being dismissed"
        case 7:
            text =
                "\(name) is still in memory even though its view was removed from hierarchy. Please open it."
        case 8: text = "Expected deallocation of \(spelling(name))"
        case 9: text = "Expected deallocation of \(view(name))"
        case 10:
            text =
                "XCTAssertNil failed: \"\(description(name))\" - Expected deallocation of Optional(\(description(name)))"
        case 11: text = "*** Expected deallocation of \(description(name)) \(seconds())s ago"
        case 12: text = "\n\nDetect Possible Controller Leak: \(spelling(name)) \n\n"
        case 13: text = "Detect Possible Leak: \(spelling(name))"
        case 14: text = "\(description(name)) has leaked"
        case 15: text = "\(description(name)) apparently has leaked"
        case 16: text = "\(name) appearance has leaked. Objects are expected"
        case 17: text = "⚠️👇🏻\n控制器泄漏:\(description(name))\n操作路径:\nA(viewDidLoad:) -> \n⚠️👆🏻\n"
        case 18: text = "--- -[UIViewController dealloc] @\"\(description(name))\""
        case 19: text = "Memory Leak: (\n    \"\(spelling(name))\"\n)"
        case 20:
            text =
                "*** Expected deallocation of \(description(name)) 3.41s ago, possibly failed due to: still shown"
        case 21:
            text =
                "Eventually did deallocate \(description(name)) after \(seconds())s (\(random.below(9)) left)"
        case 22:
            text = "POSSIBLE LEAK ALERT: \(spelling(name)) - current count: \(random.below(9)), max count: 1"
        case 23:
            text = "POSSIBLE LEAK ALERT: \(spelling(name)) - current count \(random.below(9)), max count 1"
        case 24:
            text =
                "<\(spelling(name)): -\(5_614_401_294_713 + random.below(9_999))> has leaked. Objects are expected to"
        case 25:
            text = "LEAKED VIEWCONTROLLER DEINNITED \(description(name))\n\nDeinnited after \(seconds())s."
        default: text = "A leak was found: \(view(name)) in the cart"
        }
        return around(text)
    }

    /// Returns a text about a path of owners.
    mutating func text(_ path: [String]) -> String {
        var elements: [String] = []
        for name in path {
            let isSystem = name.hasPrefix("UI") || name.hasPrefix("_UI")
            elements.append(isSystem ? name : spelling(name))
        }
        let list = elements.map { element in
            element.allSatisfy { $0.isASCII && $0.isLetter } ? "    \(element)" : "    \"\(element)\""
        }.joined(separator: ",\n")
        let heads = [
            "Memory Leak: (", "Memory Leak\n(", "Object Deallocated: (", "Object Deallocated :(",
            "Possibly Memory Leak.\nIn case that X should not be dealloced, override it.\nView-ViewController stack: (",
        ]
        return around("\(random.element(of: heads))\n\(list)\n)")
    }

    /// Surrounds a text with the output of a logger or a runtime, or changes its line endings.
    private mutating func around(_ text: String) -> String {
        switch random.below(8) {
        case 0:
            return
                "2017-11-14 11:58:3\(random.below(10)).373501+0800 lin-sdk-demo[\(random.below(9999)):30\(random.below(99))] \(text)"
        case 1: return "MyApp/File.swift:\(random.below(999)): Fatal error: \(text)"
        case 2: return "MyApp/File.swift:\(random.below(999)): Assertion failed: \(text)"
        case 3: return "Fatal error: \(text): file /Users/me/DC.swift, line \(random.below(99))"
        case 4:
            var crlf = String.UnicodeScalarView()
            for scalar in text.unicodeScalars {
                if scalar == "\n" { crlf.append("\r") }
                crlf.append(scalar)
            }
            return String(crlf)
        case 5: return "\u{FEFF}\(text)  \n"
        default: return text
        }
    }
}
