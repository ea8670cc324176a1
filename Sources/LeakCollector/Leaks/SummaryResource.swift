internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The list of leaks. The page has the overview above the list.
struct SummaryResource: JSONResource, PageResource {
    static let permission = Permission.read
    static let (jsonPath, pagePath) = ("/leaks", "/")
    static let jsonParameters = LeakQuery.parameterNames

    let query: LeakQuery

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        query = try LeakQuery.read(from: request)
    }

    init(_ query: LeakQuery) { self.query = query }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let page = try view.reader.leaks(query, now: view.now)
        writer.fields(of: page)
    }

    func page(from view: StoreView) throws -> HTML {
        let context = try view.context(query)
        let overview = try OverviewResource.overview(app: query.scope, query.period, from: view)
        if context.environments.isEmpty, query == LeakQuery() {
            return FirstReportPage(context: context, address: view.address).html
        }
        let page = try view.reader.leaks(query, now: view.now)
        return SummaryPage(
            context: context, overview: overview, page: page,
            resolvedSeenLeaks: try Self.setAsideLeaks(
                .resolved, totals: page.resolvedSeen, of: query, from: view),
            freedLateLeaks: try Self.setAsideLeaks(.slow, totals: page.slow, of: query, from: view),
            knownLeaks: try Self.setAsideLeaks(.known, totals: page.known, of: query, from: view),
            apps: try OverviewResource.overviews(app: query.scope, of: context.apps, query.period, from: view)
        ).html
    }

    /// Maximum number of leaks of one state that are shown below the first page of a list of leaks to fix.
    static let maxSetAsideLeaks = 20

    /// Returns the first leaks of a state that the list leaves out; none after the first page.
    ///
    /// - Parameter totals: the totals of the leaks in the state.
    static func setAsideLeaks(
        _ state: LeakQuery.StateFilter, totals: LeakTotals, of query: LeakQuery, from view: StoreView
    ) throws -> [LeakRow] {
        guard totals.leaks > 0, query.cursor == nil else { return [] }
        var query = state == .resolved ? query.ofResolvedSeen : query
        query.state = state
        query.limit = maxSetAsideLeaks
        return try view.reader.leaks(query, now: view.now).leaks
    }
}

/// The summary page, `/`: the filters, the overview, and the list of leaks.
struct SummaryPage: Component {
    var context: PageContext
    var overview: Overview
    var page: LeakPage
    /// The first resolved leaks that are still seen. They are not in ``page``.
    var resolvedSeenLeaks: [LeakRow] = []
    /// The first leaks that are freed late. They are not in ``page``.
    var freedLateLeaks: [LeakRow] = []
    /// The first known leaks. They are not in ``page``.
    var knownLeaks: [LeakRow] = []
    /// The overview of each app, if all apps are shown and there are several.
    var apps: [AppOverview] = []
    /// Number of this page in an exported list, from 1; `nil` on a server, which pages the list by cursor.
    var exportedPageNumber: Int?

    var html: HTML {
        PageLayout(
            title: context.query.app.map { "Leaks · \($0)" } ?? "Leaks", section: .summary, context: context,
            isLive: true,
            main: #"""
                <h1 class="hidden">Leaks of \#(IsolatedText(context.query.app ?? "all apps"))</h1>
                \#(FilterForm(context: context))
                \#(OverviewTiles(context: context, overview: overview, apps: apps))
                \#(list)\#(setAsideLeaks)
                """#,
            footer: footer
        ).html
    }

    private var list: HTML {
        guard page.leaks.isEmpty else {
            return "\(LeakTable(context: context, leaks: page.leaks))\(pageLinks)"
        }
        if context.query.cursor != nil {
            return #"""
                <div class="card empty"><h2>No more leaks</h2>
                <p><a href="\#(context.summaryLink { _ in })">Back to the first page</a></p></div>
                """#
        }
        if context.query.hasFilters {
            return #"""
                <div class="card empty"><h2>No matches</h2>
                <p>No leak matches these filters. Without filters, there \#(overview.leaks == 1 ? "is" : "are") \#
                \#(Count(overview.leaks).text(noun: "leak", plural: "leaks")). \#
                <a href="\#(context.summaryLink { $0 = $0.withoutFilters })">Clear filters</a></p></div>
                """#
        }
        guard overview.leaks > 0 || !declineNotes.isEmpty else {
            if let app = context.query.app, overview.overLimit.contains(where: { $0.limit == .apps }) {
                return #"""
                    <div class="card empty"><h2>No leaks of \#(IsolatedText(app))</h2>
                    <p>An ingest key has reached its limit of apps. Reports of new apps count as the app \#
                    <a href="\#(context.links.to(.summary(app: overLimitScope)))">\#(StoreLimits.other)</a>.</p></div>
                    """#
            }
            return #"""
                <div class="card empty"><h2>No leaks yet</h2>
                <p>Reports of \#(IsolatedText(context.query.app ?? "any app")) appear here as soon as they arrive.</p></div>
                """#
        }
        return nothingToFix
    }

    /// The app in which reports beyond the limit of apps count.
    private var overLimitScope: AppScope {
        AppScope(StoreLimits.other, environment: context.query.environment)
    }

    private var setAsideLeaks: SetAsideLeaks {
        SetAsideLeaks(
            context: context, page: page, resolvedSeenLeaks: resolvedSeenLeaks,
            freedLateLeaks: freedLateLeaks,
            knownLeaks: knownLeaks)
    }

    /// The text of a list without leaks to fix. Leaks may still be seen after decisions about them, so the text also names
    /// resolved leaks with new reports, and a fall of the share of leak-free sessions.
    private var nothingToFix: HTML {
        guard overview.leaks > 0 else {
            return #"""
                <div class="card empty"><h2>No leak is reported, but sessions leak</h2>
                <p>Sessions count leaks that no report describes. Are reports lost, or turned off in the app?</p>\#(declineNotes)</div>
                """#
        }
        let all: HTML = "All leaks are resolved, ignored, freed late or known system leaks."
        guard page.resolvedSeen.leaks > 0 || !declineNotes.isEmpty else {
            return #"<div class="card empty"><h2>Nothing left to fix</h2><p>\#(all)</p></div>"#
        }
        let seen: HTML? =
            page.resolvedSeen.leaks == 0
            ? nil
            : """
            <p>\(Count(page.resolvedSeen.leaks).text(noun: "leak is", plural: "leaks are")) still seen after \
            \(page.resolvedSeen.leaks == 1 ? "it was" : "they were") resolved: \
            \(Count(page.resolvedSeen.reports).text(noun: "report", plural: "reports")) in the last \
            \(context.query.ofResolvedSeen.period?.displayName ?? "").</p>
            """
        return #"""
            <div class="card empty"><h2>No open leaks, but leaks are still seen</h2><p>\#(all)</p>\#(seen)\#(declineNotes)</div>
            """#
    }

    /// Sentences about the apps whose share of leak-free sessions is lower in the current release than in the previous one.
    private var declineNotes: [HTML] {
        apps.isEmpty
            ? [declineNote(overview, of: nil)].compactMap(\.self)
            : apps.compactMap { declineNote($0.overview, of: apps.count > 1 ? $0.app : nil) }
    }

    private func declineNote(_ overview: Overview, of app: String?) -> HTML? {
        guard let current = overview.currentRelease, let previous = overview.previousRelease,
            let now = current.leakFreeSessions,
            let before = previous.leakFreeSessions, SessionsChange.tenths(from: before, to: now) < 0,
            let nowText = current.leakFreePercentage, let beforeText = previous.leakFreePercentage
        else { return nil }
        let subject: HTML? = app.map { " of \(IsolatedText($0))" }
        return """
            <p>Leak-free sessions\(subject) fell from \(beforeText) in \(IsolatedText(previous.version)) to \(nowText) in \
            \(IsolatedText(current.version)).</p>
            """
    }

    private var pageLinks: HTML? {
        if let exportedPageNumber { return exportedPageLinks(around: exportedPageNumber) }
        guard context.links.isServed, page.next != nil || context.query.cursor != nil else { return nil }
        let first: HTML =
            context.query.cursor == nil ? "" : #"<a href="\#(context.summaryLink { _ in })">First page</a>"#
        let following: HTML? = page.next.map { cursor in
            #"<a rel="next" href="\#(context.summaryLink { $0.cursor = cursor })">Next page</a>"#
        }
        return #"<nav class="pages" aria-label="More leaks">\#(first)\#(following)</nav>"#
    }

    private var listTarget: LinkTarget {
        exportedPageNumber.map(exportedTarget) ?? .summary(context.query)
    }

    /// Returns the link target of a page of the exported list, by its number.
    private func exportedTarget(_ number: Int) -> LinkTarget {
        let query = context.query
        return number == 1 && query.state == .toFix
            ? .summary(app: query.scope) : .list(app: query.scope, state: query.state, page: number)
    }

    private func exportedPageLinks(around number: Int) -> HTML? {
        guard page.next != nil || number > 1 else { return nil }
        let links = context.links
        let first: HTML = number == 1 ? "" : #"<a href="\#(links.to(exportedTarget(1)))">First page</a>"#
        let following: HTML? = page.next.map { _ in
            #"<a rel="next" href="\#(links.to(exportedTarget(number + 1)))">Next page</a>"#
        }
        return #"<nav class="pages" aria-label="More leaks">\#(first)\#(following)</nav>"#
    }

    /// Link to the JSON of the overview; `nil` in an export, which does not contain it.
    private var overviewLink: HTML? {
        let overviewTarget = LinkTarget.overview(app: context.query.scope, overview.period)
        return context.links.isServed
            ? #"<a href="\#(context.links.json(of: overviewTarget))">Summary JSON</a>"# : nil
    }

    private var footer: [HTML] {
        let version: HTML? = context.query.version.map { " in \(IsolatedText($0))" }
        let shown: HTML =
            page.leaks.count < page.total
            ? "\(Count(page.leaks.count)) of \(Count(page.total).text(noun: "leak", plural: "leaks"))"
            : "\(Count(page.total).text(noun: "leak", plural: "leaks"))"
        return [
            "\(shown) from \(Count(page.reports).text(noun: "report", plural: "reports"))\(version)",
            #"<a href="\#(context.links.json(of: listTarget))">JSON</a>"#, overviewLink,
        ].compactMap(\.self)
    }
}
