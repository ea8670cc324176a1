import CollectorSupport
import Foundation
import HTTPClient
import Testing

@testable import LeakCollector

/// What `/openapi.json` describes is what the API answers: the same names, no more and no fewer.
@Suite struct OpenAPITests {
    @Test func `answers have the fields that are described`() throws {
        let running = try RunningCollector()
        let batch = #"""
            {"app":{"id":"a","module":"Shop","version":"1.0","build":"3"},"device":{"os":"iOS","os_version":"19.1","model":"iPhone17,1"},
             "install":"i","sessions":[{"id":"s","checks":2,"leaks":1}],"checks":[{"class":"Shop.A","count":60}],"dropped":{"budget":2},
             "reports":[{"class":"Shop.A","stack":["Root","Shop.A"]},{"class":"Shop.A","stack":["Other","Shop.A"]},
                        {"class":"Shop.A","stack":["Root","Shop.A"],"type":"freed","lived_ms":2300},
                        {"class":"Shop.B.A"},{"class":"_UIAlertControllerTextField"}]}
            """#
        #expect(try running.post(batch).status == 200)
        let schemas = try Schemas(running.json("/openapi.json"))
        let list = try running.json("/api/v1/leaks?app=a")
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
            ("ReleaseCheck", try running.json("/api/v1/check?app=a&version=1.0")),
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
}
