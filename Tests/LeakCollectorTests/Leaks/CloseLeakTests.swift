import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// The leaks closest to a leak, and what tells them apart.
@Suite struct CloseLeakTests {
    private static func leak(
        _ className: String?, _ stack: [String], version: Int = 2, id: UInt64 = 1, reports: Int = 1
    ) -> LeakOutline {
        LeakOutline(
            id: LeakID(high: id, low: id), title: className ?? "cycle", className: className, stack: stack,
            groupedBy: GroupedBy(version: version, className: className ?? "", stack: stack),
            reports: reports)
    }

    private static func calls(_ names: String...) -> [String] { names.map { "at \($0) in Shop" } }

    static let cases: [(ours: LeakOutline, theirs: LeakOutline, difference: String?)] = [
        (
            leak("Cart", calls("load", "open", "main")), leak("Cart", calls("reload", "open", "main")),
            "same class; 1 of 3 app functions differs: load in Shop ↔ reload in Shop"
        ),
        (
            leak("Cart", calls("load", "open", "tap", "main")), leak("Cart", calls("open", "main")),
            "same class; 2 of 4 app functions differ: load in Shop ↔ nothing"
        ),
        (
            leak("Cart", calls("open")), leak("Cart", calls("tap", "open")),
            "same class; 1 of 2 app functions differs: nothing ↔ tap in Shop"
        ),
        (
            leak("Cart", calls("a")), leak("Cart", calls("b")),
            "same class; 1 of 1 app function differs: a in Shop ↔ b in Shop"
        ),
        (
            leak("Cart", calls("load")), leak("Cart", [], version: 1),
            "same class, no stack there; grouped by rule 1"
        ),
        (
            leak("Cart", [], version: 1), leak("Cart", ["Root", "Cart"], version: 1),
            "same class, no stack here, Root there"
        ),
        (
            leak("Cart", calls("load")), leak("Order", calls("load")),
            "other class: Order; the same 1 app function"
        ),
        (
            leak("Cart", calls("load", "main")), leak("Order", calls("save", "main")),
            "other class: Order; 1 of 2 app functions differs: load in Shop ↔ save in Shop"
        ),
        (leak("Cart", calls("load")), leak("Order", calls("save")), nil),
        (leak("Cart", []), leak("Order", []), nil),
        (
            leak("Page", ["Tabs", "Home", "Page"], version: 1),
            leak("Page", ["Tabs", "Cart", "Page"], version: 1),
            "same class; 1 of 2 owners differs: Home ↔ Cart"
        ),
        (
            leak("Page", ["Tabs", "Home", "Page"], version: 1), leak("Model", ["Home", "Model"], version: 1),
            "other class: Model; 1 of 2 owners differs: Tabs ↔ nothing"
        ),
        (
            leak("Cart", calls("load")), leak("Cart", ["Root", "Cart"], version: 1),
            "same class; a path of owners there, a call stack here; grouped by rule 1"
        ),
        (
            leak(nil, ["Cart", "closure"], version: 1), leak(nil, ["Cart", "Order"], version: 1),
            "other class: cycle; 1 of 2 references of the cycle differs: closure ↔ Order"
        ),
        (
            leak("Cart", calls("load")), leak("Cart", calls("load"), version: 3),
            "same class; the same 1 app function; grouped by rule 3"
        ),
    ]

    @Test(arguments: cases.indices) func `one sentence says what differs`(index: Int) {
        let (ours, theirs, difference) = Self.cases[index]
        var other = theirs
        other.id = LeakID(high: 2, low: 2)
        #expect(CloseLeak.closest(to: ours, among: [other]).first?.difference == difference)
    }

    @Test func `at most five are shown, the same class and the fewest differences first`() {
        let ours = Self.leak("Cart", Self.calls("a", "b", "c"))
        let others = [
            Self.leak("Order", Self.calls("a", "b", "c"), id: 2), Self.leak("Cart", [], id: 3, reports: 9),
            Self.leak("Cart", Self.calls("a", "b", "x"), id: 4), Self.leak("Cart", Self.calls("x"), id: 5),
            Self.leak("Cart", Self.calls("a", "y", "z"), id: 6), Self.leak("Page", Self.calls("a"), id: 7),
            Self.leak("Cart", Self.calls("y"), id: 8, reports: 5), ours,
        ]
        #expect(CloseLeak.closest(to: ours, among: others).map(\.leak.id.low) == [4, 6, 3, 8, 5])
        #expect(CloseLeak.closest(to: ours, among: []).isEmpty)
    }

    @Test func `long keys are compared by their first elements, and long names are cut`() {
        let long = (0..<128).map { "at f\($0) in Shop" }
        let name = String(repeating: "x", count: 5_000)
        let close = CloseLeak.closest(
            to: Self.leak("Cart", long),
            among: [Self.leak("Cart", long + ["at \(name)"], id: 2), Self.leak(name, long, id: 3)])
        #expect(close.count == 2 && close.allSatisfy { $0.difference.count < 300 })
    }

    @Test func `a leak's page and its JSON have the closest leaks`() throws {
        let running = try RunningCollector()
        func post(_ className: String, _ functions: String..., count: Int = 1) throws {
            let frames = functions.map { "\"1   Shop   0x0000000104f85eb0 Cart.\($0)() + 1\"" }
            let report =
                #"{"class":"Shop.\#(className)","stack":[\#(frames.joined(separator: ","))],"count":\#(count),"#
                + #""app":{"id":"a","module":"Shop","version":"1"}}"#
            #expect(try running.post(report).status == 200)
        }
        try post("Cart", "load", "open")
        try post("Cart", "reload", "open", count: 7)
        try post("Order", "load", "open")
        try post("Page", "elsewhere")
        let leaks = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        func id(_ stack: [String], of className: String) throws -> String {
            try #require(
                leaks.first {
                    ($0["grouped_by"] as? [String: Any])?["stack"] as? [String] == stack
                        && $0["class"] as? String == className
                }?["id"] as? String)
        }
        let ours = try id(["at Cart.load() in Shop", "at Cart.open() in Shop"], of: "Cart")
        let theirs = try id(["at Cart.reload() in Shop", "at Cart.open() in Shop"], of: "Cart")
        let json = try running.json("/api/v1/leaks/\(ours)")
        let closest = try #require(json["closest"] as? [[String: Any]])
        #expect(closest.map { $0["class"] as? String } == ["Cart", "Order"])
        #expect(closest.first?["reports"] as? Int == 7)
        let sentence = "same class; 1 of 2 app functions differs: Cart.load() in Shop ↔ Cart.reload() in Shop"
        #expect(closest.first?["difference"] as? String == sentence)
        #expect(json["successor"] is NSNull)
        let page = try running.get("/leaks/\(ours)")
        #expect(try Markup(page.body).texts.joined(separator: " ").contains(sentence))
        #expect(page.text.contains("href=\"/leaks/\(theirs)\""))
    }
}
