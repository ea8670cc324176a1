import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakHTTPServer
import Testing

@testable import LeakCollector
@testable import LeakStore

/// People whom a trusted proxy names in `X-Forwarded-User`, over real sockets.
@Suite struct ProxyUserTests {
    private static let form = "application/x-www-form-urlencoded"

    private func running(
        proxies: [String] = ["127.0.0.1"], role: Credential.Role? = .triager, admins: [String] = ["root@x"]
    ) throws -> RunningCollector {
        let networks = try proxies.map { try IPNetwork($0) }
        return try RunningCollector {
            $0.trustedProxies = networks
            $0.proxyRole = role
            $0.proxyAdmins = admins
        }
    }

    private func user(_ name: String) -> HTTPField { HTTPField("X-Forwarded-User", name) }

    @Test func `a person whom a trusted proxy names reads and decides with the role of the setting`() throws {
        let running = try running()
        let report = #"{"class":"Shop.A","app":{"id":"shop","version":"1.0"}}"#
        #expect(try running.post(report).status == 200)
        let leak = try #require(
            (try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])?.first?["id"] as? String)
        let ann = user("ann@example.com")
        let page = try running.get("/leaks/\(leak)", fields: [ann])
        #expect(page.status == 200 && page.text.contains("/decisions") && !page.text.contains("Sign out"))
        #expect(!page.text.contains(#"href="/access""#))
        #expect(try running.get("/access", fields: [ann]).status == 403)
        let origin = HTTPField("Origin", running.address)
        let decided = try running.post(
            "do=ignore&note=mine", Self.form, to: "/leaks/\(leak)/decisions", fields: [ann, origin])
        #expect(decided.status == 303, "\(decided.text)")
        let history = try #require(try running.json("/api/v1/leaks/\(leak)")["history"] as? [[String: Any]])
        #expect(history.first?["by"] as? String == "ann@example.com")
        let entry = try #require(
            (try running.json("/api/v1/audit")["entries"] as? [[String: Any]])?.first)
        #expect(entry["actor"] as? String == "ann@example.com" && entry["token"] is NSNull)
        #expect(try running.get("/access", fields: [user("root@x")]).status == 200)
    }

    @Test func `a form without an Origin of the collector is rejected, even for a person whom a proxy names`()
        throws
    {
        let running = try running(role: .admin)
        for origin in [[], [HTTPField("Origin", "https://evil.example")], [HTTPField("Origin", "null")]] {
            let answer = try running.post(
                "name=x", Self.form, to: "/access/keys", fields: [user("ann")] + origin)
            #expect(answer.status == 403)
        }
        let here = HTTPField("Origin", running.address)
        #expect(
            try running.post("name=x", Self.form, to: "/access/keys", fields: [user("ann"), here]).status
                == 201)
        let json = try running.post(#"{"name":"y"}"#, to: "/api/v1/keys", fields: [user("ann"), here])
        #expect(json.status == 401)
    }

    @Test
    func `a person's name in a header field is ignored unless the setting is on and the proxy is trusted`()
        throws
    {
        let untrusted = try running(proxies: ["10.0.0.0/8"], role: .admin)
        let off = try running(role: nil, admins: [])
        for running in [untrusted, off] {
            for name in ["ann", "root@x"] {
                #expect(try running.get("/", fields: [user(name)]).status == 303)
                #expect(try running.get("/api/v1/leaks", fields: [user(name)]).status == 401)
                let forwarded = HTTPField("X-Forwarded-For", "10.0.0.1")
                #expect(try running.get("/api/v1/keys", fields: [user(name), forwarded]).status == 401)
            }
        }
    }

    @Test(arguments: [
        "", ",", "ann,root@x", "sign-in link", "command line", "signed in by ann",
        String(repeating: "a", count: 129),
    ])
    func `a name from a proxy that is missing, ambiguous or of another author names no person`(
        name: String
    ) throws {
        let running = try running(role: .admin)
        #expect(try running.get("/api/v1/leaks", fields: [user(name)]).status == 401)
    }

    @Test func `two header fields with names are ignored, and a token takes precedence over a name`() throws {
        let running = try running(role: .admin)
        #expect(try running.get("/api/v1/leaks", fields: [user("ann"), user("bob")]).status == 401)
        let wrong = HTTPField("Authorization", "Bearer wrong")
        #expect(try running.get("/api/v1/leaks", fields: [user("ann"), wrong]).status == 401)
        let key = HTTPField("Authorization", "Bearer \(RunningCollector.key)")
        #expect(try running.post(#"{"class":"A"}"#, fields: [user("ann"), key]).status == 200)
        #expect(try running.post(#"{"class":"A"}"#, fields: [user("ann")]).status == 401)
    }

    @Test func `the settings for people whom a proxy names need a trusted proxy and a role`() throws {
        var settings = Settings()
        #expect(try settings.proxyUsers() == nil)
        settings.proxyAdmins = ["ann"]
        #expect(throws: SettingError.self) { try settings.proxyUsers() }
        settings.proxyRole = .viewer
        #expect(throws: SettingError.self) { try settings.proxyUsers() }
        settings.trustedProxies = [try IPNetwork("127.0.0.1")]
        #expect(try settings.proxyUsers() == ProxyUsers(role: .viewer, admins: ["ann"]))
    }
}
