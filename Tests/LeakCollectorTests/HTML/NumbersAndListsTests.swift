import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakPlatform
import LeakStore
import Testing

@testable import LeakCollector

/// A number in the summary or in the releases equals the number of rows in the list that it links to. Leak-free sessions are
/// those of the last version with sessions.
@Suite struct NumbersAndListsTests {
    /// Starts a collector with an app of three versions: leaks that are new, known, gone, resolved, ignored and
    /// regressed.
    private func startShop() throws -> RunningCollector {
        let running = try RunningCollector()
        func post(_ version: String, _ classes: [String], daysAgo: Int64) throws {
            let at = CivilTime(milliseconds: WallClock.milliseconds() - daysAgo * 86_400_000).rfc3339
            let reports = classes.map { #"{"class":"Shop.\#($0)","at":"\#(at)"}"# }.joined(separator: ",")
            let batch = #"""
                {"app":{"id":"a","version":"\#(version)","build":"1"},"install":"i\#(version)\#(daysAgo)",
                 "sessions":[{"id":"s\#(version)\#(daysAgo)","checks":9,"leaks":1}],"checks":[{"class":"Shop.A","count":60}],
                 "reports":[\#(reports)]}
                """#
            #expect(try running.post(batch).status == 200)
        }
        func decide(_ title: String, _ action: Decision.Action) throws {
            let leaks = try #require(running.json("/api/v1/leaks?state=any")["leaks"] as? [[String: Any]])
            let found = try #require(leaks.first { $0["title"] as? String == title }?["id"] as? String)
            let id = try #require(LeakID(found))
            #expect(
                try running.store.decide(
                    Decision(action, by: "anna"), about: id, now: WallClock.milliseconds())
                    != nil)
        }
        try post("1.9", ["Old", "Back", "Calm", "Mended"], daysAgo: 10)
        try post("1.10", ["Back", "Calm", "Mended", "Mended"], daysAgo: 5)
        try decide("Back", .resolve(.version("1.10.1")))
        try decide("Mended", .resolve(.nextVersion))
        try decide("Calm", .ignore(nil))
        try post("1.11", ["Back", "New", "New", "Other", "Calm"], daysAgo: 0)
        #expect(
            try running.post(
                #"{"app":{"id":"a","version":"1.11"},"reports":[{"class":"_UIAlertControllerTextField"}]}"#
            ).status == 200)
        return running
    }

    private func listJSON(_ link: Substring, _ running: RunningCollector) throws -> [String: Any] {
        let query = link.replacing("&amp;", with: "&").dropFirst(2)
        return try running.json("/api/v1/leaks?\(query)")
    }

    /// Version 1.11 has sessions. The later versions come from developers' machines and have no sessions.
    @Test(arguments: ["/", "/?app=a"])
    func
        `leak-free sessions are those of the last version with sessions, even if later versions have reports`(
            path: String
        ) throws
    {
        let running = try startShop()
        for version in ["1.12-beta.1", "1.12", "999"] {
            let report = #"{"app":{"id":"a","version":"\#(version)"},"reports":[{"class":"Shop.Old"}]}"#
            #expect(try running.post(report).status == 200)
        }
        let page = try running.get(path).text
        #expect(page.contains("<dt>Leak-free sessions in 1.11</dt>"))
        #expect(
            !page.contains("no sessions of")
                && page.contains("% of the sessions in the last 24 hours that had sessions"))
    }

    @Test(arguments: [nil] + Period.allCases)
    func `a tile links to the list of the leaks that it counts`(period: Period?) throws {
        let running = try startShop()
        let page = try running.get("/?app=a" + (period.map { "&period=\($0.rawValue)" } ?? "")).text
        var found: [String: (number: Int, list: [String: Any])] = [:]
        for match in page.matches(of: #/<dt><a href="([^"]+)">([^<]+)</a></dt><dd><b>([0-9]+)</b>/#) {
            found[String(match.2)] = (try #require(Int(match.3)), try listJSON(match.1, running))
        }
        let reports = try #require(found["Reports, last \((period ?? .day).displayName)"])
        #expect(reports.list["reports"] as? Int == reports.number)
        #expect(
            reports.number == [.day: 6, .week: 10].filter { $0.key == period ?? .day }.values.first ?? 14)
        let regressed = try #require(found["Regressed"])
        #expect(regressed.number == 1 && regressed.list["total"] as? Int == 1)
        let new = try #require(found["New in 1.11"])
        let leaks = try #require(new.list["leaks"] as? [[String: Any]])
        #expect(new.number == 2 && leaks.filter { $0["is_new"] as? Bool == true }.count == 2)
        #expect(page.contains("<dt>Leaks to fix</dt><dd><b>4</b>"), "Old, Back, New and Other")
    }

    @Test func `the links to resolved and ignored leaks open lists with the numbers that the links name`()
        throws
    {
        let running = try startShop()
        let page = try running.get("/?app=a").text
        let links = page.matches(of: #/<a href="([^"]+)">1\u{A0}(resolved|ignored) leak</a>, ([0-9]+)/#)
        #expect(links.count == 2)
        for link in links {
            let list = try listJSON(link.1, running)
            #expect(list["total"] as? Int == 1)
            #expect(list["reports"] as? Int == Int(link.3))
        }
    }

    @Test func `the numbers of a release link to the lists of the leaks that they count`() throws {
        let running = try startShop()
        let page = try running.get("/releases").text
        let rows = page.split(separator: #"<tr role="row">"#).filter { $0.contains("scope=\"row\"") }
        let versions = rows.compactMap { $0.firstMatch(of: #/version=([0-9.]+)"/#).map { String($0.1) } }
        #expect(versions == ["1.11", "1.10", "1.9"], "newest first, compared as numbers")
        for row in rows {
            for cell in row.matches(of: #/<td role="cell" class="num"><a href="(/\?[^"]+)">([0-9]+)</a>/#) {
                let list = try listJSON(cell.1, running)
                let number = try #require(Int(cell.2))
                if cell.1.contains("sort=reports") {
                    #expect(list["reports"] as? Int == number, "\(cell.1)")
                } else if !cell.1.contains("sort=") {
                    #expect(list["total"] as? Int == number, "\(cell.1)")
                }
            }
        }
        // The newest version has three leaks that were first seen in it, and one leak that came back.
        #expect(rows[0].contains(">3 first seen</a>") && rows[0].contains(##"to=1.11#back">1</a>"##))
        #expect(rows[0].contains(##"to=1.11#cannot-tell">cannot tell</a>"##))
        #expect(rows[2].contains("no earlier version") && !rows[2].contains("/compare"))
    }
}
