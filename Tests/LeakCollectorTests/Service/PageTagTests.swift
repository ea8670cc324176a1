import Foundation
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct PageTagTests {
    private func page(
        after milliseconds: Int64 = 0, _ change: (inout LeakPage) -> Void = { _ in }
    ) -> HTML {
        var context = Shop.context()
        context.now += milliseconds
        var page = Shop.page
        change(&page)
        return SummaryPage(context: context, overview: Shop.overview, page: page, knownLeaks: Shop.knownLeaks)
            .html
    }

    @Test func `pages with equal content have equal ETags, even if they are rendered at different times`() {
        let tag = ResponseETag.of(page: page())
        #expect(page(after: 1000) != page(), "the page contains the time of its rendering")
        #expect(ResponseETag.of(page: page(after: 1000)) == tag)
        #expect(ResponseETag.of(page: page(after: 50_000)) == tag)
        #expect(tag.hasPrefix("W/\"") && tag.hasSuffix("\""), "weak, because the bytes differ")
    }

    @Test func `pages with different content have different ETags`() {
        let tag = ResponseETag.of(page: page())
        #expect(ResponseETag.of(page: page(after: 60_000)) != tag, "4 min ago became 5 min ago")
        #expect(ResponseETag.of(page: page { $0.leaks[0].reports += 1 }) != tag)
        #expect(ResponseETag.of(page: page { $0.total += 1 }) != tag, "the footer shows the total")
        #expect(ResponseETag.of(page: page { $0.leaks[0].lastSeen -= 1000 }) != tag)
    }

    @Test func `text from reports that looks like the time of the page still changes the ETag`() {
        let hostile = { (title: String) -> HTML in
            page { page in
                page.leaks = ["<time datetime=\"\">", title].enumerated().map {
                    Shop.row(
                        Shop.leak(UInt64($0), $1, stack: []), reports: 1, installs: 1, firstVersion: "1",
                        lastSeenAgo: 0,
                        trend: [], rate: nil)
                }
            }
        }
        #expect(ResponseETag.of(page: hostile("one")) != ResponseETag.of(page: hostile("two")))
    }

    /// The tag is computed from all bytes before the time.
    @Test(arguments: SamplePage.allCases)
    func `the last text of a page is the time when the page was rendered`(page: SamplePage) {
        let text = String(decoding: page.html.bytes, as: UTF8.self)
        let end = text.components(separatedBy: "<time").last ?? ""
        #expect(
            " datetime=\"2026-11-20T12:00:03Z\">2026-11-20 12:00 UTC</time></span></footer>\n</body></html>\n"
                == end)
    }
}
