import Testing

extension BrowserTests {
    /// The list of leaks, as a person uses it.
    @Suite struct ListTests {
        static let looks = [Look.desk, .withoutScripts]
        /// Selector of the leaks in the list itself. Known leaks are in a separate, collapsed list.
        private let rows = "table.leaks:not(details *) > tbody > tr > th > a"

        @Test(arguments: looks)
        func `a list leads from page to page and back to the first`(look: Look) async throws {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/?limit=25&sort=first_seen")
                try await tab.expect(".pages a", reads: ["Next page"])
                var seen = Set<String>()
                for number in 1...3 {
                    let names = try await tab.allWords(rows)
                    #expect(names.count == (number == 3 ? 15 : 25))
                    #expect(seen.isDisjoint(with: names))
                    seen.formUnion(names)
                    if number < 3 { try await tab.loading { try await tab.click("a[rel=next]") } }
                }
                #expect(try await tab.count("a[rel=next]") == 0)
                try await tab.loading { try await tab.click(words: "First page") }
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
                try await tab.loading { try await tab.click(words: "Apply") }
                try await tab.expect(rows, reads: ["ProductCell"])
                // The address without further state gives the same list.
                let address = try await tab.evaluate("location.href").text ?? ""
                try await tab.open(tab.site + "/sign-in")
                try await tab.open(address)
                try await tab.expect(rows, reads: ["ProductCell"])
                #expect(try await tab.evaluate("document.querySelector('[name=kind]').value") == "view")
            }
        }

        @Test(arguments: looks)
        func `a search finds a class, a path and a message`(look: Look) async throws {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/")
                for (words, names) in [
                    ("cartview", ["CartViewModel"]),
                    ("uitableview", ["ProductCell"]),
                    ("noch im Speicher", ["Objekt nach # Sekunden noch im Speicher"]),
                    ("nothing has this name", []),
                ] {
                    try await tab.type(words, into: "[type=search]")
                    try await tab.loading { try await tab.press("Enter") }
                    try await tab.expect(rows, reads: names)
                }
                try await tab.loading { try await tab.click(words: "Clear filters") }
                try await tab.expect(path: "/")
            }
        }

        @Test(arguments: [320, 401, 600, 720, 845, 1_000, 1_001, 1_040, 1_081, 1_280])
        func `a list is as wide as the window, with rates and ranges of versions in its rows`(width: Int)
            async throws
        {
            try await Shop.shared().visit(Look(width: width)) { tab in
                try await tab.open(tab.site + "/")
                let widest = try await tab.widest
                #expect(widest.isEmpty, "\(widest)")
            }
        }

        @Test func `on a phone each number of a row has the name of its column`() async throws {
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
        func `a click on the head of a column sorts the list`(look: Look) async throws {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/")
                try await tab.loading { try await tab.click(words: "Reports") }
                try await tab.expect("th[aria-sort]", reads: ["Reports"])
                let counts = try await tab.allWords(
                    "table.leaks:not(details *) > tbody > tr > td:nth-child(4)")
                let numbers = counts.compactMap { Int($0.filter(\.isNumber)) }
                #expect(numbers.count == 50)
                #expect(numbers == numbers.sorted(by: >))
            }
        }

        @Test(arguments: looks)
        func `a list marks slow leaks, new leaks and leaks of the system`(look: Look) async throws {
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
        func `a row opens a leak, its reports and its class`(look: Look) async throws {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/?q=cartviewmodel")
                try await tab.loading { try await tab.click(words: "CartViewModel") }
                try await tab.expect("h1", reads: ["CartViewModel"])
                try await tab.loading { try await tab.click("footer a[href$='/reports']") }
                #expect(try await tab.path.hasSuffix("/reports"))
                try await tab.goBack()
                // Between two pages there may be an empty page that is complete.
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
            ("q=" + String(repeating: "long", count: 80), "the parameter “q” is 320 bytes, at most 256"),
        ])
        func `an invalid address gets a page that says why`(query: String, words: String) async throws {
            try await Site().visit { tab in
                try await tab.open(tab.site + "/?" + query)
                try await tab.settle()
                #expect(tab.takeErrors().allSatisfy { $0.contains("400 (Bad Request)") })
                #expect(try await tab.words("main")?.contains(words) == true)
                try await tab.loading { try await tab.click(words: "Leaks") }
                try await tab.expect(path: "/")
            }
        }

        @Test(arguments: looks)
        func `an empty list waits for the first report and shows it`(look: Look) async throws {
            let site = try await Site()
            try await site.visit(look) { tab in
                try await tab.open(site.address + "/")
                try await tab.expect("h1", reads: ["Waiting for the first report"])
                try await site.deliver(Batch.reports([Shop.driver]))
                try await tab.loading { try await tab.click(words: "Refresh") }
                try await tab.expect(rows, reads: ["Driver.MapViewController"])
            }
        }

        @Test(arguments: looks)
        func `the list of releases shows the counts of each release`(look: Look) async throws {
            try await Shop.shared().visit(look) { tab in
                try await tab.open(tab.site + "/")
                try await tab.loading { try await tab.click(words: "Releases") }
                try await tab.choose(Shop.app, in: "select[name=app]")
                try await tab.loading { try await tab.click(words: "Apply") }
                try await tab.expect(
                    "table.releases tbody th > a, table.releases tbody th > bdi",
                    reads: ["5.2.0", "5.1.0", "5.0.1"])
                try await tab.loading { try await tab.click(words: "Compare 5.2.0") }
                try await tab.expect("h1", reads: ["5.1.0 and 5.2.0"])
            }
        }
    }
}
