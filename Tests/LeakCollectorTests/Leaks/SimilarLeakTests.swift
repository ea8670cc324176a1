import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// The leaks closest to a leak, and their differences.
@Suite struct SimilarLeakTests {
    private static func leak(
        _ className: String?, _ stack: [String], version: Int = 2, id: UInt64 = 1, reports: Int = 1
    ) -> LeakOutline {
        LeakOutline(
            id: LeakID(high: id, low: id), title: className ?? "cycle", className: className, stack: stack,
            groupingKey: GroupingKey(version: version, className: className ?? "", stack: stack),
            reports: reports)
    }

    /// Returns a leak that is identified by a text instead of a class.
    private static func text(_ text: String, _ stack: [String] = [], id: UInt64 = 1) -> LeakOutline {
        LeakOutline(
            id: LeakID(high: id, low: id), title: text, className: nil, stack: stack,
            groupingKey: GroupingKey(version: 2, className: text, stack: stack), reports: 1)
    }

    private static func calls(_ names: String...) -> [String] { names.map { "at \($0) in Shop" } }

    static let cases: [(ours: LeakOutline, theirs: LeakOutline, difference: String?)] = [
        (
            leak("Cart", calls("load", "open", "main")), leak("Cart", calls("reload", "open", "main")),
            "same class; 1 of 3 app functions differs: load in Shop ↔ reload in Shop"
        ),
        (
            leak("Cart", calls("load", "open", "tap", "main")), leak("Cart", calls("open", "main")),
            "same class; 2 of 4 app functions differ: load in Shop ↔ nothing (perhaps inlined)"
        ),
        (
            leak("Cart", calls("open")), leak("Cart", calls("tap", "open")),
            "same class; 1 of 2 app functions differs: nothing ↔ tap in Shop (perhaps inlined)"
        ),
        (
            leak("Cart", calls("load", "open", "tap", "main")), leak("Cart", calls("main")),
            "same class; 3 of 4 app functions differ: load in Shop ↔ nothing"
        ),
        (
            leak("Cart", calls("load", "open", "main")), leak("Cart", calls("load", "open")),
            "same class; 1 of 3 app functions differs: main in Shop ↔ nothing"
        ),
        (
            leak("Cart", calls("a")), leak("Cart", calls("b")),
            "same class; 1 of 1 app function differs: a in Shop ↔ b in Shop"
        ),
        (
            leak("Cart", calls("load")), leak("Cart", [], version: 1),
            "same class, the other leak has no stack; grouped by rule 1"
        ),
        (
            leak("Cart", [], version: 1), leak("Cart", ["Root", "Cart"], version: 1),
            "same class, the other leak has Root, this leak has no stack"
        ),
        (
            leak("Cart", calls("load")), leak("Order", calls("load")),
            "other class: Order; the same app function"
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
            "same class; the other leak has a path of owners, this leak has a call stack; grouped by rule 1"
        ),
        (
            leak(nil, ["Cart", "closure"], version: 1), leak(nil, ["Cart", "Order"], version: 1),
            "other class: cycle; 1 of 2 references of the cycle differs: closure ↔ Order"
        ),
        (
            leak("Cart", calls("load")), leak("Cart", calls("load"), version: 3),
            "same class; the same app function; grouped by rule 3"
        ),
        (
            leak("Store<HomeState>", []), leak("Store<CartState>", []),
            "class Store<CartState> instead of Store<HomeState>"
        ),
        (
            leak("Store<Home>", []), leak("Store<Int, Cart>", []),
            "class Store<Int, Cart> instead of Store<Home>"
        ),
        (leak("Store<Home>", []), leak("Box<Home>", []), nil),
        (leak("Store", []), leak("Store<Home>", []), nil),
        (
            leak("Page1Controller", []), leak("Page2Controller", []),
            "class Page2Controller instead of Page1Controller"
        ),
        (
            leak("HomeViewModel", []), leak("CartViewModel", []),
            "class CartViewModel instead of HomeViewModel"
        ),
        (leak("HomeViewModel", []), leak("ViewModel", []), "class ViewModel instead of HomeViewModel"),
        (
            leak("Feed.ListModel", []), leak("Chat.ListModel", []),
            "class Chat.ListModel instead of Feed.ListModel"
        ),
        (
            leak("CartURLSession", []), leak("HomeURLSession", []),
            "class HomeURLSession instead of CartURLSession"
        ),
        (leak("HomeController", []), leak("CartController", []), nil),
        (
            leak("HomeViewModel", ["Root", "HomeViewModel"], version: 1),
            leak("CartViewModel", ["Tabs", "CartViewModel"], version: 1),
            "class CartViewModel instead of HomeViewModel; 1 of 1 owner differs: Root ↔ Tabs"
        ),
        (
            leak("HomeViewModel", calls("load")), leak("CartViewModel", calls("load")),
            "class CartViewModel instead of HomeViewModel; the same app function"
        ),
        (
            leak("HomeViewModel", calls("load")), leak("CartViewModel", [], version: 1),
            "class CartViewModel instead of HomeViewModel; the other leak has no stack; grouped by rule 1"
        ),
        (
            text("the home screen stays in memory"), text("the cart screen stays in memory"),
            "text with “cart” instead of “home”"
        ),
        (
            text("the screen stays in memory"), text("the screen stays in memory again"),
            "same text with “again” added"
        ),
        (text("the old screen stays"), text("the screen stays"), "same text without “old”"),
        (
            text("one two three four five six"), text("one 2 three four 5 six"),
            "text with “2 three four 5” instead of “two three four five”"
        ),
        (text("home stays"), text("cart stays"), nil),
        (text("HomeViewModel"), leak("CartViewModel", []), nil),
        (
            text("a b c d e f g h i j k l m n"), text("a b c d e f g h i 1 2 3 4 5"), nil
        ),
        (
            text("the home screen stays", calls("load")), text("the cart screen stays", calls("load")),
            "text with “cart” instead of “home”; the same app function"
        ),
    ]

    @Test(arguments: cases.indices)
    func `one sentence names the difference between similar leaks; leaks that are not similar have none`(
        index: Int
    ) {
        let (ours, theirs, difference) = Self.cases[index]
        var other = theirs
        other.id = LeakID(high: 2, low: 2)
        #expect(SimilarLeak.closest(to: ours, among: [other]).first?.difference == difference)
    }

    @Test func `at most five similar leaks are shown, the same class and the fewest differences first`() {
        let ours = Self.leak("Cart", Self.calls("a", "b", "c"))
        let others = [
            Self.leak("Order", Self.calls("a", "b", "c"), id: 2), Self.leak("Cart", [], id: 3, reports: 9),
            Self.leak("Cart", Self.calls("a", "b", "x"), id: 4), Self.leak("Cart", Self.calls("x"), id: 5),
            Self.leak("Cart", Self.calls("a", "y", "z"), id: 6), Self.leak("Page", Self.calls("a"), id: 7),
            Self.leak("Cart", Self.calls("y"), id: 8, reports: 5), ours,
        ]
        #expect(SimilarLeak.closest(to: ours, among: others).map(\.leak.id.low) == [4, 6, 3, 8, 5])
        #expect(SimilarLeak.closest(to: ours, among: []).isEmpty)
    }

    @Test
    func `similar leaks that share an element of the grouping key come before those with a similar class`() {
        let ours = Self.leak("HomeViewModel", Self.calls("a"))
        let others = [
            Self.leak("HomeViewState", [], id: 2, reports: 3),
            Self.leak("Model", Self.calls("a", "b"), id: 3),
            Self.leak("OldCartViewModel", [], id: 4, reports: 9),
            Self.leak("CartViewModel", Self.calls("a"), id: 5),
            Self.leak("HomeViewModel", Self.calls("z"), id: 6),
            Self.leak("CartViewModel", [], id: 7, reports: 2),
        ]
        #expect(SimilarLeak.closest(to: ours, among: others).map(\.leak.id.low) == [6, 5, 3, 2, 7])
    }

    @Test func `similar leaks are compared by the first elements of long keys, and long names are shortened`()
    {
        let long = (0..<128).map { "at f\($0) in Shop" }
        let name = String(repeating: "x", count: 5_000)
        let close = SimilarLeak.closest(
            to: Self.leak("Cart", long),
            among: [Self.leak("Cart", long + ["at \(name)"], id: 2), Self.leak(name, long, id: 3)])
        #expect(close.count == 2 && close.allSatisfy { $0.difference.count < 300 })
    }

    @Test(arguments: [
        (
            #""class":"Store<HomeState>""#, #""class":"Store<CartState>""#,
            "class Store<CartState> instead of Store<HomeState>"
        ),
        (
            #""class":"Page1Controller""#, #""class":"Page2Controller""#,
            "class Page2Controller instead of Page1Controller"
        ),
        (
            #""class":"HomeViewModel""#, #""class":"CartViewModel""#,
            "class CartViewModel instead of HomeViewModel"
        ),
        (
            #""message":"the home screen is slow today""#, #""message":"the cart screen is slow today""#,
            "text with “cart” instead of “home”"
        ),
    ]) func `a leak without a stack has similar leaks`(_ ours: String, _ theirs: String, _ difference: String)
        throws
    {
        let running = try RunningCollector()
        for (fields, version) in [(ours, "1"), (theirs, "2"), (#""class":"Stranger""#, "3")] {
            let report = #"{\#(fields),"app":{"id":"a","version":"\#(version)"}}"#
            #expect(try running.post(report).status == 200)
        }
        let leaks = try #require(try running.json("/api/v1/leaks?version=1")["leaks"] as? [[String: Any]])
        let id = try #require(leaks.first?["id"] as? String)
        let closest = try running.json("/api/v1/leaks/\(id)")["closest"] as? [[String: Any]]
        #expect(closest?.map { $0["difference"] as? String } == [difference])
        let page = try Markup(running.get("/leaks/\(id)").body)
        #expect(page.texts.joined(separator: " ").contains(difference))
    }

    @Test func `a leak's page and its JSON have the most similar leaks`() throws {
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
