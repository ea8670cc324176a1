import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing
import LeakPlatform

@testable import LeakCollector

/// Decisions over HTTP, independent of their effect in the store.
@Suite struct TriageTests {
    private static let form = "application/x-www-form-urlencoded"

    /// Starts a collector with one leak, and records the decisions that reach its store.
    private func startCollector() throws -> (RunningCollector, leak: String, Guarded<[Decision]>) {
        let decisions = Guarded<[Decision]>([])
        let running = try RunningCollector(store: { DecisionRecordingStore(store: $0, decisions: decisions) })
        #expect(try running.post(#"{"class":"Cart","app":{"id":"a","version":"1.0"}}"#).status == 200)
        let leaks = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        return (running, try #require(leaks.first?["id"] as? String), decisions)
    }

    private static let bearer = HTTPField("Authorization", "Bearer \(RunningCollector.token)")

    /// Signs in with the access token or the printed link, and returns the session's cookie field.
    private func sessionCookie(_ running: RunningCollector, byLink: Bool = false) throws -> HTTPField {
        let answer =
            if byLink {
                try running.useSignInLink()
            } else {
                try running.post(
                    "token=\(RunningCollector.token)", Self.form, to: "/sign-in", fields: [])
            }
        let cookie = try #require(answer.field("Set-Cookie"))
        return HTTPField("Cookie", String(cookie.prefix { $0 != ";" }))
    }

    @Test func `a form with a decision redirects to the top of the leak's page`() throws {
        let (running, leak, decisions) = try startCollector()
        let cookie = try sessionCookie(running)
        let answer = try running.post(
            "do=resolve-next&note=done", Self.form, to: "/leaks/\(leak)/decisions",
            fields: [cookie, HTTPField("Origin", running.address)])
        #expect(answer.status == 303)
        #expect(answer.field("Location") == "/leaks/\(leak)#main")
        #expect(
            decisions.with { $0 }
                == [Decision(.resolve(.nextVersion), note: "done", by: Setting.accessToken.variable)])
    }

    @Test func `the author of a decision is called sign-in link if the browser signed in by the link`()
        throws
    {
        let (running, leak, decisions) = try startCollector()
        let cookie = try sessionCookie(running, byLink: true)
        let answer = try running.post(
            "do=ignore", Self.form, to: "/leaks/\(leak)/decisions",
            fields: [cookie, HTTPField("Sec-Fetch-Site", "same-origin"), HTTPField("Origin", "null")])
        #expect(answer.status == 303)
        #expect(decisions.with { $0 } == [Decision(.ignore(nil), by: "sign-in link")])
    }

    @Test func `the API responds with the decision and the new state of the leak`() throws {
        let (running, leak, decisions) = try startCollector()
        let answer = try running.post(
            #"{"action":"ignore","reports":5,"note":"later"}"#, to: "/api/v1/leaks/\(leak)/decisions",
            fields: [Self.bearer])
        #expect(answer.status == 201)
        #expect(answer.field("Location") == "/api/v1/leaks/\(leak)")
        let decision = try #require(try answer.json["decision"] as? [String: Any])
        #expect(decision["action"] as? String == "ignore" && decision["reports_limit"] as? Int == 5)
        #expect(decision["note"] as? String == "later" && decision["until"] is NSNull)
        #expect(decision["by"] as? String == Setting.accessToken.variable)
        #expect(try answer.json["state"] is String)
        #expect(decisions.with { $0.map(\.action) } == [.ignore(.nextReports(5))])
    }

    @Test(arguments: [
        (["Origin: https://evil.example"], 403), (["Origin: null"], 403), ([], 403),
        (["Sec-Fetch-Site: cross-site"], 403), (["Sec-Fetch-Site: same-site"], 403),
        (["Sec-Fetch-Site: same-origin"], 303), (["Sec-Fetch-Site: none"], 403),
        (["Sec-Fetch-Site: none", "Origin: https://evil.example"], 403),
        (["Sec-Fetch-Site: none", "Origin: HERE"], 303),
        (["Sec-Fetch-Site: cross-site", "Origin: HERE"], 403), (["Origin: HERE"], 303),
    ])
    func `a cookie permits decisions only from a page of this collector`(lines: [String], status: Int) throws
    {
        let (running, leak, decisions) = try startCollector()
        let fields = lines.map { line in
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            return HTTPField(String(parts[0].dropLast()), parts[1] == "HERE" ? running.address : parts[1])
        }
        let answer = try running.post(
            "do=ignore", Self.form, to: "/leaks/\(leak)/decisions",
            fields: [try sessionCookie(running)] + fields)
        #expect(answer.status == status)
        #expect(decisions.with(\.count) == (status == 303 ? 1 : 0))
        #expect(status == 303 || answer.text.contains("Back to the leak"))
    }

    @Test
    func `an access token permits decisions without an Origin, but not with the Origin of another site`()
        throws
    {
        let (running, leak, decisions) = try startCollector()
        let form = try running.post(
            "do=reopen", Self.form, to: "/leaks/\(leak)/decisions", fields: [Self.bearer])
        #expect(form.status == 303)
        let foreign = try running.post(
            #"{"action":"reopen"}"#, to: "/api/v1/leaks/\(leak)/decisions",
            fields: [Self.bearer, HTTPField("Origin", "https://evil.example")])
        #expect(foreign.status == 403)
        #expect(decisions.with(\.count) == 1)
    }

    @Test func `decisions require an access token, not an ingest key`() throws {
        let (running, leak, decisions) = try startCollector()
        let path = "/api/v1/leaks/\(leak)/decisions"
        let key = HTTPField("Authorization", "Bearer \(RunningCollector.key)")
        for fields in [[], [key]] {
            #expect(try running.post(#"{"action":"reopen"}"#, to: path, fields: fields).status == 401)
        }
        let form = try running.post("do=reopen", Self.form, to: "/leaks/\(leak)/decisions", fields: [])
        #expect(form.status == 303)
        #expect(form.field("Location") == "/sign-in?to=%2Fleaks%2F\(leak)")
        #expect(decisions.with(\.isEmpty))
    }

    @Test(
        arguments: [
            (#"{"action":"resolve"}"#, "application/json", "LEAK", 400),
            (#"{"action":"reopen"}"#, "application/json", "00000000000000000000000000000000", 404),
            (#"{"action":"reopen"}"#, "application/json", "nope", 404),
            (#"{"action":"reopen"}"#, "text/plain", "LEAK", 415),
            ("do=reopen", "application/x-www-form-urlencoded", "LEAK", 415),
            (String(repeating: " ", count: 16 * 1024 + 1), "application/json", "LEAK", 413),
            (#"{"action":"note","note":"broken"}"#, "application/json", "LEAK", 503),
        ])
    func `an invalid or impossible decision gets an error with a reason`(
        body: String, type: String, id: String, status: Int
    )
        throws
    {
        let (running, leak, _) = try startCollector()
        let answer = try running.post(
            body, type, to: "/api/v1/leaks/\(id == "LEAK" ? leak : id)/decisions", fields: [Self.bearer])
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.field("Content-Type") == "application/problem+json")
        #expect(try answer.json["detail"] as? String != nil)
    }

    @Test(
        arguments: [
            ("do=ignore-until&until=1999-01-01", 400, "the field “until” is past"),
            ("do=note&note=broken", 503, "Temporarily unavailable"),
        ])
    func `the error page for a rejected form links back to the leak`(
        form: String, status: Int, words: String
    ) throws {
        let (running, leak, _) = try startCollector()
        let answer = try running.post(
            form, Self.form, to: "/leaks/\(leak)/decisions", fields: [Self.bearer])
        #expect(answer.status == status)
        let markup = try Markup(answer.body)
        #expect(markup.texts.contains { $0.contains(words) })
        #expect(markup.links.contains("/leaks/\(leak)"))
    }

    @Test(
        arguments: [
            ("do=ignore-until&note=a%26b%3C", "a&b<"), ("do=close&note=%0D%0Atext", "\ntext"),
            ("do=note&note=\(String(repeating: "%C3%A9", count: 1001))", String(repeating: "é", count: 1001)),
            ("do=note&note=broken", "broken"),
        ])
    func `the error page for a rejected form shows the typed note`(form: String, note: String) throws {
        let (running, leak, decisions) = try startCollector()
        let answer = try running.post(
            form, Self.form, to: "/leaks/\(leak)/decisions", fields: [Self.bearer])
        #expect(answer.status >= 400 && decisions.with(\.isEmpty))
        let markup = try Markup(answer.body)
        #expect(markup.shape.contains("textarea.readonly"))
        #expect(markup.texts.contains("\n" + note))
    }

    @Test func `a note of the maximum length is accepted, even if each character has three bytes`() throws {
        let (running, leak, decisions) = try startCollector()
        let page = try running.get("/leaks/\(leak)").text
        let limit = try #require(page.firstMatch(of: /name="note" rows="1" maxlength="(\d+)"/))
        let note = String(repeating: "漏", count: try #require(Int(limit.1)))
        let answer = try running.post(
            "do=note&note=\(PercentEncoder.encode(note))", Self.form, to: "/leaks/\(leak)/decisions",
            fields: [Self.bearer])
        #expect(answer.status == 303)
        #expect(decisions.with { $0.map(\.note) } == [note])
    }

    @Test func `GET of a form's path redirects to its leak, and rejected forms get pages with a link back`()
        throws
    {
        let (running, leak, _) = try startCollector()
        let path = "/leaks/\(leak)/decisions"
        let read = try running.get(path)
        #expect(read.status == 303 && read.field("Location") == "/leaks/\(leak)")
        #expect(try running.get(path, fields: []).field("Location") == "/sign-in?to=%2Fleaks%2F\(leak)")
        let large = try running.post(
            "note=" + String(repeating: "n", count: 16 * 1024), Self.form, to: path, fields: [Self.bearer])
        #expect(large.status == 413)
        #expect(try Markup(large.body).links.contains("/leaks/\(leak)"))
        for (target, body) in [("/sign-in", String(repeating: "n", count: 5000)), ("/releases", "a=b")] {
            let refused = try running.post(body, Self.form, to: target, fields: [])
            #expect(refused.status == (target == "/sign-in" ? 413 : 405))
            #expect(try Markup(refused.body).links.contains("/"), "\(target)")
            #expect(target == "/sign-in" || refused.field("Allow")?.contains("GET") == true)
        }
    }

    @Test func `a GET request to the API path for decisions gets 405`() throws {
        let (running, leak, _) = try startCollector()
        let answer = try running.get("/api/v1/leaks/\(leak)/decisions")
        #expect(answer.status == 405 && answer.field("allow") == "POST, OPTIONS")
    }

    /// With `no-referrer` browsers send `Origin: null` for a page's own forms, so the collector would reject them.
    @Test func `the referrer policy of pages lets browsers send the origin of their forms`() throws {
        let (running, leak, _) = try startCollector()
        for path in ["/", "/leaks/\(leak)", "/sign-in", "/nope"] {
            #expect(try running.get(path).field("Referrer-Policy") == "same-origin", "\(path)")
        }
    }
}

/// A store that records decisions and does not apply them.
private struct DecisionRecordingStore: ForwardingStore {
    let store: any Store
    let decisions: Guarded<[Decision]>

    func decide(
        _ decision: Decision, about leaks: [LeakID], audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> PastDecision? {
        guard try store.makeReader().leak(leaks[0], now: now) != nil else { return nil }
        if decision.note == "broken" { throw StoreError(.locked, "locked") }
        decisions.with { $0.append(decision) }
        let action: PastDecision.Action =
            switch decision.action {
            case .resolve(.version(let version, let build)):
                .resolved(version: version, build: build, isAfter: false)
            case .resolve(let fix): .resolved(version: "1.0", isAfter: fix == .nextVersion)
            case .ignore(let limit): .ignored(limit)
            case .reopen: .reopened
            case .note: .noted
            }
        return PastDecision(action, note: decision.note, by: decision.by, at: now)
    }
}
