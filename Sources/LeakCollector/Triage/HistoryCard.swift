import LeakStore

/// Decisions about a leak, with their authors and times.
struct HistoryCard: Component {
    var context: PageContext
    /// Decisions and comments, newest first.
    var history: [PastDecision]
    /// The decision that is in force, and the evidence of later versions for its fix. These steps follow from the counts of versions, and
    /// are not stored as entries.
    var fix: (decision: PastDecision, text: FixStatusText)?

    /// Anchor of the card, for links and scripts.
    static let anchor = "history"

    /// Maximum number of entries outside the closed section.
    private static let maxOpenEntries = 5

    var html: HTML {
        let older = history.dropFirst(Self.maxOpenEntries)
        let collapsed: HTML? =
            older.isEmpty
            ? nil
            : "<details><summary>\(Count(older.count)) older</summary>\(list(older))</details>"
        return Card(
            "History", "\(list(history.prefix(Self.maxOpenEntries)))\(collapsed)\(truncationNote)",
            id: Self.anchor
        )
        .html
    }

    /// Note that older entries may be missing. Without it, the oldest entry would seem to be the first one.
    private var truncationNote: HTML? {
        history.count < Decision.perLeak
            ? nil
            : #"<p class="dim">Only the last \#(Count(Decision.perLeak)) entries are kept.</p>"#
    }

    private func list(_ decisions: ArraySlice<PastDecision>) -> HTML {
        #"<ol class="history">\#(decisions.map(entry))</ol>"#
    }

    private func entry(_ decision: PastDecision) -> HTML {
        let note: HTML? = decision.note.map { #"<p class="words" dir="auto">\#($0)</p>"# }
        return """
            <li><p><strong>\(AuthorText(name: decision.by))</strong> \(DecisionText(action: decision.action)) · \
            \(context.relativeTime(decision.at))</p>\(note)\(steps(after: decision))</li>
            """
    }

    private func steps(after decision: PastDecision) -> HTML? {
        guard let fix, fix.decision == decision, !fix.text.steps.isEmpty else { return nil }
        let items = fix.text.steps.map { "<li>\(IsolatedText($0.version)): \($0.evidence)</li>" as HTML }
        return #"<ul class="plain steps">\#(items)</ul>"#
    }
}
