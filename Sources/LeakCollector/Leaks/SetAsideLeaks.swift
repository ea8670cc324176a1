import LeakStore

/// The leaks that are set aside: tables of the leaks that are freed late and of known system leaks, and links to resolved
/// and ignored leaks.
struct SetAsideLeaks: Component {
    var context: PageContext
    var page: LeakPage
    /// The first leaks that are freed late, and the first known leaks, which are not in ``page``.
    var freedLateLeaks: [LeakRow]
    var knownLeaks: [LeakRow]

    var html: HTML { "\(freedLateSection)\(knownLeaksSection)\(decidedLeaksNote)" }

    private var freedLateSection: HTML? {
        section(
            freedLateLeaks, of: page.slow, .slow, one: "leak freed late", many: "leaks freed late",
            caption: "Leaks freed late: nearly all reported objects were freed a little later")
    }

    private var knownLeaksSection: HTML? {
        section(
            knownLeaks, of: page.known, .known, one: "known system leak", many: "known system leaks",
            caption: "Known system leaks")
    }

    /// Returns a table in a closed section, because its leaks need no fix; `nil` without leaks.
    private func section(
        _ leaks: [LeakRow], of totals: LeakTotals, _ state: LeakQuery.StateFilter, one: String, many: String,
        caption: String
    ) -> HTML? {
        guard !leaks.isEmpty else { return nil }
        let all: HTML? =
            leaks.count < totals.leaks
            ? #"<nav class="pages"><a href="\#(listAddress(state))">All \#(many)</a></nav>"# : nil
        let table = LeakTable(context: context, leaks: leaks, caption: caption, isSorted: false)
        return #"""
            <details class="set-aside"><summary>\#(Count(totals.leaks).of(one, many)), \#
            \#(Count(totals.reports).of("report", "reports"))</summary>
            \#(table)\#(all)</details>
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
        let leaks = Count(totals.leaks).of(one, many)
        return
            #"<a href="\#(listAddress(state))">\#(leaks)</a>, \#(Count(totals.reports).of("report", "reports"))"#
    }

    private func listAddress(_ state: LeakQuery.StateFilter) -> String {
        context.links.isServed
            ? context.summary { $0.state = state }
            : context.links.to(.list(app: context.query.scope, state: state, page: 1))
    }
}
