import Foundation
import Testing

extension BrowserTests {
    /// How pages fit windows and paper.
    @Suite struct LayoutTests {
        /// Looked at by people: pictures of what the tests see.
        @Test(arguments: SitePage.allCases)
        func `a page fits a desk, a phone and paper, and has its picture`(page: SitePage)
            async throws
        {
            try FileManager.default.createDirectory(
                at: Checkout.screenshots, withIntermediateDirectories: true)
            let site = try await Shop.shared()
            try await site.visit { tab in
                try await tab.open(page, of: site)
                try await tab.unfold()
                for look in [Look.desk, .night, .phone, .paper] {
                    try await tab.show(look)
                    let wide = try await tab.widest
                    #expect(wide == [], "\(look)")
                    let picture = try await tab.picture()
                    #expect(picture.count > 4000)
                    try picture.write(
                        to: Checkout.screenshots.appendingPathComponent("\(page)-\(look.name).png"))
                }
            }
        }

        @Test func `on a phone each number of a release stands under its name, in a table still`()
            async throws
        {
            try await Shop.shared().visit(.phone) { tab in
                try await tab.open(tab.site + "/releases?app=\(Shop.app)")
                let shown = try await tab.evaluate(
                    """
                    [...document.querySelectorAll('table.releases tbody tr:first-child td')].every((cell, index) => {
                        const box = cell.getBoundingClientRect();
                        const name = getComputedStyle(cell, '::before').content.slice(1, -1);
                        const head = document.querySelectorAll('table.releases thead th')[index + 1].textContent;
                        return box.left >= 0 && box.right <= innerWidth && box.height > 0
                            && head.replace('checked ', '') === name;
                    })
                    """)
                #expect(shown.isTrue)
                #expect(
                    try await tab.evaluate(
                        "document.querySelectorAll('table.releases [role=columnheader]').length"
                    ).number == 11)
            }
        }

        @Test func `a name of 512 bytes leaves the page short, and all of it is reached with keys`()
            async throws
        {
            let name = String(repeating: "W", count: 512)
            let site = try await Site([
                Batch.reports([
                    Sighting(
                        className: name, stack: [name, name],
                        others: ["log": [JSON(name), JSON(name)], "cycle": [JSON(name), "closure"]]
                    ).report
                ])
            ])
            try await site.visit(.phone) { tab in
                try await tab.open(site.address + "/leaks/\(try await site.leak("WWW"))")
                #expect(try #require(try await tab.evaluate("document.body.scrollHeight").number) < 3500)
                let reached = try await tab.evaluate(
                    """
                    (() => {
                        const box = document.querySelector('h1 .long');
                        box.focus();
                        box.scrollTop = box.scrollHeight;
                        return document.activeElement === box && box.textContent.length === 512
                            && box.scrollTop > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
                    })()
                    """)
                #expect(reached.isTrue)
                let violations = Axe.script == nil ? [] : try await tab.violations()
                #expect(violations == [])
            }
        }

        @Test func `a leak prints on paper`() async throws {
            let site = try await Shop.shared()
            try await site.visit { tab in
                try await tab.open(.leak, of: site)
                let document = try await tab.printed()
                #expect(document.prefix(5) == Data("%PDF-".utf8))
            }
        }
    }
}
