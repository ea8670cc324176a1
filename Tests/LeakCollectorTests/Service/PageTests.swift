import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct PageTests {
    @Test(arguments: SamplePage.allCases)
    func `a page is well formed and has nothing that the security policy forbids`(page: SamplePage) throws {
        let markup = try Markup(page.html.bytes)
        #expect(markup.shape.filter { $0 == "h1" }.count == 1)
        #expect(markup.shape.contains("main"))
        #expect(markup.shape.contains("html.lang"))
    }

    /// 200 leaks with names of a realistic length. A slow phone loads 150 kB in a second.
    @Test(arguments: [(1, "there is 1 leak."), (2, "there are 2 leaks.")])
    func `a list without matches says how many leaks there are without filters`(leaks: Int, words: String) {
        var overview = Shop.overview
        overview.leaks = leaks
        let page = SummaryPage(
            context: Shop.context { $0.search = "none" }, overview: overview,
            page: LeakPage(leaks: [], next: nil, total: 0, reports: 0))
        let text = String(decoding: page.html.bytes, as: UTF8.self).replacing("\u{A0}", with: " ")
        #expect(text.contains("Without filters, " + words), "\(text)")
    }

    @Test func `a page with two hundred leaks has at most 150 kB`() throws {
        let page = SummaryPage(context: Shop.context(), overview: Shop.overview, page: longPage(200))
        let bytes = page.html.bytes
        let rows = try Markup(bytes).shape.filter { $0 == "tr" }.count
        #expect(rows == 201)
        #expect(bytes.count <= 150_000, "\(bytes.count) bytes")
    }

    @Test func `the links and totals of a list name the version and the next page of the query`() throws {
        let context = Shop.context { $0.version = "5.2.0" }
        var page = Shop.page
        page.next = "more"
        page.total = 60
        let markup = try Markup(SummaryPage(context: context, overview: Shop.overview, page: page).html.bytes)
        #expect(markup.links.contains("/?app=com.acme.shop&version=5.2.0&cursor=more"))
        #expect(markup.links.contains("/api/v1/leaks?app=com.acme.shop&version=5.2.0"))
        #expect(markup.texts.contains("6 of 60\u{A0}leaks from 2,651\u{A0}reports in 5.2.0"))
    }

    @Test(arguments: LeakQuery.Sort.allCases)
    func `every column sorts the list in both directions, and the sorted column is marked`(
        sort: LeakQuery.Sort
    ) throws {
        for order in [nil, LeakQuery.Order.ascending, .descending] {
            let context = Shop.context { ($0.sort, $0.order) = (sort, order) }
            var page = Shop.page
            page.leaks[0].retainedBytes = 1
            let html = SummaryPage(context: context, overview: Shop.overview, page: page).html
            let text = String(decoding: html.bytes, as: UTF8.self)
            let head = text.split(separator: "<thead>")[1].split(separator: "</thead>")[0]
            #expect(head.matches(of: /<a href/).count == 9)
            let isAscending = context.query.isAscending
            #expect(
                head.matches(of: /aria-sort="([a-z]+)"/).map(\.1) == [
                    isAscending ? "ascending" : "descending"
                ])
            let marked = try #require(head.split(separator: "<th ").first { $0.contains("aria-sort") })
            // The link of the sorted column leads to the other direction; the usual direction needs no parameter.
            let isUsual = isAscending == (sort.usualOrder == .ascending)
            let other = isAscending ? "order=desc" : "order=asc"
            #expect(marked.contains(isUsual ? other : "title") && marked.contains("order=") == isUsual)
            #expect(
                text.contains("fewest first") || text.contains("oldest first") || text.contains("from Z to A")
                    || text.contains("known system leaks first") || isUsual)
        }
    }

    @Test func `a list without a match links to the whole list`() throws {
        let markup = try Markup(SamplePage.summaryEmpty.html.bytes)
        #expect(markup.links.contains("/?app=com.acme.shop&sort=last_seen"))
        #expect(markup.texts.contains("No matches"))
    }

    @Test func `resolved and ignored leaks are counted below the list of leaks, with links to them`() throws {
        let markup = try Markup(SamplePage.summary.html.bytes)
        #expect(markup.links.contains("/?app=com.acme.shop&state=resolved"))
        #expect(markup.texts.contains("3\u{A0}resolved leaks"))
        #expect(markup.links.contains("/?app=com.acme.shop&state=ignored"))
        #expect(markup.texts.contains("2\u{A0}ignored leaks"))
        #expect(
            markup.texts.contains(
                "2,651\u{A0}reports · Hidden: 6\u{A0}leaks · Dropped reports: 14 (quota of the session or day: 12, too old: 2)"
            ))
    }

    @Test(arguments: [
        (OverLimitCount.Name.leaks, "Limit reached (leaks per app): 7 reports counted as “other”"),
        (.details, "Limit reached (detail bytes per key and day): 7 details left out"),
    ])
    func `the totals below the list of leaks name the limits that were reached`(
        limit: OverLimitCount.Name, words: String
    ) throws {
        var overview = Shop.overview
        overview.overLimit = [OverLimitCount(app: "com.acme.shop", limit: limit, count: 7)]
        let summary = SummaryPage(context: Shop.context(), overview: overview, page: Shop.page)
        #expect(try Markup(summary.html.bytes).texts.contains { $0.contains(words) })
    }

    @Test func `a list whose leaks are all set aside says that nothing is left to fix`() throws {
        var page = Shop.page
        (page.leaks, page.total, page.reports, page.resolvedSeen) = ([], 0, 0, LeakTotals())
        var overview = Shop.overview
        overview.previousRelease = overview.currentRelease
        let summary = SummaryPage(context: Shop.context(), overview: overview, page: page)
        #expect(try Markup(summary.html.bytes).texts.contains("Nothing left to fix"))
        var empty = overview
        empty.leaks = 0
        let none = SummaryPage(
            context: Shop.context(), overview: empty,
            page: LeakPage(leaks: [], next: nil, total: 0, reports: 0))
        #expect(try Markup(none.html.bytes).texts.contains("No leaks yet"))
        // Sessions may count leaks for which no report was sent.
        empty.previousRelease = Shop.overview.previousRelease
        let fallen = SummaryPage(
            context: Shop.context(), overview: empty,
            page: LeakPage(leaks: [], next: nil, total: 0, reports: 0))
        let texts = try Markup(fallen.html.bytes).texts.map { $0.replacing("\u{A0}", with: " ") }
        #expect(!texts.contains("No leaks yet") && texts.contains("No leak is reported, but sessions leak"))
        #expect(texts.joined().contains(Self.fall))
    }

    @Test func `the app whose leak-free sessions fell is named if there are several apps`() throws {
        var other = Shop.overview
        other.previousRelease = nil
        let page = LeakPage(leaks: [], next: nil, total: 0, reports: 0)
        let summary = SummaryPage(
            context: Shop.context(), overview: other, page: page,
            apps: [
                AppOverview(app: "com.acme.shop", overview: Shop.overview),
                AppOverview(app: "b", overview: other),
            ])
        let words = try Markup(summary.html.bytes).texts.joined().replacing("\u{A0}", with: " ")
        #expect(words.contains("Leak-free sessions of com.acme.shop fell from 99.6 % in 5.1.0"))
        #expect(!words.contains("Leak-free sessions of b fell"))
    }

    @Test
    func `an export links to all resolved leaks, and a server to the resolved leaks that are still seen`()
        throws
    {
        let page = LeakPage(
            leaks: [], next: nil, total: 0, reports: 0, resolved: LeakTotals(leaks: 30, reports: 200),
            resolvedSeen: LeakTotals(leaks: 25, reports: 31))
        var context = Shop.context()
        for (links, words) in [
            (context.links, "All leaks resolved, still seen"),
            (Links(mode: .files(page: .summary(app: nil))), "All resolved leaks"),
        ] {
            context.links = links
            let html = SetAsideLeaks(
                context: context, page: page, resolvedSeenLeaks: [Shop.resolved], freedLateLeaks: [],
                knownLeaks: []
            ).html
            #expect(try Markup(html.bytes).texts.contains(words))
        }
    }

    private static let fall = "Leak-free sessions fell from 99.6 % in 5.1.0 to 98.7 % in 5.2.0."
    private static let stillSeen =
        "2 leaks are still seen after they were resolved: 31 reports in the last 14 days."

    /// Decisions do not change the numbers of the tiles above the list.
    @Test(
        arguments: [
            (true, 0, [fall]), (false, 2, [stillSeen]), (true, 2, [stillSeen, fall]),
        ] as [(Bool, Int, [String])])
    func
        `a page does not say that nothing is left to fix if sessions leak more or resolved leaks are seen`(
            falls: Bool, seen: Int, sentences: [String]
        ) throws
    {
        var overview = Shop.overview
        if !falls { overview.previousRelease = nil }
        let page = LeakPage(
            leaks: [], next: nil, total: 0, reports: 0, resolved: LeakTotals(leaks: 3, reports: 200),
            resolvedSeen: LeakTotals(leaks: seen, reports: seen == 0 ? 0 : 31))
        for apps in [[], [AppOverview(app: "com.acme.shop", overview: overview)]] {
            let html = SummaryPage(
                context: Shop.context(), overview: overview, page: page,
                resolvedSeenLeaks: seen == 0 ? [] : [Shop.resolved], apps: apps
            ).html
            let words = try Markup(html.bytes).texts.joined().replacing("\u{A0}", with: " ")
            #expect(!words.contains("Nothing left to fix"))
            #expect(words.contains("No open leaks, but leaks are still seen"))
            for sentence in [Self.fall, Self.stillSeen] {
                #expect(words.contains(sentence) == sentences.contains(sentence), "\(sentence)")
            }
            let section = "2 leaks resolved, still seen in old versions, 31 reports in the last 14 days"
            #expect(words.contains(section) == (seen > 0))
            let isOpen = String(decoding: html.bytes, as: UTF8.self).contains(
                #"<details class="set-aside" open>"#)
            #expect(isOpen == (seen > 0))
        }
    }

    @Test(arguments: Period.allCases)
    func `a page names the chosen period beside the numbers of the period`(period: Period) throws {
        var overview = Shop.overview
        overview.period = period
        let context = Shop.context {
            $0.period = period
            $0.sort = .reports
        }
        let markup = try Markup(SummaryPage(context: context, overview: overview, page: Shop.page).html.bytes)
        #expect(markup.texts.contains("Reports, last \(period.displayName)"))
        #expect(
            markup.texts.contains("To fix · sorted by reports · reports of the last \(period.displayName)"))
        #expect(markup.links.contains("/?app=com.acme.shop&state=any&period=\(period.rawValue)"))
        #expect(markup.links.contains("/?app=com.acme.shop&period=\(period.rawValue)&sort=installs"))
    }

    @Test func `a list of one version is sorted by its installs, and its menu offers this order once`()
        throws
    {
        let html = SummaryPage(
            context: Shop.context { $0.version = "5.1.0" }, overview: Shop.overview, page: Shop.page
        ).html
        let markup = try Markup(html.bytes)
        #expect(markup.texts.contains("To fix · sorted by installs"))
        // In a list of one version, the orders by impact and by installs are equal, so the menu offers only one of them.
        let options = markup.texts.filter { $0.hasPrefix("Installs") }
        #expect(!options.contains { $0.contains("current release") }, "\(options)")
        let text = String(decoding: html.bytes, as: UTF8.self)
        #expect(text.contains(#"<option value="impact" selected>Installs</option>"#))
        #expect(!text.contains(#"<option value="installs""#))
    }

    @Test func `without sessions the tile for leak-free sessions says that there is no data`() throws {
        var overview = Shop.overview
        overview.currentRelease = Shop.releases[2]
        overview.previousRelease = nil
        let markup = try Markup(
            SummaryPage(context: Shop.context(), overview: overview, page: Shop.page).html.bytes)
        #expect(markup.texts.contains("no data"))
    }

    @Test func `if the current release has no sessions, the tile shows the last version with sessions`()
        throws
    {
        var overview = Shop.overview
        overview.currentRelease = Shop.releases[2]
        overview.currentRelease?.version = "6.0.0"
        overview.lastSessions = VersionSessions(version: "5.0.0", sessions: 8, leakySessions: 2)
        let markup = try Markup(
            SummaryPage(context: Shop.context(), overview: overview, page: Shop.page).html.bytes)
        #expect(markup.texts.contains("Leak-free sessions in 5.0.0"))
        #expect(markup.texts.contains { $0.hasSuffix("no sessions of 6.0.0 yet") })
        #expect(!markup.texts.contains("no data"))
    }

    @Test(arguments: [400, 401, 403, 404, 405, 418, 429, 500, 502, 503])
    func `the page of every error status says what to do`(status: Int) throws {
        let message = ErrorPage.message(forStatus: status)
        let markup = try Markup(ErrorPage(context: Shop.context(), status: status).html.bytes)
        #expect(markup.texts.contains(message.title))
        #expect(markup.texts.contains(message.advice))
    }

    private func longPage(_ count: Int) -> LeakPage {
        let rows = (0..<count).map { index in
            Shop.row(
                Shop.leak(
                    UInt64(index), "SomeFeatureDetailViewController\(index)",
                    stack: [
                        "UITabBarController", "UINavigationController",
                        "SomeFeatureDetailViewController\(index)",
                    ]),
                reports: 1000 + index, installs: 100 + index, firstVersion: "5.0.1",
                lastSeenAgo: Int64(index) * Shop.hour,
                trend: (0..<14).map { ($0 * 7919 + index * 31) % 997 },
                rate: ReportsAndChecks(reports: index, checks: 1000))
        }
        return LeakPage(leaks: rows, next: "next", total: 5000, reports: 100_000)
    }
}

@Suite struct ReportCardTests {
    @Test(arguments: [(nil, nil), (5, nil), (-1, -1), (Int64.max, Int64.max)] as [(Int64?, Int64?)])
    func `a report shows the time of the device only if the collector corrected it`(
        at: Int64?, doubted: Int64?
    ) {
        var report = LeakReport()
        report.at = at.map { WireTime(milliseconds: $0) }
        let sample = SampleReport(
            reason: .first, at: 5, origin: Submission.Origin(app: "a", version: "1"), body: [])
        let kept = ParsedSample(sample: sample, report: report)
        #expect(kept.implausibleDeviceTime == doubted)
        let context = PageContext(links: Links(mode: .server(base: "")), now: 0)
        let text = String(
            decoding: ReportCard(context: context, title: "R", parsedSample: kept).html.bytes, as: UTF8.self)
        #expect(text.contains("device clock: ") == (doubted != nil))
    }
}
