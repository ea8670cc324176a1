internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The versions of one app, which is the most recently seen one if none is named.
struct ReleasesResource: JSONResource, PageResource {
    static let (jsonPath, pagePath) = ("/releases", "/releases")

    let app: String?

    init(_ request: borrowing Request, _: Parameters) { app = request.queriedApp }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        // One list cannot contain the versions of two apps.
        let shown = try app ?? view.reader.apps().first
        let releases = try shown.map { try view.reader.releases(app: $0) } ?? []
        writer.fields(of: releases, app: shown)
    }

    func page(from view: StoreView) throws -> HTML {
        var query = LeakQuery()
        query.app = app
        let context = try view.context(query)
        let shown = app ?? context.apps.first
        let releases = try shown.map { try view.reader.releases(app: $0) } ?? []
        return ReleasesPage(context: context, app: shown, releases: releases).html
    }
}
