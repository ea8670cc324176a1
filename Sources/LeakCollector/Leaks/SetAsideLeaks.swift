import LeakStore

/// The leaks that are set aside: tables of resolved leaks that are still seen, of leaks that are freed late and of known system
/// leaks, and links to resolved and ignored leaks.
struct SetAsideLeaks: Component {
    var context: PageContext
    var page: LeakPage
    /// The first resolved leaks that are still seen. They are not in ``page``.
    var resolvedSeenLeaks: [LeakRow]
    /// The first leaks that are freed late. They are not in ``page``.
    var freedLateLeaks: [LeakRow]
    /// The first known leaks. They are not in ``page``.
    var knownLeaks: [LeakRow]

    var html: HTML {
        "\(resolvedSeenSection)\(freedLateSection)\(knownLeaksSection)\(decidedLeaksNote)"
    }

    private var resolvedSeenSection: HTML? {
        let query = context.query.ofResolvedSeen
        return section(
            resolvedSeenLeaks, of: page.resolvedSeen, query, one: "leak resolved, still seen in old versions",
            many: "leaks resolved, still seen in old versions",
            during: " in the last \(query.period?.displayName ?? "")",
            note: """
                <p class="dim">These reports were sent since the leaks were resolved, and come from versions without the fix. \
                If a version with the fix reports the leak, its state becomes <em>regressed</em>.</p>
                """,
            caption: "Resolved leaks that are still seen in old versions",
            // An export has no list that is restricted to a period.
            all: context.links.isServed ? "All leaks resolved, still seen" : "All resolved leaks",
            isOpen: page.leaks.isEmpty)
    }

    private var freedLateSection: HTML? {
        section(
            freedLateLeaks, of: page.slow, query(.slow), one: "leak freed late", many: "leaks freed late",
            caption: "Leaks freed late: nearly all reported objects were freed a little later")
    }

    private var knownLeaksSection: HTML? {
        section(
            knownLeaks, of: page.known, query(.known), one: "known system leak", many: "known system leaks",
            caption: "Known system leaks")
    }

    /// Returns a section with a table of leaks; `nil` without leaks.
    ///
    /// - Parameters:
    ///   - all: text of the link to all leaks; `nil` for `All` and `many`.
    ///   - isOpen: true to show the table at once, and not only after a click on the title of the section.
    private func section(
        _ leaks: [LeakRow], of totals: LeakTotals, _ query: LeakQuery, one: String, many: String,
        during period: HTML? = nil, note: HTML? = nil, caption: String, all: HTML? = nil,
        isOpen: Bool = false
    ) -> HTML? {
        guard !leaks.isEmpty else { return nil }
        let allLink: HTML? =
            leaks.count < totals.leaks
            ? #"<nav class="pages"><a href="\#(listAddress(query))">\#(all ?? "All \(many)")</a></nav>"# : nil
        let table = LeakTable(context: context, leaks: leaks, caption: caption, isSorted: false)
        return #"""
            <details class="set-aside"\#(isOpen ? " open" : "")><summary>\#(Count(totals.leaks).text(noun: one, plural: many)), \#
            \#(Count(totals.reports).text(noun: "report", plural: "reports"))\#(period)</summary>
            \#(note)\#(table)\#(allLink)</details>
            """#
    }

    /// Links to the resolved and the ignored leaks.
    private var decidedLeaksNote: HTML? {
        let parts = [
            link(to: .resolved, totals: page.resolved, one: "resolved leak", many: "resolved leaks"),
            link(to: .ignored, totals: page.ignored, one: "ignored leak", many: "ignored leaks"),
        ].compactMap { $0 }
        return parts.isEmpty ? nil : #"<p class="set-aside">Hidden: \#(HTML(parts, separator: " · "))</p>"#
    }

    private func link(
        to state: LeakQuery.StateFilter, totals: LeakTotals, one: String, many: String
    ) -> HTML? {
        guard totals.leaks > 0 else { return nil }
        let leaks = Count(totals.leaks).text(noun: one, plural: many)
        return
            #"<a href="\#(listAddress(query(state)))">\#(leaks)</a>, \#(Count(totals.reports).text(noun: "report", plural: "reports"))"#
    }

    /// Returns the query for the leaks in a state, with the other filters of this list.
    private func query(_ state: LeakQuery.StateFilter) -> LeakQuery {
        var query = context.query
        query.state = state
        return query
    }

    private func listAddress(_ query: LeakQuery) -> String {
        context.links.isServed
            ? context.summaryLink { ($0.state, $0.period) = (query.state, query.period) }
            : context.links.to(.list(app: query.scope, state: query.state, page: 1))
    }
}
