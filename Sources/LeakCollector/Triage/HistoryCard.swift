import LeakStore

/// Decisions about a leak, with their authors and times.
struct HistoryCard: Component {
    var context: PageContext
    /// Decisions and comments, newest first.
    var history: [PastDecision]
    /// The evidence for the fixes of resolve decisions, by index in ``history``. The steps of a fix are computed from the
    /// counts of versions; ``history`` has no entries for them.
    var fixes: [Int: FixStatusText] = [:]

    /// Anchor of the card, for links and scripts.
    static let anchor = "history"

    /// Maximum number of entries that are shown at once. Older entries are in a collapsed section.
    private static let maxOpenEntries = 5

    var html: HTML {
        let entries = history.enumerated().map(entry)
        let older = entries.dropFirst(Self.maxOpenEntries)
        let collapsed: HTML? =
            older.isEmpty
            ? nil
            : "<details><summary>\(Count(older.count)) older</summary>\(listElement(older))</details>"
        return Card(
            "History", "\(listElement(entries.prefix(Self.maxOpenEntries)))\(collapsed)\(truncationNote)",
            id: Self.anchor
        )
        .html
    }

    /// Note that older entries may be missing. Without the note, the oldest entry would seem to be the first entry.
    private var truncationNote: HTML? {
        history.count < Decision.maxPerLeak
            ? nil
            : #"<p class="dim">Only the last \#(Count(Decision.maxPerLeak)) entries are kept.</p>"#
    }

    private func listElement(_ entries: ArraySlice<HTML>) -> HTML {
        #"<ol class="history">\#(Array(entries))</ol>"#
    }

    private func entry(_ index: Int, _ decision: PastDecision) -> HTML {
        let note: HTML? = decision.note.map { #"<p class="words" dir="auto">\#($0)</p>"# }
        return """
            <li><p><strong>\(AuthorText(name: decision.by))</strong> \(DecisionText(action: decision.action)) · \
            \(context.relativeTime(decision.at))</p>\(note)\(fixes[index].flatMap(steps))</li>
            """
    }

    private func steps(of fix: FixStatusText) -> HTML? {
        guard !fix.steps.isEmpty else { return nil }
        let items = fix.steps.map {
            "<li>\(IsolatedText($0.version)), \($0.date): \($0.evidence)</li>" as HTML
        }
        return #"<ul class="plain steps">\#(items)</ul>"#
    }
}
