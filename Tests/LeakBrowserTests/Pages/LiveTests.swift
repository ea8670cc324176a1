import Testing

extension BrowserTests {
    /// Live updates and keyboard shortcuts, the features of the pages' only script. Also the link that skips to the content.
    @Suite struct LiveTests {
        private let rows = "table.leaks:not(details *) > tbody > tr > th > a"

        @Test func `a live update of the list changes neither the scroll position nor the focused row`()
            async throws
        {
            let site = try await Shop.site()
            try await site.visit { tab in
                try await tab.open(site.address + "/")
                _ = try await tab.evaluate(
                    """
                    window.read = [...document.querySelectorAll('table.leaks tbody th > a')][30];
                    read.scrollIntoView({block: 'center', behavior: 'instant'});
                    read.focus({preventScroll: true});
                    window.before = read.getBoundingClientRect().top;
                    """)
                #expect(try await tab.evaluate("scrollY > 200").isTrue)
                try await site.send(
                    Batch.reports(
                        (0..<40).map { index in
                            Sighting(
                                className: "Shop.FreshController\(index % 4)", stack: ["Shop.Fresh"],
                                install: index, hoursAgo: 0
                            ).report
                        }))
                try await tab.checkForChanges()
                try await tab.wait(until: "document.body.innerText.includes('FreshController3')")
                #expect(try await tab.evaluate("document.activeElement === read && read.isConnected").isTrue)
                let moved = try await tab.evaluate("Math.abs(read.getBoundingClientRect().top - before)")
                #expect(try #require(moved.number) <= 1)
                try await tab.expectFits()
            }
        }

        @Test func `the page of an empty collector becomes the summary when the first report arrives`()
            async throws
        {
            let site = try await Site()
            try await site.visit { tab in
                try await tab.open(site.address + "/")
                try await tab.expect("h1", reads: ["Waiting for the first report"])
                try await site.send(Batch.reports([Shop.driver]))
                try await tab.checkForChanges()
                try await tab.wait(until: "document.querySelector('table.leaks') !== null")
                try await tab.expect(rows, reads: ["Driver.MapViewController"])
            }
        }

        @Test func `a leak's page shows new reports and decisions, and open sections stay open`()
            async throws
        {
            let site = try await Site(Shop.batches)
            try await site.visit { tab in
                try await tab.open(
                    site.address + "/leaks/\(try await site.leakID(matching: "CheckoutViewController"))")
                let reports = ".facts div:first-child dd"
                let before = try #require(try await tab.text(of: reports))
                try await tab.click(words: "Ignore…")
                _ = try await tab.evaluate(
                    """
                    window.json = document.querySelector('#newest-report summary');
                    json.parentElement.open = true;
                    json.scrollIntoView({block: 'center', behavior: 'instant'});
                    json.focus({preventScroll: true});
                    window.before = json.getBoundingClientRect().top;
                    """)
                #expect(try await tab.evaluate("scrollY > 100").isTrue)
                try await site.decide(
                    "CheckoutViewController", ["action": "note", "note": "Ada looks at it."])
                try await site.send(Batch.reports(Array(Shop.checkout.prefix(3))))
                try await tab.checkForChanges()
                try await tab.wait(until: "document.querySelector('#history') !== null")
                #expect(try await tab.text(of: "#history")?.contains("Ada looks at it.") == true)
                #expect(try await tab.text(of: reports) != before)
                #expect(try await tab.evaluate("document.activeElement === json && json.isConnected").isTrue)
                #expect(
                    try await tab.evaluate(
                        "json.parentElement.open && document.querySelector('.actions details').open"
                    ).isTrue)
                try await tab.wait(until: "Math.abs(json.getBoundingClientRect().top - before) <= 1")
                try await tab.expectFits()
            }
        }

        @Test func `a page is not updated while its note field contains text`() async throws {
            let site = try await Site([Batch.reports([Shop.driver])])
            try await site.visit { tab in
                try await tab.open(
                    site.address + "/leaks/\(try await site.leakID(matching: "MapViewController"))")
                try await tab.type("It is the tile cache", into: "#note")
                _ = try await tab.evaluate("document.activeElement.blur()")
                try await site.send(Batch.reports([Shop.driver]))
                try await tab.checkForChanges()
                try await tab.receivePendingEvents()
                #expect(try await tab.text(of: ".facts div:first-child dd") == "1")
                _ = try await tab.evaluate("document.querySelector('#note').value = ''")
                try await tab.checkForChanges()
                try await tab.wait(
                    until: "document.querySelector('.facts div:first-child dd').innerText === '2'")
            }
        }

        @Test func `a list is not updated while its search field contains text`() async throws {
            let site = try await Site([Batch.reports([Shop.driver])])
            try await site.visit { tab in
                try await tab.open(site.address + "/")
                try await tab.type("map", into: "[type=search]")
                try await site.send(Batch.reports([Shop.reportWithMessageOnly]))
                try await tab.checkForChanges()
                try await tab.receivePendingEvents()
                #expect(try await tab.evaluate("document.querySelector('[type=search]').value").text == "map")
                try await tab.expect(rows, reads: ["Driver.MapViewController"])
            }
        }

        @Test func `live updates can be switched off and on again`() async throws {
            let site = try await Site([Batch.reports([Shop.driver])])
            try await site.visit { tab in
                try await tab.open(site.address + "/")
                #expect(
                    try await tab.evaluate("document.querySelector('footer output').textContent").text == "")
                _ = try await tab.evaluate(
                    """
                    window.asked = 0;
                    window.under = window.most = 0;
                    { const ask = window.fetch; window.fetch = async (...all) => {
                      asked += 1; under += 1; most = Math.max(most, under);
                      try { return await ask(...all); } finally { under -= 1; } }; }
                    window.box = [...document.querySelectorAll('dialog label')]
                      .find((label) => label.textContent.includes('Live updates')).firstElementChild;
                    box.click();
                    """)
                try await site.send(Batch.reports([Shop.reportWithMessageOnly]))
                try await tab.checkForChanges()
                try await tab.receivePendingEvents()
                #expect(try await tab.evaluate("asked").number == 0)
                try await tab.expect(rows, reads: ["Driver.MapViewController"])
                _ = try await tab.evaluate("box.click()")
                try await tab.wait(until: "document.querySelectorAll('table.leaks tbody th > a').length > 1")
                #expect(try await tab.evaluate("asked >= 1 && most === 1").isTrue)
                #expect(
                    try await tab.evaluate("document.querySelector('footer').lastElementChild.id").text
                        == "tools")
            }
        }

        @Test func `keyboard shortcuts move through the list, open a leak and focus the search`() async throws
        {
            try await Shop.shared().visit { tab in
                try await tab.open(tab.site + "/?app=\(Shop.app)&sort=reports")
                let names = try await tab.texts(of: rows)
                let focused = "document.activeElement.textContent.trim()"
                for (key, name) in [("j", 0), ("j", 1), ("ArrowDown", 2), ("k", 1)] {
                    try await tab.press(key)
                    #expect(try await tab.evaluate(focused).text == names[name], "\(key)")
                }
                try await tab.press("/")
                #expect(try await tab.evaluate("document.activeElement.type").text == "search")
                // In a field, letters are typed and are not shortcuts.
                try await tab.press("j")
                #expect(try await tab.evaluate("document.activeElement.value").text == "j")
                try await tab.press("Escape")
                try await tab.press("?")
                #expect(try await tab.evaluate("document.querySelector('dialog').open").isTrue)
                #expect(try await tab.text(of: "dialog h2") == "Keyboard shortcuts")
                try await tab.press("Escape")
                try await tab.wait(until: "!document.querySelector('dialog').open")
                try await tab.press("j")
                try await tab.waitForNewPage { try await tab.press("Enter") }
                try await tab.expect("h1", reads: [names[0]])
            }
        }

        @Test(arguments: [Look.desktop, .withoutScripts])
        func `the first element that the Tab key focuses is a link that skips to the content`(look: Look)
            async throws
        {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/")
                try await tab.press("Tab")
                #expect(
                    try await tab.evaluate("document.activeElement.textContent").text == "Skip to content")
                try await tab.press("Enter")
                try await tab.wait(until: "location.hash === '#main'")
                try await tab.press("Tab")
                #expect(
                    try await tab.evaluate("document.querySelector('main').contains(document.activeElement)")
                        .isTrue)
            }
        }
    }
}

extension Tab {
    /// Moves the page's clock twenty seconds ahead and sends the event of a tab that is shown again, so that the page checks
    /// for changes.
    fileprivate func checkForChanges() async throws {
        _ = try await evaluate(
            """
            { const now = Date.now; Date.now = () => now() + 20_000; }
            document.dispatchEvent(new Event('visibilitychange'));
            """)
    }
}
