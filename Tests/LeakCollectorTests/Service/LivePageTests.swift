import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import Testing
import LeakPlatform

@testable import LeakCollector

/// Responses that an open page needs to stay up to date, and the page of an empty collector.
@Suite struct LivePageTests {
    @Test func `a request for an unchanged page gets 304, even a minute later`() throws {
        let now = WallClock.milliseconds()
        let clock = Guarded(now - now % 3_600_000)
        let running = try RunningCollector(now: { clock.with { $0 } })
        #expect(try running.post(#"{"class":"Shop.A"}"#).status == 200)
        // The clock is at half past an hour, so that neither relative times nor hours change in the minutes below.
        clock.with { $0 += 90 * 60_000 }
        let leaks = try #require(try running.get("/api/v1/leaks").json["leaks"] as? [[String: Any]])
        let leak = try #require(leaks.first?["id"] as? String)
        for path in ["/", "/releases", "/classes?class=A", "/leaks/\(leak)"] {
            let first = try running.get(path)
            let tag = try #require(first.field("ETag"))
            clock.with { $0 += 60_000 }
            #expect(try running.get(path).text != first.text, "the page contains the time of its rendering")
            let again = try page(running, path, tag)
            #expect(again.status == 304 && again.body.isEmpty, "\(path)")
            #expect(again.field("ETag") == tag)
        }
        let tag = try #require(try running.get("/").field("ETag"))
        #expect(try running.post(#"{"class":"Shop.A"}"#).status == 200)
        #expect(try page(running, "/", tag).status == 200)
    }

    private func page(_ running: RunningCollector, _ path: String, _ tag: String) throws -> HTTPResponse {
        try running.get(
            path,
            fields: [
                HTTPField("Authorization", "Bearer \(RunningCollector.token)"),
                HTTPField("If-None-Match", tag),
            ])
    }

    @Test func `the security policy of a page allows only scripts of its own server and requests to it`()
        throws
    {
        let running = try RunningCollector()
        let page = try running.get("/")
        #expect(page.text.contains(#"<script src="/live.js" defer></script>"#))
        let policy = try #require(page.field("Content-Security-Policy"))
        let rules = policy.split(separator: ";").map { $0.trimmingPrefix(" ") }
        #expect(rules.contains("default-src 'none'"))
        #expect(rules.contains("script-src 'self'"))
        #expect(rules.contains("connect-src 'self'"))
        #expect(!policy.contains("unsafe"))
        let script = try running.get("/live.js")
        #expect(script.status == 200)
        #expect(script.field("Content-Type")?.hasPrefix("text/javascript") == true)
    }

    @Test(arguments: SamplePage.allCases)
    func `lists and pages of leaks refresh themselves on a server, and not in an export`(page: SamplePage)
        throws
    {
        let markup = try Markup(page.html.bytes)
        let live: [SamplePage] = [
            .summary, .summaryEmpty, .releases, .first, .leakClass, .leak, .regressed, .knownLeak, .events,
            .eventsEmpty,
        ]
        #expect(markup.shape.contains("main.data-live") == live.contains(page))
        let scriptless: [SamplePage] = [.exported, .exportedLeak, .signIn, .signInLink]
        #expect(markup.shape.contains("script") == !scriptless.contains(page))
    }

    @Test func `the page of an empty collector says where to send reports and where to create keys`() throws {
        let running = try RunningCollector()
        let page = try running.get("/").text
        #expect(page.contains(":\(running.port)/api/v1/reports?app="))
        #expect(page.contains(":\(running.port)&quot;, key:"))
        #expect(page.contains(#"<a href="/access">"#))
    }
}
