import Foundation
import LeakDetectorTexts
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Returns the decoded lines of a file in `Vectors`.
func decodedLines<Line: Decodable>(ofVectorFile name: String) -> [Line] {
    guard let url = Bundle.module.url(forResource: name, withExtension: "jsonl", subdirectory: "Vectors"),
        let text = try? String(contentsOf: url, encoding: .utf8)
    else { return [] }
    return text.split(separator: "\n").compactMap {
        try? JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
}

func group(_ message: String, module: String? = nil) -> GroupedReport {
    var report = LeakReport()
    report.message = message
    return GroupingRules.group(report, app: "com.acme.shop", module: module)
}

func leak(
    _ className: String?, _ stack: [String] = [], children: [String] = [], cycle: [String] = [],
    fingerprint: [String] = [], app: String = "com.acme.shop", module: String? = nil
) -> LeakIdentity {
    var report = LeakReport()
    report.className = className
    report.stack = stack
    report.children = children
    report.cycle = cycle
    report.fingerprint = fingerprint
    return GroupingRules.group(report, app: AppKey(app), module: module).identity
}

@Suite struct GroupingTests {
    @Test func `a report with only an error without text is grouped by the error's domain and code`() {
        func group(_ domain: String, _ code: Int, _ change: (inout LeakReport) -> Void = { _ in })
            -> LeakIdentity
        {
            var report = LeakReport()
            report.error = ReportedError(domain: domain, code: code, userInfo: [CustomKey("at", .number(1))])
            change(&report)
            return GroupingRules.group(report, app: "shop", module: "Shop").identity
        }
        let first = group("Shop.E", 3)
        #expect(first.title == "Shop.E 3")
        #expect(first.quality == .low)
        #expect(group("Shop.E", 3) { $0.error?.userInfo = [] }.id == first.id)
        #expect(group("Shop.E", 4).id != first.id)
        #expect(group("Shop.F", 3).id != first.id)
        #expect(group("Shop.E", 3) { $0.cycle = ["Shop.E", "3"] }.id != first.id)
        // If another field identifies the leak, the error does not change the group.
        for change: (inout LeakReport) -> Void in [
            { $0.className = "Cart" }, { $0.message = "gone" }, { $0.message = " " },
            { $0.fingerprint = ["a"] },
        ] {
            var alone = LeakReport()
            change(&alone)
            let without = GroupingRules.group(alone, app: "shop", module: "Shop").identity
            #expect(group("Shop.E", 3, change).id == without.id)
        }
    }

    @Test(arguments: DetectorText.all)
    func `a detector's text has the group of a report with the same class and stack in fields`(
        vector: DetectorText
    ) {
        let grouped = group(vector.message)
        let stated = leak(
            vector.className, vector.stack ?? [], children: vector.children ?? [], cycle: vector.cycle ?? [])
        // The vectors have the class names of version 1 of the rules, without generic arguments.
        let isSameName = grouped.identity.className == stated.className
        #expect(grouped.identity.className.map { TypeName($0).text } == stated.className)
        #expect(grouped.identity.id == stated.id || !isSameName)
        #expect(grouped.identity.module == stated.module)
        #expect(grouped.identity.stack == stated.stack)
        #expect(grouped.identity.children == stated.children)
        #expect(grouped.identity.cycle == stated.cycle)
        #expect(grouped.isFreed == vector.isFreed)
        #expect(grouped.identity.quality == .full)
        #expect((grouped.livedMilliseconds != nil) == (vector.isFreed && vector.message.contains("after")))
    }

    @Test(arguments: [
        "MyApp.FooController", "FooController", "<MyApp.FooController: 0x7f88acc69260>",
        "_TtC5MyApp13FooController",
        "$s5MyApp13FooControllerC", "_$s5MyApp13FooControllerC", "_T05MyApp13FooControllerC",
        "$s5MyApp13FooControllerCMn", "NSKVONotifying_MyApp.FooController",
        "NSKVONotifying__TtC5MyApp13FooController", "MyApp.(unknown context at $10a3b22bc).FooController",
        "MyApp.(FooController in _9B7A0F1E2D3C4B5A69788796A5B4C3D2)",
        "_TtC5MyAppP33_9B7A0F1E2D3C4B5A69788796A5B4C3D213FooController", "Optional(<FooController: 0x1>)",
    ])
    func `all spellings of a class are one leak`(className: String) {
        for module in ["MyApp", nil] {
            let identity = leak(className, module: module)
            #expect(identity.id == leak("FooController").id)
            #expect(identity.className == "FooController")
        }
    }

    @Test func `a hosting controller is identified by the view that it hosts`() {
        let mangled = leak("_TtGC7SwiftUI19UIHostingControllerV5MyApp11ContentView_", module: "MyApp")
        #expect(mangled.className == "UIHostingController<ContentView>")
        #expect(mangled.id == leak("SwiftUI.UIHostingController<MyApp.ContentView>").id)
        #expect(mangled.id == leak("UIHostingController<ContentView>", module: "MyApp").id)
        #expect(mangled.id != leak("UIHostingController<CartView>", module: "MyApp").id)
        #expect(mangled.id != leak("UIHostingController<ModifiedContent<AnyView, RootModifier>>").id)
    }

    @Test func `system classes in a path of owners do not change the group`() {
        let plain = leak("Cart")
        #expect(leak("Cart", ["Cart"]).id == plain.id)
        #expect(leak("Cart", ["UINavigationController", "Cart"]).id == plain.id)
        #expect(
            leak("Cart", ["UINavigationController", "Cart"]).stack == ["UINavigationController", "Cart"])
        let label = leak("UILabel", ["Cart", "UIView", "UILabel"])
        #expect(
            label.groupingKey == GroupingKey(version: 1, className: "UILabel", stack: ["Cart", "UILabel"]))
        #expect(
            label.id
                == leak("UILabel", ["Shop.Cart", "UITableView", "_UIThing", "UILabel"], module: "Shop").id)
        #expect(label.id != leak("UILabel", ["Wish", "UIView", "UILabel"]).id)
    }

    @Test func `a container of the system is identified by its class and its first child`() {
        let one = leak("UINavigationController", children: ["MyApp.A", "MyApp.B"], module: "MyApp")
        #expect(one.groupingKey == GroupingKey(version: 1, className: "UINavigationController", stack: ["A"]))
        #expect(one.id == leak("UINavigationController", children: ["A"]).id)
        #expect(one.id != leak("UINavigationController", children: ["B", "A"]).id)
        #expect(one.id != leak("UINavigationController").id)
        #expect(leak("MyNavigation", children: ["A"]).id == leak("MyNavigation").id)
    }

    @Test(arguments: [
        ["Shop.Cart.onChange", "closure", "Shop.Cart"], ["Cart.onChange", "closure", "Cart"],
    ])
    func `a cycle in a report with a class keeps its property names and does not change the group`(
        cycle: [String]
    ) {
        let cart = leak("Shop.Cart", cycle: cycle, module: "Shop")
        #expect(cart.cycle == ["Cart", "Cart.onChange", "closure"])
        #expect(cart.id == leak("Shop.Cart", module: "Shop").id)
    }

    @Test func `a cycle without a class shows the names of closures, which are not part of its grouping key`()
    {
        let cycle = leak(
            nil, cycle: ["Shop.Cart", "closure #1 in Shop.CartModel.bind()", "Shop.CartModel"], module: "Shop"
        )
        #expect(cycle.cycle == ["Cart", "closure #1 in CartModel.bind()", "CartModel"])
        #expect(cycle.title == "Cart → closure #1 in CartModel.bind() → CartModel")
        #expect(
            cycle.groupingKey
                == GroupingKey(version: 1, className: "", stack: ["Cart", "closure", "CartModel"]))
        #expect(cycle.id == leak(nil, cycle: ["CartModel", "Cart", "closure"]).id)
        // The cycle is shown in the order of its key, independent of the report's first element.
        let turned = leak(nil, cycle: ["closure #2 in Shop.A.b()", "Shop.Cart"], module: "Shop")
        #expect(turned.cycle == ["Cart", "closure #2 in A.b()"])
    }

    @Test(arguments: [
        ["UIHostingController<ModifiedContent<CartView, Padding>>", "CartModel"],
        ["CartModel", "SwiftUI.UIHostingController<SwiftUI.ModifiedContent<Shop.CartView, Padding>>"],
        ["UIHostingController<CartView>", "CartModel"],
    ])
    func `a hosting controller in a cycle is named after its view`(cycle: [String]) {
        let one = leak(nil, cycle: cycle)
        #expect(
            one.groupingKey
                == GroupingKey(
                    version: 1, className: "", stack: ["CartModel", "UIHostingController<CartView>"]))
        #expect(one.id == leak(nil, cycle: ["CartModel", "UIHostingController<CartView>"]).id)
        #expect(one.id != leak(nil, cycle: ["CartModel", "UIHostingController<HomeView>"]).id)
    }

    @Test func `a cycle decides the group only if the report has no class`() {
        let cycle = leak(nil, cycle: ["MyApp.B", "__NSArrayM", "MyApp.A"], module: "MyApp")
        #expect(cycle.cycle == ["A", "B", "NSArray"])
        #expect(cycle.id == leak(nil, cycle: ["NSArray", "A", "B"]).id)
        #expect(cycle.kind == "cycle")
        #expect(cycle.quality == .full)
        #expect(leak("A", cycle: ["A", "B"]).id == leak("A").id)
        #expect(cycle.id != leak("A", ["B", "NSArray"]).id)
        #expect(cycle.id != leak(nil, cycle: ["A", "NSArray", "B"]).id)
    }

    @Test func `a text without a class is grouped by its words, without numbers and addresses`() {
        let one = group("Expected deallocation of user 4711 at 0x7f88acc69260").identity
        #expect(one.quality == .low)
        #expect(one.className == nil)
        #expect(one.title == "user # at #")
        #expect(
            one.id == group("a.swift:7: Fatal error: Expected deallocation of user 12 at 0x1").identity.id)
        #expect(one.id != group("Expected deallocation of cart 4711 at 0x7f88acc69260").identity.id)
    }

    @Test func `a text about a freed object has the group of its leak`() {
        for (seen, freed) in [
            (
                "VIEWCONTROLLER STILL IN MEMORY user 4711",
                "LEAKED VIEWCONTROLLER DEINNITED user 12\n\nDeinnited after 8.9s."
            ),
            (
                "NAVIGATIONCONTROLLER STILL IN MEMORY <UINavigationController: 0x1>\n📄 <MyApp.A: 0x2>",
                "LEAKED VIEWCONTROLLER DEINITED <UINavigationController: 0x1>:\n[<A: 0x2>]\nDeinited after 8.9s."
            ),
        ] {
            #expect(group(seen).identity.id == group(freed).identity.id)
            #expect(group(freed).livedMilliseconds == 8_900)
            #expect(!group(seen).isFreed)
            #expect(group(freed).isFreed)
        }
    }

    @Test func `a fingerprint decides the group instead of class and stack`() {
        let one = leak("A", ["X", "A"], fingerprint: ["checkout", "paid"])
        #expect(one.id == leak("B", fingerprint: ["checkout", "paid"]).id)
        #expect(one.id != leak("A", ["X", "A"]).id)
        #expect(one.id != leak("A", fingerprint: ["checkout"]).id)
        #expect(one.className == "A")
        #expect(leak(nil, fingerprint: ["f", "g\u{1F}h"]).title == "f · g h")
        #expect(leak(nil, fingerprint: ["f", "g\u{1F}h"]).quality == .full)
    }

    @Test func `the same leak in two apps is two groups`() {
        #expect(leak("A").id != leak("A", app: "com.acme.bank").id)
    }

    @Test func `different parts of a grouping key have different ids, even if they contain separators`() {
        let lists: [[String]] = [
            ["com.a", "Foo", "Bar"], ["com.a\u{1F}Foo", "Bar"], ["com.a", "Foo\u{1F}Bar"],
            ["com.a\u{1F}Foo\u{1F}Bar"], ["com.a\u{1B}_Foo", "Bar"], ["com.a\u{1B}\u{5F}Foo\u{1F}Bar"],
            ["com.a\u{1B}\u{1F}Foo", "Bar"], ["com.a\u{1B}[\u{1B}_Foo", "Bar"], ["com.a", "", "Foo", "Bar"],
            ["com.a", "Foo", "Bar", ""],
        ]
        let ids = lists.map { GroupingRules.id(app: AppKey($0[0]), key: Array($0.dropFirst())) }
        #expect(Set(ids).count == lists.count)
    }

    @Test func `class names and app ids are compared byte by byte`() {
        let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
        #expect(leak(composed).id != leak(decomposed).id)
        #expect(leak("A", app: composed).id != leak("A", app: decomposed).id)
        #expect(
            leak(composed, [decomposed]).groupingKey.stack.map { Array($0.utf8) } == [Array(decomposed.utf8)])
    }

    @Test func `an error's description is read like a message`() {
        var report = LeakReport()
        report.error = ReportedError(
            domain: "com.acme.shop", code: 8,
            userInfo: [CustomKey("NSLocalizedDescription", .string("VIEW STILL IN MEMORY <MyApp.Card: 0x1>"))]
        )
        let grouped = GroupingRules.group(report, app: "com.acme.shop", module: nil)
        #expect(grouped.identity.className == "Card")
        #expect(grouped.identity.kind == "view")
    }

    @Test func `fields of a report override its text`() {
        var report = LeakReport()
        report.className = "A"
        report.message = "LEAKED VIEW DEINITED <B: 0x1>\n\nDeinited after 2.5s."
        let grouped = GroupingRules.group(report, app: "com.acme.shop", module: nil)
        #expect(grouped.identity.className == "A")
        #expect(grouped.isFreed)
        #expect(grouped.livedMilliseconds == 2_500)
        report.event = .leak
        report.kind = .object
        let leak = GroupingRules.group(report, app: "com.acme.shop", module: nil)
        #expect(!leak.isFreed)
        #expect(leak.identity.kind == "object")
        report.event = .freed
        #expect(GroupingRules.group(report, app: "com.acme.shop", module: nil).livedMilliseconds == 2_500)
    }

    @Test(arguments: [
        ("Cart went after 2.5s", 2_500), ("<UILabel: 0x1; text = 'Cart'> went", nil),
        ("<UILabel: 0x1; text = 'Call me after 2.5s", nil),
    ])
    func `the lifetime of a freed object is not read from text that a user typed`(
        message: String, lived: Int?
    ) {
        var report = LeakReport()
        report.event = .freed
        report.message = message
        #expect(GroupingRules.group(report, app: "com.acme.shop", module: nil).livedMilliseconds == lived)
    }

    @Test func `a report with an empty message is identified by its error`() {
        var report = LeakReport()
        report.message = ""
        report.error = ReportedError(
            domain: "d", code: 8,
            userInfo: [CustomKey("NSLocalizedDescription", .string("<MyApp.Card: 0x1>"))])
        #expect(GroupingRules.group(report, app: "a", module: nil).identity.className == "Card")
        #expect(group(" ").identity.title == "(empty text)")
        #expect(leak(" ").title == "(empty text)")
    }

    @Test func `checks are counted under the same class name as leaks`() {
        #expect(
            GroupingRules.className("_TtC4Shop4Cart", module: "Shop")
                == leak("Shop.Cart", module: "Shop").className)
    }
}
