internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// All apps of an environment with their versions, and the names of all environments.
struct AppsResource: JSONResource {
    static let permission = Permission.read
    static let jsonPath = "/apps"
    static let jsonParameters = ["environment"]

    let environment: String

    init(_ request: borrowing Request, _: Parameters) { environment = request.queriedScope.environment }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let apps = try view.reader.apps(in: environment).map {
            (id: $0, versions: try view.reader.versions(app: AppScope($0, environment: environment)))
        }
        writer.fields(
            of: apps, environment: environment, environments: try view.reader.environments(app: nil))
    }
}

/// The overview of one app among several.
struct AppOverview: Sendable {
    var app: String
    var overview: Overview

    /// Maximum number of apps that are shown with an overview each. The filter form offers the other apps too.
    static let maxShownApps = 5
}
