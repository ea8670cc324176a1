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

    @Test(arguments: [
        ("", "what"), ("what=x", "what"), ("what=app", "app"), ("what=version&app=a", "version"),
        ("what=leak", "leak"), ("what=app&app=a&wrong=1", "wrong"),
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
