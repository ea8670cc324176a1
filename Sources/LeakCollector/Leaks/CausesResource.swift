internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// Causes that several leaks share.
struct CausesResource: JSONResource, PageResource {
    static let (jsonPath, pagePath) = ("/causes", "/causes")
    static let jsonParameters = Request.scopeParameters

    let scope: AppScope
    /// The ``LeakMessage/RetainPath/causeKey`` of the cause to show first on the page.
    let firstCauseKey: String?

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        scope = request.queriedScope
        // Ignores texts that cannot be a cause key. Otherwise each such text would be another page in the page cache.
        firstCauseKey = request.query("first").flatMap {
            $0.utf8.count == 16 && $0.allSatisfy(\.isHexDigit) ? $0 : nil
        }
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let sharedCauses = try SharedCauses(
            app: scope, from: view.reader, symbolTables: view.symbolTables, now: view.now)
        writer.fields(of: sharedCauses, app: scope)
    }

    func page(from view: StoreView) throws -> HTML {
        let sharedCauses = try SharedCauses(
            app: scope, first: firstCauseKey, from: view.reader, symbolTables: view.symbolTables,
            now: view.now)
        return CausesPage(
            context: try view.contextWithEnvironments(app: scope), sharedCauses: sharedCauses,
            firstCauseKey: firstCauseKey
        ).html
    }
}
