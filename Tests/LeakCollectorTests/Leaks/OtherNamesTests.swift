import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// The leak and the version that count all others explain themselves on their pages.
@Suite struct OtherNamesTests {
    @Test func `after many versions of pull-request builds, the page of versions explains the version other`()
        throws
    {
        let running = try RunningCollector()
        let reports = (1...990).map { #"{"class":"Cart","app":{"id":"shop","version":"5.0.0-pr\#($0)"}}"# }
        #expect(try running.post("[\(reports.joined(separator: ","))]").status == 200)
        // The key of this collector is new, so the last twentieth of the versions is reserved for other keys.
        let limits = {
            try running.json("/api/v1/summary?app=shop")["beyond_limits"] as? [[String: Any]] ?? []
        }
        let count = { (limit: String) in
            try limits().first { $0["limit"] as? String == limit }?["count"] as? Int
        }
        #expect(try count("releases_per_app") == 40 && count("joined_versions") == nil)
        #expect(
            try running.get("/releases?app=shop").text.contains("As soon as the app comes near its limit"))

        try running.store.expire(now: WallClock.milliseconds())
        #expect(try running.store.verify() == [])
        #expect(try count("joined_versions") == 51)
        let page = try running.get("/releases?app=shop").text
        #expect(page.contains("51\u{A0}versions were merged into it to stay below the limit"))
        #expect(try running.get("/?app=shop").text.contains("51 versions merged into “other”"))
        let release = #"{"class":"Cart","app":{"id":"shop","version":"5.0.0"}}"#
        #expect(try running.post(release).status == 200)
        let answer = try running.get("/api/v1/check?app=shop&version=5.0.0")
        #expect(answer.status == 200)
        #expect(try running.get("/api/v1/check?app=shop&version=5.0.0-pr1").status == 404)
    }

    @Test(arguments: [
        (0, "as soon as the app comes near its limit"), (7, "7\u{A0}leaks that were merged into this one"),
    ])
    func `the page of the leak that counts all others says what it counts and since when`(
        mergedCount: Int, words: String
    ) throws {
        var detail = Shop.detail
        detail.row.identity = .overLimit(app: "com.acme.shop", rowID: 1)
        var page = LeakDetailPage(context: Shop.context(), detail: detail)
        if mergedCount > 0 {
            page.overLimit = [OverLimitCount(app: "com.acme.shop", limit: .evictedLeaks, count: mergedCount)]
        }
        let markup = try Markup(page.html.bytes)
        #expect(markup.texts.contains { $0.contains("Many leaks, counted together") })
        #expect(markup.texts.joined().contains(words), "\(markup.texts)")
        let named = try Markup(LeakDetailPage(context: Shop.context(), detail: Shop.detail).html.bytes)
        #expect(!named.texts.contains { $0.contains("Many leaks, counted together") })
    }
}
