internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The mutation that deletes a leak, a version, an environment, an app, or what an ingest key made: `POST /forget/confirmed` for
/// the form of the page `/forget`, and `DELETE` at the addresses of `/api/v1`. It runs on the thread of ``Erasure``, because it may
/// take seconds.
struct ForgetMutation: Mutation {
    enum Kind: Hashable, Sendable, CaseIterable {
        case form, leak, version, environment, app, key
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
        case .key: "/api/v1/keys/{id}/data"
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
        let target =
            try kind == .form ? formTarget(of: request) : pathTarget(of: request, change.match.parameters)
        let discards = try discards(request)
        let (store, erasure) = (change.context.store, erasure)
        let entry = target.auditEntry(by: change.origin, at: change.now)
        erasure.add(
            change.work("deleting \(target)") {
                if discards, case .leak(let id) = target {
                    let entry = AuditEntry(
                        .discard, of: target.auditObject, by: change.origin, at: change.now)
                    guard try store.discard(id, by: change.origin.actor, audit: entry, now: change.now) else {
                        throw target.missingProblem
                    }
                }
                guard let counts = try store.forget(target, audit: entry, while: { !erasure.isStopping })
                else {
                    return change.rejection(Erasure.stoppingProblem)
                }
                guard !counts.isEmpty else { throw target.missingProblem }
                return response(about: target, counts)
            })
    }

    /// Returns `true` if later reports of the leak are dropped too.
    private func discards(_ request: borrowing Request) throws(Problem) -> Bool {
        let value: String?
        switch kind {
        case .leak:
            try request.requireParameters(["discard"])
            value = request.query("discard")
        case .form: value = request.form?["discard"]
        case .version, .environment, .app, .key: return false
        }
        switch value {
        case "true": return true
        case "false", nil: return false
        case let value?:
            throw Problem.invalidParameter("the parameter “discard” is “\(value)”, must be true or false")
        }
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

    private func pathTarget(
        of request: borrowing Request, _ parameters: Parameters
    ) throws(Problem) -> ForgetTarget {
        var fields: [String: String] = [:]
        for name in ForgetTarget.parameterNames { fields[name] = parameters[name] }
        if kind == .key {
            try request.requireParameters(["since"])
            fields["key"] = parameters["id"]
            fields["since"] = request.query("since")
        }
        let word: ForgetTarget.Kind =
            switch kind {
            case .form, .leak: .leak
            case .version: .version
            case .environment: .environment
            case .app: .app
            case .key: .key
            }
        fields["what"] = word.rawValue
        return try ForgetTarget(fields)
    }

    private func response(about target: ForgetTarget, _ counts: ForgetCounts) -> Response {
        guard kind != .form else {
            let page: LinkTarget
            switch target {
            case .version: page = .releases(app: target.scope)
            case .key: page = .access
            case .leak, .environment, .app: page = .summary(app: nil)
            }
            return .redirect(to: Links.served.to(page) + "#" + PageLayout.mainAnchor)
        }
        return JSONResponse.json { $0.fields(of: counts) }
    }
}
