internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The list of leaks. The page has the overview above the list.
struct SummaryResource: JSONResource, PageResource {
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
