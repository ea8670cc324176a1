import CollectorSupport
import Testing

extension BrowserTests {
    @Suite struct SignInTests {
        @Test(arguments: [Look.desk, .withoutScripts])
        func `a token opens the page that was asked for, and signing out closes it`(look: Look) async throws {
            let site = try await Site()
            try await Browser.tab(look) { tab in
                try await tab.open(site.address + "/releases?app=com.acme.shop")
                #expect(try await tab.words("h1") == "Sign in")
                try await tab.type(RunningCollector.token, into: "#token")
                try await tab.loading { try await tab.press("Enter") }
                #expect(try await tab.path == "/releases?app=com.acme.shop")
                try await tab.loading { try await tab.click(words: "Sign out") }
                #expect(try await tab.words("[role=status]") == "You are signed out.")
                try await tab.open(site.address + "/")
                #expect(try await tab.words("h1") == "Sign in")
            }
        }
    }
}
