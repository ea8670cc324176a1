import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// The summary of several apps, which names the app of each number, and the navigation of the page for a missing path.
@Suite struct SeveralAppsTests {
    /// Starts a collector. `shop` has a leak in 1.0 and a new leak in 2.0, `driver` has a leak in 7.1.
    private func startCollector() throws -> RunningCollector {
        let running = try RunningCollector()
        for (app, version, leaks, sessions) in [
            ("shop", "1.0", ["Cart"], [0, 0, 0, 0]), ("shop", "2.0", ["Cart", "Checkout"], [0, 1]),
            ("driver", "7.1", ["Map"], [0, 0, 0, 1]),
        ] {
            let reports = leaks.map { #"{"class":"\#($0)"}"# }.joined(separator: ",")
            let sessionsJSON = sessions.map { #"{"checks":3,"leaks":\#($0)}"# }.joined(separator: ",")
            let batch =
                #"{"app":{"id":"\#(app)","version":"\#(version)"},"reports":[\#(reports)],"sessions":[\#(sessionsJSON)]}"#
            #expect(try running.post(batch).status == 200)
        }
        #expect(try running.pinCurrentRelease("2.0", of: "shop").status == 303)
        return running
    }

    private func texts(_ running: RunningCollector, _ path: String) throws -> [String] {
        try Markup(running.get(path).body).texts
    }

    @Test func `each app has its own numbers, and numbers of all apps are labelled`() throws {
        let running = try startCollector()
        let texts = try texts(running, "/")
        let line = texts.joined(separator: "|")
        #expect(line.contains("Leak-free sessions of each app"))
        #expect(line.contains("50.0") && line.contains("75.0"))
        for title in ["New leaks", "Regressed", "Leaks to fix"] {
            #expect(texts.contains("\(title), all apps"), "\(line)")
        }
        #expect(texts.contains { $0.hasPrefix("Reports, last 24") && $0.hasSuffix(", all apps") }, "\(line)")
        // Each row names its app.
        let table = texts.drop { $0 != "leaks" }
        #expect(table.filter { $0 == "shop" }.count == 2 && table.filter { $0 == "driver" }.count == 1)
    }

    @Test func `the order of apps does not depend on which app sent the last report`() throws {
        let running = try startCollector()
        func order() throws -> [String] {
            let page = try running.get("/").text
            let tile = try #require(
                page.components(separatedBy: "Leak-free sessions of each app").dropFirst().first)
            return tile.components(separatedBy: "</ul>")[0].components(separatedBy: "/?app=").dropFirst()
                .map { String($0.prefix { $0 != "\"" }) }
        }
        #expect(try order() == ["driver", "shop"])
        for app in ["shop", "driver"] {
            let batch = #"{"app":{"id":"\#(app)","version":"9"},"reports":[{"class":"Late"}]}"#
            #expect(try running.post(batch).status == 200)
            #expect(try order() == ["driver", "shop"])
        }
    }

    @Test(arguments: ["/nothing/is/here", "/leaks/00000000000000000000000000000000"])
    func `the page for a missing path has the navigation only if the visitor is signed in`(path: String)
        throws
    {
        let running = try startCollector()
        let signedIn = try running.get(path)
        #expect(signedIn.status == 404 && signedIn.text.contains("<nav"), "\(signedIn.text)")
        let stranger = try running.get("/nothing/is/here", fields: [])
        #expect(stranger.status == 404 && !stranger.text.contains("<nav"))
    }

    @Test func `the tiles of a page for one app show the numbers of that app only`() throws {
        let running = try startCollector()
        let texts = try texts(running, "/?app=shop")
        #expect(texts.contains("Leak-free sessions in 2.0") && texts.contains("New in 2.0"))
        #expect(!texts.contains { $0.contains("all apps,") || $0.hasSuffix(", all apps") })
    }

    @Test func `the JSON of the summary has the numbers of the page, for each app`() throws {
        let running = try startCollector()
        let all = try running.json("/api/v1/summary")
        #expect(all["newest"] is NSNull && all["new_leaks"] as? Int == 2)
        let apps = try #require(all["apps"] as? [[String: Any]])
        #expect(Set(apps.compactMap { $0["app"] as? String }) == ["shop", "driver"])
        let shop = try #require(apps.first { $0["app"] as? String == "shop" })
        let (newest, previous) = (
            try #require(shop["newest"] as? [String: Any]), try #require(shop["previous"] as? [String: Any])
        )
        #expect(newest["version"] as? String == "2.0" && newest["leak_free_sessions"] as? Double == 0.5)
        #expect(previous["version"] as? String == "1.0" && previous["leak_free_sessions"] as? Double == 1)
        #expect(shop["new_leaks"] as? Int == 1 && shop["recent_reports"] as? Int == 3)
        let own = try running.json("/api/v1/summary?app=shop")
        #expect((own["apps"] as? [Any])?.isEmpty == true)
        #expect((own["newest"] as? [String: Any])?["version"] as? String == "2.0")
        // The page links to the JSON summary of the same app and period.
        let links = try Markup(running.get("/?app=shop&period=7d").body).links
        #expect(links.contains("/api/v1/summary?app=shop&period=7d"))
    }

    @Test func `the summary shows only the most recently seen of many apps, and says how many more exist`()
        throws
    {
        let running = try RunningCollector()
        for index in 0..<8 {
            let batch = #"{"app":{"id":"app\#(index)","version":"1"},"reports":[{"class":"A"}]}"#
            #expect(try running.post(batch).status == 200)
        }
        #expect(try texts(running, "/").contains("and 3\u{A0}more apps last seen earlier"))
        let apps = try #require(try running.json("/api/v1/summary")["apps"] as? [Any])
        #expect(apps.count == AppOverview.maxShownApps)
    }
}
