import LeakSeededRandom

/// Generates texts in every form that any version of a detector prints, about objects with invented names.
struct FormVariants {
    var random: SeededRandom

    /// Returns a class name that no fixture contains.
    mutating func className() -> String {
        let parts = ["Order", "Basket", "Ticket", "Refund", "Zoom", "Über", "Q", "Map2", "Foo_Bar"]
        let ends = ["Screen", "VC", "Cell", "ViewModel", "Pane", "ViewController", ""]
        return random.element(of: parts) + random.element(of: parts) + random.element(of: ends)
    }

    mutating func address() -> String { "0x" + random.hexadecimal(9 + random.below(4)) }

    mutating func objectDescription(_ name: String) -> String {
        let module = random.element(of: [
            "", "MyApp.", "MyApp.(unknown context at $\(random.hexadecimal(9))).",
        ])
        return "<\(module)\(name): \(address())>"
    }

    mutating func seconds() -> String { "\(random.below(900)).\(100 + random.below(900))" }

    private mutating func state(_ event: String) -> String {
        let states = ["ACTIVE", "INACTIVE", "BACKGROUND", "UNKNOWN STATE"]
        return random.below(2) == 0 ? "" : "\napp state on \(event): \(random.element(of: states))"
    }

    private mutating func deinited(_ title: String, _ body: String) -> String {
        switch random.below(3) {
        case 0: return "LEAKED \(title) DEINNITED \(body)\(state("deinit"))\n\nDeinnited after \(seconds())s."
        case 1: return "LEAKED \(title) DEINITED \(body)\n\nDeinited after \(seconds())s."
        default: return "LEAKED VIEWCONTROLLER DEINITED \(body)\nDeinited after \(seconds())s."
        }
    }

    /// Returns a text of LeakedViewControllerDetector about a container and its children, leaked or freed.
    mutating func containerText(_ name: String, children: [String]) -> String {
        var objects: [String] = []
        for child in children { objects.append(objectDescription(child)) }
        let container = "<\(name): \(address())>"
        let list =
            random.below(2) == 0
            ? "\(container):\n[\(objects.joined(separator: ", "))]"
            : container + objects.map { "\n📄 \($0)" }.joined()
        let title = random.element(of: ["VIEWCONTROLLER", "NAVIGATIONCONTROLLER", "TABBARCONTROLLER"])
        return random.below(2) == 0
            ? "\(title) STILL IN MEMORY \(list)\(state("leak"))" : deinited(title, list)
    }

    /// Returns a text about an alert in one of the layouts, with words in several languages. A text about a freed alert may
    /// be garbled, as if it had been used as a format string.
    mutating func alertText(_ name: String) -> String {
        let words = ["Löschen?", "50% off", "it's", "削除", "a; b", "", "-", "\\n", "<b>", "100%"]
        let (title, message, action) = (
            random.element(of: words), random.element(of: words), random.element(of: words)
        )
        let alert = "<\(name): \(address())>"
        let body: String
        switch random.below(4) {
        case 0:
            body =
                "\(alert)\n title: \"\(title)\";\nmessage: \"\(message)\";\nactions:  \"\(action)\", \"B\";"
        case 1:
            body =
                "\(alert)\n title: \"\(title)\";\nmessage: \"\(message)\";\nactions:  -;\ntextfields:  \"\(action)\";"
        case 2:
            body =
                "\(alert)\ntitle: \"\(title)\"\nmessage: \"\(message)\"\nactions:  \"\(action)\"\ntextfields:  _"
        default:
            body =
                "    \(alert)\n    title: \"\(title)\"\n    message: \"\(message)\"\n    actions:  \"\(action)\""
        }
        let kind = random.element(of: ["VIEWCONTROLLER", "ALERTCONTROLLER"])
        guard random.below(2) == 0 else { return "\(kind) STILL IN MEMORY \(body)" }
        let spoilt =
            random.below(2) == 0 ? body : String(body.replacing("% o", with: "0").replacing("%\"", with: ""))
        return deinited(kind, spoilt)
    }

    /// Returns a text of FBRetainCycleDetector about a cycle that starts at a random object.
    mutating func cycleText(_ classes: [String]) -> String {
        let start = random.below(classes.count)
        let fields = [
            "", "_owner -> ", "a -> b -> ", "cb->capture[1] -> ", "scan[+24] -> ", "__associated_object -> ",
        ]
        var elements: [String] = []
        for name in classes[start...] + classes[..<start] {
            let spelt =
                name == "NSArray"
                ? random.element(of: ["__NSArrayI", "__NSArrayM", "NSArray", "_SwiftDeferredNSArray"])
                : name == "__NSMallocBlock__"
                    ? random.element(of: [name, "<<\(name):\(address())>>"])
                    : random.element(of: ["MyApp.", ""]) + name
            elements.append("        \"-> \(random.element(of: fields))\(spelt) \"")
        }
        let list = elements.joined(separator: ",\n")
        switch random.below(3) {
        case 0: return "Retain Cycle: (\n\(list)\n)"
        case 1: return "{(\n    (\n\(list)\n    )\n)}"
        default: return "2017-11-14 11:58:37.373 app[39:30] Retain Cycle: (\n\(list)\n)"
        }
    }

    /// Returns a text of MLeaksFinder whose path ends with a property and its class, as `MLCheck` writes them.
    mutating func propertyText(owner: String, property: String, className name: String) -> String {
        let spelt = random.element(of: [name, "MyApp.\(name)", "_TtC5MyApp\(name.utf8.count)\(name)"])
        let entry = random.element(of: [
            ".\(property)(\(spelt)), ", ".\(property)(\(spelt))", "\(property)(\(spelt)), ",
        ])
        return random.element(of: ["Memory Leak: (", "Object Deallocated :(", "Memory Leak\n("])
            + "\n    \"MyApp.\(owner)\",\n    UIView,\n    \"\(entry)\"\n)"
    }

    /// Returns a text of AMLeaksFinder about a view and its controller.
    mutating func viewText(_ name: String, inController owner: String) -> String {
        let colon = random.element(of: [":", ": ", "："])
        let view =
            "<MyApp.\(name): \(address()); frame = (0 0; 1 \(random.below(99))); text = '操作路径'; layer = <CALayer: \(address())>>"
        return
            "⚠️👇🏻\n视图泄漏\(colon)\(view) \n视图所在控制器 MyApp.\(owner) \n操作路径:\nA(viewDidLoad:) -> \nB(viewDidAppear:) -> \n⚠️👆🏻\n"
    }

    /// Returns a message that names only the leaked object and no owner, as rare versions of detectors print it.
    mutating func messageNamingOnly(_ name: String) -> String {
        let texts = [
            "Leak Detected: \(name) is still in memory even though its view was removed from hierarchy. Please open it.",
            "Thread 1: Fatal error: \(name) not deallocated after being removed from its parent",
            "MyApp/as.swift:4: Assertion failed: \(name) not deallocated after being dismissed",
            "Assertion failed: \(name) not deallocated after being dismissed: file /Users/me/DC.swift, line 33",
            "*** Terminating app due to uncaught exception 'E', reason: 'Possibly Memory Leak.\nIn case that \(name) should not be dealloced, override -willDealloc in \(name) by returning NO.\nView-ViewController stack: (\n    \(name)\n)', terminating",
            "[\(objectDescription(name))] have leaked. Objects are expected", "[\(name)] have leaked",
            "<MyApp.\(name)> has leaked",
            "<\(objectDescription(name)): -\(random.below(.max))> has leaked. Objects are expected to be deallocated at this time: NSMapTable {\n[9] 5614 -> MyApp.Other\n}",
            "\(name) apparently has leaked.",
            "/s/T.swift:12: error: -[SuiteTests testIt] : XCTAssertNil failed: \"MyApp.\(name)\" - Expected deallocation of Optional(MyApp.\(name))",
            "/s/T.swift:12: error: SuiteTests.testIt : XCTAssertNil failed: \"\(objectDescription(name))\"",
            "XCTAssertNil failed: \"MyApp.\(name)\"", "--- -[UIView dealloc] @\"\(objectDescription(name))\"",
            "*** Expected deallocation of <\(name):\(address())> \(seconds())s ago",
            "Eventually did deallocate <\(name):\(address())> after \(seconds())s (\(random.below(9)) left)",
            "POSSIBLE LEAK ALERT: MyApp.\(name) - current count \(random.below(9)), max count 1",
            "VIEW STILL IN MEMORY <MyApp.\(name): \(address()); baseClass = UIView; text = 'Deinited after 1.0s.'>",
            "LEAKED VIEW DEINITED <\(name): \(address()); text = 'Save 500f'; layer = <CALayer: 0x1>>\n\nDeinited after \(seconds())s.",
            "Expected deallocation of Optional(MyApp.\(name))",
            "<NSKVONotifying_MyApp.\(name): \(address())> apparently has leaked",
            "控制器泄漏：\(objectDescription(name)) \n操作路径:\nA -> ",
        ]
        return random.element(of: texts)
    }
}
