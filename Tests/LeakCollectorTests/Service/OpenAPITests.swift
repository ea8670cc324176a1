import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import LeakCollector
@testable import LeakStore

/// The API as `/openapi.json` describes it: the fields of its responses, which are exactly the described ones, and the status
/// of each rejection.
@Suite struct OpenAPITests {
    @Test func `responses of the API have exactly the documented fields`() throws {
        let running = try RunningCollector()
        let batch = #"""
            {"app":{"id":"a","module":"Shop","version":"1.0","build":"3"},"device":{"os":"iOS","os_version":"19.1","model":"iPhone17,1"},
             "install":"i","sessions":[{"id":"s","checks":2,"leaks":1}],"checks":[{"class":"Shop.A","count":60}],"dropped":{"budget":2},
             "reports":[{"class":"Shop.A","stack":["Root","Shop.A"]},{"class":"Shop.A","stack":["Other","Shop.A"]},
                        {"class":"Shop.A","stack":["Root","Shop.A"],"type":"freed","lived_ms":2300},
                        {"class":"Shop.B.A"},{"class":"_UIAlertControllerTextField"}]}
            """#
        #expect(try running.post(batch).status == 200)
        _ = try running.store.record(
            [
                Event(
                    at: 1, kind: .worse, app: AppKey("a"), version: "1.0", key: "k", title: "A",
                    text: "A leaks",
                    details: #"{"reports":2}"#),
                Event(.diskLow, title: "Disk", text: "The disk is full", at: 2),
            ], mark: nil)
        let schemas = try SchemaValidator(running.json("/openapi.json"))
        let list = try running.json("/api/v1/leaks?app=a&state=any")
        let leaks = try #require(list["leaks"] as? [[String: Any]])
        let id = try #require(leaks.first { $0["freed"] as? Int == 1 }?["id"] as? String)
        let answers: [(String, [String: Any])] = [
            ("LeakPage", list), ("LeakPage", try running.json("/api/v1/leaks?state=known")),
            ("LeakClass", try running.json("/api/v1/classes?class=A&app=a")),
            ("LeakClass", try running.json("/api/v1/classes?class=A")),
            ("LeakDetail", try running.json("/api/v1/leaks/\(id)")),
            ("KeptReports", try running.json("/api/v1/leaks/\(id)/reports")),
            ("VersionTrend", try running.json("/api/v1/leaks/\(id)/trend?by=hour")),
            ("VersionTrend", try running.json("/api/v1/leaks/\(id)/trend?by=day")),
            ("Summary", try running.json("/api/v1/summary?app=a")),
            ("Summary", try running.json("/api/v1/summary")),
            ("Releases", try running.json("/api/v1/releases?app=a")),
            ("Apps", try running.json("/api/v1/apps")),
            ("ForgetCounts", try running.json("/api/v1/forget?what=app&app=a")),
            ("ForgetCounts", try running.json("/api/v1/forget?what=key&key=1")),
            ("DiscardedLeaks", try running.json("/api/v1/discarded")),
            ("Merges", try running.json("/api/v1/merges")),
            ("Rules", try running.json("/api/v1/rules?app=a")),
            (
                "RulesPreview",
                try running.post(
                    #"{"text":"class:A -> X"}"#, to: "/api/v1/rules/preview?app=a",
                    fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")]
                ).json
            ),
            ("ReleaseCheck", try running.json("/api/v1/check?app=a&version=1.0")),
            ("AuditPage", try running.json("/api/v1/audit?limit=1")),
            ("Events", try running.json("/api/v1/events")),
            ("Retention", try running.json("/api/v1/retention")),
            ("Problem", try running.get("/api/v1/nope").json),
        ]
        let other = #"{"app":{"id":"b","version":"1"},"reports":[{"class":"A"}]}"#
        #expect(try running.post(other).status == 200)
        let several = ("Summary", try running.json("/api/v1/summary"))
        let keys = try #require(try running.json("/api/v1/keys")["keys"] as? [[String: Any]])
        let tokens = try #require(try running.json("/api/v1/tokens")["tokens"] as? [[String: Any]])
        for (name, answer) in answers + [several] + keys.map({ ("Key", $0) }) + tokens.map({ ("Token", $0) })
        {
            let problems = schemas.problems(
                of: answer, as: ["$ref": "#/components/schemas/\(name)"], at: name)
            #expect(problems.isEmpty, "\(problems.joined(separator: "; "))")
        }
    }

    @Test(arguments: Event.Kind.all)
    func `the description and the guide of events name each kind of event`(kind: Event.Kind) throws {
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent()
        }
        for path in ["Public/openapi.json", "docs/EVENTS.md"] {
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            #expect(text.contains("`\(kind.rawValue)`"), "\(path) does not name it")
        }
    }

    @Test(arguments: [
        ("DELETE", "/api/v1/installs/{id}", "/api/v1/installs/%01", 400),
        ("DELETE", "/api/v1/installs/{id}", "/api/v1/installs/\(String(repeating: "a", count: 129))", 400),
        ("DELETE", "/api/v1/installs/{id}", "/api/v1/installs/\(String(repeating: "a", count: 20_000))", 414),
        ("DELETE", "/api/v1/leaks/{id}", "/api/v1/leaks/00000000000000000000000000000000", 404),
        ("DELETE", "/api/v1/apps/{app}", "/api/v1/apps/none", 404),
        (
            "DELETE", "/api/v1/apps/{app}/environments/{environment}", "/api/v1/apps/a/environments/debug",
            404
        ),
        (
            "DELETE", "/api/v1/apps/{app}/environments/{environment}/versions/{version}",
            "/api/v1/apps/a/environments/production/versions/1", 404
        ),
        ("DELETE", "/api/v1/keys/{id}/data", "/api/v1/keys/99/data", 404),
        ("DELETE", "/api/v1/keys/{id}/data", "/api/v1/keys/1/data?since=x", 400),
        ("DELETE", "/api/v1/leaks/{id}", "/api/v1/leaks/00000000000000000000000000000000?discard=x", 400),
        ("DELETE", "/api/v1/discarded/{id}", "/api/v1/discarded/00000000000000000000000000000000", 404),
        ("GET", "/api/v1/discarded", "/api/v1/discarded?wrong=1", 400),
        ("GET", "/api/v1/merges", "/api/v1/merges?wrong=1", 400),
        ("DELETE", "/api/v1/merges/{number}", "/api/v1/merges/99", 404),
        ("POST", "/api/v1/leaks/{id}/merge", "/api/v1/leaks/00000000000000000000000000000000/merge", 415),
        ("GET", "/api/v1/rules", "/api/v1/rules?app=a&version=9", 404),
        ("GET", "/api/v1/rules", "/api/v1/rules", 400),
        ("PUT", "/api/v1/rules", "/api/v1/rules?app=a", 415),
        ("POST", "/api/v1/rules/preview", "/api/v1/rules/preview?app=a", 415),
        ("GET", "/api/v1/forget", "/api/v1/forget?what=x", 400),
        ("GET", "/api/v1/forget", "/api/v1/forget?what=app&app=none", 404),
        ("DELETE", "/api/v1/symbols/{image}", "/api/v1/symbols/x", 400),
        ("DELETE", "/api/v1/symbols/{image}", "/api/v1/symbols/6F1B0C3E7B7B3D8C9E0D0D1C6B6A1F00", 404),
        ("POST", "/api/v1/symbols", "/api/v1/symbols", 415),
        ("POST", "/api/{project}/envelope/", "/api/x/envelope/", 404),
        ("POST", "/api/{project}/store/", "/api/x/store/", 404),
        ("GET", "/api/v1/leaks", "/api/v1/leaks?cursor=x", 400),
        ("GET", "/api/v1/leaks", "/api/v1/leaks?limit=+5", 400),
        ("GET", "/api/v1/leaks", "/api/v1/leaks?q=\(String(repeating: "a", count: 20_000))", 414),
        ("GET", "/api/v1/check", "/api/v1/check?app=&version=1", 400),
        ("GET", "/api/v1/check/markdown", "/api/v1/check/markdown?app=a", 400),
        ("GET", "/api/v1/check/markdown", "/api/v1/check/markdown?app=a&version=9", 404),
        ("GET", "/metrics", "/metrics?app=a", 400),
        ("GET", "/api/v1/audit", "/api/v1/audit?limit=1001", 400),
        ("GET", "/api/v1/audit", "/api/v1/audit?cursor=x", 400),
        ("GET", "/api/v1/events", "/api/v1/events?since=x", 400),
        ("GET", "/api/v1/events", "/api/v1/events?kind=x", 400),
        ("GET", "/api/v1/events.atom", "/api/v1/events.atom?limit=1", 400),
        ("GET", "/api/v1/retention", "/api/v1/retention?app=a", 400),
        ("GET", "/api/v1/check", "/api/v1/check?app=a&version=", 400),
        ("GET", "/api/v1/classes", "/api/v1/classes?class=", 400),
        ("PATCH", "/api/v1/keys/{id}", "/api/v1/keys/1", 409),
        ("PUT", "/api/v1/releases/current", "/api/v1/releases/current", 415),
        ("DELETE", "/api/v1/releases/current", "/api/v1/releases/current", 400),
        ("DELETE", "/api/v1/releases/current", "/api/v1/releases/current?app=none", 404),
    ])
    func `the API description lists the status of each rejection`(
        method: String, template: String, path: String, status: Int
    ) async throws {
        let running = try RunningCollector()
        var request = URLRequest(url: try #require(URL(string: running.address + path)))
        request.httpMethod = method
        request.setValue("Bearer \(RunningCollector.token)", forHTTPHeaderField: "Authorization")
        if template.hasPrefix("/api/{") {
            request.setValue("Sentry sentry_key=\(RunningCollector.key)", forHTTPHeaderField: "X-Sentry-Auth")
        }
        if method == "PATCH" {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(#"{"name":"x"}"#.utf8)
        }
        let answer = try #require(try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)
        #expect(answer.statusCode == status)
        let paths = try #require(try running.json("/openapi.json")["paths"] as? [String: [String: Any]])
        let described = paths[template]?[method.lowercased()] ?? paths[template]?.values.first
        let operation = try #require(described as? [String: Any])
        #expect((operation["responses"] as? [String: Any])?["\(status)"] != nil)
    }

    @Test func `the API description lists 401 and 403 for every operation that needs a token`() throws {
        let paths = try #require(
            try RunningCollector().json("/openapi.json")["paths"] as? [String: [String: Any]])
        let operations = paths.values.flatMap { $0.values }.compactMap { $0 as? [String: Any] }.filter {
            ($0["security"] as? [[String: Any]])?.contains { $0["accessToken"] != nil } == true
        }
        #expect(operations.count >= 15)
        for operation in operations {
            let responses = try #require(operation["responses"] as? [String: Any])
            #expect(responses["403"] != nil && responses["401"] != nil, "\(operation["operationId"] ?? "")")
        }
    }
}
