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

    let permission = Permission.administer
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
    var body: Route.Body { .atMost(bytes: kind == .unpin ? 0 : 8 * 1024) }

    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? {
        guard kind == .form else { return nil }
        return { _ in Self.link(to: AppScope(nil)) }
    }

    /// Returns the link to the releases of the app that the form names.
    func formPage(of request: borrowing Request) -> ErrorPage.PageLink? {
        guard kind == .form, let form = request.form else { return nil }
        return Self.link(to: CurrentReleaseFields(form).scope)
    }

    private static func link(to app: AppScope) -> ErrorPage.PageLink {
        ErrorPage.PageLink(target: .releases(app: app), text: "Back to releases")
    }

    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let (scope, version) = try target(of: request)
        guard let app = scope.key else {
            throw Problem.invalidBody(
                kind == .form
                    ? "No app is chosen: choose one on the page of releases, and pin one of its versions."
                    : "the field or parameter “app” is missing: name the app whose current release is meant")
        }
        let (store, author, now) = (change.context.store, change.author.actor, change.now)
        let entry = AuditEntry(
            version == nil ? .unpinRelease : .pinRelease, of: "\(app)", details: version ?? "",
            by: change.origin,
            at: now)
        change.context.storeThreads.add(
            change.work("pinning the current release of \(app)") { resources in
                guard try store.pin(version, of: app, by: author, audit: entry, now: now) else {
                    let isKnown = try resources.reader.appSummaries().contains { $0.key == app }
                    throw missingProblem(isKnown ? version : nil, of: app)
                }
                return try response(about: app, from: resources.reader)
            })
    }

    /// Returns the problem of an app without the version, or of an unknown app. For a form it is 400, because the error page for
    /// 404 does not show the detail.
    private func missingProblem(_ version: String?, of app: AppKey) -> Problem {
        guard kind != .form else {
            return Problem.invalidBody(
                version.map { "\(app) has no version \($0): choose one of the versions in the list." }
                    ?? "There is no app \(app): choose another app on the page of releases.")
        }
        return Problem(
            .notFound,
            version.map { "\(app) has no version \($0); /api/v1/releases lists its versions" }
                ?? "there is no app \(app); /api/v1/apps lists all of them")
    }

    /// - Returns: the app, and the version to pin; `nil` to remove the pin.
    private func target(of request: borrowing Request) throws(Problem) -> (AppScope, version: String?) {
        switch kind {
        case .unpin:
            try request.requireParameters(Request.scopeParameters)
            return (request.queriedScope, nil)
        case .pin:
            try request.requireJSON()
            let fields = try CurrentReleaseFields(json: request.body())
            guard let version = fields.version else {
                throw Problem.invalidBody("the field “version” is missing; to remove the pin, send DELETE")
            }
            return (fields.scope, version)
        case .form:
            guard let form = request.form else {
                throw Problem(
                    .unsupportedMediaType, "The request is not a form; use the form on the page /releases.")
            }
            let fields = CurrentReleaseFields(form)
            switch form["do"] {
            case "pin" where fields.version != nil: return (fields.scope, fields.version)
            case "unpin": return (fields.scope, nil)
            case "pin":
                throw Problem.invalidBody(
                    "No version is chosen: choose one in the list, and press Pin as current release."
                )
            default:
                throw Problem.invalidBody(
                    "This form is not from this collector: load the page of releases again.")
            }
        }
    }

    private func response(about app: AppKey, from reader: any StoreReader) throws(StoreError) -> Response {
        guard kind != .form else {
            return .redirect(
                to: Links.served.to(.releases(app: app.scope)) + "#" + PageLayout.mainAnchor)
        }
        let current = try reader.releases(app: app).first(where: \.isCurrent)
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
        (app, environment, version) = (form["app"], form["environment"], form["version"])
        removeEmpty()
    }

    /// Removes empty fields. An empty field counts as missing, as in the query of other addresses.
    private mutating func removeEmpty() {
        if app?.isEmpty == true { app = nil }
        if environment?.isEmpty == true { environment = nil }
        if version?.isEmpty == true { version = nil }
    }

    /// Reads the fields of a JSON object. Unknown fields are rejected, because a misspelled `environment` would change
    /// production.
    ///
    /// - Throws: ``Problem`` 400.
    init(json body: [UInt8]) throws(Problem) {
        guard UTF8Validator.firstInvalidByte(in: body) == nil else {
            throw Problem.invalidBody("the body is not UTF-8")
        }
        do {
            self = try JSONScanner.scan(body) { (scanner) throws(JSONError) in
                var fields = CurrentReleaseFields()
                if try scanner.enterObject() {
                    repeat { try fields.read(&scanner) } while try scanner.hasAnotherElement(in: .object)
                }
                try scanner.finish()
                fields.removeEmpty()
                return fields
            }
        } catch {
            throw Problem.invalidBody(
                #"the body must be a JSON object such as {"app": "shop", "version": "5.3.0"}: \#(error)"#)
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
        guard try scanner.kind() == .string else {
            throw JSONError(.expected("a string as \(scanner.text(of: slice))"), at: scanner.offset)
        }
        let value = try scanner.string()
        self[keyPath: field] = scanner.text(of: value)
    }
}
