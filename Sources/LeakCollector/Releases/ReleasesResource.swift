internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The versions of one app. If the request names no app, it is the most recently seen one.
struct ReleasesResource: JSONResource, PageResource {
    static let (jsonPath, pagePath) = ("/releases", "/releases")

    let app: String?

    init(_ request: borrowing Request, _: Parameters) { app = request.queriedApp }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        // One list cannot contain the versions of two apps.
        let shownApp = try app ?? view.reader.apps().first
        let releases = try shownApp.map { try view.reader.releases(app: $0) } ?? []
        writer.fields(of: releases, app: shownApp)
    }

    func page(from view: StoreView) throws -> HTML {
        var query = LeakQuery()
        query.app = app
        let context = try view.context(query)
        let shownApp = app ?? context.apps.first
        let releases = try shownApp.map { try view.reader.releases(app: $0) } ?? []
        return ReleasesPage(context: context, app: shownApp, releases: releases).html
    }
}
