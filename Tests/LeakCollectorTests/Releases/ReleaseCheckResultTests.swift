import Foundation
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// A release check as JSON, and its rendering as text, annotations and a summary.
enum SampleCheck: String, CaseIterable, Sendable {
    case fails, passes, first, hostile, long

    static let address = "https://leaks.example.com"

    var check: ReleaseCheck {
        switch self {
        case .fails: Self.check(new: [Shop.rows[0], Shop.rows[1]], regressed: [Shop.rows[2]], setAside: 2)
        case .passes: Self.check(setAside: 1)
        case .first: Self.check(baseline: nil, new: [Shop.rows[5]])
        case .hostile:
            Self.check(new: [
                Self.row(
                    "A\r\n::error title=x::y %0A, 100%: \u{202E}`<b>`",
                    stack: ["::stop-commands::x", "[a](b)|*c*"])
            ])
        case .long:
            Self.check(new: [Shop.rows[0]], newCount: 201, regressed: [Shop.rows[2]], regressedCount: 2)
        }
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.fields(of: check) }
        return writer.bytes
    }

    static func row(_ title: String, stack: [String]) -> LeakRow {
        Shop.row(
            Shop.leak(9, title, stack: stack), reports: 1, installs: 1, from: "5.2.0", seen: Shop.hour,
            trend: [1],
            share: nil)
    }

    private static func check(
        baseline: String? = "5.1.0", new: [LeakRow] = [], newCount: Int? = nil, regressed: [LeakRow] = [],
        regressedCount: Int? = nil, setAside: Int = 0
    ) -> ReleaseCheck {
        ReleaseCheck(
            app: "com.acme.shop", version: "5.2.0", baseline: baseline, new: new,
            newCount: newCount ?? new.count,
            regressed: regressed, regressedCount: regressedCount ?? regressed.count, setAside: setAside,
            leaks: new.count + regressed.count + setAside, reports: 3102)
    }
}

@Suite struct ReleaseCheckResultTests {
    /// `WRITE_GOLDEN_PAGES=1 swift test --filter ReleaseCheckResultTests` rewrites the files: review the difference.
    @Test(arguments: SampleCheck.allCases)
    func `text, annotations and summary are what the golden files have`(sample: SampleCheck) throws {
        let result = try ReleaseCheckResult(json: sample.json)
        #expect(result.passes == sample.check.passes)
        for (name, text) in [
            ("txt", result.text(address: nil)), ("linked.txt", result.text(address: SampleCheck.address)),
            ("github.txt", result.workflowCommands(address: SampleCheck.address)),
            ("md", result.stepSummary(address: SampleCheck.address)),
        ] {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Vectors/check-\(sample.rawValue).golden.\(name)")
            if ProcessInfo.processInfo.environment["WRITE_GOLDEN_PAGES"] != nil {
                try Data(text.utf8).write(to: file)
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
    }

    @Test(arguments: SampleCheck.allCases)
    func `every line for GitHub is one command of ours that reads back as it was`(sample: SampleCheck) throws
    {
        let result = try ReleaseCheckResult(json: sample.json)
        let lines = result.workflowCommands(address: SampleCheck.address).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.last == "")
        for line in lines.dropLast() {
            #expect(line.hasPrefix("::error title=") || line.hasPrefix("::notice title="))
            // Parsed like the runner does: two colons end the properties, and commas separate them.
            let rest = line.drop { $0 != " " }.dropFirst()
            let end = try #require(rest.range(of: "::")).lowerBound
            #expect(!rest[..<end].contains(",") && !rest[..<end].contains(":"))
            #expect(!line.contains("\r"))
        }
        for (_, leak) in result.listed {
            let escaped = TerminalText.text(leak.title).replacingOccurrences(of: "%", with: "%25")
                .replacingOccurrences(of: ":", with: "%3A").replacingOccurrences(of: ",", with: "%2C")
            #expect(lines.contains { $0.contains(escaped) })
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "<html>", #"{"passes":true}"#, #"{"passes":true,"new_count":1,"regressed_count":0}"#,
        #"{"passes":false,"new_count":0,"regressed_count":0}"#,
        #"{"passes":true,"new_count":-1,"regressed_count":0}"#,
        #"{"passes":true,"new_count":0,"regressed_count":0} more"#, #"{"passes":true,"new_count":0,"#,
    ])
    func `what is no check opens no gate`(json: String) {
        #expect(throws: ReleaseCheckResult.Unreadable.self) { try ReleaseCheckResult(json: Array(json.utf8)) }
    }

    @Test func `fields of a later collector are passed over`() throws {
        let json =
            #"{"later":[{"a":null}],"passes":true,"new_count":0,"regressed_count":0,"app":"a","version":"1"}"#
        #expect(try ReleaseCheckResult(json: Array(json.utf8)).sentence.hasPrefix("a 1 has no new"))
    }

    @Test func `a summary stays below what GitHub shows`() throws {
        let stack = [String](repeating: String(repeating: "_", count: 500), count: 20)
        let rows = (0..<200).map { _ in SampleCheck.row("Long", stack: stack) }
        let check = ReleaseCheck(
            app: "a", version: "1", baseline: nil, new: rows, newCount: 200, regressed: [], regressedCount: 0,
            setAside: 0, leaks: 200, reports: 200)
        var writer = JSONWriter()
        writer.object { $0.fields(of: check) }
        let summary = try ReleaseCheckResult(json: writer.bytes).stepSummary(address: nil)
        #expect(summary.utf8.count < 1 << 20)
        #expect(summary.contains("more leaks in the log"))
    }
}

@Suite struct RemoteCollectorErrorTests {
    private static let problem = "application/problem+json"

    @Test(arguments: [
        (
            401, problem, #"{"detail":"no"}"#,
            "rejects the access token (401): no; create another with collector token create"
        ),
        (
            403, "text/html", "<p>",
            "rejects the access token (403); create another with collector token create"
        ),
        (404, problem, #"{"status":404,"detail":"there is no app a"}"#, "there is no app a"),
        (404, "text/html", "<p>", "has no /api/v1/check: it is not a collector, or an older version of it"),
        (400, problem, #"{"detail":"5.3 is not older"}"#, "5.3 is not older"),
        (302, "", "", "redirects to https://b: give the collector's own address with --url"),
        (503, problem, #"{"detail":"busy\u0007"}"#, "cannot answer now (503): busy\u{FFFD}; try again"),
        (502, "text/html", "{", "cannot answer now (502); try again"),
        (418, problem, "\u{7B}", "answers 418"),
    ])
    func `says what to do after`(status: Int, type: String, body: String, words: String) {
        let refusal = RemoteCollectorError(
            address: "https://a", status: status, type: type, location: "https://b", body: Array(body.utf8))
        #expect(refusal.description.contains(words), "\(refusal)")
    }
}
