import Foundation
import LeakHTTPClient
import LeakCollector
import Testing

@testable import leak_collector

/// `collector check`, as a build runs it.
@Suite struct CheckTests {
    private let folder: TemporaryFolder
    private let server: CollectorProcess

    init() throws {
        folder = try TemporaryFolder()
        server = try CollectorProcess(data: folder.path + "/data")
        let client = try HTTPClient()
        // 1.1 leaks more and has a new leak; 1.2 leaks as much as 1.1, without the new leak; 1.3 has few checks.
        for (version, leaks, checks) in [
            ("1.0", ["Old": 1], 10), ("1.1", ["New": 4, "Old": 6], 10), ("1.2", ["Old": 6], 10),
            ("1.3", [:], 1),
        ] as [(String, [String: Int], Int)] {
            for install in 0..<60 {
                let reports = leaks.sorted { $0.key < $1.key }.map { #"{"class":"\#($0)","count":\#($1)}"# }
                let batch = #"""
                    {"app":{"id":"shop","version":"\#(version)"},"install":"i\#(install)",
                     "checks":[{"class":"Old","count":\#(checks)}],"reports":[\#(reports.joined(separator: ","))]}
                    """#
                let answer = try client.report(
                    Array(batch.utf8), to: server.address, idempotencyKey: "v\(version)-\(install)")
                #expect(answer.status == 200)
            }
        }
    }

    private func check(
        _ arguments: [String], token: String = CollectorProcess.token, environment: [String: String] = [:]
    ) throws -> (code: Int32, output: String, errors: String) {
        try CollectorProcess.run(
            ["check", "--public", CollectorProcess.publicFolder] + arguments,
            environment: ["COLLECTOR_ACCESS_TOKEN": token].merging(environment) { $1 })
    }

    /// The flags for a check by the running server, and the flags for a check of its database.
    private var sourceFlags: [[String]] {
        [
            ["--url", server.address],
            ["--data", folder.path + "/data"],
        ]
    }

    @Test func `release checks by the server and of its database give the same exit code and JSON`() throws {
        for (version, code) in [("1.0", 3), ("1.1", 1), ("1.2", 0), ("1.3", 3)] as [(String, Int32)] {
            let answers = try sourceFlags.map {
                try check(["--app", "shop", "--version", version, "--format", "json"] + $0)
            }
            #expect(answers.allSatisfy { $0.code == code && $0.errors.isEmpty }, "\(answers)")
            #expect(answers[0].output == answers[1].output)
            #expect(try ReleaseCheckResult(json: Array(answers[0].output.utf8)).passes == (code == 0))
        }
    }

    @Test
    func `the text of a release check has a summary and each leak, with links if a server's URL is given`()
        throws
    {
        let answer = try check(["--app", "shop", "--version", "1.1"] + sourceFlags[0])
        #expect(answer.output.hasPrefix("shop 1.1 fails, compared with 1.0: 1 leak is worse and 1 is new\n"))
        #expect(
            answer.output.contains("new        New\n") && answer.output.contains("\(server.address)/leaks/"))
        let local = try check(["--app", "shop", "--version", "1.1"] + sourceFlags[1])
        #expect(local.code == 1 && !local.output.contains("http://"))
    }

    @Test func `flags set the limits and builds of a release check, and wrong flags are rejected`() throws {
        let failing = ["--app", "shop", "--version", "1.1"] + sourceFlags[1]
        #expect(try check(failing + ["--min-devices", "61"]).output.contains("1 leak is worse\n"))
        let compared = ["--app", "shop", "--version", "1.2", "--baseline", "1.1"] + sourceFlags[0]
        #expect(try check(compared).code == 0)
        for (arguments, words) in [
            (
                failing + ["--max-rate", "5%"],
                "--max-rate is “5%”, must be a share between 0 and 1, such as 0.05"
            ),
            (failing + ["--baseline-build", "7"], "the baseline 1.1 (build 7) is not older than 1.1"),
            (failing + ["--build", "9"], "there are no reports of build 9 of shop 1.1"),
            (compared + ["--baseline-build", "9"], "there are no reports of build 9 of 1.1"),
        ] {
            let answer = try check(arguments)
            #expect(answer.code == 2 && answer.errors.contains(words), "\(answer)")
        }
    }

    @Test(arguments: [("junit", "<testsuites>"), ("gitlab", "[{"), ("markdown", "### Release check: failed")])
    func `a release check can be written for JUnit, for GitLab and as Markdown`(format: String, words: String)
        throws
    {
        let answer = try check(["--app", "shop", "--version", "1.1", "--format", format] + sourceFlags[1])
        #expect(answer.code == 1 && answer.output.contains(words))
    }

    @Test func `collector check uses the URL and token from the environment, and flags override the URL`()
        throws
    {
        let here = ["COLLECTOR_URL": server.address, "COLLECTOR_ACCESS_TOKEN": CollectorProcess.token]
        let arguments = ["--app", "shop", "--version", "1.2"]
        #expect(try check(arguments, environment: here).code == 0)
        let nowhere = [
            "COLLECTOR_URL": "http://127.0.0.1:1", "COLLECTOR_ACCESS_TOKEN": CollectorProcess.token,
        ]
        #expect(try check(arguments, environment: nowhere).code == 4)
        #expect(try check(arguments + sourceFlags[0], environment: nowhere).code == 0)
        #expect(try check(arguments + sourceFlags[1], environment: nowhere).code == 0)
        let linked = try check(["--app", "shop", "--version", "1.1"] + sourceFlags[1], environment: nowhere)
        #expect(linked.output.contains("http://127.0.0.1:1/leaks/"))
    }

    @Test func `the format github annotates each leak, and appends a summary to the file that GitHub names`()
        throws
    {
        let file = folder.path + "/summary.md"
        try "before\n".write(toFile: file, atomically: true, encoding: .utf8)
        let arguments = ["--app", "shop", "--version", "1.1", "--format", "github"] + sourceFlags[0]
        let answer = try check(arguments, environment: ["GITHUB_STEP_SUMMARY": file])
        #expect(answer.code == 1)
        #expect(answer.output.contains("::error title=New in 1.1%3A New::240 reports, 60 installs"))
        let summary = try String(contentsOfFile: file, encoding: .utf8)
        #expect(summary.hasPrefix("before\n### Release check: failed\n"))
        let unwritable = try check(arguments, environment: ["GITHUB_STEP_SUMMARY": folder.path + "/no/such"])
        #expect(unwritable.code == 1 && unwritable.errors.contains("which GITHUB_STEP_SUMMARY names"))
    }

    @Test func `a release check that cannot compare exits with code 2 or 4 and prints a reason`() throws {
        let url = ["--url", server.address]
        let version = ["--app", "shop", "--version", "1.1"]
        let cases: [([String], String)] = [
            (version + ["--url", "ftp://a"], "--url must start with http:// or https://"),
            (["--app", "shop", "--version", "9"] + url, "there are no reports of version 9 of shop"),
            (
                ["--app", "shop", "--version", "9"] + sourceFlags[1],
                "there are no reports of version 9 of shop"
            ),
            (
                ["--app", "shp", "--version", "1.1"] + sourceFlags[1],
                "there is no app shp; the apps are shop"
            ),
            (version + ["--baseline", "1.1"] + sourceFlags[0], "older"),
            (version + ["--baseline", "1.2"] + sourceFlags[1], "older"),
            (
                version + ["--baseline", "0.9"] + sourceFlags[0],
                "there are no reports of version 0.9 of shop: compare"
            ),
            (
                version + ["--baseline", "none"] + sourceFlags[1],
                "there are no reports of version none of shop: compare"
            ),
            (version + ["--data", folder.path + "/none"], "has no database of a collector"),
            (["--app", "shop"], "check needs an app and a version"),
            (version + ["--verbose"], "there is no flag"),
        ]
        for (arguments, words) in cases {
            let answer = try check(arguments)
            #expect(answer.code == 2, "\(arguments): \(answer)")
            #expect(answer.errors.contains(words), "\(arguments): \(answer.errors)")
            #expect(answer.output.isEmpty)
        }
        let unanswered = try check(version + ["--url", "http://127.0.0.1:1"])
        #expect(unanswered.code == 4 && unanswered.errors.contains("no response from http://127.0.0.1:1"))
        for (token, words) in [
            ("", "COLLECTOR_ACCESS_TOKEN is not set: \(server.address) needs an access token"),
            ("wrong-0000000000000000", "rejects the access token (401)"),
            (CollectorProcess.key, "rejects the access token (401)"),
        ] {
            let answer = try check(version + url, token: token)
            #expect(answer.code == 2 && answer.errors.contains(words), "\(answer)")
        }
    }

    @Test func `a release check of the database works after the server has stopped`() throws {
        server.kill(SIGTERM)
        server.wait()
        #expect(try check(["--app", "shop", "--version", "1.1"] + sourceFlags[1]).code == 1)
        #expect(try check(["--app", "shop", "--version", "1.1"] + sourceFlags[0]).code == 4)
    }
}
