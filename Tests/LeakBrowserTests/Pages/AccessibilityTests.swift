import Testing

extension BrowserTests {
    /// WCAG and good practice, as far as a program can check them, in both colour schemes and on a phone.
    @Suite(
        .enabled(
            if: Axe.script != nil,
            "LEFT OUT: axe-core was not fetched; Scripts/setup-browser fetches it from PyPI"))
    struct AccessibilityTests {
        static let looks = [Look.desktop, .dark, .phone, .darkPhone]

        @Test(arguments: SitePage.allCases)
        func `axe finds no accessibility problem on a page`(page: SitePage) async throws {
            let site = try await Shop.shared()
            try await site.visit { tab in
                try await tab.open(page, of: site)
                try await tab.unfold()
                for look in Self.looks {
                    try await tab.show(look)
                    // In the dark scheme only the colours of the page differ.
                    let violations = try await tab.violations(onlyColours: look.isDark)
                    #expect(violations == [], "\(page), \(look)")
                }
            }
        }

        @Test(arguments: looks)
        func `axe finds no accessibility problem on the first page of an empty collector`(look: Look)
            async throws
        {
            let site = try await Site()
            try await site.visit(look) { tab in
                try await tab.open(site.address + "/")
                let violations = try await tab.violations()
                #expect(violations == [])
            }
        }

        /// Proves that axe finds problems; otherwise an empty result would mean nothing.
        @Test func `axe finds an image without a text alternative, and text with too little contrast`()
            async throws
        {
            try await Browser.tab { tab in
                try await tab.open(
                    "data:text/html,<html lang=en><title>a</title><main><h1>a</h1><img src='data:,'><p style='color:%23ddd'>pale"
                )
                let violations = try await tab.violations()
                #expect(violations.map { $0.prefix { $0 != ":" } } == ["color-contrast", "image-alt"])
                let colours = try await tab.violations(onlyColours: true)
                #expect(colours.map { $0.prefix { $0 != ":" } } == ["color-contrast"])
            }
        }
    }
}
