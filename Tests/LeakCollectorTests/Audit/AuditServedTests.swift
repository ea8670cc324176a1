import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import Testing

@testable import LeakCollector
@testable import LeakStore

/// The audit log over real sockets: what each change writes, and who can read it.
@Suite struct AuditServedTests {
    private static let form = "application/x-www-form-urlencoded"
    private static let bearer = HTTPField("Authorization", "Bearer \(RunningCollector.token)")

    private func entries(_ running: RunningCollector) throws -> [[String: Any]] {
        try #require(try running.json("/api/v1/audit")["entries"] as? [[String: Any]])
    }

    private func actions(_ running: RunningCollector) throws -> [String] {
        try entries(running).compactMap { $0["action"] as? String }
    }

    @Test func `every change over the API has an audit entry with its author, object and client address`()
        throws
    {
        let running = try RunningCollector()
        #expect(try running.post(#"{"class":"Shop.A","app":{"id":"shop","version":"1.0"}}"#).status == 200)
        let leak = try #require(
            (try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])?.first?["id"] as? String)
        func send(_ method: String, _ path: String, _ body: String = "") throws {
            let status =
                try method == "DELETE"
                ? running.delete(path).status
                : running.post(body, to: path, fields: [Self.bearer]).status
            #expect((200..<300).contains(status), "\(method) \(path): \(status)")
        }
        try send("POST", "/api/v1/keys", #"{"name":"phone","app":"shop","environments":"ci"}"#)
        try send("POST", "/api/v1/tokens", #"{"name":"bob","role":"viewer","app":"shop"}"#)
        let tokens = try #require(try running.json("/api/v1/tokens")["tokens"] as? [[String: Any]])
        let (admin, bob) = (try #require(tokens[0]["id"] as? Int), try #require(tokens[1]["id"] as? Int))
        try send("DELETE", "/api/v1/tokens/\(bob)")
        try send(
            "POST", "/api/v1/leaks/\(leak)/decisions",
            #"{"action":"resolve","in":"1.0","note":"secret plan"}"#)
        try send("POST", "/api/v1/leaks/\(leak)/decisions", #"{"action":"note","note":"more"}"#)
        #expect(try running.pinCurrentRelease("1.0", of: "shop").status == 303)
        try send("DELETE", "/api/v1/releases/current?app=shop")
        try send("DELETE", "/api/v1/installs/some-install")
        let found = try entries(running)
        let expected: [(String, String, String)] = [
            ("erase_install", "an install", ""), ("unpin_release", "shop", ""),
            ("pin_release", "shop", "1.0"), ("comment", "leak \(leak)", ""),
            ("resolve", "leak \(leak)", "in 1.0"), ("revoke_token", "token \(bob)", "bob"),
            ("create_token", "token \(bob)", "bob, role viewer, only shop"),
            ("create_key", "key \(bob - 1)", "phone, only shop in ci"),
        ]
        for (entry, (action, object, details)) in zip(found, expected) {
            #expect(entry["action"] as? String == action)
            #expect(entry["object"] as? String == object, "\(action)")
            #expect(entry["details"] as? String == details, "\(action)")
            #expect(entry["actor"] as? String == Setting.accessToken.variable, "\(action)")
            #expect(entry["token"] as? Int == admin, "\(action)")
            #expect(entry["address"] as? String == "127.0.0.1", "\(action)")
        }
        // When the collector started, it created the key and the token of the settings.
        let atStart = found.dropFirst(expected.count)
        #expect(atStart.compactMap { $0["action"] as? String } == ["create_token", "create_key"])
        #expect(atStart.allSatisfy { $0["actor"] as? String == "start of the collector" })
        #expect(atStart.allSatisfy { $0["address"] is NSNull && $0["token"] is NSNull })
    }

    @Test func `a rejected request adds no entry to the audit log`() throws {
        let running = try RunningCollector()
        let before = try actions(running)
        let missing = String(repeating: "0", count: 32)
        for (path, body) in [
            ("/api/v1/keys", #"{"name":""}"#), ("/api/v1/tokens", #"{"name":"x"}"#),
            ("/api/v1/leaks/\(missing)/decisions", #"{"action":"ignore"}"#),
        ] {
            #expect(try running.post(body, to: path, fields: [Self.bearer]).status >= 400)
        }
        #expect(try running.delete("/api/v1/keys/999").status == 404)
        #expect(try actions(running) == before)
    }

    @Test func `the audit log names the token of a person who signs in, signs out or sends a form`() throws {
        let running = try RunningCollector()
        let made = try running.post(
            #"{"name":"ann","role":"admin"}"#, to: "/api/v1/tokens", fields: [Self.bearer]
        ).json
        let secret = try #require(made["secret"] as? String)
        let signedIn = try running.post("token=\(secret)", Self.form, to: "/sign-in", fields: [])
        let cookie = String(try #require(signedIn.field("Set-Cookie")).prefix { $0 != ";" })
        let session = [HTTPField("Cookie", cookie), HTTPField("Origin", running.address)]
        #expect(try running.post("name=phone", Self.form, to: "/access/keys", fields: session).status == 201)
        #expect(try running.post("", Self.form, to: "/sign-out", fields: session).status == 303)
        #expect(try running.useSignInLink().status == 303)
        let found = try entries(running).prefix(4)
        #expect(
            found.compactMap { $0["action"] as? String } == ["sign_in", "sign_out", "create_key", "sign_in"])
        #expect(found.compactMap { $0["actor"] as? String } == ["sign-in link", "ann", "ann", "ann"])
        #expect(found.dropFirst().allSatisfy { $0["token"] as? Int == made["id"] as? Int })
    }

    @Test func `no secret appears in the audit log`() throws {
        let running = try RunningCollector()
        var secrets = [RunningCollector.key, RunningCollector.token]
        for (path, body) in [
            ("/api/v1/keys", #"{"name":"k"}"#), ("/api/v1/tokens", #"{"name":"t","role":"admin"}"#),
        ] {
            let made = try running.post(body, to: path, fields: [Self.bearer]).json
            secrets.append(try #require(made["secret"] as? String))
        }
        let signedIn = try running.post("token=\(secrets[3])", Self.form, to: "/sign-in", fields: [])
        let cookie = String(try #require(signedIn.field("Set-Cookie")).prefix { $0 != ";" })
        secrets.append(String(cookie.split(separator: "=", maxSplits: 1)[1]))
        let code = try #require(running.collector.startupInfo.signInLink.split(separator: "=").last)
        _ = try running.useSignInLink()
        #expect(try running.delete("/api/v1/installs/private-install").status == 200)
        let texts = [try running.get("/api/v1/audit").text, try running.get("/audit").text]
        for text in texts {
            for secret in secrets + [String(code), "private-install"] {
                #expect(!text.contains(secret))
                let hash = Secret.hash(of: secret).map { String($0, radix: 16) }.joined()
                #expect(!text.contains(hash))
            }
        }
    }

    @Test func `the audit log is read page by page, over the API and on its page`() throws {
        let running = try RunningCollector()
        for number in 0..<130 {
            #expect(
                try running.post(#"{"name":"k\#(number)"}"#, to: "/api/v1/keys", fields: [Self.bearer]).status
                    == 201)
        }
        var names: [String] = []
        var cursor = ""
        repeat {
            let page = try running.json("/api/v1/audit?limit=50&cursor=\(cursor)")
            let entries = try #require(page["entries"] as? [[String: Any]])
            names += entries.compactMap { $0["details"] as? String }
            cursor = page["next"] as? String ?? ""
        } while !cursor.isEmpty
        #expect(names.count == 132 && names.prefix(130) == ((0..<130).reversed().map { "k\($0)" })[...])
        let page = try running.get("/audit").text
        #expect(page.contains(">k129<") && !page.contains(">k29<"))
        let next = try #require(page.firstMatch(of: /rel="next" href="([^"]+)"/)).output.1
        let second = try running.get(String(next)).text
        #expect(second.contains(">k29<") && !second.contains(">k129<") && second.contains("First page"))
    }

    @Test func `the author of changes by a command is the command line, and no token can have that name`()
        throws
    {
        let running = try RunningCollector()
        let (key, _) = try Credentials(store: running.store).create(
            .keys, name: "made by hand", now: WallClock.milliseconds())
        let entry = try #require(try entries(running).first)
        #expect(entry["actor"] as? String == "command line" && entry["object"] as? String == "key \(key.id)")
        for name in ChangeOrigin.reservedActors {
            let made = try running.post(
                #"{"name":"\#(name)","role":"viewer"}"#, to: "/api/v1/tokens", fields: [Self.bearer])
            #expect(made.status == 400)
        }
    }

    @Test func `an export contains the audit log only if it was asked for`() throws {
        let running = try RunningCollector()
        #expect(try running.post(#"{"class":"A"}"#).status == 200)
        let folder = NSTemporaryDirectory() + "audit-export-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        let export = try Export(store: running.store, publicFolder: files)
        try export.write(to: folder, app: nil)
        #expect(!FileManager.default.fileExists(atPath: folder + "/audit.json"))
        try export.write(to: folder, app: nil, includesAuditLog: true)
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/audit.json"))
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect((json["entries"] as? [Any])?.count == 2)
        try export.write(to: folder, app: nil)
        #expect(!FileManager.default.fileExists(atPath: folder + "/audit.json"))
    }
}
