import LeakStore
import Testing

@testable import LeakCollector

@Suite struct ReleasesPageTests {
    /// Returns releases, newest first, as the store does.
    private func releases(_ count: Int) -> [ReleaseSummary] {
        (0..<count).reversed().map { index in
            Shop.release(
                "1.\(index)", ["\(index)"], reports: 10 + index, leaks: 2, new: 1, sessions: 1000 + index,
                leaky: index % 40, checks: 5000, days: Int64(count - index))
        }
    }

    private func markup(_ releases: [ReleaseSummary]) throws -> Markup {
        try Markup(
            ReleasesPage(context: Shop.context(), app: "com.acme.shop", releases: releases).html.bytes)
    }

    @Test(arguments: [1, 2, 7, 8, 50, 200])
    func `the charts of releases name every version with the numbers of the table`(count: Int) throws {
        let releases = releases(count)
        let texts = try markup(releases).texts
        for release in releases {
            let share = try #require(release.leakFreePercentage).description
            let rate = try #require(release.leaksPerThousandChecks).description
            #expect(texts.filter { $0 == "\(release.version): \(share)" }.count == 1)
            #expect(texts.filter { $0 == "\(release.version): \(rate)" }.count == 1)
            #expect(texts.contains(share) && texts.contains(rate))
        }
        #expect(texts.contains { $0.hasPrefix("Leak-free sessions: ") })
    }

    @Test(arguments: [1, 2, 7, 8, 50, 200])
    func `a chart of releases goes from the oldest version to the newest`(count: Int) throws {
        let named = releases(count).reversed().map(\.version)
        let texts = try markup(releases(count)).texts
        let chart = texts.filter { $0.hasPrefix("1.") && $0.hasSuffix("%") && $0.contains(": ") }
        #expect(chart.compactMap { $0.split(separator: ":").first.map(String.init) } == named)
    }

    @Test func `a page with only the highest 200 versions says so, and its charts show only these versions`()
        throws
    {
        var listed = releases(202)
        var (other, current) = (listed.removeLast(), listed.removeLast())
        (other.version, current.isCurrent) = (StoreLimits.other, true)
        let page = try markup(listed + [current, other])
        let texts = page.texts
        #expect(texts.contains { $0.contains("the 200 highest versions") })
        #expect(texts.contains { $0.contains("At most 200 versions are listed, the highest") })
        let chart = texts.filter { $0.hasSuffix("%") && $0.contains(": ") }
        #expect(chart.count == 200 && !chart.contains { $0.hasPrefix("other") || $0.hasPrefix("1.1:") })
        // The lowest listed version links to a comparison too, because there are lower versions. The row “other” does
        // not, because it counts several versions.
        let links = page.links.filter { $0.hasPrefix("/compare") }
        #expect(links.count == 201)
        #expect(!links.contains { $0.contains("to=other") })
        #expect(try !markup(releases(199)).texts.contains { $0.contains("highest versions") })
    }

    @Test func `the current release is shown with its adoption, and with a mark if it is pinned`() throws {
        var releases = releases(3)
        func text() throws -> String { try markup(releases).texts.joined().filter { !$0.isWhitespace } }
        #expect(try !text().contains("Currentrelease"))
        releases[1].isCurrent = true
        #expect(try text().contains("Currentrelease1.1."))
        releases[1].adoption = ReleaseSummary.Adoption(count: 62, total: 100, until: Shop.now + 1)
        #expect(
            try text().contains("Currentrelease1.1;62.0%ofthesessionsinthelast24hoursthathadsessions."))
        releases[1].isPinned = true
        releases[1].adoption = ReleaseSummary.Adoption(
            isOfReports: true, count: 1, total: 2, until: Shop.now - 72 * Shop.hour)
        let pinned = try text()
        #expect(
            pinned.contains(
                "1.1,pinned;50.0%ofthereportsinthe24hoursthathadreports,upto2026-11-17T12:00:03Z3daysago."),
            "\(pinned.prefix(600))")
        releases[1].pin = ReleaseSummary.Pin(by: "ann", at: Shop.now - 48 * Shop.hour)
        let authored = try text()
        #expect(authored.contains(/1\.1,pinnedbyannon.*;50\.0%/), "\(authored.prefix(600))")
    }

    @Test func `a version without data is a gap in the charts, with a note`() throws {
        var releases = releases(3)
        (releases[1].sessions, releases[1].checks) = (0, 0)
        let texts = try markup(releases).texts
        #expect(texts.filter { $0 == "1.1: no data" }.count == 2)
        // The chart has two dots without a line between them.
        #expect(texts.contains { $0.wholeMatch(of: /M\d+ \d+M\d+ \d+/) != nil })
        (releases[0].sessions, releases[2].sessions) = (0, 0)
        (releases[0].checks, releases[2].checks) = (0, 0)
        let none = try self.markup(releases).texts
        #expect(
            none.contains("No sessions reported yet.") && none.contains("No checks reported yet.")
        )
    }

    @Test func `numbers of a release link to lists of the leaks that they count`() throws {
        let links = try markup(Shop.releases).links
        for query in [
            "", "&state=any", "&state=any&sort=first_seen", "&state=any&sort=reports",
        ] {
            #expect(links.contains("/?app=com.acme.shop&version=5.2.0\(query)"))
        }
        // No list contains exactly the leaks that regressed in this version: a regressed leak may be back in another
        // version.
        #expect(!links.contains { $0.contains("state=regressed") })
    }

    @Test func `up to three builds are named in order; of more builds the first and the last are named`()
        throws
    {
        var releases = releases(2)
        releases[0].builds = ["9", "10", "11"]
        releases[1].builds = ["9", "10", "11", "100"]
        let texts = try markup(releases).texts
        #expect(texts.contains("builds 9, 10, 11"))
        #expect(texts.contains("4 builds, 9 – 100") && texts.contains("9, 10, 11, 100"))
    }
}
