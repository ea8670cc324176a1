import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import Testing

@testable import LeakCollector

/// Names of apps, environments, versions and builds as senders write them.
@Suite struct SenderNameTests {
    /// Returns the versions of an app with their builds, highest version first.
    private static func builds(
        _ running: RunningCollector, app: String = "shop", environment: String = "production"
    ) throws -> [String] {
        let releases = try running.json("/api/v1/releases?app=\(app)&environment=\(environment)")["releases"]
        return (releases as? [[String: Any]] ?? []).map { release in
            "\(release["version"] ?? "") \((release["builds"] as? [String] ?? []).sorted())"
        }
    }

    @Test func `white space at the ends of names is removed, in reports of every form`() throws {
        let running = try RunningCollector()
        let app = #"{"id":" shop ","version":"1.4\u00a0 ","build":" 7 ","environment":" CI "}"#
        for body in [#"{"class":"A","app":\#(app)}"#, #"{"app":\#(app),"reports":[{"class":"A"}]}"#] {
            #expect(try running.post(body).status == 200)
        }
        #expect(try running.post(#"{"class":"A","app":\#(app)}"#, "application/x-ndjson").status == 200)
        let address = "/api/v1/reports?app=%20shop+&version=+1.4%20&environment=ci+"
        #expect(try running.post("A leaked", "text/plain", to: address).status == 200)
        // A name of white space counts as missing.
        let blank = #"{"class":"A","app":{"id":"shop","version":"  ","environment":" "}}"#
        #expect(try running.post(blank).status == 200)
        let apps = try running.json("/api/v1/apps?environment=ci")
        #expect(apps["environments"] as? [String] == ["ci", "production"])
        #expect(try Self.builds(running, environment: "ci") == [#"1.4 ["7"]"#])
        #expect(try Self.builds(running) == ["unknown []"])
    }

    @Test(
        arguments: [
            ("1.9 (5)", nil, #"1.9 ["5"]"#), ("1.9(5)", nil, #"1.9 ["5"]"#),
            ("v1.9 (5A123)", nil, #"v1.9 ["5A123"]"#),
            ("1.9 ( 5 )", nil, #"1.9 ["5"]"#), ("1.9 (5)", "6", #"1.9 ["6"]"#),
            ("1.9 (beta)", nil, "1.9 (beta) []"), ("1.9 ()", nil, "1.9 () []"), ("(5)", nil, "(5) []"),
            ("nightly (5)", nil, "nightly (5) []"), ("1.9 beta", "5", #"1.9 beta ["5"]"#),
        ] as [(String, String?, String)])
    func `a number in parentheses after a version is its build`(
        version: String, build: String?, expected: String
    ) throws {
        let running = try RunningCollector()
        let field = build.map { #","build":"\#($0)""# } ?? ""
        let report = #"{"class":"A","app":{"id":"shop","version":"\#(version)"\#(field)}}"#
        #expect(try running.post(report).status == 200)
        #expect(try Self.builds(running) == [expected])
    }

    @Test(arguments: ["1.9 (5)", "1.9 ", " 1.9"])
    func `a leak resolved in a version regresses if a report has the version with its build or a space`(
        version: String
    ) throws {
        let running = try RunningCollector()
        func report(_ version: String) throws {
            let body = #"{"class":"A","app":{"id":"shop","version":"\#(version)"}}"#
            #expect(try running.post(body).status == 200)
        }
        try report("1.8")
        let leaks = try running.json("/api/v1/leaks?app=shop&state=any")["leaks"] as? [[String: Any]]
        let id = try #require(leaks?.first?["id"] as? String)
        let decision = try running.post(
            #"{"action":"resolve","in":"1.9"}"#, to: "/api/v1/leaks/\(id)/decisions",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(decision.status == 201)
        try report(version)
        #expect(try running.json("/api/v1/leaks/\(id)")["state"] as? String == "regressed")
    }
}
