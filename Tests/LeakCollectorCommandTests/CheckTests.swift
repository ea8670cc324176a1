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
        for (version, classes) in [("1.0", ["Old"]), ("1.1", ["Old", "New"]), ("1.2", ["Old"])] {
            let reports = classes.map { #"{"class":"\#($0)"}"# }.joined(separator: ",")
            let batch =
                #"{"app":{"id":"shop","version":"\#(version)"},"install":"i","reports":[\#(reports)]}"#
            let answer = try client.report(
                Array(batch.utf8), to: server.address, idempotencyKey: "v\(version)")
            #expect(answer.status == 200)
        }
    }

    private func check(
        _ arguments: [String], token: String = CollectorProcess.token, environment: [String: String] = [:]
    ) throws -> (code: Int32, output: String, errors: String) {
        try CollectorProcess.run(
            ["check", "--public", CollectorProcess.publicFolder] + arguments,
            environment: ["COLLECTOR_ACCESS_TOKEN": token].merging(environment) { $1 })
    }

    /// The flags for a remote collector, and those for a database.
    private var ways: [[String]] {
        [
            ["--url", server.address],
            ["--data", folder.path + "/data"],
        ]
    }

    @Test func `both ways tell the same: by their code, and byte for byte in JSON`() throws {
        for (version, code) in [("1.0", 1), ("1.1", 1), ("1.2", 0)] as [(String, Int32)] {
            let answers = try ways.map {
                try check(["--app", "shop", "--version", version, "--format", "json"] + $0)
            }
            #expect(answers.allSatisfy { $0.code == code && $0.errors.isEmpty }, "\(answers)")
            #expect(answers[0].output == answers[1].output)
            #expect(try ReleaseCheckResult(json: Array(answers[0].output.utf8)).passes == (code == 0))
        }
    }

    @Test func `the text has a sentence, a table and links`() throws {
        let answer = try check(["--app", "shop", "--version", "1.1"] + ways[0])
        #expect(
            answer.output.hasPrefix(
                "shop 1.1 has 1 new leak, compared with 1.0 and earlier versions\n\n"))
        #expect(answer.output.contains("  New") && answer.output.contains("\(server.address)/leaks/"))
        let local = try check(["--app", "shop", "--version", "1.1"] + ways[1])
        #expect(local.code == 1 && !local.output.contains("http://"))
    }

    @Test func `the environment says where and with what, a flag goes before it`() throws {
        let here = ["COLLECTOR_URL": server.address, "COLLECTOR_ACCESS_TOKEN": CollectorProcess.token]
        let arguments = ["--app", "shop", "--version", "1.2"]
        #expect(try check(arguments, environment: here).code == 0)
        let nowhere = [
            "COLLECTOR_URL": "http://127.0.0.1:1", "COLLECTOR_ACCESS_TOKEN": CollectorProcess.token,
        ]
        #expect(try check(arguments, environment: nowhere).code == 2)
        #expect(try check(arguments + ways[0], environment: nowhere).code == 0)
        #expect(try check(arguments + ways[1], environment: nowhere).code == 0)
        let linked = try check(["--app", "shop", "--version", "1.1"] + ways[1], environment: nowhere)
        #expect(linked.output.contains("http://127.0.0.1:1/leaks/"))
    }

    @Test func `on GitHub each leak is annotated, and the summary is added to`() throws {
        let file = folder.path + "/summary.md"
        try "before\n".write(toFile: file, atomically: true, encoding: .utf8)
        let arguments = ["--app", "shop", "--version", "1.1", "--format", "github"] + ways[0]
        let answer = try check(arguments, environment: ["GITHUB_STEP_SUMMARY": file])
        #expect(answer.code == 1)
        #expect(answer.output.contains("::error title=New leak in 1.1%3A New::1 report of 1 install"))
        let summary = try String(contentsOfFile: file, encoding: .utf8)
        #expect(summary.hasPrefix("before\n### Leak check: failed\n"))
        let unwritable = try check(arguments, environment: ["GITHUB_STEP_SUMMARY": folder.path + "/no/such"])
        #expect(unwritable.code == 1 && unwritable.errors.contains("which GITHUB_STEP_SUMMARY names"))
    }

    @Test func `what keeps it from telling ends with 2 and says what to do`() throws {
        let url = ["--url", server.address]
        let version = ["--app", "shop", "--version", "1.1"]
        let cases: [([String], String)] = [
            (version + ["--url", "http://127.0.0.1:1"], "no answer from http://127.0.0.1:1"),
            (version + ["--url", "ftp://a"], "--url must start with http:// or https://"),
            (["--app", "shop", "--version", "9"] + url, "there are no reports of version 9 of shop"),
            (["--app", "shop", "--version", "9"] + ways[1], "there are no reports of version 9 of shop"),
            (["--app", "shp", "--version", "1.1"] + ways[1], "there is no app shp; the apps are shop"),
            (version + ["--baseline", "1.1"] + ways[0], "older"),
            (version + ["--baseline", "1.2"] + ways[1], "older"),
            (
                version + ["--baseline", "0.9"] + ways[0],
                "there are no reports of version 0.9 of shop: compare"
            ),
            (
                version + ["--baseline", "none"] + ways[1],
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
        for (token, words) in [
            ("", "COLLECTOR_ACCESS_TOKEN is not set: \(server.address) needs an access token"),
            ("wrong-0000000000000000", "rejects the access token (401)"),
            (CollectorProcess.key, "rejects the access token (401)"),
        ] {
            let answer = try check(version + url, token: token)
            #expect(answer.code == 2 && answer.errors.contains(words), "\(answer)")
        }
    }

    @Test func `it looks also after the server has gone`() throws {
        server.kill(SIGTERM)
        server.wait()
        #expect(try check(["--app", "shop", "--version", "1.1"] + ways[1]).code == 1)
        #expect(try check(["--app", "shop", "--version", "1.1"] + ways[0]).code == 2)
    }
}
