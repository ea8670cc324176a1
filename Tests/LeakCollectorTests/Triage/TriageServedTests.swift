import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import Testing

@testable import LeakCollector

/// Decisions, their effects on pages and lists, and the reports on the page of a leak, over real sockets and with a real store.
@Suite struct TriageServedTests {
    private func sendReport(_ version: String, to running: RunningCollector, count: Int = 1) throws {
        let body = #"{"class":"Cart","count":\#(count),"app":{"id":"a","version":"\#(version)"}}"#
        #expect(try running.post(body).status == 200)
    }

    private func leak(_ running: RunningCollector) throws -> String {
        let leaks = try #require(try running.json("/api/v1/leaks?state=any")["leaks"] as? [[String: Any]])
        return try #require(leaks.first?["id"] as? String)
    }

    private func decide(_ json: String, about leak: String, _ running: RunningCollector) throws
        -> [String: Any]
    {
        let answer = try running.post(
            json, to: "/api/v1/leaks/\(leak)/decisions",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(answer.status == 201, "\(answer.text)")
        return try answer.json
    }

    /// Returns the number of leaks to fix, and the text of the leak's page.
    private func state(_ running: RunningCollector, _ leak: String) throws -> (toFix: Int, words: String) {
        let page = try Markup(running.get("/leaks/\(leak)").body)
        return (
            try #require(try running.json("/api/v1/leaks")["total"] as? Int),
            page.texts.joined(separator: "|")
        )
    }

    @Test func `a leak resolved in the next version regresses with that version, not with older ones`()
        throws
    {
        let running = try RunningCollector()
        try sendReport("5.0.0", to: running)
        let leak = try leak(running)
        let answer = try decide(#"{"action":"resolve","in":"next","note":"<b>"}"#, about: leak, running)
        #expect(answer["state"] as? String == "resolved")
        try sendReport("5.0.0", to: running)
        try sendReport("4.9.0", to: running)
        var (toFix, words) = try state(running, leak)
        #expect(toFix == 0)
        #expect(
            words.contains(", in the next version after |5.0.0")
                || words.contains(", in the next version after 5.0.0"))
        #expect(words.contains("<b>"))

        try sendReport("5.1.0", to: running)
        (toFix, words) = try state(running, leak)
        #expect(toFix == 1)
        #expect(words.contains("Regressed in 5.1.0"))
        #expect(words.contains("seen again in 5.1.0 (1\u{A0}report since)"))
        let json = try running.json("/api/v1/leaks/\(leak)")
        let decisionStatus = try #require(json["standing"] as? [String: Any])
        #expect(json["state"] as? String == "regressed")
        #expect(
            decisionStatus["back_in"] as? String == "5.1.0" && decisionStatus["reports_since"] as? Int == 1)
        #expect(
            decisionStatus["is_after"] as? Bool == true && decisionStatus["version"] as? String == "5.0.0")
    }

    @Test(arguments: [#""in":"5.4.0 (895)""#, #""in":"5.4.0","build":"895""#])
    func `a leak resolved in a build is seen again in this build, not in an earlier one`(fields: String)
        throws
    {
        let running = try RunningCollector()
        try sendReport("5.4.0 (892)", to: running)
        let leak = try leak(running)
        let stored = try #require(
            try decide(#"{"action":"resolve",\#(fields)}"#, about: leak, running)["decision"]
                as? [String: Any])
        #expect(stored["version"] as? String == "5.4.0" && stored["build"] as? String == "895")
        try sendReport("5.4.0 (892)", to: running, count: 20)
        try sendReport("5.4.0", to: running)
        var (toFix, words) = try state(running, leak)
        #expect(toFix == 0 && words.contains("5.4.0 (895)"))

        try sendReport("5.4.0 (895)", to: running)
        (toFix, words) = try state(running, leak)
        #expect(toFix == 1 && words.contains("Regressed in 5.4.0 (895)"))
        #expect(words.contains("in 5.4.0 (895); seen again in 5.4.0 (895) (1\u{A0}report since)"))
        let json = try running.json("/api/v1/leaks/\(leak)")
        let standing = try #require(json["standing"] as? [String: Any])
        #expect(standing["back_in"] as? String == "5.4.0" && standing["back_in_build"] as? String == "895")
        #expect(standing["reports_since"] as? Int == 1)
    }

    @Test func `a build without a number is refused in a decision`() throws {
        let running = try RunningCollector()
        try sendReport("5.4.0", to: running)
        let answer = try running.post(
            #"{"action":"resolve","in":"5.4.0","build":"local"}"#,
            to: "/api/v1/leaks/\(try leak(running))/decisions",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(answer.status == 400 && answer.text.contains("'local' cannot be compared with other builds"))
    }

    /// Sends one session from each of 50 installs. The class is checked in each session, and leaks in the first `leaky`
    /// sessions.
    private func sendSessions(
        _ version: String, leaky: Int, checks: Int = 1, to running: RunningCollector
    ) throws {
        for install in 0..<50 {
            let report = install < leaky ? #"{"class":"Shop.Cart"}"# : ""
            let batch = #"""
                {"app":{"id":"a","module":"Shop","version":"\#(version)"},"install":"i\#(install)",
                 "sessions":[{"id":"s","checks":\#(checks),"leaks":\#(install < leaky ? 1 : 0)}],
                 "checks":[{"class":"Shop.Cart","count":\#(checks)}],"reports":[\#(report)]}
                """#
            #expect(try running.post(batch).status == 200)
        }
    }

    @Test func `resolving all leaks does not hide that leak-free sessions fell, and does not prove a fix`()
        throws
    {
        let running = try RunningCollector()
        try sendSessions("5.2.0", leaky: 5, to: running)
        try sendSessions("5.3.0", leaky: 50, to: running)
        let leak = try leak(running)
        _ = try decide(#"{"action":"resolve","in":"5.4.0"}"#, about: leak, running)
        #expect(
            try running.json("/api/v1/leaks")["resolved_seen"] as? [String: Int] == [
                "leaks": 0, "reports": 0,
            ])
        let late = #"{"app":{"id":"a","module":"Shop","version":"5.2.0"},"reports":[{"class":"Shop.Cart"}]}"#
        #expect(try running.post(late).status == 200)
        let words = try Markup(running.get("/").body).texts.joined().replacing("\u{A0}", with: " ")
        #expect(
            words.contains("90.0 percentage points less than 5.2.0") && !words.contains("Nothing left to fix")
        )
        #expect(words.contains("Leak-free sessions fell from 90.0 % in 5.2.0 to 0.0 % in 5.3.0."))
        #expect(words.contains("1 leak resolved, still seen in old versions, 1 report in the last 14 days"))
        #expect(words.contains("not proven yet: 0 of 52 checks needed, all without this leak"))
        let list = try running.json("/api/v1/leaks")
        #expect(list["resolved_seen"] as? [String: Int] == ["leaks": 1, "reports": 1])

        try sendSessions("5.4.0", leaky: 0, checks: 2, to: running)
        let json = try running.json("/api/v1/leaks/\(leak)")
        let fix = try #require(json["fix"] as? [String: Any])
        #expect(json["state"] as? String == "resolved" && fix["stage"] as? String == "fixed")
        #expect(fix["before"] as? [String: Int] == ["reports": 56, "checks": 100])
        #expect(fix["since"] as? [String: Int] == ["reports": 0, "checks": 100])
        #expect(fix["checks_needed"] as? Int == 52 && fix["version"] as? String == "5.4.0")
        #expect((fix["steps"] as? [[String: Any]])?.map { $0["stage"] as? String } == ["fixed"])
    }

    @Test(arguments: [("resolve-now", "5.2"), ("resolve-next", "5.3")])
    func `a form decides about the newest version that its page showed, even if a newer version exists now`(
        button: String, back: String
    ) throws {
        let running = try RunningCollector()
        try sendReport("5.2", to: running)
        let leak = try leak(running)
        let page = try running.get("/leaks/\(leak)").text
        #expect(page.contains(">Resolve in 5.2</button>"))
        #expect(page.contains(#"<input type="hidden" name="newest" value="5.2">"#))
        try sendReport("6.0", to: running)
        let answer = try running.post(
            "do=\(button)&newest=5.2", "application/x-www-form-urlencoded", to: "/leaks/\(leak)/decisions",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(answer.status == 303)
        #expect(try state(running, leak).toFix == 0)
        try sendReport(back, to: running)
        let (toFix, words) = try state(running, leak)
        #expect(toFix == 1)
        #expect(words.contains("Regressed in \(back)"))
    }

    @Test func `a leak that is ignored until 10 more reports reopens with the tenth report`() throws {
        let running = try RunningCollector()
        try sendReport("1.0", to: running)
        let leak = try leak(running)
        _ = try decide(#"{"action":"ignore","reports":10}"#, about: leak, running)
        try sendReport("1.0", to: running, count: 9)
        var (toFix, words) = try state(running, leak)
        #expect(toFix == 0)
        #expect(words.contains("Ignored until 10\u{A0}more reports (9 so far)"))
        try sendReport("1.0", to: running)
        (toFix, words) = try state(running, leak)
        #expect(toFix == 1)
        #expect(words.contains("Was ignored until 10\u{A0}more reports (10 so far)"))
    }

    @Test func `the API accepts a version with its build up to the length that its description states`()
        throws
    {
        let running = try RunningCollector()
        try sendReport("1.0", to: running)
        let leak = try leak(running)
        let description = try running.json("/openapi.json")
        let schemas = (description["components"] as? [String: Any])?["schemas"] as? [String: Any]
        let variants = (schemas?["NewDecision"] as? [String: Any])?["oneOf"] as? [[String: Any]]
        let fields = try #require(variants?.first?["properties"] as? [String: [String: Any]])
        let length = try #require(fields["in"]?["maxLength"] as? Int)
        let pattern = try Regex(try #require(fields["in"]?["pattern"] as? String))
        func text(build: Int) -> String {
            "\(String(repeating: "9", count: 64)) (\(String(repeating: "8", count: build)))"
        }
        #expect(text(build: 64).count == length)
        for (text, isValid) in [
            (text(build: 64), true), (text(build: 65), false), (String(repeating: "9", count: 65), false),
            ("5.2.0 (812)", true), ("x", false),
        ] {
            #expect((text.wholeMatch(of: pattern) != nil) == isValid)
            let answer = try running.post(
                #"{"action":"resolve","in":"\#(text)"}"#, to: "/api/v1/leaks/\(leak)/decisions",
                fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
            #expect(answer.status == (isValid ? 201 : 400), "\(text): \(answer.text)")
        }
    }

    @Test func `the history lists decisions with their authors, newest first, in the documented format`()
        throws
    {
        let running = try RunningCollector()
        try sendReport("1.0", to: running)
        let leak = try leak(running)
        let schemas = try SchemaValidator(running.json("/openapi.json"))
        let decided: [String: Any] = ["$ref": "#/components/schemas/Decided"]
        for json in [
            #"{"action":"resolve","in":"now"}"#, #"{"action":"resolve","in":"2.0"}"#, #"{"action":"reopen"}"#,
            #"{"action":"ignore","until":"2999-12-31"}"#, #"{"action":"ignore"}"#,
            #"{"action":"note","note":"\"onload=x]]>\u202e"}"#,
        ] {
            let answer = try decide(json, about: leak, running)
            #expect(schemas.problems(of: answer, as: decided, at: json) == [])
        }
        let json = try running.json("/api/v1/leaks/\(leak)")
        let detail: [String: Any] = ["$ref": "#/components/schemas/LeakDetail"]
        #expect(schemas.problems(of: json, as: detail, at: "LeakDetail") == [])
        let history = try #require(json["history"] as? [[String: Any]])
        #expect(
            history.map { $0["action"] as? String } == [
                "note", "ignore", "ignore", "reopen", "resolve", "resolve",
            ])
        #expect(history.allSatisfy { $0["by"] as? String == Setting.accessToken.variable })
        #expect(history.first?["note"] as? String == "\"onload=x]]>\u{202E}")
        #expect(json["state"] as? String == "ignored")
        let words = try state(running, leak).words
        #expect(words.contains("\"onload=x]]>\u{FFFD}"))
        #expect(try state(running, leak).toFix == 0)
        _ = try decide(#"{"action":"reopen"}"#, about: leak, running)
        #expect(try state(running, leak).toFix == 1)
        #expect(try running.json("/api/v1/leaks/\(leak)")["standing"] is NSNull)
    }

    @Test func `the page of a leak shows reports per hour, the first and the newest report`() throws {
        let running = try RunningCollector()
        for number in 0..<3 {
            let body =
                #"{"class":"Cart","log":["step \#(number)"],"keys":{"tab":"t\#(number)"},"app":{"id":"a","version":"1.0"}}"#
            #expect(try running.post(body).status == 200)
        }
        #expect(
            try running.post(#"{"class":"Cart","type":"freed","lived_ms":2300,"app":{"id":"a"}}"#).status
                == 200)
        let words = try state(running, leak(running)).words.replacing("\u{A0}", with: " ")
        for part in [
            "Reports per hour, by version", "step 0", "step 2", "First report", "Newest report", "t0", "t2",
            "2.0 s – 5.0 s",
        ] {
            #expect(words.contains(part), "\(part)")
        }
    }
}
