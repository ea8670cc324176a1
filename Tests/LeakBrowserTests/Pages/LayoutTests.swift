import Foundation
import Testing

extension BrowserTests {
    /// Layout of the pages in windows and on paper.
    @Suite struct LayoutTests {
        /// Takes screenshots of the tested pages, for a visual review.
        @Test(arguments: SitePage.allCases)
        func `a page is not wider than a desktop window, a phone or a sheet of paper`(page: SitePage)
            async throws
        {
            try FileManager.default.createDirectory(
                at: Checkout.screenshots, withIntermediateDirectories: true)
            let site = try await Shop.shared()
            try await site.visit { tab in
                try await tab.open(page, of: site)
                try await tab.unfold()
                for look in [Look.desktop, .dark, .phone, .paper] {
                    try await tab.show(look)
                    let wide = try await tab.overflowingElements
                    #expect(wide == [], "\(look)")
                    let picture = try await tab.picture()
                    #expect(picture.count > 4000)
                    try picture.write(
                        to: Checkout.screenshots.appendingPathComponent("\(page)-\(look.name).png"))
                }
            }
        }

        @Test
        func
            `on a phone each number of a release is labelled with its column, and 13 columns have headers`()
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
                            && head === name;
                    })
                    """)
                #expect(shown.isTrue)
                #expect(
                    try await tab.evaluate(
                        "document.querySelectorAll('table.releases [role=columnheader]').length"
                    ).number == 13)
            }
        }

        @Test
        func
            `a class name of 512 bytes does not make a page long, and the keyboard can scroll to its end`()
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
                try await tab.open(site.address + "/leaks/\(try await site.leakID(matching: "WWW"))")
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

        @Test(arguments: [360, 401, 480, 600, 720])
        func `the filters for app, version and state have equal widths`(width: Int) async throws {
            try await Shop.shared().visit(Look(width: width)) { tab in
                try await tab.open(tab.site + "/")
                let fills = try await tab.evaluate(
                    """
                    (() => {
                        const widths = ['app', 'version', 'state'].map(name =>
                            document.querySelector(`.filters select[name=${name}]`)?.getBoundingClientRect().width)
                            .filter(width => width !== undefined);
                        return widths.length > 1 && Math.max(...widths) - Math.min(...widths) < 2;
                    })()
                    """)
                #expect(fills.isTrue)
            }
        }

        @Test(arguments: [360, 400, 480, 600, 720, 900, 1280])
        func `dates in the lists of ingest keys and access tokens are not wrapped`(width: Int) async throws {
            try await Shop.shared().visit(Look(width: width)) { tab in
                try await tab.open(tab.site + "/access")
                let isWhole = try await tab.evaluate(
                    """
                    (() => {
                        const dates = [...document.querySelectorAll('.access tbody time')];
                        return dates.length > 0 && dates.every(date => {
                            const cell = date.closest('td').getBoundingClientRect();
                            return date.getClientRects().length === 1
                                && date.getBoundingClientRect().right <= cell.right + 3;
                        });
                    })()
                    """)
                #expect(isWhole.isTrue)
            }
        }

        @Test(
            arguments: [Look.desktop, .phone, .smallPhone],
            ["Comment", "Resolve in next version (after 2.0)", "Reopen"])
        func `after a note or a decision the state of the leak is visible without scrolling`(
            look: Look, button: String
        ) async throws {
            let site = try await Site([Batch.reports([Shop.driver])])
            let leaks = try await site.json("/api/v1/leaks?state=any")["leaks"].elements
            let id = try #require(leaks.first?["id"].text)
            try await site.visit(look) { tab in
                try await tab.open(site.address + "/leaks/\(id)")
                if button == "Reopen" {
                    try await tab.click(words: "Ignore…")
                    try await tab.waitForNewPage { try await tab.click(words: "Ignore forever") }
                }
                try await tab.type("Ada looks at it.", into: "#note")
                try await tab.waitForNewPage { try await tab.click(words: button) }
                let isInView = try await tab.evaluate(
                    """
                    (() => {
                        const box = document.querySelector('.state').getBoundingClientRect();
                        return box.top >= 0 && box.bottom <= innerHeight;
                    })()
                    """)
                #expect(isInView.isTrue)
            }
        }

        @Test func `the page of a leak can be printed as a PDF`() async throws {
            let site = try await Shop.shared()
            try await site.visit { tab in
                try await tab.open(.leak, of: site)
                let document = try await tab.pdf()
                #expect(document.prefix(5) == Data("%PDF-".utf8))
            }
        }
    }
}
