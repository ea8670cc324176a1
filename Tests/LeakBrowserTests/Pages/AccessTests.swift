import Testing

extension BrowserTests {
    /// Ingest keys and access tokens, created and revoked on their page.
    @Suite struct AccessTests {
        static let looks = [Look.desktop, .withoutScripts]

        @Test(arguments: looks)
        func `an ingest key can be created, renamed and revoked, and is accepted until it is revoked`(
            look: Look
        ) async throws {
            let site = try await Site()
            try await site.visit(look) { tab in
                try await tab.open(site.address + "/access")
                try await tab.type("phones", into: "form[aria-label='Create key'] [name=name]")
                try await tab.type(Shop.driverApp, into: "[name=app]")
                try await tab.waitForNewPage { try await tab.click(words: "Create key") }
                try await tab.expect("h1", reads: ["New key: phones"])
                let key = try #require(try await tab.text(of: "pre"))
                #expect(try await tab.text(of: "main")?.contains("key: \"\(key)\"") == true)
                try await site.send(Batch.reports([Shop.driver]), key: key)

                try await tab.waitForNewPage { try await tab.click(words: "Back to settings") }
                #expect(try await tab.text(of: "#keys")?.contains(key) == false)
                let row = "#keys tr:has(input[value=phones])"
                try await tab.click("\(row) details summary")
                try await tab.type("tablets", into: "\(row) [name=name]")
                try await tab.waitForNewPage { try await tab.press("Enter") }
                let renamed = "#keys tr:has(input[value=tablets])"
                try await tab.click("\(renamed) details:last-of-type summary")
                try await tab.waitForNewPage { try await tab.click(words: "Revoke tablets") }
                #expect(try await tab.count(renamed) == 0)
                #expect(try await site.status(of: Batch.reports([Shop.driver]), key: key) == 403)
                try await tab.expect("#apps tbody th", reads: [Shop.driverApp])
            }
        }

        @Test(arguments: looks)
        func `revoking an access token ends the sign-in sessions that were opened with it`(look: Look)
            async throws
        {
            let site = try await Site()
            let token = try await site.visit(look) { tab in
                try await tab.open(site.address + "/access")
                try await tab.type("Ada", into: "form[aria-label='Create token'] [name=name]")
                try await tab.choose("admin", in: "form[aria-label='Create token'] select[name=role]")
                try await tab.waitForNewPage { try await tab.click(words: "Create token") }
                return try #require(try await tab.text(of: "pre"))
            }
            try await Browser.tab(look, at: site.address) { tab in
                try await tab.open(site.address + "/access")
                try await tab.type(token, into: "#token")
                try await tab.waitForNewPage { try await tab.press("Enter") }
                try await tab.expect(path: "/access")
                let row = "#tokens tr:has(input[value=Ada])"
                try await tab.click("\(row) details:last-of-type summary")
                try await tab.waitForNewPage { try await tab.click(words: "Revoke Ada") }
                try await tab.open(site.address + "/")
                try await tab.expect("h1", reads: ["Sign in"])
            }
        }
    }
}
