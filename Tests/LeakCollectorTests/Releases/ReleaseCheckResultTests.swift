import Foundation
import LeakMessage
import LeakStatistics
import Testing

@testable import LeakCollector
@testable import LeakStore

/// Sample release checks, each with a golden file of its JSON and of each output format.
enum SampleCheck: String, CaseIterable, Sendable {
    /// `first` has no baseline, `few` has too few checks, `long` has more leaks than it lists, and in `whole` all leaks of
    /// a class together are worse. In `pooled` the rare classes have enough checks only together, in `rare` too few even
    /// together, and in `rareWorse` all their leaks together are worse.
    case fails, passes, first, few, hostile, long, whole, pooled, rare, rareWorse = "rare-worse"

    static let address = "https://leaks.example.com"

    var check: ReleaseCheck {
        switch self {
        case .fails:
            var check = Self.check(
                .failed,
                [
                    Self.leak(.worse(probability: 1e-9), Shop.rows[0], before: (10, 1_000), (600, 1_000)),
                    Self.leak(.new(probability: nil), Shop.rows[1], before: (0, 0), (0, 0)),
                    Self.leak(.back, Shop.rows[2], before: (30, 4_000), (3, 4_812)),
                    Self.leak(.better(probability: 1e-4), Shop.rows[3], before: (14, 2_000), (0, 24_000)),
                ])
            (check.worseCount, check.newCount, check.backCount, check.betterCount) = (1, 1, 1, 1)
            (check.setAsideCount, check.rareCount) = (2, 1)
            return check
        case .passes:
            var check = Self.check(.passed)
            check.setAsideCount = 1
            return check
        case .first:
            var check = Self.check(.cannotTell)
            check.baseline = nil
            check.uncomparedCount = 1
            return check
        case .few:
            var check = Self.check(.cannotTell)
            check.classes = [
                Self.checked("CartViewController", .needs(checks: 207), 5_000, 120),
                Self.checked("ProfileViewController", .notChecked, 4_000, 0),
                Self.checked("SearchViewController", .notChecked, 3_000, 0),
                Self.checked("Rare", .needs(checks: nil), 12, 400),
                Self.checked("A", .needs(checks: 90), 9, 1),
                Self.checked("B", .needs(checks: 90), 8, 1), Self.checked("Fresh", .new, 0, 30),
            ]
            return check
        case .hostile:
            let row = Self.row(
                "A\r\n::error title=x::y %0A, 100%: \u{202E}`<b>`",
                stack: [
                    "::stop-commands::x", "@octocat", "[a](b)|*c*", "</failure>&\u{0}\u{FFFE}\u{FFFF}]]>",
                ])
            var check = Self.check(.failed, [Self.leak(.new(probability: nil), row, before: (0, 0), (0, 0))])
            check.newCount = 1
            check.classes.append(Self.checked("<class name=\"x\">\n::error::", .needs(checks: 3), 1, 1))
            return check
        case .whole:
            var check = Self.check(.failed)
            check.worseClasses = [
                ReleaseCheck.WorseClass(
                    className: "CartViewController", probability: 1e-6,
                    baseline: ReleaseCheck.RateCounts(reports: 250, checks: 5_000),
                    version: ReleaseCheck.RateCounts(reports: 1_240, checks: 5_000))
            ]
            return check
        case .pooled:
            var check = Self.check(.passed)
            check.classes.append(Self.checked("CartViewController", .pooled, 700, 690))
            check.classes.append(Self.checked("DebugViewController", .setAside, 700, 0))
            check.pool = Self.pool(.enough, before: (200, 66_000), (210, 68_000))
            return check
        case .rare:
            var check = Self.check(.cannotTell)
            check.classes.append(Self.checked("CartViewController", .needs(checks: 2_100), 700, 230))
            check.pool = Self.pool(.needs(growth: 2.31), before: (200, 66_000), (70, 22_000))
            check.neededGrowth = 2.31
            return check
        case .rareWorse:
            var check = Self.check(.failed)
            check.classes.append(Self.checked("CartViewController", .pooled, 700, 690))
            check.pool = Self.pool(.worse(probability: 1e-5), before: (200, 66_000), (395, 68_000))
            return check
        case .long:
            var check = Self.check(
                .failed,
                [
                    Self.leak(.new(probability: nil), Shop.rows[0], before: (0, 0), (0, 0)),
                    Self.leak(.back, Shop.rows[2], before: (0, 0), (1, 2)),
                ])
            (check.newCount, check.backCount) = (201, 2)
            return check
        }
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.fields(of: check) }
        return writer.bytes
    }

    static func row(_ title: String, stack: [String]) -> LeakRow {
        Shop.row(
            Shop.leak(9, title, stack: stack), reports: 1, installs: 1, firstVersion: "5.2.0",
            lastSeenAgo: Shop.hour,
            trend: [1],
            rate: nil)
    }

    static func leak(
        _ result: ReleaseGate.LeakResult, _ row: LeakRow, before: (Int, Int), _ now: (Int, Int)
    ) -> ReleaseCheck.Leak {
        ReleaseCheck.Leak(
            result: result, row: row, baseline: .init(reports: before.0, checks: before.1),
            version: .init(reports: now.0, checks: now.1))
    }

    static func checked(
        _ name: String, _ result: ReleaseGate.ClassResult, _ baseline: Int, _ version: Int
    ) -> ReleaseCheck.CheckedClass {
        ReleaseCheck.CheckedClass(
            className: name, result: result, baselineChecks: baseline, versionChecks: version)
    }

    static func pool(
        _ result: ReleaseGate.Pool.Result, before: (Int, Int), _ now: (Int, Int)
    ) -> ReleaseCheck.ClassPool {
        ReleaseCheck.ClassPool(
            result: result, classCount: 106, undecidedClassCount: 88,
            baseline: .init(reports: before.0, checks: before.1),
            version: .init(reports: now.0, checks: now.1))
    }

    static func check(_ verdict: ReleaseGate.Verdict, _ leaks: [ReleaseCheck.Leak] = []) -> ReleaseCheck {
        var (version, baseline) = (ReleaseCheck.Side(version: "5.2.0"), ReleaseCheck.Side(version: "5.1.0"))
        version.sessions = Proportion(events: 31, trials: 1_204)
        baseline.sessions = Proportion(events: 96, trials: 9_310)
        var check = ReleaseCheck(
            app: "com.acme.shop", environment: AppKey.production, version: version, baseline: baseline,
            verdict: verdict, leaks: leaks,
            classes: [checked("CheckoutViewController", .enough, 9_000, 4_812)], rareCount: 0,
            setAsideCount: 0)
        check.hasEnoughData = verdict != .cannotTell
        return check
    }
}

@Suite struct ReleaseCheckResultTests {
    /// `WRITE_GOLDEN_PAGES=1 swift test --skip-build --filter ReleaseCheckResultTests` rewrites the files: review the difference.
    @Test(arguments: SampleCheck.allCases)
    func `each format of a release check equals its golden file`(sample: SampleCheck) throws {
        let result = try ReleaseCheckResult(json: sample.json)
        #expect(result.verdict == sample.check.verdict)
        for (name, text) in [
            ("json", String(decoding: sample.json, as: UTF8.self) + "\n"),
            ("txt", result.text(address: nil)), ("linked.txt", result.text(address: SampleCheck.address)),
            ("github.txt", result.workflowCommands(address: SampleCheck.address)),
            ("md", result.markdown(address: SampleCheck.address)),
            ("junit.xml", result.junit(address: SampleCheck.address)),
            ("gitlab.json", result.codeQuality(address: SampleCheck.address)),
        ] {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Vectors/check-\(sample.rawValue).golden.\(name)")
            if ProcessInfo.processInfo.environment["WRITE_GOLDEN_PAGES"] != nil {
                try Data(text.utf8).write(to: file)
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
    }

    private func result(of check: ReleaseCheck) throws -> ReleaseCheckResult {
        var writer = JSONWriter()
        writer.object { $0.fields(of: check) }
        return try ReleaseCheckResult(json: writer.bytes)
    }

    @Test func `a class that makes the check fail is not also listed with too few checks`() throws {
        var check = SampleCheck.whole.check
        check.classes = ["CartViewController", "Rare"].map {
            SampleCheck.checked($0, .needs(checks: 9_000), 5_000, 4_000)
        }
        #expect(try result(of: check).notes.first == "Too few checks: Rare (4,000 of 9,000).")
    }

    @Test
    func `the output for JUnit names the environment, and findings of two environments have different IDs`()
        throws
    {
        var texts: Set<String> = []
        for environment in [AppKey.production, "testflight"] {
            var check = SampleCheck.whole.check
            check.environment = environment
            let result = try result(of: check)
            texts.insert(result.codeQuality(address: nil))
            #expect(result.junit(address: nil).contains("(testflight)") == (environment == "testflight"))
            #expect(
                Set(result.findings.map(\.id)) == [
                    "class CartViewController of \(AppKey(check.app, environment: environment))"
                ])
        }
        #expect(texts.count == 2)
    }

    @Test(arguments: [SampleCheck.whole, .rareWorse])
    func `the links to classes and to the comparison lead to the environment of the release check`(
        sample: SampleCheck
    ) throws {
        var check = sample.check
        check.environment = "testflight"
        let paths = try result(of: check).findings.map(\.pagePath)
        #expect(!paths.isEmpty && paths.allSatisfy { $0.contains("&environment=testflight") }, "\(paths)")
    }

    @Test(arguments: [SampleCheck.few, .rare])
    func `the page that compares versions shows the leak-free sessions only in its tiles`(
        sample: SampleCheck
    ) throws {
        let result = try result(of: sample.check)
        #expect(result.notes.last?.hasPrefix("Leak-free sessions: ") == true)
        let page = ComparePage(context: Shop.context(), check: sample.check, result: result)
        let text = String(decoding: page.html.bytes, as: UTF8.self)
        #expect(text.contains("Leak-free sessions in ") && !text.contains("Leak-free sessions: "))
    }

    @Test(arguments: SampleCheck.allCases)
    func `no line of a release check's text without links exceeds 100 columns`(sample: SampleCheck)
        throws
    {
        let text = try ReleaseCheckResult(json: sample.json).text(address: nil)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(text)")
    }

    @Test(arguments: SampleCheck.allCases)
    func `the output for JUnit is well formed, with as many tests as it states`(sample: SampleCheck) throws {
        let text = try ReleaseCheckResult(json: sample.json).junit(address: SampleCheck.address)
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
        func number(_ name: String) throws -> Int {
            let rest = try #require(text.range(of: "\(name)=\"")).upperBound
            return try #require(Int(text[rest...].prefix { $0.isNumber }))
        }
        #expect(try number("tests") == text.components(separatedBy: "<testcase ").count - 1)
        #expect(try number("failures") == text.components(separatedBy: "<failure ").count - 1)
        #expect(try number("skipped") == text.components(separatedBy: "<skipped ").count - 1)
        #expect(
            text.components(separatedBy: "<failure ").count
                == text.components(separatedBy: "</failure>").count)
    }

    @Test(arguments: SampleCheck.allCases)
    func `the output for GitLab has all fields that its format requires`(sample: SampleCheck) throws {
        let text = try ReleaseCheckResult(json: sample.json).codeQuality(address: nil)
        let issues = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(issues.isEmpty == (sample == .passes || sample == .pooled))
        for issue in issues {
            for name in ["description", "check_name", "fingerprint"] {
                #expect((issue[name] as? String)?.isEmpty == false)
            }
            #expect(["info", "minor", "major", "critical", "blocker"].contains(issue["severity"] as? String))
            let location = try #require(issue["location"] as? [String: Any])
            #expect((location["path"] as? String)?.isEmpty == false)
            #expect((location["lines"] as? [String: Any])?["begin"] as? Int == 1)
        }
    }

    @Test(arguments: SampleCheck.allCases)
    func `every line for GitHub is a workflow command, and its title can be read back unchanged`(
        sample: SampleCheck
    )
        throws
    {
        let result = try ReleaseCheckResult(json: sample.json)
        let lines = result.workflowCommands(address: SampleCheck.address).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.last == "")
        for line in lines.dropLast() {
            #expect(
                line.hasPrefix("::error title=") || line.hasPrefix("::notice title=")
                    || line.hasPrefix("::warning title="))
            // GitHub's runner parses a line like this: two colons end the properties, and commas separate them.
            let rest = line.drop { $0 != " " }.dropFirst()
            let end = try #require(rest.range(of: "::")).lowerBound
            #expect(!rest[..<end].contains(",") && !rest[..<end].contains(":"))
            #expect(!line.contains("\r"))
        }
        for leak in result.failingFindings {
            let escaped = TerminalText.text(leak.title).replacingOccurrences(of: "%", with: "%25")
                .replacingOccurrences(of: ":", with: "%3A").replacingOccurrences(of: ",", with: "%2C")
            #expect(lines.contains { $0.contains(escaped) })
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "<html>", #"{"verdict":"passed"}"#,
        #"{"verdict":"passed","worse_count":0,"new_count":1,"back_count":0}"#,
        #"{"verdict":"failed","worse_count":0,"new_count":0,"back_count":0}"#,
        #"{"verdict":"failed","worse_count":0,"new_count":0,"back_count":0,"pool":{"result":"enough"}}"#,
        #"{"verdict":"passed","worse_count":0,"new_count":0,"back_count":0,"pool":{"result":"worse"}}"#,
        #"{"verdict":"fine","worse_count":0,"new_count":0,"back_count":0}"#,
        #"{"verdict":"passed","worse_count":0,"new_count":-1,"back_count":0}"#,
        #"{"verdict":"passed","worse_count":0,"new_count":0,"back_count":0} more"#,
        #"{"verdict":"passed","worse_count":0,"new_count":0,"#,
    ])
    func `a response that is not the result of a release check is an error`(json: String) {
        #expect(throws: ReleaseCheckResult.Unreadable.self) { try ReleaseCheckResult(json: Array(json.utf8)) }
    }

    @Test func `unknown fields in the release check of a later collector are ignored`() throws {
        let json =
            #"{"later":[{"a":null}],"verdict":"passed","worse_count":0,"new_count":0,"back_count":0,"app":"a","version":"1"}"#
        #expect(try ReleaseCheckResult(json: Array(json.utf8)).sentence.hasPrefix("a 1 passes"))
    }

    @Test(arguments: [
        (AppKey.production, "is checked on too few devices", "about 20 are needed in each version"),
        (
            "ci", "is checked in too few runs",
            "about 20 are needed of each version, each with an install of its own"
        ),
    ])
    func `a release check of a class on too few devices asks for more devices, or in ci for more runs`(
        environment: String, reason: String, remedy: String
    ) throws {
        let json = """
            {"app":"a","environment":"\(environment)","version":"1","baseline":"0","verdict":"cannot_tell","worse_count":0,
            "new_count":0,"back_count":0,"classes":[{"class":"Cart","baseline":90,"version":90,"result":"few_devices"}]}
            """
        let sentence = try ReleaseCheckResult(json: Array(json.utf8)).sentence
        #expect(sentence.contains(reason) && sentence.contains(remedy), "\(sentence)")
    }

    @Test(arguments: [
        (1.01, "1.1 times"), (1.96, "2.0 times"), (2.31, "3 times"), (1e9, "10,000 times or more"),
    ])
    func `a release check with too few checks says how many times as many sessions are needed`(
        growth: Double, words: String
    ) throws {
        var check = SampleCheck.rare.check
        check.neededGrowth = growth
        #expect(try result(of: check).sentence.contains("; about \(words) as many sessions are needed"))
        check.version.sessions = Proportion(events: 0, trials: 0)
        #expect(try result(of: check).sentence.contains("; about \(words) as many checks are needed"))
    }

    @Test func `the Markdown of a release check is shorter than GitHub's limit`() throws {
        let stack = [String](repeating: String(repeating: "_", count: 500), count: 20)
        var check = SampleCheck.check(
            .failed,
            (0..<200).map { _ in
                SampleCheck.leak(
                    .new(probability: nil), SampleCheck.row("Long", stack: stack), before: (0, 0), (0, 0))
            })
        check.newCount = 200
        var writer = JSONWriter()
        writer.object { $0.fields(of: check) }
        let summary = try ReleaseCheckResult(json: writer.bytes).markdown(address: nil)
        #expect(summary.utf8.count < 65_536)
        #expect(summary.contains("more leaks"))
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
    func `the error about a collector's response says what to do`(
        status: Int, type: String, body: String, words: String
    ) {
        let refusal = RemoteCollectorError(
            address: "https://a", status: status, type: type, location: "https://b", body: Array(body.utf8))
        #expect(refusal.description.contains(words), "\(refusal)")
    }
}
