import Testing

extension BrowserTests {
    /// The lists of leaks and of releases, as a person uses them.
    @Suite struct ListTests {
        static let looks = [Look.desktop, .withoutScripts]
        /// Selector of the leaks in the list itself. Known leaks are in a separate, collapsed list.
        private let rows = "table.leaks:not(details *) > tbody > tr > th > a"

        @Test(arguments: looks)
        func `links lead from each page of a list to the next page, and back to the first`(look: Look)
            async throws
        {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/?limit=25&sort=first_seen")
                try await tab.expect(".pages a", reads: ["Next page"])
                var seen = Set<String>()
                for number in 1...3 {
                    let names = try await tab.texts(of: rows)
                    #expect(names.count == (number == 3 ? 15 : 25))
                    #expect(seen.isDisjoint(with: names))
                    seen.formUnion(names)
                    if number < 3 { try await tab.waitForNewPage { try await tab.click("a[rel=next]") } }
                }
                #expect(try await tab.count("a[rel=next]") == 0)
                try await tab.waitForNewPage { try await tab.click(words: "First page") }
                try await tab.expect(path: "/?sort=first_seen&limit=25")
            }
        }

        @Test(arguments: looks)
        func `a list shows what its filter form selects, under an address that can be shared`(look: Look)
            async throws
        {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/")
                try await tab.choose(Shop.app, in: "select[name=app]")
                try await tab.choose("view", in: "select[name=kind]")
                try await tab.choose("5.1.0", in: "select[name=version]")
                try await tab.waitForNewPage { try await tab.click(words: "Apply") }
                try await tab.expect(rows, reads: ["ProductCell"])
                // The address alone gives the same list.
                let address = try await tab.evaluate("location.href").text ?? ""
                try await tab.open(tab.site + "/sign-in")
                try await tab.open(address)
                try await tab.expect(rows, reads: ["ProductCell"])
                #expect(try await tab.evaluate("document.querySelector('[name=kind]').value") == "view")
            }
        }

        @Test(arguments: looks)
        func `a search finds leaks by class, path and message`(look: Look) async throws {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/")
                for (words, names) in [
                    ("cartview", ["CartViewModel"]),
                    ("uitableview", ["ProductCell"]),
                    ("noch im Speicher", ["Objekt nach # Sekunden noch im Speicher"]),
                    ("nothing has this name", []),
                ] {
                    try await tab.type(words, into: "[type=search]")
                    try await tab.waitForNewPage { try await tab.press("Enter") }
                    try await tab.expect(rows, reads: names)
                }
                try await tab.waitForNewPage { try await tab.click(words: "Clear filters") }
                try await tab.expect(path: "/")
            }
        }

        @Test(arguments: [320, 401, 600, 720, 845, 1_000, 1_001, 1_040, 1_081, 1_280])
        func `a list is not wider than the window`(width: Int)
            async throws
        {
            try await Shop.shared().visit(Look(width: width)) { tab in
                try await tab.open(tab.site + "/")
                let widest = try await tab.overflowingElements
                #expect(widest.isEmpty, "\(widest)")
            }
        }

        @Test func `on a phone each number of a row is labelled with the name of its column`() async throws {
            let names = """
                [...document.querySelector('table.leaks tbody tr').cells].slice(3)
                    .map(it => JSON.parse(getComputedStyle(it, '::before').content)).join()
                """
            let heads = """
                [...document.querySelectorAll('table.leaks')[0].tHead.rows[0].cells].slice(3)
                    .map(it => it.textContent).join()
                """
            try await Shop.shared().visit(.phone) { tab in
                try await tab.open(tab.site + "/")
                let expected = try await tab.evaluate(heads).text
                #expect(expected?.contains("Memory") == true)
                #expect(try await tab.evaluate(names).text == expected)
            }
        }

        @Test(arguments: looks)
        func `a click on the header of a column sorts the list`(look: Look) async throws {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/")
                try await tab.waitForNewPage { try await tab.click(words: "Reports") }
                try await tab.expect("th[aria-sort]", reads: ["Reports"])
                let counts = try await tab.texts(
                    of:
                        "table.leaks:not(details *) > tbody > tr > td:nth-child(4)")
                let numbers = counts.compactMap { Int($0.filter(\.isNumber)) }
                #expect(numbers.count == 50)
                #expect(numbers == numbers.sorted(by: >))
            }
        }

        @Test(arguments: looks)
        func `a list marks new leaks, and has sections for leaks that are freed late and for known leaks`(
            look: Look
        ) async throws {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/?app=\(Shop.app)&q=checkout")
                try await tab.expect(rows, reads: ["CheckoutViewController"])
                try await tab.expect("table.leaks .badge.new", reads: ["New in 5.2.0"])
                try await tab.open(tab.site + "/?state=slow")
                try await tab.expect(rows, reads: ["SearchResultsController"])
                try await tab.open(tab.site + "/")
                for (section, name) in [("first", "SearchResultsController"), ("last", "UITextField")] {
                    try await tab.click("details.set-aside:\(section)-of-type > summary")
                    let names = "details.set-aside:\(section)-of-type tbody th > a"
                    try await tab.expect(names, reads: [name])
                }
            }
        }

        @Test(arguments: looks)
        func `links lead from a row to its leak, the leak's reports and its class`(look: Look) async throws {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/?q=cartviewmodel")
                try await tab.waitForNewPage { try await tab.click(words: "CartViewModel") }
                try await tab.expect("h1", reads: ["CartViewModel"])
                try await tab.waitForNewPage { try await tab.click("footer a[href$='/reports']") }
                #expect(try await tab.path.hasSuffix("/reports"))
                try await tab.goBack()
                // While the browser goes back, an empty page may have the state “complete”.
                try await tab.wait(
                    until: """
                        document.readyState === 'complete'
                            && [...document.links].some(it => it.textContent.trim() === 'All leaks of this class')
                        """)
                try await tab.click(words: "All leaks of this class")
                try await tab.wait(
                    until: "location.pathname === '/classes' && document.readyState === 'complete'")
                #expect(try await tab.path.hasPrefix("/classes?class="))
                try await tab.expect("h1", reads: ["CartViewModel"])
            }
        }

        @Test(arguments: [
            ("limit=none", "the parameter “limit” must be a number from 1 to 200"),
            ("q=" + String(repeating: "long", count: 80), "the parameter “q” is 320 bytes, the limit is 256"),
        ])
        func `an invalid query gets an error page that names the invalid parameter`(
            query: String, words: String
        ) async throws {
            try await Site().visit { tab in
                try await tab.open(tab.site + "/?" + query)
                try await tab.receivePendingEvents()
                #expect(tab.takeErrors().allSatisfy { $0.contains("400 (Bad Request)") })
                #expect(try await tab.text(of: "main")?.contains(words) == true)
                try await tab.waitForNewPage { try await tab.click(words: "Leaks") }
                try await tab.expect(path: "/")
            }
        }

        @Test(arguments: looks)
        func `the page of an empty collector shows the first report after a click on Refresh`(look: Look)
            async throws
        {
            let site = try await Site()
            try await site.visit(look) { tab in
                try await tab.open(site.address + "/")
                try await tab.expect("h1", reads: ["Waiting for the first report"])
                try await site.send(Batch.reports([Shop.driver]))
                try await tab.waitForNewPage { try await tab.click(words: "Refresh") }
                try await tab.expect(rows, reads: ["Driver.MapViewController"])
            }
        }

        @Test(arguments: looks)
        func `the list of releases has each version of the app, and links to a comparison`(look: Look)
            async throws
        {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/")
                try await tab.waitForNewPage { try await tab.click(words: "Releases") }
                try await tab.choose(Shop.app, in: "select[name=app]")
                try await tab.waitForNewPage { try await tab.click(words: "Apply") }
                try await tab.expect(
                    "table.releases tbody th > a, table.releases tbody th > bdi",
                    reads: ["5.2.0", "5.1.0", "5.0.1"])
                try await tab.waitForNewPage { try await tab.click(words: "Compare 5.2.0") }
                try await tab.expect("h1", reads: ["5.1.0 and 5.2.0"])
            }
        }
    }
}
