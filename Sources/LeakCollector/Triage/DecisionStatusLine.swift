import LeakStore

/// The most recent decision about a leak and its effect, in a sentence.
struct DecisionStatusLine: Component {
    var context: PageContext
    var decisionStatus: DecisionStatus
    /// The evidence for the fix of a resolved leak.
    var fix: FixStatusText?

    private var decision: PastDecision { decisionStatus.decision }

    var html: HTML {
        #"<p class="decision-status">\#(sentence)</p>"#
    }

    private var sentence: HTML {
        switch decision.action {
        case .resolved(let version, let build, let isAfter):
            let fix = FixText(version: version, build: build, isAfter: isAfter)
            guard let back = decisionStatus.backIn else { return "Resolved by \(author), \(fix)\(evidence)" }
            return """
                Resolved by \(author), \(fix); seen again in \
                \(IsolatedText(back)) (\(Count(decisionStatus.reportsSince).text(noun: "report", plural: "reports")) since)\(evidence)
                """
        case .ignored(nil): return "Ignored forever by \(author)"
        case .ignored(let limit?):
            let hasEnded = decisionStatus.state(now: context.now) == nil
            let verb: HTML = hasEnded ? "Was ignored" : "Ignored"
            return "\(verb) until \(LimitText(limit: limit))\(reportsSoFar(limit)) by \(author)"
        // These actions give a leak no decision status.
        case .reopened, .noted: return "\(author)"
        }
    }

    private var evidence: HTML? {
        fix?.evidence.map { ". <strong>\($0.prefix(1).uppercased() + $0.dropFirst())</strong>" }
    }

    private func reportsSoFar(_ limit: Decision.IgnoreLimit) -> HTML {
        guard case .nextReports = limit else { return "" }
        return " (\(Count(decisionStatus.reportsSince)) so far)"
    }

    private var author: HTML {
        "\(AuthorText(name: decision.by)), \(context.relativeTime(decision.at))"
    }
}
