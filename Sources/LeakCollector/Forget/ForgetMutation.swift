internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The mutation that deletes a leak, a version or an app: `POST /forget/confirmed` for the form of the page `/forget`, and `DELETE`
/// at the addresses of `/api/v1`. It runs on the thread of ``Erasure``, because it may take seconds.
struct ForgetMutation: Mutation {
    enum Kind: Hashable, Sendable, CaseIterable {
        case form, leak, version, environment, app
    }

    static func all(erasure: Erasure) -> [any Mutation] {
        Kind.allCases.map { ForgetMutation(kind: $0, erasure: erasure) }
    }

    let permission = Permission.administer
    let kind: Kind
    let erasure: Erasure

    var method: LeakHTTPServer.Method { kind == .form ? .post : .delete }

    var path: String {
        switch kind {
        case .form: Links.served.to(.forgetForm)
        case .leak: "/api/v1/leaks/{leak}"
        case .app: "/api/v1/apps/{app}"
        case .environment: "/api/v1/apps/{app}/environments/{environment}"
        case .version: "/api/v1/apps/{app}/environments/{environment}/versions/{version}"
        }
    }

    /// The limit has room for names in which each byte is written as `%00`.
    var body: Route.Body { .atMost(bytes: kind == .form ? 8 * 1024 : 0) }

    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? {
        guard kind == .form else { return nil }
        return { _ in ErrorPage.PageLink(target: .releases(app: nil), text: "Back to releases") }
    }

    /// Returns the link to the page with the form.
    func formPage(of request: borrowing Request) -> ErrorPage.PageLink? {
        guard kind == .form, let target = try? formTarget(of: request) else { return nil }
        return ErrorPage.PageLink(target: .forget(target), text: "Back to the confirmation")
    }

    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let target = try kind == .form ? formTarget(of: request) : pathTarget(change.match.parameters)
        let (store, erasure) = (change.context.store, erasure)
        let entry = AuditEntry(.delete, of: target.auditObject, by: change.origin, at: change.now)
        erasure.add(
            change.work("deleting \(target)") {
                guard let counts = try store.forget(target, audit: entry, while: { !erasure.isStopping })
                else {
                    return change.rejection(Erasure.stoppingProblem)
                }
                guard !counts.isEmpty else { throw target.missingProblem }
                return response(about: target, counts)
            })
    }

    private func formTarget(of request: borrowing Request) throws(Problem) -> ForgetTarget {
        guard let form = request.form else {
            throw Problem(
                .unsupportedMediaType, "The request is not a form; use the form on the page /forget.")
        }
        var fields: [String: String] = [:]
        for name in ForgetTarget.parameterNames { fields[name] = form[name] }
        return try ForgetTarget(fields)
    }

    private func pathTarget(_ parameters: Parameters) throws(Problem) -> ForgetTarget {
        var fields: [String: String] = [:]
        for name in ForgetTarget.parameterNames { fields[name] = parameters[name] }
        let word: ForgetTarget.Kind =
            switch kind {
            case .form, .leak: .leak
            case .version: .version
            case .environment: .environment
            case .app: .app
            }
        fields["what"] = word.rawValue
        return try ForgetTarget(fields)
    }

    private func response(about target: ForgetTarget, _ counts: ForgetCounts) -> Response {
        guard kind != .form else {
            let page: LinkTarget
            if case .version = target {
                page = .releases(app: target.scope)
            } else {
                page = .summary(app: nil)
            }
            return .redirect(to: Links.served.to(page) + "#" + PageLayout.mainAnchor)
        }
        return JSONResponse.json { $0.fields(of: counts) }
    }
}
