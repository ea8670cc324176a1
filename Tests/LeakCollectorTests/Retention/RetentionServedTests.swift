import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// The page and the API that show the ages at which data is deleted.
@Suite struct RetentionServedTests {
    @Test func `the API and the page show the settings`() throws {
        let running = try RunningCollector()
        #expect(try running.post(#"{"class":"Cart","app":{"id":"shop","version":"1.0"}}"#).status == 200)
        let answer = try running.json("/api/v1/retention")
        #expect(answer["sample_days"] as? Int == 90 && answer["unseen_days"] as? Int == 400)
        #expect(answer["daily_days"] as? Int == 400 && (answer["apps"] as? [Any])?.isEmpty == true)
        let page = try running.get("/retention")
        #expect(page.status == 200 && page.text.contains("There is nothing to delete"))
    }

    @Test func `the page lists what the next run deletes of each app`() throws {
        let page = RetentionPage(
            context: Shop.context(), rule: RetentionRule(sampleDays: nil, unseenDays: 60, dailyDays: nil),
            apps: [
                RetentionCounts(
                    app: AppKey("shop", environment: "debug"), samples: 1, leaks: 2_345, versions: 6, days: 78
                )
            ])
        let texts = try Markup(page.html.bytes).texts.joined(separator: "|")
        for text in [
            "kept forever", "not seen for 60 days", "COLLECTOR_DAILY_DAYS", "shop", "debug", "2,345", "78",
        ] {
            #expect(texts.contains(text), "\(text) is missing in \(texts)")
        }
    }

    @Test func `no token may have the name of an author of automatic notes`() {
        for author in Decision.AutomaticAuthor.allCases {
            #expect(ChangeOrigin.reservedActors.contains(author.rawValue))
        }
    }
}
