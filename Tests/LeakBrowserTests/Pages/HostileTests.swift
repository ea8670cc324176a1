import Testing

extension BrowserTests {
    /// Texts from outside are shown as text, even if they contain markup, and do not change the layout of the page.
    @Suite struct HostileTests {
        @Test
        func `a list with hostile names runs no script, fits a phone and a desktop window, and has all rows`()
            async throws
        {
            let site = try await Hostile.site()
            try await site.visit(.phone) { tab in
                try await tab.open(site.address + "/?state=any")
                try await tab.expectNoInjectedMarkup()
                try await tab.expectFits()
                try await tab.show(.desktop)
                try await tab.expectFits()
                let names = try await tab.evaluate(
                    "[...document.querySelectorAll('table.leaks tbody th > a')].map(it => it.textContent)"
                ).elements.compactMap(\.text)
                #expect(names.count == Hostile.allCases.count)
            }
        }

        @Test(arguments: Hostile.allCases)
        func `a hostile report runs no script on any page, fits a phone and is shown as written`(
            hostile: Hostile
        ) async throws {
            let site = try await Site([
                Batch.reports([hostile.report]),
                Batch.sessions(
                    app: hostile.text(atMost: 256), version: hostile.text(atMost: 64), sessions: 3, leaky: 1),
            ])
            let leak = try #require(try await site.json("/api/v1/leaks?state=any")["leaks"].elements.first)
            let id = try #require(leak["id"].text)
            let className = try #require(leak["class"].text)
            let (app, version) = (hostile.text(atMost: 256), hostile.text(atMost: 64))
            try await site.visit(.phone) { tab in
                for path in [
                    "/",
                    "/?app=\(Site.encoded(app))&version=\(Site.encoded(version))&q=\(Site.encoded(version))",
                    "/?q=\(Site.encoded("no such name" + version))", "/leaks/\(id)", "/leaks/\(id)/reports",
                    "/classes?class=\(Site.encoded(className))&app=\(Site.encoded(app))",
                    "/releases?app=\(Site.encoded(app))", "/sign-in?to=/\(Site.encoded(version))",
                    "/causes?app=\(Site.encoded(app))",
                    "/compare?app=\(Site.encoded(app))&to=\(Site.encoded(version))",
                ] {
                    try await tab.open(site.address + path)
                    try await tab.unfold()
                    try await tab.expectNoInjectedMarkup()
                    try await tab.expectFits()
                }
                try await tab.open(site.address + "/leaks/\(id)/reports")
                try await tab.unfold()
                let shown = try await tab.evaluate("document.querySelector('main').textContent").text ?? ""
                #expect(shown.contains(hostile.displayedText), "\(shown.prefix(3000))")
            }
        }
    }
}

extension Tab {
    /// Expects that the page has no element and no attribute that a text could have added.
    func expectNoInjectedMarkup(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let brought = try await evaluate(
            """
            [...document.querySelectorAll('*')].filter(it =>
                (it.localName === 'script' && new URL(it.src || 'data:').origin !== location.origin)
                || ['img', 'iframe', 'object', 'style', 'base'].includes(it.localName)
                || [...it.attributes].some(one => one.name.startsWith('on') || one.name === 'style'
                    || one.value.trim().toLowerCase().startsWith('javascript:') && one.name === 'href'))
                .map(it => it.outerHTML.slice(0, 300))
            """
        ).elements.compactMap(\.text)
        #expect(brought == [], sourceLocation: sourceLocation)
    }

    /// Expects that the page is no wider than the window and that the elements around its content keep their positions.
    func expectFits(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let place = try await path.prefix(60)
        let wide = try await overflowingElements
        #expect(wide == [], "\(place)", sourceLocation: sourceLocation)
        let frame = try await evaluate(
            "[...document.body.children].map(it => it.localName).filter(it => it !== 'dialog').join(' ')")
        #expect(frame == "a header main footer", "\(place)", sourceLocation: sourceLocation)
        let left = try await evaluate("document.querySelector('.brand').getBoundingClientRect().left < 100")
        #expect(left.isTrue, "\(place)", sourceLocation: sourceLocation)
    }
}
