import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import Testing

@testable import LeakCollector

/// Reports of objects that are freed late: from the detector's text to the JSON and the page of the leak.
@Suite struct FreedTests {
    private static let texts = [
        (
            "VIEWCONTROLLER STILL IN MEMORY <Shop.CartController: 0x7f88acc69260>",
            "LEAKED VIEWCONTROLLER DEINNITED <Shop.CartController: 0x7f88acc69260>\n\nDeinnited after 2.300s."
        ),
        (
            "NAVIGATIONCONTROLLER STILL IN MEMORY <UINavigationController: 0x1a2b3c4d>\n📄 <Shop.CartController: 0x2a2b3c4d>",
            "LEAKED NAVIGATIONCONTROLLER DEINITED <UINavigationController: 0x9a2b3c4d>\n📄 <CartController: 0x8a2b3c4d>"
                + "\n\nDeinited after 2.300s."
        ),
        (
            "Memory Leak: (\n    CartController,\n    UITableView,\n    CartCell\n)",
            "Object Deallocated: (\n    CartController,\n    UITableView,\n    CartCell\n)"
        ),
    ]

    @Test(arguments: texts)
    func `a detector's text about a freed object is counted for the leak that it reported earlier`(
        leak: String, freed: String
    ) throws {
        let running = try RunningCollector()
        for text in [leak, leak, freed] {
            #expect(try running.post(text, "text/plain", to: "/api/v1/reports?app=a&version=1").status == 200)
        }
        let list = try running.json("/api/v1/leaks?app=a&state=any")
        #expect(list["total"] as? Int == 1)
        let found = try #require((list["leaks"] as? [[String: Any]])?.first)
        #expect(found["reports"] as? Int == 2 && found["freed"] as? Int == 1)
        #expect(found["state"] as? String == "open")
        let lived = try #require(found["lived_ms"] as? [String: Any])
        guard freed.contains("after") else {
            #expect(lived["p50"] is NSNull && lived["p90"] is NSNull)
            return
        }
        let median = try #require(lived["p50"] as? Int)
        #expect(abs(median - 2_300) <= 2_300 / 32)
        let id = try #require(found["id"] as? String)
        let words = "freed late: median \(DurationText(milliseconds: median)),"
        #expect(try running.get("/leaks/\(id)").text.contains(words))
    }

    @Test
    func `a report of a freed object without an earlier report gives a leak with state slow and no reports`()
        throws
    {
        let running = try RunningCollector()
        let report =
            #"{"type":"freed","class":"Shop.Cart","stack":["Root","Shop.Cart"],"lived_ms":800,"app":{"id":"a","module":"Shop"}}"#
        #expect(try running.post(report).status == 200)
        let found = try #require(
            (try running.json("/api/v1/leaks?state=slow")["leaks"] as? [[String: Any]])?.first)
        #expect(found["reports"] as? Int == 0 && found["freed"] as? Int == 1)
        let rule = try #require(found["grouped_by"] as? [String: Any])
        #expect(rule["version"] as? Int == 1 && rule["class"] as? String == "Cart")
        #expect(rule["stack"] as? [String] == ["Root", "Cart"])
        let id = try #require(found["id"] as? String)
        let page = try running.get("/leaks/\(id)").text
        #expect(page.contains("Freed late") && page.contains("Grouping (rule 1)"))
        // The report of the leak itself, which arrives later, belongs to the same leak.
        #expect(try running.post(report.replacingOccurrences(of: "freed", with: "leak")).status == 200)
        let again = try running.json("/api/v1/leaks/\(id)")
        #expect(
            again["reports"] as? Int == 1 && again["freed"] as? Int == 1
                && again["state"] as? String == "slow")
    }
}
