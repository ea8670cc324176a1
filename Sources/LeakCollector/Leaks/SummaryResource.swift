internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The list of leaks. The page has the overview above the list.
struct SummaryResource: JSONResource, PageResource {
    static let (jsonPath, pagePath) = ("/leaks", "/")

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
        if overview.leaks == 0, overview.newest == nil, query == LeakQuery() {
            return FirstReportPage(context: context, address: view.address).html
        }
        let page = try view.reader.leaks(query, now: view.now)
        return SummaryPage(
            context: context, overview: overview, page: page,
            knownLeaks: try Self.knownLeaks(besides: page, query, from: view),
            apps: try OverviewResource.overviews(app: query.scope, of: context.apps, query.period, from: view)
        ).html
    }

    /// Maximum number of known system leaks below the first page of a list.
    static let maxKnownLeaks = 20

    /// Returns the first known system leaks, which the list leaves out; none after the first page.
    static func knownLeaks(besides page: LeakPage, _ query: LeakQuery, from view: StoreView) throws
        -> [LeakRow]
    {
        guard page.known.leaks > 0, query.cursor == nil else { return [] }
        var query = query
        query.state = .known
        query.limit = maxKnownLeaks
        return try view.reader.leaks(query, now: view.now).leaks
    }
}
