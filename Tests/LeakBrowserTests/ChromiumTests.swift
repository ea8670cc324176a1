import Testing

extension BrowserTests {
    /// Behaviour of the browser that the other tests rely on.
    @Suite struct ChromiumTests {
        private static let page = "data:text/html,<p>quiet<script>document.body.textContent = 'loud'</script>"

        @Test(arguments: [(Look.desktop, "loud"), (.withoutScripts, "quiet")])
        func `scripts of a page run in the test browser only if they are enabled`(look: Look, words: String)
            async throws
        {
            try await Browser.tab(look) { tab in
                try await tab.open(Self.page)
                try await tab.expect("body", reads: [words])
            }
        }

        @Test(arguments: [
            ("<script>alert(7)</script>", "dialog: 7"),
            ("<script>console.error('so')</script>", "console: so"),
            ("<script>nothing.here</script>", "exception: ReferenceError: nothing is not defined"),
            (
                "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\"><script>1</script>",
                "policy: "
            ),
        ])
        func `dialogs, console errors, exceptions and policy violations of a page are recorded`(
            page: String, complaint: String
        ) async throws {
            try await Browser.tab { tab in
                try await tab.open("data:text/html,\(page)")
                try await tab.receivePendingEvents()
                let complaints = tab.takeErrors()
                #expect(complaints.contains { $0.hasPrefix(complaint) }, "\(complaints)")
            }
        }

        @Test func `tabs do not share cookies`() async throws {
            let site = try await Site()
            try await site.visit { tab in
                try await tab.open(site.address + "/")
                try await tab.expect("h1", reads: ["Waiting for the first report"])
            }
            try await Browser.tab { tab in
                try await tab.open(site.address + "/")
                try await tab.expect("h1", reads: ["Sign in"])
            }
        }

        @Test func `an element that another element covers cannot be clicked`() async throws {
            try await Browser.tab { tab in
                try await tab.open(
                    "data:text/html,<button>Go</button><div style='position:fixed;inset:0'></div>")
                await #expect(throws: Tab.Failure.self) { try await tab.click("button") }
            }
        }

        @Test(arguments: [(Look.desktop, 1200), (.phone, 360)])
        func `a page has the width of the window, and wider content is measured as overflow`(
            look: Look, width: Int
        ) async throws {
            try await Browser.tab(look) { tab in
                try await tab.open(
                    "data:text/html,<meta name=viewport content='width=device-width'><p>a")
                #expect(try await tab.evaluate("innerWidth").int == width)
                #expect(try await tab.overflow == 0)
                try await tab.open(
                    "data:text/html,<meta name=viewport content='width=device-width'><div style='width:1500px'>a"
                )
                #expect(try await tab.overflow >= 1500 - width)
            }
        }
    }
}
