import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Classes with the same name in two modules of an app.
@Suite struct ModuleTests {
    struct Sent: CustomTestStringConvertible, Sendable {
        var className: String
        /// The app's module, as the sender names it.
        var module: String?
        var owners: [String] = []

        var testDescription: String { "\(className)\(module.map { " of \($0)" } ?? "")" }

        var json: String {
            let stack = (owners + [className]).map { "\"\($0)\"" }.joined(separator: ",")
            let module = module.map { #","module":"\#($0)""# } ?? ""
            return #"{"app":{"id":"shop"\#(module)},"class":"\#(className)","stack":[\#(stack)]}"#
        }
    }

    private static func leaks(_ running: RunningCollector) throws -> [String: Int] {
        let list = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        return try Dictionary(
            uniqueKeysWithValues: list.map {
                (try #require($0["title"] as? String), try #require($0["reports"] as? Int))
            })
    }

    @Test(arguments: [
        (
            ["Feed.ViewModel", "Chat.ViewModel", "Feed.ViewModel"].map { Sent(className: $0) },
            ["ViewModel": 2, "Chat.ViewModel": 1]
        ),
        // The sender names its module or does not, and the class has its module or has none.
        (
            [
                Sent(className: "Shop.CartModel"), Sent(className: "Shop.CartModel", module: "Shop"),
                Sent(className: "CartModel"), Sent(className: "_TtC4Shop9CartModel"),
            ], ["CartModel": 4]
        ),
        ([Sent(className: "Feed.List"), Sent(className: "Feed.List", module: "Shop")], ["List": 2]),
        ([Sent(className: "Feed.List", module: "Shop"), Sent(className: "Feed.List")], ["Feed.List": 2]),
        (
            [
                Sent(className: "Feed.List", module: "Shop", owners: ["Shop.Tabs"]),
                Sent(className: "Feed.List", owners: ["Shop.Tabs"]),
            ], ["Feed.List": 2]
        ),
        (
            [Sent(className: "Feed.List", module: "Shop"), Sent(className: "Shop.List", module: "Shop")],
            ["Feed.List": 1, "List": 1]
        ),
        // The system's modules do not distinguish leaks.
        (
            [Sent(className: "UIKit.UINavigationController"), Sent(className: "UINavigationController")],
            ["UINavigationController": 2]
        ),
        (
            [
                Sent(className: "Feed.Store<Feed.HomeState>"), Sent(className: "Chat.Store<Chat.HomeState>"),
                Sent(className: "Feed.Store<Feed.CartState>"),
            ], ["Store<HomeState>": 1, "Chat.Store<HomeState>": 1, "Store<CartState>": 1]
        ),
    ])
    func `leaks with equal class names are distinguished by their module`(
        sent: [Sent], leaks: [String: Int]
    ) throws {
        let running = try RunningCollector()
        for report in sent { #expect(try running.post(report.json).status == 200) }
        #expect(try Self.leaks(running) == leaks)
    }

    @Test func `texts that name a class of the same name in two modules are two leaks`() throws {
        let running = try RunningCollector()
        for name in ["Feed.HomeViewModel", "Chat.HomeViewModel", "Feed.HomeViewModel"] {
            let text = "Memory leak detected in \(name)"
            #expect(try running.post(text, "text/plain", to: "/api/v1/reports?app=shop").status == 200)
        }
        #expect(try Self.leaks(running) == ["HomeViewModel": 2, "Chat.HomeViewModel": 1])
    }

    /// The context `leak` of an event has the class, and may have the sender's module.
    @Test(arguments: [
        (nil, ["Feed.List": 2, "Chat.List": 1]), ("Shop", ["Feed.List": 2, "Chat.List": 1]),
        ("Feed", ["List": 2, "Chat.List": 1]),
    ])
    func `the module that a Sentry event names in its context leak is removed from the class`(
        module: String?, leaks: [String: Int]
    ) throws {
        let running = try RunningCollector()
        let context =
            module.map { #","app":{"id":"shop","module":"\#($0)"}"# } ?? #","app":{"id":"shop"}"#
        for name in ["Feed.List", "Chat.List", "Feed.List"] {
            let id = UUID().uuidString.lowercased().filter { $0 != "-" }
            let event = #"""
                {"event_id":"\#(id)","message":"\#(name) leaked","contexts":{"leak":{"class":"\#(name)"\#(context)}}}
                """#
            let envelope = "{\"event_id\":\"\(id)\"}\n{\"type\":\"event\"}\n\(event)\n"
            #expect(try running.postEnvelope(Array(envelope.utf8)).status == 200)
        }
        #expect(try Self.leaks(running) == leaks)
    }

    /// A stored report does not contain the module that its sender named.
    @Test(arguments: ["Feed.List", "Shop.List", "List"], [nil, "Shop", GroupingRules.keepModulesMarker])
    func `regroup leaves leaks unchanged, whichever module their sender named`(
        className: String, module: String?
    ) throws {
        var report = LeakReport()
        report.className = className
        let leak = GroupingRules.group(report, app: "shop", module: module).identity
        for leak in [leak, leak.otherModuleSpelling].compactMap(\.self) {
            if case .same = CurrentGroup(of: leak, reports: [report]) { continue }
            Issue.record("\(leak.title) gets another group")
        }
    }
}
