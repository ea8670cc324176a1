internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// One request to change what is handed out, and the form in which it is answered.
struct HandoutChange: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        case create
        case rename(Int64)
        case revoke(Int64)

        /// Whether something is typed for it.
        var hasName: Bool {
            switch self {
            case .create, .rename: true
            case .revoke: false
            }
        }
    }

    /// What came of it.
    enum Outcome: Sendable {
        /// With the secret, which is shown here and never again.
        case made(Credential, secret: String)
        case changed(Credential)
    }

    var kind: HandoutKind
    var action: Action
    /// By the form of a page, whose answer is for eyes; else by a program.
    var isForm: Bool

    /// The address of the form.
    var place: Place {
        switch action {
        case .create: .handout(kind: kind.rawValue)
        case .rename(let id): .handout(kind: kind.rawValue, step: "/\(id)/name")
        case .revoke(let id): .handout(kind: kind.rawValue, step: "/\(id)/revoke")
        }
    }

    /// Reads what was sent.
    ///
    /// - Throws: ``Problem`` 415 or 400.
    func fields(of request: borrowing Request) throws(Problem) -> HandoutFields {
        if case .revoke = action { return HandoutFields() }
        guard !isForm else {
            guard request.hasContentType("application/x-www-form-urlencoded") else {
                throw Problem(.unsupportedMediaType, "Send the form of the page as it is.")
            }
            return HandoutFields(Form(request.body()))
        }
        guard request.hasContentType("application/json") else {
            throw Problem(.unsupportedMediaType, "Content-Type must be application/json")
                .with("Accept-Post", "application/json")
        }
        let fields = try HandoutFields(json: request.body())
        guard fields.app == nil || kind == .keys && action == .create else {
            throw Problem(.badRequest, "app is for a key that is made: nothing else is bound to an app")
        }
        return fields
    }

    /// Blocks on the store.
    ///
    /// - Throws: ``Problem`` 400 for a name or an app that cannot be, 404 when there is no such one, 409 for a name that
    ///   another token has and for the one of the environment, or ``StoreError``.
    func run(_ fields: HandoutFields, with credentials: Credentials, now: Int64) throws -> Outcome {
        do {
            switch action {
            case .create:
                let made = try credentials.create(
                    kind.purpose, name: fields.name ?? "", app: fields.app, now: now)
                return .made(made.credential, secret: made.secret)
            case .rename(let id):
                guard try credentials.rename(kind.purpose, id, to: fields.name ?? "", now: now) else {
                    throw missing(id)
                }
                return .changed(try credential(id, credentials, now))
            case .revoke(let id):
                guard try credentials.revoke(kind.purpose, id, now: now) else { throw missing(id) }
                return .changed(try credential(id, credentials, now))
            }
        } catch let taken as NameTaken {
            throw Problem(.conflict, taken.description)
        } catch let kept as NameKept {
            throw Problem(.conflict, kept.description)
        } catch let error as SettingError {
            throw Problem(.badRequest, "\(error.source.drop { $0 == "-" }) \(error.problem)")
        }
    }

    private func credential(_ id: Int64, _ credentials: Credentials, _ now: Int64) throws -> Credential {
        guard let found = try credentials.list(kind.purpose, now: now).first(where: { $0.id == id }) else {
            throw missing(id)
        }
        return found
    }

    private func missing(_ id: Int64) -> Problem {
        Problem(.notFound, "there is no valid \(kind.noun) \(id)")
    }

    /// - Parameter address: of this collector, for what is to be pasted.
    func answer(_ outcome: Outcome, address: String, now: Int64) -> Response {
        guard isForm else { return jsonAnswer(outcome, address: address) }
        switch outcome {
        case .changed:
            return .redirect(to: Links.served.to(.access) + "#\(kind.rawValue)")
        case .made(let credential, let secret):
            let page = NewSecretPage(
                context: PageContext(links: .served, now: now), kind: kind, credential: credential,
                secret: secret,
                address: address)
            // With 201 it is kept nowhere.
            return Response(page: page.html, status: .created)
        }
    }

    private func jsonAnswer(_ outcome: Outcome, address: String) -> Response {
        var writer = JSONWriter()
        let status: Status
        switch outcome {
        case .changed(let credential):
            status = .ok
            writer.object { $0.fields(of: credential, kind) }
        case .made(let credential, let secret):
            status = .created
            writer.object {
                $0.fields(of: credential, kind)
                $0.field("secret", secret)
                if kind == .keys,
                    let dsn = SentryDSN(address: address, key: secret, project: credential.id)
                {
                    $0.field("dsn", dsn.description)
                }
            }
        }
        var response = Response(status, type: "application/json", body: .bytes(writer.bytes))
        response.fields.append(("Cache-Control", "no-store"))
        return response
    }

    /// The answer to fields that could be read: a form is shown again with them in it.
    func refusal(
        _ problem: Problem, of fields: HandoutFields, from reader: any StoreReader, now: Int64
    ) -> Response {
        guard isForm, action.hasName, problem.status == .badRequest || problem.status == .conflict,
            let page = try? AccessPage(
                from: reader, links: .served, now: now,
                refused: RefusedHandout(change: self, fields: fields, reason: problem.detail))
        else { return refusal(problem, written: fields.name, now: now) }
        return Response(page: page.html, status: problem.status)
    }

    /// - Parameter written: what was typed, to be given back.
    func refusal(_ problem: Problem, written: String? = nil, now: Int64) -> Response {
        guard isForm else { return problem.response }
        let back = ErrorPage.Way(to: .access, text: "Back to keys and tokens")
        let detail = problem.status.code < 500 ? problem.detail : nil
        return .page(
            error: problem.status, detail: detail, written: written, back: back, isSignedIn: true, now: now)
    }
}
