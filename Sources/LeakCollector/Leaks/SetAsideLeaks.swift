import LeakStore

/// The leaks that are set aside: a table of known system leaks, and links to resolved and ignored leaks.
struct SetAsideLeaks: Component {
    var context: PageContext
    var page: LeakPage
    /// The first known leaks that are not in ``page``.
    var knownLeaks: [LeakRow]

    var html: HTML { "\(knownLeaksSection)\(decidedLeaksNote)" }

    /// The known system leaks, in a closed section because they cannot be fixed.
    private var knownLeaksSection: HTML? {
        guard !knownLeaks.isEmpty else { return nil }
        let all: HTML? =
            knownLeaks.count < page.known.leaks
            ? #"<nav class="pages"><a href="\#(listAddress(.known))">All known system leaks</a></nav>"#
            : nil
        let table = LeakTable(
            context: context, leaks: knownLeaks, caption: "Known system leaks", isSorted: false)
        return #"""
            <details class="set-aside"><summary>\#(Count(page.known.leaks).of("known system leak", "known system leaks")), \#
            \#(Count(page.known.reports).of("report", "reports"))</summary>
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
