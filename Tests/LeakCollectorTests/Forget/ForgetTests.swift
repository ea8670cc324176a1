import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import Testing

@testable import LeakCollector

/// Deleting leaks, versions and apps by the API and by the page `/forget`.
@Suite struct ForgetTests {
    private static let token = [HTTPField("Authorization", "Bearer \(RunningCollector.token)")]

    private let running: RunningCollector

    init() throws {
        running = try RunningCollector()
        for (version, environment) in [("1.0", "production"), ("2.0", "production"), ("1.0", "debug")] {
            let batch = """
                {"app":{"id":"a.b","version":"\(version)","environment":"\(environment)"},"reports":[{"class":"Shop.A"}]}
                """
            #expect(try running.post(batch).status == 200)
        }
    }

    private func leakID() throws -> String {
        let leaks = try #require(try running.json("/api/v1/leaks?state=any")["leaks"] as? [[String: Any]])
        return try #require(leaks.first?["id"] as? String)
    }

    private func numbers(_ answer: [String: Any]) -> [String: Int] { answer.compactMapValues { $0 as? Int } }

    @Test
    func `the API deletes a version, an environment and an app, and says beforehand what it would delete`()
        throws
    {
        let app = "/api/v1/apps/a.b"
        for (query, path, expected) in [
            (
                "what=version&app=a.b&version=2.0", "\(app)/environments/production/versions/2.0",
                ["environments": 0, "versions": 1, "leaks": 0, "reports": 1]
            ),
            (
                "what=environment&app=a.b&environment=debug", "\(app)/environments/debug",
                ["environments": 1, "versions": 1, "leaks": 1, "reports": 1]
            ),
            ("what=app&app=a.b", app, ["environments": 1, "versions": 1, "leaks": 1, "reports": 1]),
        ] {
            let before = numbers(try running.json("/api/v1/forget?\(query)"))
            let answer = try running.delete(path)
            #expect(answer.status == 200, "\(path)")
            #expect(numbers(try answer.json) == before)
            for (name, number) in expected { #expect(before[name] == number, "\(path): \(name)") }
            #expect(try running.delete(path).status == 404)
            #expect(try running.get("/api/v1/forget?\(query)").status == 404)
        }
        #expect(try (running.json("/api/v1/apps")["apps"] as? [Any])?.isEmpty == true)
    }

    @Test func `the API deletes a leak, which is new when it is reported again`() throws {
        let id = try leakID()
        let before = try running.json("/api/v1/forget?what=leak&leak=\(id)")
        #expect(before["leaks"] as? Int == 1 && before["reports"] as? Int == 2)
        #expect(try running.delete("/api/v1/leaks/\(id)").status == 200)
        #expect(try running.get("/api/v1/leaks/\(id)").status == 404)
        #expect(try running.delete("/api/v1/leaks/\(id)").status == 404)
        let batch = #"{"app":{"id":"a.b","version":"2.0"},"reports":[{"class":"Shop.A"}]}"#
        #expect(try running.post(batch).status == 200)
        #expect(try running.json("/api/v1/leaks/\(id)")["reports"] as? Int == 1)
    }

    private static let form = "application/x-www-form-urlencoded"

    // MARK: Discarded leaks

    @Test func `a leak that is deleted with discard drops its later reports until it is accepted again`()
        throws
    {
        let id = try leakID()
        let batch = #"{"app":{"id":"a.b","version":"2.0"},"reports":[{"class":"Shop.A"},{"class":"Shop.B"}]}"#
        #expect(try running.delete("/api/v1/leaks/\(id)?discard=yes").status == 400)
        #expect(try running.delete("/api/v1/leaks/\(id)?discard=true").status == 200)
        let answer = try running.post(batch)
        #expect(answer.status == 200)
        #expect(try answer.json["accepted"] as? Int == 2)
        #expect(try running.get("/api/v1/leaks/\(id)").status == 404)
        let listed = try #require(
            try running.json("/api/v1/discarded?app=a.b")["discarded"] as? [[String: Any]])
        #expect(listed.map { $0["id"] as? String } == [id] && listed.first?["dropped"] as? Int == 1)
        let dropped = try running.json("/api/v1/summary?app=a.b")["dropped"] as? [[String: Any]]
        #expect(dropped?.first { $0["reason"] as? String == "discarded" }?["count"] as? Int == 1)
        #expect(try running.get("/?app=a.b").text.contains("discarded leaks: 1"))

        #expect(try running.delete("/api/v1/discarded/\(id)").status == 200)
        #expect(try running.delete("/api/v1/discarded/\(id)").status == 404)
        #expect(try running.post(batch).status == 200)
        #expect(try running.json("/api/v1/leaks/\(id)")["reports"] as? Int == 1)
        let audit = try #require(try running.json("/api/v1/audit?limit=3")["entries"] as? [[String: Any]])
        #expect(audit.compactMap { $0["action"] as? String } == ["accept_again", "delete", "discard"])
        #expect(audit.allSatisfy { $0["object"] as? String == "leak \(id)" })
    }

    @Test func `the page discards a leak, lists it with the releases, and accepts it again`() throws {
        let id = try leakID()
        let page = try running.get("/forget?what=leak&leak=\(id)").text
        #expect(page.contains(#"<button name="discard" value="true">"#))
        #expect(try !running.get("/forget?what=app&app=a.b").text.contains(#"name="discard""#))
        let form = "what=leak&leak=\(id)&discard=true"
        #expect(
            try running.post(form, Self.form, to: "/forget/confirmed", fields: Self.token).status == 303)
        let releases = try running.get("/releases?app=a.b").text
        #expect(releases.contains("Discarded leaks") && releases.contains(#"value="\#(id)""#))
        let accept = "leak=\(id)&app=a.b&environment=production"
        let answer = try running.post(accept, Self.form, to: "/releases/discarded", fields: Self.token)
        #expect(answer.status == 303 && answer.field("Location")?.hasPrefix("/releases?app=a.b") == true)
        #expect(try !running.get("/releases?app=a.b").text.contains("Discarded leaks"))
        let again = try running.post(accept, Self.form, to: "/releases/discarded", fields: Self.token)
        #expect(again.status == 404)
    }

    // MARK: Ingest keys

    /// Creates an ingest key, reports a leak of a new version with it, and returns the ID of the key.
    private func reportWithNewKey() throws -> Int {
        let made = try running.post(
            #"{"name":"stolen"}"#, to: "/api/v1/keys", fields: Self.token
        ).json
        let key = HTTPField("Authorization", "Bearer \(try #require(made["secret"] as? String))")
        let batch = #"{"app":{"id":"a.b","version":"66.0"},"reports":[{"class":"Shop.Fake"}]}"#
        #expect(try running.post(batch, fields: [key]).status == 200)
        return try #require(made["id"] as? Int)
    }

    @Test func `the page of keys leads to a page about a key's data, and its form deletes the data`() throws {
        let id = try reportWithNewKey()
        #expect(try running.get("/access").text.contains("/forget?what=key&amp;key=\(id)"))
        let page = try running.get("/forget?what=key&key=\(id)").text
        #expect(page.contains("what key \(id) (stolen) made?") && page.contains("<li>1\u{A0}version</li>"))
        #expect(page.contains("The key is still valid"))
        #expect(try running.delete("/api/v1/keys/\(id)").status == 200)
        #expect(try !running.get("/forget?what=key&key=\(id)").text.contains("The key is still valid"))
        let form = "what=key&key=\(id)&since="
        let answer = try running.post(form, Self.form, to: "/forget/confirmed", fields: Self.token)
        #expect(answer.status == 303 && answer.field("Location")?.hasPrefix("/access") == true)
        #expect(try running.get("/forget?what=key&key=\(id)").status == 404)
        #expect(try running.json("/api/v1/leaks?state=any")["reports"] as? Int == 2)
    }

    @Test func `the API deletes a key's data, and the audit log names the key`() throws {
        let id = try reportWithNewKey()
        let path = "/api/v1/keys/\(id)/data"
        let before = numbers(try running.json("/api/v1/forget?what=key&key=\(id)"))
        #expect(before["leaks"] == 1 && before["versions"] == 1 && before["reports"] == 1)
        #expect(try running.delete(path + "?since=2050-01-01").status == 404)
        #expect(try running.delete(path + "?since=x").status == 400)
        let answer = try running.delete(path + "?since=2020-01-01T00:00:00Z")
        #expect(answer.status == 200)
        #expect(numbers(try answer.json) == before)
        #expect(try running.delete(path).status == 404)
        let audit = try #require(try running.json("/api/v1/audit?limit=1")["entries"] as? [[String: Any]])
        #expect(audit.first?["action"] as? String == "undo_key")
        #expect(audit.first?["object"] as? String == "key \(id) since 2020-01-01T00:00:00Z")
    }

    @Test(arguments: [
        ("", "what"), ("what=x", "what"), ("what=app", "app"), ("what=version&app=a", "version"),
        ("what=leak", "leak"), ("what=app&app=a&wrong=1", "wrong"), ("what=key", "key"),
        ("what=key&key=-1", "key"), ("what=key&key=1&since=x", "since"),
    ])
    func `the error of a request about data to delete names the parameter that is missing or wrong`(
        query: String, name: String
    )
        throws
    {
        let answer = try running.get("/api/v1/forget?\(query)")
        #expect(answer.status == 400)
        let detail = try #require(try answer.json["detail"] as? String)
        #expect(detail.contains("“\(name)”"))
    }

    @Test func `the page for deleting data says what is deleted, and its form deletes it`() throws {
        let releases = try running.get("/releases?app=a.b").text
        #expect(releases.contains(#"action="/forget""#) && releases.contains(#"value="environment""#))
        let leak = try leakID()
        #expect(try running.get("/leaks/\(leak)").text.contains("/forget?what=leak&amp;leak=\(leak)"))

        let page = try running.get("/forget?app=a.b&environment=production&version=1.0&what=version").text
        #expect(
            page.contains("Delete version 1.0 of a.b in production?")
                && page.contains("<li>1\u{A0}version</li>"))
        #expect(page.contains(#"<input type="hidden" name="version" value="1.0">"#))
        let type = "application/x-www-form-urlencoded"
        let form = "what=version&app=a.b&environment=production&version=1.0"
        let answer = try running.post(form, type, to: "/forget/confirmed", fields: Self.token)
        #expect(answer.status == 303 && answer.field("Location")?.hasPrefix("/releases?app=a.b") == true)
        #expect(try running.get("/api/v1/releases?app=a.b").text.contains(#""version":"1.0""#) == false)
        #expect(try running.post(form, type, to: "/forget/confirmed", fields: Self.token).status == 404)
        #expect(try running.post("what=x", type, to: "/forget/confirmed", fields: Self.token).status == 400)
        #expect(try running.get("/forget?what=app&app=none").status == 404)
    }
}
