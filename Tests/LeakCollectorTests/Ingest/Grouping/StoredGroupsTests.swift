import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// Several versions of the rules exist side by side: a stored group keeps the key of the version that made it.
@Suite struct StoredGroupsTests {
    private static let now: Int64 = 1_800_000_000_000

    private static func identity(version: Int, className: String, id: UInt64) -> LeakIdentity {
        LeakIdentity(
            id: LeakID(high: id, low: 1), app: "a", kind: "object", className: className, module: nil,
            title: className, stack: [], children: [], cycle: [], quality: .full,
            groupingKey: GroupingKey(version: version, className: "key \(version)", stack: ["s\(version)"]))
    }

    private static func submission(of leak: LeakIdentity) -> Submission {
        var submission = Submission(keyID: 1, receivedAt: now)
        submission.body = Array(#"{"class":"Cart"}"#.utf8)
        submission.origins = [Submission.Origin(app: "a", version: "1")]
        submission.sightings = [
            Submission.Sighting(
                leak: leak, originIndex: 0, isFreed: false, at: now, count: 1, alive: nil,
                livedMilliseconds: nil,
                jsonRange: 0..<submission.body.count)
        ]
        return submission
    }

    @Test func `a stored group keeps the key and version of the grouping rules that created it`()
        throws
    {
        let folder = NSTemporaryDirectory() + "stored-groups-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = Self.identity(version: 1, className: "Cart", id: 1)
        for round in 0..<2 {
            // The second round opens the file of the first round.
            let store = try Collector.openStore(folder: folder, isServer: true)
            let later = [
                Self.identity(version: 2, className: "Cart<…>", id: 1),
                Self.identity(version: 2, className: "Cart", id: 2),
            ]
            for leak in [first] + later { _ = try store.count([Self.submission(of: leak)], now: Self.now) }
            let reader = try store.makeReader()
            let kept = try #require(try reader.leak(first.id, now: Self.now)).row
            #expect(kept.identity.groupingKey == first.groupingKey)
            #expect(kept.identity.className == "Cart")
            #expect(kept.reports == 2 * (round + 1))
            let beside = try #require(try reader.leak(later[1].id, now: Self.now)).row
            #expect(beside.identity.groupingKey == later[1].groupingKey)
            #expect(beside.reports == round + 1)
            #expect(try reader.leaks(LeakQuery(), now: Self.now).total == 2)
        }
    }

    @Test
    func `the JSON of a leak has the version and parts of its grouping key, and its page shows the version`()
        throws
    {
        let running = try RunningCollector()
        let report =
            #"{"class":"Shop.Cart","stack":["Shop.Root","UIView","Shop.Cart"],"app":{"id":"a","module":"Shop"}}"#
        #expect(try running.post(report).status == 200)
        let leak = try #require((try running.json("/api/v1/leaks?app=a")["leaks"] as? [[String: Any]])?.first)
        let rule = try #require(leak["grouped_by"] as? [String: Any])
        #expect(rule["version"] as? Int == GroupingRules.oldVersion)
        #expect(rule["class"] as? String == "Cart")
        #expect(rule["stack"] as? [String] == ["Root", "Cart"])
        #expect(rule["mangled"] as? Bool == false)
        let page = try running.get("/leaks/\(leak["id"] as? String ?? "")").text
        #expect(page.contains("Grouping (rule 1)"))
    }
}
