internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The overview of the app in the query, in one environment. If the query names no app: the overview of all apps together, and
/// the overviews of single apps.
struct OverviewResource: JSONResource {
    static let permission = Permission.read
    static let jsonPath = "/summary"
    static let jsonParameters = Request.scopeParameters + ["period"]

    let scope: AppScope
    let period: Period?

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        scope = request.queriedScope
        period = try LeakQuery.period(of: request, ifAbsent: Period.day.rawValue)
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let overview = try Self.overview(app: scope, period, from: view)
        let apps = try view.reader.apps(in: scope.environment)
        let appOverviews = try Self.overviews(app: scope, of: apps, period, from: view)
        writer.fields(of: overview, app: scope, appOverviews: appOverviews)
    }

    /// Returns the overview of an app, or of all apps together. If there are no reports, perhaps because the limit of apps was
    /// reached before the app sent any, the overview names that limit.
    static func overview(app: AppScope, _ period: Period?, from view: StoreView) throws(StoreError)
        -> Overview
    {
        var overview = try view.reader.overview(app: app, period: period ?? .day, now: view.now)
        if overview.reports == 0, overview.overLimit.isEmpty,
            let appLimit = try view.reader.reachedAppLimit(hiding: app, now: view.now)
        {
            overview.overLimit = [appLimit]
        }
        return overview
    }

    /// Returns the overviews of the most recently seen apps, at most ``AppOverview/maxShownApps``; empty if an app was chosen
    /// or there is only one app.
    static func overviews(
        app: AppScope, of apps: [String], _ period: Period?, from view: StoreView
    ) throws(StoreError) -> [AppOverview] {
        guard app.app == nil, apps.count > 1 else { return [] }
        return try apps.prefix(AppOverview.maxShownApps).map { (name) throws(StoreError) in
            let one = AppScope(name, environment: app.environment)
            return AppOverview(app: name, overview: try overview(app: one, period, from: view))
        }
    }
}
