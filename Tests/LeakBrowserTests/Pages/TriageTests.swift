import Testing

extension BrowserTests {
    /// Triage: decisions about a leak and the states they lead to.
    @Suite struct TriageTests {
        static let looks = [Look.desktop, .withoutScripts]
        private let rows = "table.leaks:not(details *) > tbody > tr > th > a"
        private let badge = ".state .badge, .head .badge"

        /// Returns a report of a leak in one version.
        private func sighting(in version: String) -> JSON {
            Sighting(
                className: "Shop.CartController", stack: ["UINavigationController", "Shop.CartController"],
                version: version, build: nil
            ).report
        }

        private func site() async throws -> (site: Site, page: String) {
            let site = try await Site([
                Batch.reports([sighting(in: "5.0"), sighting(in: "5.1")]),
                Batch.reports([Shop.reportWithMessageOnly]),
            ])
            return (site, "/leaks/\(try await site.leakID(matching: "CartController"))")
        }

        @Test(arguments: looks)
        func
            `a resolved leak is not in the list of leaks to fix, and regresses if a newer version reports it`(
                look: Look
            ) async throws
        {
            let (site, page) = try await site()
            try await site.visit(look) { tab in
                try await tab.open(site.address + page)
                try await tab.type("The cart is let go\nwhen it closes.", into: "#note")
                try await tab.waitForNewPage {
                    try await tab.click(words: "Resolve in next version (after 5.1.0)")
                }
                try await tab.expect(path: page)
                try await tab.expect(badge, reads: ["Resolved"])
                #expect(
                    try await tab.text(of: ".history")?.contains(
                        "marked it as resolved in the next version after 5.1.0")
                        == true)
                #expect(
                    try await tab.text(of: ".history")?.contains("The cart is let go when it closes.") == true
                )
                try await tab.open(site.address + "/")
                try await tab.expect(rows, reads: ["Objekt nach # Sekunden noch im Speicher"])
                try await tab.waitForNewPage { try await tab.click(words: "1 resolved leak") }
                try await tab.expect(rows, reads: ["CartController"])

                // Old versions remain in use for a long time, so their reports do not contradict the fix.
                try await site.send(Batch.reports([sighting(in: "5.0.9"), sighting(in: "5.1")]))
                try await tab.open(site.address + page)
                try await tab.expect(badge, reads: ["Resolved"])

                try await site.send(Batch.reports([sighting(in: "5.2")]))
                try await tab.reload()
                try await tab.expect(badge, reads: ["Regressed in 5.2"])
                try await tab.open(site.address + "/?state=regressed")
                try await tab.expect(rows, reads: ["CartController"])
                try await tab.open(site.address + "/releases")
                #expect(try await tab.text(of: "main")?.contains("5.2") == true)
            }
        }

        @Test(arguments: looks)
        func `a version typed into the decision form becomes the version of the fix`(look: Look)
            async throws
        {
            let (site, page) = try await site()
            try await site.visit(look) { tab in
                try await tab.open(site.address + page)
                try await tab.click(words: "Resolved in…")
                try await tab.type("5.3", into: "[name=in]")
                try await tab.waitForNewPage { try await tab.press("Enter") }
                try await tab.expect(badge, reads: ["Resolved"])
                #expect(try await tab.text(of: ".history")?.contains("marked it as resolved in 5.3") == true)
                try await site.send(Batch.reports([sighting(in: "5.2")]))
                try await tab.reload()
                try await tab.expect(badge, reads: ["Resolved"])
                try await site.send(Batch.reports([sighting(in: "5.3.0")]))
                try await tab.reload()
                try await tab.expect(badge, reads: ["Regressed in 5.3.0"])
            }
        }

        @Test(arguments: looks)
        func `an ignored leak is reopened by a click or by the given number of reports`(look: Look)
            async throws
        {
            let (site, page) = try await site()
            try await site.visit(look) { tab in
                try await tab.open(site.address + page)
                try await tab.click(words: "Ignore…")
                try await tab.waitForNewPage { try await tab.click(words: "Ignore forever") }
                try await tab.expect(badge, reads: ["Ignored"])
                try await tab.open(site.address + "/?state=ignored")
                try await tab.waitForNewPage { try await tab.click(rows) }
                try await tab.waitForNewPage { try await tab.click(words: "Reopen") }
                try await tab.expect(badge, reads: ["Open"])

                try await tab.click(words: "Ignore…")
                try await tab.type("2", into: "[name=reports]")
                try await tab.waitForNewPage { try await tab.click(words: "Ignore for this many reports") }
                try await site.send(Batch.reports([sighting(in: "5.1")]))
                try await tab.reload()
                try await tab.expect(badge, reads: ["Ignored"])
                try await site.send(Batch.reports([sighting(in: "5.1")]))
                try await tab.reload()
                try await tab.expect(badge, reads: ["Open"])

                try await tab.click(words: "Ignore…")
                _ = try await tab.evaluate("document.querySelector('[name=until]').value = '2099-12-31'")
                try await tab.waitForNewPage { try await tab.click(words: "Ignore until this date") }
                try await tab.expect(badge, reads: ["Ignored"])
                #expect(try await tab.text(of: ".history")?.contains("ignored it until 31 Dec 2099") == true)
            }
        }

        @Test(arguments: looks)
        func `a note that contains markup is shown in the history as text`(look: Look) async throws {
            let (site, page) = try await site()
            try await site.visit(look) { tab in
                try await tab.open(site.address + page)
                try await tab.type("<script>alert(1)</script>", into: "#note")
                try await tab.waitForNewPage { try await tab.click(words: "Comment") }
                #expect(try await tab.text(of: ".history")?.contains("<script>alert(1)</script>") == true)
                try await tab.expect(badge, reads: ["Open"])
                try await tab.expectNoInjectedMarkup()
            }
        }

        @Test func `a form on another site cannot make a decision`() async throws {
            let (site, page) = try await site()
            try await site.visit { tab in
                let form =
                    "<form method=post action=\(site.address)\(page)/decisions><button name=do value=ignore>Win</button></form>"
                try await tab.open("data:text/html,\(form)")
                try await tab.waitForNewPage { try await tab.click("button") }
                try await tab.receivePendingEvents()
                let complaints = tab.takeErrors()
                #expect(
                    complaints.allSatisfy { $0.contains("status of 403") || $0.contains("status of 401") })
                try await tab.open(site.address + page)
                try await tab.expect(badge, reads: ["Open"])
            }
        }
    }
}
