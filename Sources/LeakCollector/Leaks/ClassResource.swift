internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// All leaks of one class. The class is in the query, because its name may contain a slash, which a parameter of a
/// path cannot.
struct ClassResource: JSONResource, PageResource {
    static let (jsonPath, pagePath) = ("/classes", "/classes")
    static let jsonParameters = ["class"] + Request.scopeParameters

    let name: String
    let scope: AppScope

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        guard let name = request.query("class"), !name.isEmpty else {
            throw Problem(.badRequest, "missing parameter: class, as in ?class=CheckoutViewController")
        }
        self.name = name
        scope = request.queriedScope
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        writer.fields(of: try leakClass(in: view), app: scope)
    }

    func page(from view: StoreView) throws -> HTML {
        ClassPage(context: try view.contextWithEnvironments(app: scope), leakClass: try leakClass(in: view))
            .html
    }

    private func leakClass(in view: StoreView) throws -> LeakClass {
        guard let leakClass = try view.reader.leakClass(name, app: scope, now: view.now) else {
            throw Problem.noClass
        }
        return leakClass
    }
}
