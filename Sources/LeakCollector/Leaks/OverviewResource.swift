internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The overview of the app in the query. Without an app, the overview of all apps together, and those of single apps.
struct OverviewResource: JSONResource {
    static let jsonPath = "/summary"

    let app: String?
    let period: Period?

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        app = request.queriedApp
        period = try LeakQuery.period(of: request)
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let overview = try Self.overview(app: app, period, from: view)
        let appOverviews = try Self.overviews(app: app, of: view.reader.apps(), period, from: view)
        writer.fields(of: overview, app: app, appOverviews: appOverviews)
    }

    static func overview(app: String?, _ period: Period?, from view: StoreView) throws(StoreError) -> Overview
    {
        try view.reader.overview(app: app, period: period ?? .day, now: view.now)
    }

    /// Returns the overviews of the most recently seen apps, at most ``AppOverview/maxShownApps``; empty if an app was chosen
    /// or there is only one.
    static func overviews(
        app: String?, of apps: [String], _ period: Period?, from view: StoreView
    ) throws(StoreError) -> [AppOverview] {
        guard app == nil, apps.count > 1 else { return [] }
        return try apps.prefix(AppOverview.maxShownApps).map { (app) throws(StoreError) in
            AppOverview(app: app, overview: try overview(app: app, period, from: view))
        }
    }
}
