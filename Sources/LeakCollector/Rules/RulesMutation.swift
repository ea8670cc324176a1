internal import LeakGrammar
internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The mutation that saves the grouping rules of an app, and the preview of what new rules would change: `POST /rules/saved` and
/// `POST /rules/preview` for the form of the page `/rules`, `PUT /api/v1/rules` and `POST /api/v1/rules/preview` for JSON.
struct RulesMutation: Mutation {
    enum Kind: Hashable, Sendable, CaseIterable {
        case previewForm, saveForm, preview, save
    }

    static let all = Kind.allCases.map { RulesMutation(kind: $0) }

    let permission = Permission.triage
    let kind: Kind

    private var isForm: Bool { kind == .previewForm || kind == .saveForm }
    private var isPreview: Bool { kind == .previewForm || kind == .preview }

    var method: LeakHTTPServer.Method { kind == .save ? .put : .post }

    var path: String {
        switch kind {
        case .previewForm: Links.served.to(.rulesPreviewForm)
        case .saveForm: Links.served.to(.rulesForm)
        case .preview: "/api/v1/rules/preview"
        case .save: "/api/v1/rules"
        }
    }

    /// The limit has room for rules in which each byte is written as `\u000a`.
    var body: Route.Body { .atMost(bytes: 6 * FingerprintRules.maxBytes + 8 * 1024) }

    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? {
        guard isForm else { return nil }
        return { _ in Self.link(to: AppScope(nil)) }
    }

    /// Returns the link to the page with the form of the app.
    func formPage(of request: borrowing Request) -> ErrorPage.PageLink? {
        guard isForm, let form = request.form else { return nil }
        return Self.link(to: Fields(form).scope)
    }

    private static func link(to app: AppScope) -> ErrorPage.PageLink {
        ErrorPage.PageLink(target: .rules(app), text: "Back to the rules")
    }

    func typedText(in request: borrowing Request) -> String? { isForm ? request.form?["text"] : nil }

    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let fields = try fields(of: request)
        guard let app = fields.scope.key else {
            throw .invalidParameter("the parameter “app” is missing: name the app whose rules are meant")
        }
        try change.author.requireApp(app.name)
        let (author, now) = (change.author, change.now)
        let threads = isPreview ? change.context.previewThread : change.context.storeThreads
        threads.add(
            change.work("\(isPreview ? "previewing" : "saving") the rules of \(app.name)") { resources in
                let reader = author.limited(resources.reader, now: now)
                guard app.name != StoreLimits.other,
                    try reader.environments(app: app.name).contains(app.environment)
                else {
                    throw Problem(.notFound, "there is no app \(app); /api/v1/apps lists all of them")
                }
                let rules: FingerprintRules
                do throws(RuleError) {
                    rules = try FingerprintRules(text: fields.text)
                } catch {
                    guard !isForm else {
                        return try page(fields, of: app, from: reader, for: change) {
                            $0.problem = error.description
                            $0.baseVersion = fields.version
                        }
                    }
                    var problem = Problem.invalidBody(error.description)
                    (problem.line, problem.column) = (error.line, error.column)
                    throw problem
                }
                return isPreview
                    ? try preview(rules, fields, of: app, from: reader, for: change)
                    : try save(fields, of: app, from: reader, for: change, unlimited: resources.reader)
            })
    }

    private func preview(
        _ rules: FingerprintRules, _ fields: Fields, of app: AppKey, from reader: any StoreReader,
        for change: ChangeRequest
    ) throws -> Response {
        let preview = try RulesPreview.make(
            of: rules, app: app, from: reader, symbolTables: change.context.symbolTables, now: change.now
        ) { !change.context.previewThread.isStopping }
        guard let preview else { throw Erasure.stoppingProblem }
        guard !isForm else {
            return try page(fields, of: app, from: reader, for: change) {
                $0.preview = preview
                $0.baseVersion = fields.version
            }
        }
        return JSONResponse.json { $0.fields(of: preview) }
    }

    /// - Parameter unlimited: a reader of all apps.
    private func save(
        _ fields: Fields, of app: AppKey, from reader: any StoreReader, for change: ChangeRequest,
        unlimited: any StoreReader
    ) throws -> Response {
        let outcome = try change.context.store.saveRules(
            FingerprintRules.normalized(fields.text), of: app.name, basedOn: fields.version,
            by: change.origin, now: change.now)
        switch outcome {
        case .unknownApp:
            throw Problem(.notFound, "there is no app \(app.name); /api/v1/apps lists all of them")
        case .outdated(let current):
            let problem =
                "version \(current.version) of the rules was saved by \(current.by) meanwhile; compare it with this text, and save again"
            guard isForm else { throw Problem(.conflict, problem) }
            return try page(fields, of: app, from: reader, for: change) { $0.problem = problem }
        case .saved(let rules), .unchanged(let rules):
            // The rules are saved. If they cannot be loaded now, the next maintenance loads them.
            try? change.context.rules.refresh(from: unlimited)
            guard !isForm else {
                return .redirect(
                    to: Links.served.to(.rules(app.scope)) + "#" + PageLayout.mainAnchor)
            }
            return JSONResponse.json { $0.fields(of: rules) }
        }
    }

    /// Returns the page with the form as it was sent.
    private func page(
        _ fields: Fields, of app: AppKey, from reader: any StoreReader, for change: ChangeRequest,
        _ complete: (inout RulesPage) -> Void
    ) throws(StoreError) -> Response {
        var query = LeakQuery()
        query.scope = app.scope
        let context = PageContext(
            links: .served, now: change.now, permissions: change.author.permissions,
            environments: try reader.environments(app: app.name), query: query)
        let versions = try reader.rules(of: app.name, limit: AppRules.maxVersions)
        var page = RulesPage(
            context: context, app: app.name, versions: versions, text: fields.text)
        complete(&page)
        return Response(page: page.html, status: page.problem == nil ? .ok : .badRequest)
    }

    private func fields(of request: borrowing Request) throws(Problem) -> Fields {
        guard !isForm else {
            guard let form = request.form else {
                throw Problem(
                    .unsupportedMediaType, "The request is not a form; use the form on the page /rules.")
            }
            return Fields(form)
        }
        try request.requireParameters(isPreview ? Request.scopeParameters : ["app"])
        try request.requireJSON()
        return try Fields(json: request.body(), of: request.queriedScope)
    }
}

extension RulesMutation {
    /// The fields of a request, not validated.
    private struct Fields {
        var scope: AppScope
        var text = ""
        /// The version that the text replaces; `nil` for any.
        var version: Int?

        init(_ form: Form) {
            scope = AppScope(
                form["app"].flatMap { $0.isEmpty ? nil : $0 },
                environment: AppKey.environment(named: form["environment"] ?? AppKey.production))
            text = form["text"] ?? ""
            version = form["version"].flatMap { Int64(decimalDigits: $0) }.map { Int($0) }
        }

        /// Reads the fields of a JSON object.
        ///
        /// - Throws: ``Problem`` 400.
        init(json body: [UInt8], of scope: AppScope) throws(Problem) {
            self.scope = scope
            guard UTF8Validator.firstInvalidByte(in: body) == nil else {
                throw .invalidBody("the body is not UTF-8")
            }
            let read: (text: String?, version: Int?)
            do {
                read = try JSONScanner.scan(body) { (scanner) throws(JSONError) in
                    var read: (text: String?, version: Int?)
                    if try scanner.enterObject() {
                        repeat {
                            let start = scanner.offset
                            let slice = try scanner.name()
                            switch scanner.text(of: slice) {
                            case "text":
                                guard try scanner.kind() == .string else {
                                    throw JSONError(.expected("a string as text"), at: scanner.offset)
                                }
                                let value = try scanner.string()
                                read.text = scanner.text(of: value)
                            case "version":
                                let place = scanner.offset
                                let number = try scanner.number()
                                // JSON Schema counts 3.0 among the integers.
                                guard let version = scanner.integer(of: number), version >= 0 else {
                                    throw JSONError(.expected("a version such as 3"), at: place)
                                }
                                read.version = version
                            default:
                                throw JSONError(
                                    .expected("text or version, and no other field"), at: start)
                            }
                        } while try scanner.hasAnotherElement(in: .object)
                    }
                    try scanner.finish()
                    return read
                }
            } catch {
                throw .invalidBody(
                    #"the body must be a JSON object such as {"text": "class:Cart* -> Cart", "version": 3}: \#(error)"#
                )
            }
            guard let text = read.text else {
                throw .invalidBody("the field “text” is missing; an empty text removes all rules")
            }
            (self.text, version) = (text, read.version)
        }
    }
}
