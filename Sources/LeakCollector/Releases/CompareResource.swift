internal import LeakHTTPServer
internal import LeakStore

/// Two versions of an app side by side: `/compare`. Its JSON is that of ``ReleaseCheckResource``.
struct CompareResource: PageResource {
    static let permission = Permission.read
    static let pagePath = "/compare"

    let scope: AppScope
    /// The older version; `nil` for the version before ``to``.
    let from: String?
    /// The newer version; `nil` for the current release of the app.
    let to: String?

    init(_ request: borrowing Request, _: Parameters) {
        func nonEmpty(_ name: String) -> String? { request.query(name).flatMap { $0.isEmpty ? nil : $0 } }
        scope = request.queriedScope
        from = nonEmpty("from")
        to = nonEmpty("to")
    }

    func page(from view: StoreView) throws -> HTML {
        let shown = try scope.orFirst(of: view.reader.apps(in: scope.environment))
        var context = try view.contextWithEnvironments(app: shown)
        context.versions = try view.reader.versions(app: shown)
        let releases = try shown.key.map { try view.reader.releases(app: $0) } ?? []
        let version = to ?? releases.first(where: \.isCurrent)?.version ?? context.versions.first
        guard let key = shown.key, let version else {
            return ComparePage(context: context, check: nil, result: nil).html
        }
        var query = ReleaseCheckQuery(
            app: key.name, environment: key.environment, version: version, baseline: from)
        if let from, VersionOrder(version) < VersionOrder(from) {
            (query.version, query.baseline) = (from, version)
        }
        do {
            let check = try ReleaseCheckRequest(query).run(on: view.reader, now: view.now)
            return ComparePage(context: context, check: check, result: try ReleaseCheckResult(check)).html
        } catch let error as UnknownVersionError {
            throw Problem(.notFound, error.description)
        }
    }
}
