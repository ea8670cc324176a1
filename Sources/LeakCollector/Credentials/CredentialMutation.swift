internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// A mutation that creates, renames or revokes a key or a token, by a form of `/access` or as JSON under `/api/v1`.
struct CredentialMutation: Mutation {
    enum Action: Hashable, Sendable, CaseIterable {
        case create, rename, revoke
    }

    static let all = CredentialKind.allCases.flatMap { kind in
        Action.allCases.flatMap { action in
            [true, false].map { CredentialMutation(kind: kind, action: action, isForm: $0) }
        }
    }

    private static let accessPage = ErrorPage.PageLink(target: .access, text: "Back to settings")

    let permission = Permission.administer
    let kind: CredentialKind
    let action: Action
    /// `true` for a form of `/access`; `false` for JSON under `/api/v1`.
    let isForm: Bool

    var method: LeakHTTPServer.Method {
        switch action {
        case .create: .post
        case .rename: isForm ? .post : .patch
        case .revoke: isForm ? .post : .delete
        }
    }

    var path: String {
        guard !isForm else {
            return Links.served.to(CredentialForm(kind: kind, action: action).target)
        }
        return "/api/v1/\(kind.rawValue)" + (action == .create ? "" : "/{id}")
    }

    var body: Route.Body { .atMost(bytes: CredentialFields.maxBodyBytes) }

    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? {
        guard isForm else { return nil }
        return { _ in Self.accessPage }
    }

    var needsToken: Bool { !isForm }

    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let fields = try fields(of: request)
        let id = change.match.parameters["id"].flatMap { Int64(decimalDigits: $0) }
        let (context, origin, now) = (change.context, change.origin, change.now)
        var change = change
        change.typedText = fields.name
        context.storeThreads.add(
            change.work("changing a \(kind.noun)") { resources in
                do {
                    let changed = try apply(
                        fields, id: id, Credentials(store: context.store, by: origin), now: now)
                    // Revoking a token also ends the sessions that it opened.
                    try context.authenticator.reload(from: resources.reader, now: now)
                    return response(
                        for: changed.credential, secret: changed.secret, address: context.address, now: now)
                } catch {
                    let problem = Problem(from: error)
                    guard isForm,
                        let page = rejectedFormPage(problem, fields, id: id, from: resources.reader, now: now)
                    else { throw problem }
                    return page
                }
            })
    }

    private func fields(of request: borrowing Request) throws(Problem) -> CredentialFields {
        guard action != .revoke else { return CredentialFields() }
        let fields: CredentialFields
        if isForm {
            guard let form = request.form else {
                throw Problem(
                    .unsupportedMediaType, "The request is not a form; use the form on the page /access.")
            }
            fields = CredentialFields(form)
        } else {
            try request.requireJSON()
            fields = try CredentialFields(json: request.body())
        }
        guard fields.role == nil || kind == .tokens && action == .create else {
            throw Problem.invalidBody("the field “role” is allowed only when a token is created")
        }
        guard !isForm else { return fields }
        guard fields.app == nil || action == .create else {
            throw Problem.invalidBody("the field “app” is allowed only when a key or a token is created")
        }
        guard fields.environments == nil || kind == .keys && action == .create else {
            throw Problem.invalidBody(
                "the field “environments” is allowed only when a key is created: it restricts nothing else"
            )
        }
        return fields
    }

    /// Creates, renames or revokes a credential. Blocks the calling thread until the change is stored.
    ///
    /// - Returns: the credential, and the secret of a new one, which cannot be shown again.
    /// - Throws: ``Problem`` 400 for an invalid name, app or list of environments; 404 if there is no such credential; 409 if
    ///   another token has the name, or if the credential cannot be renamed because an environment variable sets it; or
    ///   ``StoreError``.
    private func apply(
        _ fields: CredentialFields, id: Int64?, _ credentials: Credentials, now: Int64
    ) throws -> (credential: Credential, secret: String?) {
        let name = fields.name ?? ""
        do {
            guard let id else {
                let role = fields.role.flatMap { Credential.Role(rawValue: $0) }
                if let text = fields.role, role == nil {
                    throw SettingError(
                        source: "--role", problem: "is “\(text.prefix(80))”, must be \(Credential.Role.list)")
                }
                let created = try credentials.create(
                    kind, name: name, role: role, app: fields.app, environments: fields.environments, now: now
                )
                return (created.credential, created.secret)
            }
            let wasFound =
                action == .rename
                ? try credentials.rename(kind, id, to: name, now: now)
                : try credentials.revoke(kind, id, now: now)
            guard wasFound,
                let changed = try credentials.list(kind, now: now).first(where: { $0.id == id })
            else {
                throw Problem(
                    .notFound,
                    "there is no \(kind.noun) \(id), or it was revoked; /api/v1/\(kind.rawValue) lists all, revoked ones too"
                )
            }
            return (changed, nil)
        } catch let duplicate as DuplicateNameError {
            throw Problem(.conflict, duplicate.description)
        } catch let reserved as ReservedNameError {
            throw Problem(.conflict, reserved.description)
        } catch let error as SettingError {
            throw Problem.invalidBody("\(error.source.drop { $0 == "-" }) \(error.problem)")
        }
    }

    /// Returns the response after a change: a redirect or the page with the new secret for a form, otherwise JSON.
    ///
    /// - Parameter address: the address of this collector, for snippets and the DSN.
    private func response(
        for credential: Credential, secret: String?, address: String, now: Int64
    ) -> Response {
        switch (isForm, secret) {
        case (true, nil):
            return .redirect(to: Links.served.to(.access) + "#\(kind.rawValue)")
        case (true, let secret?):
            let page = NewSecretPage(
                context: PageContext(links: .served, now: now), kind: kind, credential: credential,
                secret: secret, address: address)
            // A page with status 201 is sent with `no-store`, so no cache keeps the secret.
            return Response(page: page.html, status: .created)
        case (false, _):
            var writer = JSONWriter()
            writer.object { writer in
                writer.fields(of: credential, kind)
                guard let secret else { return }
                writer.field("secret", secret)
                guard kind == .keys else { return }
                let dsn = SentryDSN(address: address, key: secret, project: credential.id)
                if let dsn { writer.field("dsn", dsn.description) }
            }
            var response = Response(
                secret == nil ? .ok : .created, type: "application/json", body: .bytes(writer.bytes))
            response.fields.append(("Cache-Control", "no-store"))
            return response
        }
    }

    /// Returns the page with the rejected form and its fields, or an error page if the credential does not exist. Returns `nil`
    /// for other problems, for a credential that was to be revoked, and if the page cannot be read.
    private func rejectedFormPage(
        _ problem: Problem, _ fields: CredentialFields, id: Int64?, from reader: any StoreReader, now: Int64
    ) -> Response? {
        if problem.status == .notFound {
            return .page(
                error: .notFound, detail: problem.detail, typedText: fields.name, back: Self.accessPage,
                permissions: Permission.all, now: now)
        }
        guard action != .revoke, problem.status == .badRequest || problem.status == .conflict else {
            return nil
        }
        let rejected = RejectedForm(
            form: CredentialForm(kind: kind, action: action, id: id), fields: fields, reason: problem.detail)
        let page = try? AccessPage(from: reader, links: .served, now: now, rejected: rejected)
        return page.map { Response(page: $0.html, status: problem.status) }
    }
}
