import LeakCollectorSupport
import Testing

extension BrowserTests {
    @Suite struct SignInTests {
        static let looks = [Look.desktop, .withoutScripts]

        @Test(arguments: looks)
        func
            `after a sign-in with a token the requested page opens, and a sign-out ends the session`(
                look: Look
            ) async throws
        {
            let site = try await Site()
            try await Browser.tab(look) { tab in
                try await tab.open(site.address + "/releases?app=com.acme.shop")
                try await tab.expect("h1", reads: ["Sign in"])
                try await tab.type(RunningCollector.token, into: "#token")
                try await tab.waitForNewPage { try await tab.press("Enter") }
                try await tab.expect(path: "/releases?app=com.acme.shop")
                try await tab.waitForNewPage { try await tab.click(words: "Sign out") }
                try await tab.expect("[role=status]", reads: ["You are signed out."])
                try await tab.open(site.address + "/")
                try await tab.expect("h1", reads: ["Sign in"])
            }
        }

        @Test(arguments: looks)
        func `a printed sign-in link works once, even if a preview has requested it before`(look: Look)
            async throws
        {
            let site = try await Site()
            try await Browser.tab(look) { tab in
                // A chat app requests the link for a preview before the browser does.
                try await site.preview(at: site.signInLink)
                try await tab.open(site.signInLink)
                try await tab.expect("h1", reads: ["Sign in"])
                try await tab.waitForNewPage { try await tab.click("main button") }
                try await tab.expect(path: "/")
                try await tab.expect("h1", reads: ["Waiting for the first report"])
            }
            try await Browser.tab(look) { tab in
                try await tab.open(site.signInLink)
                try await tab.expect(
                    "[role=alert]",
                    reads: ["This sign-in link was used before or has expired. Use a token or a new link."])
                #expect(tab.takeErrors().allSatisfy { $0.contains("403 (Forbidden)") })
            }
        }

        @Test(arguments: looks)
        func `a wrong token is rejected, and the right token still opens the page`(look: Look)
            async throws
        {
            let site = try await Site()
            try await Browser.tab(look) { tab in
                try await tab.open(site.address + "/sign-in?to=/releases")
                try await tab.type("no such token", into: "#token")
                try await tab.waitForNewPage { try await tab.click("main button") }
                try await tab.receivePendingEvents()
                #expect(tab.takeErrors().allSatisfy { $0.contains("403 (Forbidden)") })
                #expect(try await tab.text(of: "[role=alert]")?.hasPrefix("Invalid or revoked token") == true)
                try await tab.type(RunningCollector.token, into: "#token")
                try await tab.waitForNewPage { try await tab.click("main button") }
                try await tab.expect(path: "/releases")
            }
        }

        @Test func `a form on another site cannot sign the browser out`() async throws {
            let site = try await Site()
            try await site.visit { tab in
                let form =
                    "<form method=post action=\(site.address)/sign-out><button>Win a phone</button></form>"
                try await tab.open("data:text/html,\(form)")
                try await tab.waitForNewPage { try await tab.click("button") }
                try await tab.receivePendingEvents()
                #expect(tab.takeErrors().allSatisfy { $0.contains("403 (Forbidden)") })
                #expect(
                    try await tab.text(of: "main")?.contains("This form was sent from another site.") == true)
                try await tab.open(site.address + "/")
                try await tab.expect("h1", reads: ["Waiting for the first report"])
            }
        }
    }
}
