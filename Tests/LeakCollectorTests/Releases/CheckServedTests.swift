import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

/// The release check over real sockets, and directly on the same database.
@Suite struct CheckServedTests {
    private static func running() throws -> RunningCollector {
        let running = try RunningCollector()
        for (version, classes) in [("1.0", ["Old"]), ("1.1", ["Old", "New"]), ("1.2", [])] {
            let reports = classes.map { #"{"class":"Shop.\#($0)"}"# }.joined(separator: ",")
            let batch = #"""
                {"app":{"id":"a b","module":"Shop","version":"\#(version)"},"install":"i",
                 "sessions":[{"id":"s\#(version)","checks":2,"leaks":\#(classes.count)}],"reports":[\#(reports)]}
                """#
            #expect(try running.post(batch).status == 200)
        }
        return running
    }

    @Test func `a version with a new leak fails, one without passes`() throws {
        let running = try Self.running()
        let failed = try running.json(ReleaseCheckRequest(app: "a b", version: "1.1").path)
        #expect(failed["passes"] as? Bool == false && failed["baseline"] as? String == "1.0")
        #expect((failed["new"] as? [[String: Any]])?.compactMap { $0["class"] as? String } == ["New"])
        let passed = try running.get(ReleaseCheckRequest(app: "a b", version: "1.2").path)
        #expect(try ReleaseCheckResult(json: passed.body).passes)
        #expect(passed.field("ETag") != nil)
        let wider = try running.json(ReleaseCheckRequest(app: "a b", version: "1.2", baseline: "1.0").path)
        #expect(wider["baseline"] as? String == "1.0" && wider["passes"] as? Bool == true)
        // The baseline is spelled like the tag of a build.
        let tagged = try running.json(
            ReleaseCheckRequest(app: "a b", version: "1.2", baseline: "v1.0.0").path)
        #expect(tagged["passes"] as? Bool == true)
    }

    @Test func `ignored, a leak lets the version pass; resolved and seen again, it does not`() throws {
        let running = try Self.running()
        let new = try #require(
            try running.json(ReleaseCheckRequest(app: "a b", version: "1.1").path)["new"] as? [[String: Any]])
        let leak = try #require(new.first?["id"] as? String)
        let token = HTTPField("Authorization", "Bearer \(RunningCollector.token)")
        func decide(_ body: String) throws {
            let path = "/api/v1/leaks/\(leak)/decisions"
            #expect(try running.post(body, to: path, fields: [token]).status == 201)
        }
        try decide(#"{"action":"ignore"}"#)
        let aside = try running.json(ReleaseCheckRequest(app: "a b", version: "1.1").path)
        #expect(aside["passes"] as? Bool == true && aside["set_aside"] as? Int == 1)
        try decide(#"{"action":"resolve","in":"1.2"}"#)
        let batch = #"{"app":{"id":"a b","module":"Shop","version":"1.2"},"reports":[{"class":"Shop.New"}]}"#
        #expect(try running.post(batch).status == 200)
        let regressed = try running.json(ReleaseCheckRequest(app: "a b", version: "1.2").path)
        #expect(regressed["regressed_count"] as? Int == 1 && regressed["new_count"] as? Int == 0)
        #expect(regressed["passes"] as? Bool == false)
    }

    @Test func `from the database it is the same, byte for byte`() throws {
        let running = try Self.running()
        let publicFolder = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        for version in ["1.0", "1.1", "1.2"] {
            let checkRequest = ReleaseCheckRequest(app: "a b", version: version)
            let bytes = try checkRequest.answer(
                from: running.store, known: publicFolder, now: WallClock.milliseconds())
            #expect(try running.get(checkRequest.path).body == bytes)
        }
    }

    @Test(arguments: [
        ("?app=a", 400, "missing parameter: app or version"),
        ("?version=1", 400, "missing parameter: app or version"),
        ("?app=a%20b&version=", 400, "missing parameter: app or version"),
        ("?app=c&version=1.0", 404, "there is no app c; the apps are a b"),
        (
            "?app=a%20b&version=9", 404,
            "there are no reports of version 9 of a b: run it once with a reporter that counts sessions, or name another "
                + "version; its versions are 1.2, 1.1, 1.0"
        ),
        ("?app=a%20b&version=1.1&baseline=1.2", 400, "older"),
        (
            "?app=a%20b&version=1.2&baseline=1.0.9", 404,
            "there are no reports of version 1.0.9 of a b: compare with a version that has reports; its versions are 1.2, 1.1, 1.0"
        ),
        ("?app=a%20b&version=1.2&baseline=main", 404, "there are no reports of version main of a b: compare"),
        ("?app=a%20b&version=9&baseline=8", 404, "there are no reports of version 9 of a b: run it once"),
    ])
    func `what cannot be told says what to do`(query: String, status: Int, words: String) throws {
        let answer = try Self.running().get("/api/v1/check" + query)
        #expect(answer.status == status)
        #expect(try (answer.json["detail"] as? String)?.contains(words) == true, "\(answer.text)")
    }

    @Test func `nothing at all was reported yet`() throws {
        let answer = try RunningCollector().get("/api/v1/check?app=a&version=1")
        #expect(answer.text.contains("there is no app a; there are no reports yet"))
    }
}
