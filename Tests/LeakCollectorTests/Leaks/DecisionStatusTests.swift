import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

private func text(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

/// Returns the visible text of an element, without the times and classes in its attributes.
private func words(_ html: HTML) throws -> String {
    try Markup(html.bytes).texts.filter { !$0.hasSuffix("Z") && $0 != "decision-status" }.joined()
        .replacing("\u{A0}", with: " ")
}

@Suite struct DecisionStatusTests {
    private static let hour = Shop.hour

    private static func decisionStatus(
        _ action: PastDecision.Action, reports: Int = 0, back: String? = nil, build: String? = nil
    ) -> DecisionStatus {
        DecisionStatus(
            decision: PastDecision(action, note: nil, by: "Ann", at: Shop.now - 73 * hour),
            reportsSince: reports,
            regressedIn: back, regressedInBuild: build)
    }

    @Test(
        arguments: [
            (
                decisionStatus(.resolved(version: "5.2.0", isAfter: false)),
                "Resolved by Ann, 3 days ago, in 5.2.0"
            ),
            (
                decisionStatus(.resolved(version: "5.2.0", isAfter: true)),
                "Resolved by Ann, 3 days ago, in the next version after 5.2.0"
            ),
            (
                decisionStatus(.resolved(version: "5.0.0", isAfter: false), reports: 1, back: "5.2.0"),
                "Resolved by Ann, 3 days ago, in 5.0.0; seen again in 5.2.0 (1 report since)"
            ),
            (
                decisionStatus(
                    .resolved(version: "5.2.0", build: "812", isAfter: false), reports: 1, back: "5.2.0",
                    build: "813"),
                "Resolved by Ann, 3 days ago, in 5.2.0 (812); seen again in 5.2.0 (813) (1 report since)"
            ),
            (decisionStatus(.ignored(nil)), "Ignored forever by Ann, 3 days ago"),
            (
                decisionStatus(.ignored(.until(milliseconds: 1_796_083_200_000))),
                "Ignored until 1 Dec 2026 by Ann, 3 days ago"
            ),
            (
                decisionStatus(.ignored(.until(milliseconds: 1_796_083_200_000 - 1_800_000))),
                "Ignored until 30 Nov 2026, 23:30 UTC by Ann, 3 days ago"
            ),
            (
                decisionStatus(.ignored(.until(milliseconds: Shop.now))),
                "Was ignored until 20 Nov 2026, 12:00 UTC by Ann, 3 days ago"
            ),
            (
                decisionStatus(.ignored(.nextReports(100)), reports: 37),
                "Ignored until 100 more reports (37 so far) by Ann, 3 days ago"
            ),
            (
                decisionStatus(.ignored(.nextReports(1)), reports: 2),
                "Was ignored until 1 more report (2 so far) by Ann, 3 days ago"
            ),
        ])
    func `a sentence describes the decision in force`(decisionStatus: DecisionStatus, sentence: String) throws
    {
        #expect(
            try words(DecisionStatusLine(context: Shop.context(), decisionStatus: decisionStatus).html)
                == sentence)
    }

    private static let withoutChecks: (version: String, reports: Int, checks: Int) = ("5.4.0", 0, 0)

    /// The list, the page and the Markdown describe the same evidence in different words.
    @Test(
        arguments: [
            (
                [], nil, "Resolved|not proven yet: 0 of 207 dismissals needed, all without this leak",
                "Resolved by Ann, 3 days ago, in 5.4.0. Not proven yet: 0 of 207 dismissals needed, all without this leak",
                "resolved, not proven yet: 0 of 207 dismissals needed, all without this leak"
            ),
            (
                [("5.4.0", 0, 120)], nil,
                "Resolved|not proven yet: 120 of 207 dismissals needed, all without this leak",
                "Resolved by Ann, 3 days ago, in 5.4.0. Not proven yet: 120 of 207 dismissals needed, all without this leak",
                "resolved, not proven yet: 120 of 207 dismissals needed, all without this leak"
            ),
            (
                [("5.4.0", 0, 120), ("5.4.1", 0, 4_692)], nil,
                "Fixed in 5.4.0|14.4 % → 0 of 4,812 dismissals (rate below 0.06 %, 95 % confidence)",
                """
                Resolved by Ann, 3 days ago, in 5.4.0. Fixed: 14.4 % → 0 of 4,812 dismissals (rate below 0.06 %, 95 % confidence)
                """, "fixed in `5.4.0`: 14.4 % → 0 of 4,812 dismissals (rate below 0.06 %, 95 % confidence)"
            ),
            (
                [("5.4.0", 0, 207)], nil,
                "Fixed in 5.4.0|14.4 % → 0 of 207 dismissals (rate below 1.4 %, 95 % confidence)",
                "Resolved by Ann, 3 days ago, in 5.4.0. Fixed: 14.4 % → 0 of 207 dismissals (rate below 1.4 %, 95 % confidence)",
                "fixed in `5.4.0`: 14.4 % → 0 of 207 dismissals (rate below 1.4 %, 95 % confidence)"
            ),
            (
                [("5.4.0", 96, 4_812)], "5.4.0",
                "Half fixed; seen again in 5.4.0|14.4 % → 2.0 % (96 of 4,812 dismissals)",
                """
                Resolved by Ann, 3 days ago, in 5.4.0; seen again in 5.4.0 (9 reports since). \
                Half fixed: 14.4 % → 2.0 % (96 of 4,812 dismissals)
                """, "half fixed, seen again in `5.4.0`: 14.4 % → 2.0 % (96 of 4,812 dismissals)"
            ),
            (
                [("5.4.0", 0, 4_812), ("5.5.0", 9, 300)], "5.5.0",
                "Regressed in 5.5.0|14.4 % → 3.0 % (9 of 300 dismissals)",
                """
                Resolved by Ann, 3 days ago, in 5.4.0; seen again in 5.5.0 (9 reports since). \
                Regressed: 14.4 % → 3.0 % (9 of 300 dismissals)
                """, "regressed in `5.5.0`: 14.4 % → 3.0 % (9 of 300 dismissals)"
            ),
            (
                [withoutChecks], "5.4.0", "Regressed in 5.4.0",
                "Resolved by Ann, 3 days ago, in 5.4.0; seen again in 5.4.0 (9 reports since)",
                "regressed in `5.4.0`"
            ),
        ] as [([(version: String, reports: Int, checks: Int)], String?, String, String, String)])
    func `the evidence for a fix is shown with its numbers`(
        versions: [(version: String, reports: Int, checks: Int)], back: String?, badge: String,
        sentence: String,
        markdown: String
    ) throws {
        var detail = Shop.detail
        detail.row.state = back == nil ? .resolved : .regressed
        let status = Self.decisionStatus(
            .resolved(version: "5.4.0", isAfter: false), reports: back == nil ? 0 : 9, back: back)
        (detail.row.decisionStatus, detail.row.fix) = (status, Shop.fixStatus(versions, regressedIn: back))
        let texts = try Markup(StateBadge(row: detail.row).html.bytes).texts
            .filter { !$0.hasPrefix("badge") }.joined(separator: "|").replacing("\u{A0}", with: " ")
        #expect(texts == badge)
        let line = DecisionStatusLine(
            context: Shop.context(), decisionStatus: status, fix: FixStatusText(row: detail.row))
        #expect(try words(line.html) == sentence)
        let text = LeakMarkdown(detail: detail, address: "https://leaks.example.com/leaks/1").text
        #expect(text.contains("- **State:** \(markdown)\n"))
    }

    /// Pages replace these characters too. Without the character that ends its effect, such a character would reverse the
    /// direction of the rest of the ticket.
    @Test(arguments: ["\u{202E}", "\u{202A}", "\u{2066}", "\u{2069}", "\u{200F}", "\u{61C}"])
    func `the Markdown of a leak has no character that changes the direction of text`(control: String) {
        var detail = Shop.detail
        detail.systems = [LeakDetail.ValueCount(value: "iOS\(control)81", reports: 1)]
        let text = LeakMarkdown(detail: detail, address: "https://leaks.example.com/leaks/1").text
        #expect(text.contains("`iOS\u{FFFD}81`"))
        #expect(LeakMarkdown.codeBlock(["a\(control)b"]) == ["```", "a\u{FFFD}b", "```"])
    }

    @Test func `without checks the evidence says that the fix cannot be proven`() throws {
        var row = Shop.resolved
        row.fix = FixCounts().status(regressedIn: nil)
        let evidence = try #require(FixStatusText(row: row)?.evidence)
        #expect(
            evidence == "not seen since; the rate before the fix is unknown, so the fix cannot be proven")
    }

    @Test
    func `the history of a leak lists the steps of a fix, such as fixed and regressed, below its decision`()
        throws
    {
        let texts = try Markup(SamplePage.regressed.html.bytes).texts.map {
            $0.replacing("\u{A0}", with: " ")
        }
        let steps = [
            "5.2.0, seen again on 18 Nov 2026: regressed: 14.4 % → 4.1 % (37 of 900 dismissals)",
            "5.1.0, in use since 3 Nov 2026: fixed: 14.4 % → 0 of 1,204 dismissals (rate below 0.25 %, 95 % confidence)",
        ]
        let start = try #require(texts.firstIndex(of: "weak self in onPaid"))
        #expect(Array(texts[(start + 2)...].prefix(2)) == steps)
    }

    @Test(
        arguments: [
            (.open, ["resolve-next"]), (.slow, ["resolve-next"]), (.known, ["resolve-next"]),
            (.resolved, ["reopen"]), (.ignored, ["reopen", "resolve-next"]),
            (.regressed, ["resolve-next", "reopen"]),
        ] as [(LeakState, [String])])
    func `the buttons on the page of a leak depend on the state of the leak`(
        state: LeakState, first: [String]
    ) throws {
        var row = Shop.checkout
        row.state = state
        let texts = try Markup(TriageForm(context: Shop.context(), row: row).html.bytes).texts
        let buttons = zip(texts, texts.dropFirst()).filter { $0.0 == "do" }.map(\.1)
        #expect(
            buttons
                == first + ["ignore", "ignore-until", "ignore-reports", "resolve-now", "resolve-in", "note"])
        #expect(texts.contains("Resolve in 5.2.0"))
        let next = "Resolve in next version (after 5.2.0)"
        #expect(texts.contains(next) == first.contains("resolve-next"))
    }

    @Test func `the button for the next version names no version if the last version is not a number`()
        throws
    {
        var row = Shop.checkout
        row.lastVersion = "nightly"
        let texts = try Markup(TriageForm(context: Shop.context(), row: row).html.bytes).texts
        #expect(texts.contains("Resolve in next version") && texts.contains("Resolve in nightly"))
    }

    @Test(arguments: [("5.3.0", "5.3.0"), ("5.1.9", "5.1.9"), (nil, "5.2.0")] as [(String?, String)])
    func `the form offers to resolve a leak in the app's current release`(
        newest: String?, version: String
    ) throws {
        let form = TriageForm(context: Shop.context(), row: Shop.checkout, currentRelease: newest)
        #expect(try Markup(form.html.bytes).texts.contains("Resolve in \(version)"))
    }

    @Test func `the form offers to resolve a leak in the newest build of the current release`() throws {
        let form = TriageForm(
            context: Shop.context(), row: Shop.checkout, currentRelease: "5.3.0", currentBuild: "901")
        #expect(try Markup(form.html.bytes).texts.contains("Resolve in 5.3.0 (901)"))
        let html = text(form.html)
        #expect(html.contains(#"<input type="hidden" name="newest-build" value="901">"#))
        #expect(html.contains(#"placeholder="5.3.0 (901)""#))
    }

    /// If Enter is pressed in a field, the browser presses the first button of the form.
    @Test func `the first button of the decision form, which Enter presses, is hidden and sends no decision`()
        throws
    {
        let html = text(TriageForm(context: Shop.context(), row: Shop.checkout).html)
        let first = try #require(html.firstRange(of: "<button"))
        #expect(
            html[first.lowerBound...].hasPrefix(#"<button class="hidden" tabindex="-1" aria-hidden="true">"#))
    }

    @Test func `an export has no forms for decisions`() throws {
        let markup = try Markup(SamplePage.exportedLeak.html.bytes)
        #expect(!markup.shape.contains("form") && !markup.shape.contains("textarea"))
        #expect(!markup.links.contains { $0.contains("decisions") })
        #expect(markup.texts.contains("History"))
    }

    @Test func `a long history is collapsed except for its newest entries`() throws {
        let history = (0..<200).map { PastDecision(.noted, note: "note \($0)", by: "Ann", at: Int64(-$0)) }
        let html = text(HistoryCard(context: Shop.context(), history: history).html)
        let fold = try #require(html.firstRange(of: "<details>"))
        #expect(html[..<fold.lowerBound].contains("note 4<") && html[fold.upperBound...].contains("note 5<"))
        #expect(html.contains("195 older") && html.contains("note 199<"))
        // The history is full, so the store may have deleted older entries.
        let words = "Only the last 200 entries are kept"
        #expect(html.contains(words))
        let shorter = HistoryCard(context: Shop.context(), history: Array(history.dropLast()))
        #expect(!text(shorter.html).contains(words))
    }

    @Test func `the chart of the last hours ends with the current hour`() {
        let now = Int64(1000) * Shop.hour + 5
        let trend = Trend(
            step: .hour, from: 990,
            versions: [
                Trend.Series(version: "2", counts: (0..<24).map { $0 }),
                Trend.Series(version: "1", counts: [5, 5] + [Int](repeating: 0, count: 22)),
            ])
        let last = trend.lastHours(4, now: now)
        #expect(
            last
                == Trend(
                    step: .hour, from: 997, versions: [Trend.Series(version: "2", counts: [7, 8, 9, 10])]))
        #expect(trend.lastHours(12, now: now).versions.map(\.counts.count) == [12, 12])
    }

    @Test func `the times after which objects were freed are shown as ranges`() throws {
        let html = LifetimeCard(ranges: Shop.regressedDetail.lived).html
        let texts = try Markup(html.bytes).texts.map { $0.replacing("\u{A0}", with: " ") }
        for words in ["less than 1.0 s", "1.0 s – 5.0 s", "5.0 s – 60 s", "60 s or more"] {
            #expect(texts.contains(words), "\(words)")
        }
    }
}
