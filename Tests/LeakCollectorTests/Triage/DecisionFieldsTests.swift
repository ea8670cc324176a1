import LeakHTTPServer
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct DecisionFieldsTests {
    /// 20 November 2026, noon.
    private static let now: Int64 = 1_795_176_000_000
    /// A version or a build of 64 bytes.
    private static let longName = String(repeating: "9", count: 64)
    /// The beginning of 1 December 2026.
    private static let december: Int64 = 1_796_083_200_000

    private func decision(_ json: String) throws -> Decision {
        try DecisionFields(json: Array(json.utf8)).decision(by: "Ann", now: Self.now)
    }

    private func decision(form: String) throws -> Decision {
        try DecisionFields(Form(Array(form.utf8))).decision(by: "Ann", now: Self.now)
    }

    @Test(
        arguments: [
            (#"{"action":"resolve","in":"now"}"#, .resolve(.newestVersion)),
            (#"{"action":"resolve","in":"next","until":null}"#, .resolve(.nextVersion)),
            (#"{"in":"5.2.0","action":"resolve"}"#, .resolve(.version("5.2.0"))),
            (#"{"action":"resolve","in":"5.4.0","build":"895"}"#, .resolve(.version("5.4.0", build: "895"))),
            (
                #"{"action":"resolve","in":"5.4.0","build":" 895 "}"#,
                .resolve(.version("5.4.0", build: "895"))
            ),
            (#"{"action":"resolve","in":"5.4.0 (895)"}"#, .resolve(.version("5.4.0", build: "895"))),
            (
                #"{"action":"resolve","in":"5.4.0(895)","build":""}"#,
                .resolve(.version("5.4.0", build: "895"))
            ),
            (
                #"{"build":"895","action":"resolve","in":"5.4.0 (895)"}"#,
                .resolve(.version("5.4.0", build: "895"))
            ),
            (#"{"action":"resolve","in":"5.4.0 (beta)"}"#, .resolve(.version("5.4.0 (beta)"))),
            (#"{"action":"resolve","in":"5.4.0 (beta 2)"}"#, .resolve(.version("5.4.0 (beta 2)"))),
            (
                #"{"action":"resolve","in":"\#(longName) (\#(longName))"}"#,
                .resolve(.version(longName, build: longName))
            ),
            (#"{"action":"resolve","in":"now","build":null}"#, .resolve(.newestVersion)),
            (#"{"action":"ignore"}"#, .ignore(nil)),
            (#"{"action":"ignore","until":"2026-12-01"}"#, .ignore(.until(milliseconds: december))),
            (
                #"{"action":"ignore","until":"2026-12-01T09:00:00+09:00"}"#,
                .ignore(.until(milliseconds: december))
            ),
            (#"{"action":"ignore","reports":100}"#, .ignore(.nextReports(100))),
            (#" {"action":"reopen"} "#, .reopen),
        ] as [(String, Decision.Action)])
    func `a decision is read from its JSON`(json: String, action: Decision.Action) throws {
        #expect(try decision(json) == Decision(action, by: "Ann"))
    }

    @Test(
        arguments: [
            ("do=resolve-next&in=&until=&reports=&note=", .resolve(.nextVersion)),
            ("do=resolve-now&until=2026-12-01&reports=5", .resolve(.newestVersion)),
            ("do=resolve-now&newest=5.2%2B7", .resolve(.version("5.2+7"))),
            ("do=resolve-now&newest=5.2&newest-build=812", .resolve(.version("5.2", build: "812"))),
            ("do=resolve-now&newest=5.2&newest-build=", .resolve(.version("5.2"))),
            ("do=resolve-next&newest=5.2&newest-build=812", .resolve(.newerThan("5.2"))),
            ("do=resolve-in&in=5.4.0+%28895%29&newest=5.1", .resolve(.version("5.4.0", build: "895"))),
            ("do=resolve-next&newest=5.2", .resolve(.newerThan("5.2"))),
            ("do=resolve-next&newest=", .resolve(.nextVersion)),
            ("do=resolve-in&in=5.2.0&newest=5.1", .resolve(.version("5.2.0"))),
            ("do=ignore", .ignore(nil)),
            ("do=ignore-until&until=2026-12-01", .ignore(.until(milliseconds: december))),
            ("do=ignore-reports&reports=100", .ignore(.nextReports(100))),
            ("do=reopen", .reopen),
            // No button was pressed, but Enter in a field.
            ("until=2026-12-01&in=&reports=", .ignore(.until(milliseconds: december))),
            ("until=&in=5.2.0", .resolve(.version("5.2.0"))),
            ("reports=3", .ignore(.nextReports(3))),
        ] as [(String, Decision.Action)])
    func `the pressed button of a form, or else its only filled field, gives the decision`(
        form: String, action: Decision.Action
    ) throws {
        #expect(try decision(form: form) == Decision(action, by: "Ann"))
    }

    @Test(arguments: ["resolve-next", "resolve-now", "ignore", "reopen", "note"])
    func `every decision may have a note`(button: String) throws {
        let decision = try decision(form: "do=\(button)&note=+two%0D%0Alines+%0D%0A")
        #expect(decision.note == "two\nlines")
    }

    @Test(arguments: [
        ("", "not JSON"), ("[]", "must be a JSON object"), ("{", "not JSON"),
        ("{}", "the field “action” is missing"),
        (
            #"{"action":"reopen","x":null}"#,
            #"unknown field "x"; a decision has action, in, build, until, reports and note"#
        ),
        (#"{"action":"reopen","action":"ignore"}"#, "the field “action” is given twice"),
        (#"{"action":"ignore","until":null,"until":"2026-12-01"}"#, "the field “until” is given twice"),
        (#"{"action":"close"}"#, "resolve, ignore, reopen or note"),
        (#"{"action":3}"#, "the field “action” must be a string"),
        (#"{"action":"resolve"}"#, "the field “in” is missing"),
        (#"{"action":"resolve","in":""}"#, "the field “in” is missing"),
        (#"{"action":"resolve","in":"a\u0000"}"#, "the field “in” has a control character"),
        (
            #"{"action":"resolve","in":"\#(String(repeating: "9", count: 65))"}"#,
            "the version in the field “in” is 65 bytes, the limit is 64"
        ),
        (
            #"{"action":"resolve","in":"5.4.0 (\#(String(repeating: "8", count: 125)))"}"#,
            "the field “in” is 133 bytes, the limit is 131"
        ),
        (
            #"{"action":"resolve","in":"now","reports":3}"#,
            "the field “reports” does not go with the action “resolve”"
        ),
        (#"{"action":"resolve","build":"895"}"#, "the field “in” is missing"),
        (#"{"action":"resolve","in":"now","build":"895"}"#, "the field “build” needs a version"),
        (#"{"action":"resolve","in":"next","build":"895"}"#, "the field “build” needs a version"),
        (#"{"action":"resolve","in":"5.4.0","build":895}"#, "the field “build” must be a string"),
        (
            #"{"action":"resolve","in":"5.4.0","build":"8\u0000"}"#,
            "the field “build” has a control character"
        ),
        (
            #"{"action":"resolve","in":"5.4.0","build":"\#(String(repeating: "9", count: 65))"}"#,
            "the field “build” is 65 bytes, the limit is 64"
        ),
        (#"{"action":"resolve","in":"5.4.0 (892)","build":"895"}"#, "name different builds"),
        (#"{"action":"resolve","in":"5.4.0 (v895)"}"#, "name the build by its number: 5.4.0 (895)"),
        (#"{"action":"resolve","in":"5.4.0 (Build 895)"}"#, "name the build by its number: 5.4.0 (895)"),
        (
            #"{"action":"resolve","in":"5.4.0 (8\#(longName))"}"#,
            "the build in the field “in” is 65 bytes, the limit is 64"
        ),
        (#"{"action":"reopen","build":"895"}"#, "the field “build” does not go with the action “reopen”"),
        (#"{"action":"ignore","build":"895"}"#, "the field “build” does not go with the action “ignore”"),
        (#"{"action":"ignore","in":"now"}"#, "the field “in” does not go with the action “ignore”"),
        (#"{"action":"ignore","until":"2026-12-01","reports":3}"#, "exclude each other"),
        (#"{"action":"ignore","until":"2026-11-20"}"#, "the field “until” is past"),
        (#"{"action":"ignore","until":"2027-02-29"}"#, "the field “until” must be a day"),
        (#"{"action":"ignore","until":1796083200000}"#, "the field “until” must be a string"),
        (#"{"action":"ignore","untill":"2026-12-01"}"#, #"unknown field "untill";"#),
        (#"{"action":"ignore","reports":0}"#, "the field “reports” must be a whole number from 1"),
        (#"{"action":"ignore","reports":1.5}"#, "the field “reports” must be a whole number from 1"),
        (#"{"action":"ignore","reports":1e30}"#, "the field “reports” must be a whole number from 1"),
        (#"{"action":"ignore","reports":"3"}"#, "the field “reports” must be a whole number"),
        (
            #"{"action":"reopen","until":"2026-12-01"}"#,
            "the field “until” does not go with the action “reopen”"
        ),
        (#"{"action":"note","note":" \n\t"}"#, "the field “note” is empty"),
        (#"{"action":"note"}"#, "the field “note” is empty"),
        (#"{"action":"note","note":"a\u0000b"}"#, "the field “note” has a control character"),
        (#"{"action":"note","note":"a\u001bb"}"#, "the field “note” has a control character"),
        (#"{"action":"note","note":"a\r"}"#, "the field “note” has a control character"),
        (#"{"action":"reopen","note":"\u000b"}"#, "the field “note” has a control character"),
        (
            #"{"action":"note","note":"\#(String(repeating: "é", count: 1001))"}"#,
            "the field “note” is 2002 bytes, the limit is 2000"
        ),
        (#"{"action":"reopen"} x"#, "not JSON"),
    ])
    func `the error about an invalid decision in JSON names the field`(json: String, words: String) throws {
        let problem = #expect(throws: Problem.self) { try decision(json) }
        #expect(problem?.status == .badRequest)
        #expect(problem?.detail.contains(words) == true, "\(problem?.detail ?? "")")
    }

    @Test(arguments: [
        ("do=resolve-in&in=", "version is empty"), ("do=ignore-until", "date is empty"),
        ("do=ignore-reports&reports=many", "number of reports is missing"),
        ("do=ignore-until&until=tomorrow", "the field “until” must be a day"),
        ("do=resolve-now&newest=%00", "load the leak's page again"),
        ("do=resolve-now&newest=5&newest-build=%00", "load the leak's page again"),
        ("do=close", "load the leak's page again"), ("in=5&until=2026-12-01", "press the button"),
        ("", "the field “note” is empty"), ("do=note&note=+", "the field “note” is empty"),
    ])
    func `the error about an invalid form of a decision says what to do`(form: String, words: String) throws {
        let problem = #expect(throws: Problem.self) { try decision(form: form) }
        #expect(problem?.detail.contains(words) == true, "\(problem?.detail ?? "")")
    }

    @Test func `a note of 2,000 bytes is accepted unchanged`() throws {
        let note = "x<script>\"onload=]]>\u{202E}\t" + String(repeating: "é", count: 988)
        #expect(note.utf8.count == 2000)
        #expect(try decision(form: "do=note&note=\(PercentEncoder.encode(note))").note == note)
    }
}
