internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// All apps with their versions.
struct AppsResource: JSONResource {
    static let jsonPath = "/apps"

    init(_: borrowing Request, _: Parameters) {}

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let apps = try view.reader.apps().map { (id: $0, versions: try view.reader.versions(app: $0)) }
        writer.fields(of: apps)
    }
}

/// The overview of one app among several.
struct AppOverview: Sendable {
    var app: String
    var overview: Overview

    /// Maximum number of apps whose overviews are shown one by one. The filter form offers the other apps too.
    static let maxShownApps = 5
}
