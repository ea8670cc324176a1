internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The versions of one app in one environment. If the request names no app, the most recently seen app is used.
struct ReleasesResource: JSONResource, PageResource {
    static let (jsonPath, pagePath) = ("/releases", "/releases")
    static let jsonParameters = Request.scopeParameters

    let scope: AppScope

    init(_ request: borrowing Request, _: Parameters) { scope = request.queriedScope }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        // One list cannot contain the versions of two apps.
        let shown = try scope.orFirst(of: view.reader.apps(in: scope.environment))
        let releases = try shown.key.map { try view.reader.releases(app: $0) } ?? []
        writer.fields(
            of: releases, try ReleaseComparisons(of: shown, releases, from: view.reader, now: view.now),
            app: shown)
    }

    func page(from view: StoreView) throws -> HTML {
        var query = LeakQuery()
        query.scope = scope
        let context = try view.context(query)
        let shown = scope.orFirst(of: context.apps)
        let releases = try shown.key.map { try view.reader.releases(app: $0) } ?? []
        return ReleasesPage(
            context: context, app: shown, releases: releases,
            comparisons: try ReleaseComparisons(of: shown, releases, from: view.reader, now: view.now)
        ).html
    }
}

extension AppScope {
    /// Returns the scope with its app, or with the first of `apps` if it names none.
    func orFirst(of apps: [String]) -> AppScope {
        AppScope(app ?? apps.first, environment: environment)
    }
}
