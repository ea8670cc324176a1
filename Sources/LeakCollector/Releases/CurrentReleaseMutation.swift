internal import LeakGrammar
internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The mutation that pins the current release of an app in an environment, or removes the pin: `POST /releases/current` for the
/// form of the page, `PUT` and `DELETE /api/v1/releases/current` for JSON.
struct CurrentReleaseMutation: Mutation {
    enum Kind: Hashable, Sendable, CaseIterable {
        case form, pin, unpin
    }

    static let all = Kind.allCases.map { CurrentReleaseMutation(kind: $0) }

    let kind: Kind

    var method: LeakHTTPServer.Method {
        switch kind {
        case .form: .post
        case .pin: .put
        case .unpin: .delete
        }
    }

    var path: String { (kind == .form ? "" : "/api/v1") + "/releases/current" }

    /// The limit has room for names in which each byte is written as `\u0000`.
    var body: Route.Body { .atMost(kind == .unpin ? 0 : 8 * 1024) }

    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? {
        guard kind == .form else { return nil }
        return { _ in ErrorPage.PageLink(to: .releases(app: nil), text: "Back to releases") }
    }

    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let (scope, version) = try target(of: request)
        guard let app = scope.key else {
            throw Problem(.badRequest, "app is missing: name the app whose current release is meant")
        }
        let store = change.context.store
        change.context.storeThreads.add(
            change.work("pinning the current release of \(app)") { resources in
                guard try store.pin(version, of: app) else {
                    throw Problem(
                        .notFound,
                        version.map { "\(app) has no version \($0); /api/v1/releases lists its versions" }
                            ?? "there is no app \(app); /api/v1/apps lists all of them")
                }
                return try response(about: app, from: resources.reader)
            })
    }

    /// - Returns: the app, and the version to pin; `nil` to remove the pin.
    private func target(of request: borrowing Request) throws(Problem) -> (AppScope, version: String?) {
        switch kind {
        case .unpin: return (request.queriedScope, nil)
        case .pin:
            try request.requireJSON()
            let fields = try CurrentReleaseFields(json: request.body())
            guard let version = fields.version else {
                throw Problem(.badRequest, "version is missing: DELETE removes a pin")
            }
            return (fields.scope, version)
        case .form:
            guard let form = request.form else {
                throw Problem(.unsupportedMediaType, "Send the form from the page /releases, unchanged.")
            }
            let fields = CurrentReleaseFields(form)
            switch form["do"] {
            case "pin" where fields.version != nil: return (fields.scope, fields.version)
            case "unpin": return (fields.scope, nil)
            default:
                throw Problem(
                    .badRequest, "This form is not from this collector: load the page of releases again.")
            }
        }
    }

    private func response(about app: AppKey, from reader: any StoreReader) throws(StoreError) -> Response {
        guard kind != .form else {
            return .redirect(
                to: Links.served.to(.releases(app: app.scope)) + "#" + PageLayout.mainAnchor)
        }
        let current = try reader.releases(app: app).first(where: \.isNewest)
        var writer = JSONWriter()
        writer.object { $0.fields(ofCurrent: current, app: app.scope) }
        var response = Response(.ok, type: "application/json", body: .bytes(writer.bytes))
        response.fields.append(("Cache-Control", "no-store"))
        return response
    }
}

/// Fields of a request to pin a release, not validated.
struct CurrentReleaseFields: Hashable, Sendable {
    private var app: String?
    private var environment: String?
    private(set) var version: String?

    init(_ form: Form) {
        func nonEmpty(_ name: String) -> String? { form[name].flatMap { $0.isEmpty ? nil : $0 } }
        (app, environment, version) = (nonEmpty("app"), nonEmpty("environment"), nonEmpty("version"))
    }

    /// Reads the fields of a JSON object. Unknown fields are rejected, because a misspelled `environment` would change
    /// production.
    ///
    /// - Throws: ``Problem`` 400.
    init(json body: [UInt8]) throws(Problem) {
        guard UTF8Validity.firstInvalidByte(in: body) == nil else {
            throw Problem(.badRequest, "the body is not UTF-8")
        }
        do {
            self = try JSONScanner.scan(body) { (scanner) throws(JSONError) in
                var fields = CurrentReleaseFields()
                if try scanner.enterObject() {
                    repeat { try fields.read(&scanner) } while try scanner.another(in: .object)
                }
                try scanner.finish()
                return fields
            }
        } catch {
            throw Problem(
                .badRequest,
                #"the body must be an object such as {"app": "shop", "version": "5.3.0"}: \#(error)"#)
        }
    }

    private init() {}

    var scope: AppScope {
        AppScope(app, environment: AppKey.environment(named: environment ?? AppKey.production))
    }

    private mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
        let start = scanner.offset
        let slice = try scanner.name()
        let field: WritableKeyPath<CurrentReleaseFields, String?>
        switch scanner.text(of: slice) {
        case "app": field = \.app
        case "environment": field = \.environment
        case "version": field = \.version
        default:
            throw JSONError(.expected("app, environment or version, and no other field"), at: start)
        }
        guard try scanner.kind() != .null else { return try scanner.null() }
        let value = try scanner.string()
        self[keyPath: field] = scanner.text(of: value)
    }
}
