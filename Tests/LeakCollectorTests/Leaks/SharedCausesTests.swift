import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Causes that leaks share, from a sender's batch to the JSON and the pages.
@Suite struct SharedCausesTests {
    private static func leak(_ name: String) -> String {
        #""class": "Shop.\#(name)", "stack": ["Shop.Home", "Shop.\#(name)"]"#
    }

    private static func reference(_ owner: String, _ field: String, closure: Bool = false) -> String {
        #"{"owner": "\#(owner)", "field": "\#(field)", "kind": "property", "closure": \#(closure)}"#
    }

    /// Returns an explanation with a cycle of two objects, whose path starts with the reference with the index `start`.
    private static func cycle(_ start: Int) -> String {
        let references = [
            reference("Shop.CartViewModel", "onPaid", closure: true), reference("Shop.Payment", "owner"),
        ]
        let path = (references[start...] + references[..<start]).joined(separator: ", ")
        return #""why": {"confidence": "proven", "is_cycle": true, "bytes": 4000, "path": [\#(path)]}"#
    }

    /// Returns an explanation that the observers of the session retain the object.
    private static func observer(_ name: String) -> String {
        let path = reference("Shop.Session", "observers[*]")
        return
            #""why": {"confidence": "suspected", "bytes": 90000, "target": "Shop.\#(name)", "path": [\#(path)]}"#
    }

    private func startFilledCollector() throws -> RunningCollector {
        let running = try RunningCollector()
        let explained = [
            ("CartViewModel", Self.cycle(0)), ("Payment", Self.cycle(1)), ("CartViewModel", Self.cycle(0)),
            ("Banner<b>", Self.observer("Banner<b>")), ("Badge", Self.observer("Badge")),
            ("Badge", Self.cycle(0)), ("Toast", #""why": {}"#),
        ]
        let reports = Set(explained.map(\.0)).sorted().map { "{\(Self.leak($0))}" }.joined(separator: ",")
        let explanations = explained.map { "{\(Self.leak($0)), \($1)}" }.joined(separator: ",")
        let batch =
            #"{"app": {"id": "shop", "module": "Shop", "version": "1"}, "install": "i1", "reports": [\#(reports)],"#
            + #""explanations": [\#(explanations)]}"#
        #expect(try running.post(batch).status == 200)
        return running
    }

    @Test func `leaks of the same cycle, or held by the same property, have one cause`() throws {
        let running = try startFilledCollector()
        let found = try running.json("/api/v1/causes?app=shop")
        #expect(found["total"] as? Int == 5 && found["explained"] as? Int == 4)
        let causes = try #require(found["causes"] as? [[String: Any]])
        #expect(causes.map { $0["title"] as? String } == ["Session.observers", "CartViewModel.onPaid"])
        #expect(causes.map { $0["count"] as? Int } == [2, 4])
        #expect(causes.map { $0["proven"] as? Int } == [0, 4])
        let titles = causes.map { cause in
            (cause["leaks"] as? [[String: Any]])?.compactMap { $0["title"] as? String }.sorted()
        }
        #expect(titles == [["Badge", "Banner<…>"], ["Badge", "CartViewModel", "Payment"]])
        #expect((causes[0]["cost_bytes"] as? Int ?? 0) > (causes[1]["cost_bytes"] as? Int ?? 0))
    }

    @Test func `the JSON of a leak has the key of the cause that it shares with other leaks`() throws {
        let running = try startFilledCollector()
        let causes = try #require(try running.json("/api/v1/causes?app=shop")["causes"] as? [[String: Any]])
        for cause in causes {
            let key = try #require(cause["cause_key"] as? String)
            #expect(key.count == 16)
            for leak in try #require(cause["leaks"] as? [[String: Any]]) {
                let why = try running.json("/api/v1/leaks/\(try #require(leak["id"] as? String))")["why"]
                let paths = try #require((why as? [String: Any])?["variants"] as? [[String: Any]])
                #expect(paths.contains { $0["cause_key"] as? String == key })
                #expect(try running.get("/causes?app=shop&first=\(key)").text.contains("id=\"\(key)\""))
            }
        }
    }

    @Test func `leaks held by tasks, global variables or the notification center have separate causes`()
        throws
    {
        let running = try RunningCollector()
        let task = #"{"owner": "Task", "field": "", "kind": "task", "suspected": true}"#
        let global = #"{"owner": "global", "field": "[*]", "kind": "global"}"#
        let center = Self.reference("Foundation.NotificationCenter", "registrar[*]", closure: true)
        let explained = [
            ("Search", task), ("Auction", task), ("Photo", global), ("Tile", global), ("Banner", center),
            ("Badge", center),
        ]
        let reports = explained.map { name, path in
            #"{\#(Self.leak(name)), "why": {"target": "Shop.\#(name)", "path": [\#(path)]}}"#
        }
        let batch =
            #"{"app": {"id": "shop", "module": "Shop", "version": "1"}, "reports": [\#(reports.joined(separator: ","))]}"#
        #expect(try running.post(batch).status == 200)
        let found = try #require(
            try running.json("/api/v1/causes?app=shop")["causes"] as? [[String: Any]])
        #expect(found.count == explained.count)
        #expect(found.allSatisfy { ($0["leaks"] as? [Any])?.count == 1 })
        let page = try running.get("/causes?app=shop").text
        let leaks = try #require(
            try running.json("/api/v1/leaks?app=shop")["leaks"] as? [[String: Any]])
        for leak in leaks {
            let text = try running.get("/leaks/\(try #require(leak["id"] as? String))").text
            let anchor = try Self.link(in: text).anchor
            let cards = page.components(separatedBy: "id=\"\(anchor)\"")
            #expect(cards.count == 2)
        }
    }

    /// Returns the link of a leak's page to its cause.
    private static func link(in page: String) throws -> (address: String, anchor: String) {
        let link = try #require(
            page.components(separatedBy: "<a href=\"/causes?app=shop&amp;first=").dropFirst().first)
        let parts = link.prefix { $0 != "\"" }.split(separator: "#")
        #expect(parts.count == 2 && parts[0] == parts[1])
        return ("/causes?app=shop&first=\(parts[0])", String(parts[1]))
    }

    @Test func `a leak's page links to its cause, even if there are more causes than a page lists`() throws {
        let running = try RunningCollector()
        let reports = (0..<210).map { number in
            let path = Self.reference("Shop.Owner\(number)", "screen")
            return
                #"{\#(Self.leak("Screen\(number)")), "why": {"target": "Shop.Screen\#(number)", "bytes": \#(number), "path": [\#(path)]}}"#
        }
        let batch =
            #"{"app": {"id": "shop", "module": "Shop", "version": "1"}, "reports": [\#(reports.joined(separator: ","))]}"#
        #expect(try running.post(batch).status == 200)
        let found = try running.json("/api/v1/causes?app=shop")
        #expect(found["cause_count"] as? Int == 210)
        #expect((found["causes"] as? [Any])?.count == SharedCauses.maxListedCauses)
        #expect(try running.get("/causes?app=shop").text.contains("160\u{A0}more causes"))
        let leaks = try #require(
            try running.json("/api/v1/classes?class=Screen0&app=shop")["leaks"] as? [[String: Any]])
        let last = try #require(leaks.first?["id"] as? String)
        let link = try Self.link(in: try running.get("/leaks/\(last)").text)
        #expect(try running.get(link.address).text.contains("id=\"\(link.anchor)\""))
        #expect(try !running.get("/causes?app=shop").text.contains("id=\"\(link.anchor)\""))
        // A resolved leak is not listed under a cause.
        let decided = try running.post(
            #"{"action":"resolve","in":"next"}"#, to: "/api/v1/leaks/\(last)/decisions",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(decided.status < 300)
        #expect(try running.get(link.address).text.contains("The cause from the link is not on this page"))
    }

    @Test func `the page of causes shows code of an explanation as code, not between backticks`() throws {
        let running = try RunningCollector()
        let path = [
            Self.reference("Shop.Search", "timer"),
            Self.reference("Foundation.Timer", "_fire", closure: true),
        ]
        let why =
            #""why": {"confidence": "proven", "is_cycle": true, "bytes": 4000, "path": [\#(path.joined(separator: ","))]}"#
        let batch =
            #"{"app": {"id": "shop", "module": "Shop", "version": "1"}, "install": "i1", "reports": [{\#(Self.leak("Search"))}],"#
            + #""explanations": [{\#(Self.leak("Search")), \#(why)}]}"#
        #expect(try running.post(batch).status == 200)
        let page = try running.get("/causes?app=shop").text
        #expect(page.contains("captures the object until <code>invalidate()</code>.") && !page.contains("`"))
    }

    @Test func `the page of causes names each cause with its leaks and what to write instead`() throws {
        let running = try startFilledCollector()
        let page = try running.get("/causes?app=shop").text
        #expect(page.contains("4\u{A0}leaks, 2\u{A0}causes"))
        #expect(page.contains("Session.observers") && page.contains("What to write instead"))
        #expect(page.contains("Banner&lt;") && !page.contains("Banner<"))
        let list = try running.json("/api/v1/leaks?app=shop&sort=cost")
        let first = try #require((list["leaks"] as? [[String: Any]])?.first)
        #expect(
            (first["class"] as? String)?.hasPrefix("Banner") == true && (first["cost_bytes"] as? Int ?? 0) > 0
        )
        let leak = try running.get("/leaks/\(try #require(first["id"] as? String))").text
        #expect(leak.contains("/causes?app=shop&amp;first=") && leak.contains("Leaks with the same cause"))
        #expect(try running.get("/?app=shop&sort=cost").text.contains(">Memory"))
    }

    @Test func `the page of causes without explanations says that RetainPathFinder makes them`() throws {
        let running = try RunningCollector()
        #expect(try running.post("{\(Self.leak("Cart"))}").status == 200)
        #expect(try running.get("/causes").text.contains("RetainPathFinder"))
        #expect(try running.json("/api/v1/causes")["causes"] as? [String] == [])
    }
}
