import LeakCollectorSupport
import LeakHTTPClient
import Testing

@testable import LeakCollector

/// Merging leaks by hand, and undoing it, by the API and by the pages.
@Suite struct MergeTests {
    private static let token = [HTTPField("Authorization", "Bearer \(RunningCollector.token)")]
    private static let form = "application/x-www-form-urlencoded"

    private let running: RunningCollector

    init() throws {
        running = try RunningCollector()
        for app in ["a.b", "c.d"] {
            let batch = """
                {"app":{"id":"\(app)","version":"1.0"},"reports":[{"class":"Shop.A"},{"class":"Shop.B"},{"class":"Shop.C"}]}
                """
            #expect(try running.post(batch).status == 200)
        }
    }

    private func leakID(_ className: String, app: String = "a.b") throws -> String {
        let answer = try running.json("/api/v1/leaks?state=any&app=\(app)")
        let leaks = try #require(answer["leaks"] as? [[String: Any]])
        return try #require(leaks.first { $0["class"] as? String == className }?["id"] as? String)
    }

    private func reports(_ id: String) throws -> Int? {
        try running.json("/api/v1/leaks/\(id)")["reports"] as? Int
    }

    @Test func `the API merges a leak, lists the merge, and undoes it`() throws {
        let (source, target) = (try leakID("A"), try leakID("B"))
        let path = "/api/v1/leaks/\(source)/merge"
        let merged = try running.post(#"{"target":"\#(target)"}"#, to: path, fields: Self.token)
        #expect(merged.status == 200)
        let merge = try merged.json
        #expect(merge["source"] as? String == source && merge["target"] as? String == target)
        #expect(merge["reports"] as? Int == 1 && merge["title"] as? String == "A")
        #expect(try reports(target) == 2)
        #expect(
            try running.post(#"{"app":{"id":"a.b","version":"1.0"},"reports":[{"class":"Shop.A"}]}"#).status
                == 200)
        #expect(try reports(target) == 3)
        #expect(try running.get("/api/v1/leaks/\(source)").field("Location") == "/api/v1/leaks/\(target)")
        let listed = try #require(try running.json("/api/v1/merges?app=a.b")["merges"] as? [[String: Any]])
        #expect(
            listed.map { $0["source"] as? String } == [source] && listed.first?["app"] as? String == "a.b")
        #expect(try (running.json("/api/v1/merges?app=c.d")["merges"] as? [Any])?.isEmpty == true)
        let number = try #require(merge["number"] as? Int)
        let undone = try running.delete("/api/v1/merges/\(number)")
        #expect(undone.status == 200)
        #expect(try undone.json["restored"] as? Int == 1)
        #expect(try running.delete("/api/v1/merges/\(number)").status == 404)
        #expect(try reports(source) == 1 && reports(target) == 2)
        let audit = try #require(try running.json("/api/v1/audit?limit=2")["entries"] as? [[String: Any]])
        #expect(audit.compactMap { $0["action"] as? String } == ["undo_merge", "merge_leaks"])
        #expect(audit.compactMap { $0["object"] as? String } == ["merge \(number)", "leak \(source)"])
    }

    @Test func `the API rejects merges that are not possible, and says why`() throws {
        let (source, target) = (try leakID("A"), try leakID("B"))
        let path = "/api/v1/leaks/\(source)/merge"
        for (body, text) in [
            (#"{}"#, "target"), (#"{"target":7}"#, "a string"), (#"{"into":"x"}"#, "no other field"),
            (#"{"target":"x"}"#, "the id of the leak"), (#"{"target":"\#(source)"}"#, "itself"),
            (#"{"target":"\#(try leakID("B", app: "c.d"))"}"#, "different apps"),
            (#"{"target":"\#(String(repeating: "0", count: 32))"}"#, "no leak"),
        ] {
            let answer = try running.post(body, to: path, fields: Self.token)
            #expect(answer.status == (text == "no leak" ? 404 : 400), "\(body)")
            #expect(
                try (answer.json["detail"] as? String)?.contains(text) ?? false, "\(body): \(answer.text)")
        }
        let missing = "/api/v1/leaks/\(String(repeating: "0", count: 32))/merge"
        #expect(try running.post(#"{"target":"\#(target)"}"#, to: missing, fields: Self.token).status == 404)
        let third = try leakID("C")
        let first = try running.post(#"{"target":"\#(target)"}"#, to: path, fields: Self.token).json
        let second = try running.post(
            #"{"target":"http://x/leaks/\#(target)#history"}"#, to: "/api/v1/leaks/\(third)/merge",
            fields: Self.token)
        #expect(second.status == 200)
        let undone = try running.delete("/api/v1/merges/\(try #require(first["number"] as? Int))")
        #expect(undone.status == 400)
        let newest = try #require(try second.json["number"] as? Int)
        #expect(try (undone.json["detail"] as? String)?.contains("undo the merge \(newest) first") ?? false)
    }

    @Test func `the pages merge a leak after a confirmation, list it, and undo it`() throws {
        let (source, target) = (try leakID("A"), try leakID("B"))
        #expect(try running.get("/leaks/\(source)").text.contains(#"href="/merge?leak=\#(source)""#))
        #expect(try running.get("/merge?leak=\(source)").text.contains(#"name="target""#))
        #expect(try running.get("/merge?leak=\(source)&target=nothing").text.contains("neither the id"))
        #expect(try running.get("/merge?leak=\(source)&target=\(source)").text.contains("itself"))
        let page = try running.get("/merge?leak=\(source)&target=http%3A%2F%2Fhost%2Fleaks%2F\(target)").text
        #expect(page.contains("Merge these leaks?") && page.contains(#"value="\#(target)""#))
        let form = "leak=\(source)&target=\(target)"
        let merged = try running.post(form, Self.form, to: "/merge/confirmed", fields: Self.token)
        #expect(merged.status == 303 && merged.field("Location")?.hasPrefix("/leaks/\(target)") == true)
        let detail = try running.get("/leaks/\(target)").text
        #expect(detail.contains("Merged leaks") && detail.contains(#"action="/merge/undo""#))
        let merges = try #require(try running.json("/api/v1/merges")["merges"] as? [[String: Any]])
        let number = try #require(merges.first?["number"] as? Int)
        let undone = try running.post("number=\(number)", Self.form, to: "/merge/undo", fields: Self.token)
        #expect(undone.status == 303 && undone.field("Location")?.hasPrefix("/leaks/\(source)") == true)
        #expect(try !running.get("/leaks/\(target)").text.contains("Merged leaks"))
        #expect(
            try running.post("number=\(number)", Self.form, to: "/merge/undo", fields: Self.token).status
                == 404)
        #expect(try running.get("/merge?leak=x").status == 404)
    }
}
