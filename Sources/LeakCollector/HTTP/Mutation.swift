internal import LeakHTTPServer
internal import LeakStore

/// A change that is requested at one address: how its requests are checked, parsed, executed and answered.
///
/// The counterpart of ``Resource``. To add a mutation, add its file and a line in `Mutations`.
protocol Mutation: Sendable {
    var method: LeakHTTPServer.Method { get }
    /// Path of the address, such as `/api/v1/leaks/{leak}/decisions`.
    var path: String { get }
    /// The right that a request needs.
    var permission: Permission { get }
    /// The body that a request may have.
    var body: Route.Body { get }
    /// Returns the page with the form that is sent to this address; `nil` if programs send JSON to it.
    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? { get }
    /// True if the request needs an access token, so that neither a browser's session nor the name from a proxy is enough.
    var needsToken: Bool { get }

    /// Checks a request before its body is read. Access, length and content coding are checked by ``CollectorService``.
    ///
    /// - Returns: the rejection; `nil` if the body should be read.
    func screen(_ request: borrowing Request, in context: RequestContext) -> Response?

    /// Returns the text that a person typed into the form. The error page shows this text again if the request is
    /// rejected, even if the request is not authorized.
    func typedText(in request: borrowing Request) -> String?

    /// Returns the page with the form, if it depends on the fields of the form. The error page links to it. `nil` means the
    /// page that the property ``formPage`` gives.
    func formPage(of request: borrowing Request) -> ErrorPage.PageLink?

    /// Reads the request, and starts the change on a thread that may wait for the store.
    ///
    /// - Throws: ``Problem`` 400 or 415.
    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem)
}

extension Mutation {
    var method: LeakHTTPServer.Method { .post }
    var body: Route.Body { .atMost(bytes: 0) }
    var formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? { nil }
    var needsToken: Bool { false }
    func screen(_: borrowing Request, in _: RequestContext) -> Response? { nil }
    func typedText(in _: borrowing Request) -> String? { nil }
    func formPage(of _: borrowing Request) -> ErrorPage.PageLink? { nil }

    /// Returns the route of the change. For a form, there is also a route that redirects GET to the page with the form.
    func routes(in context: RequestContext) -> [Route] {
        let access: Route.Access = formPage == nil ? .readers(permission) : .people(permission)
        let change = Route(method, path, access: access, body: body, formPage: formPage) { request in
            screen(request, in: context)
        } handler: { request, match, responder in
            receive(request, match: match, responder: SharedResponder(responder), context: context)
        }
        guard let formPage else { return [change] }
        // A reload or the browser's history sends GET to the address of a form. Such a request is
        // redirected to the form's page.
        let page = Route(.get, path, access: .people(permission), formPage: formPage) { _, match, responder in
            responder.send(.redirect(to: Links.served.to(match.formPage?.target ?? .summary(app: nil))))
        }
        return [change, page]
    }

    private func receive(
        _ request: borrowing Request, match: Route.Match, responder: SharedResponder,
        context: RequestContext
    ) {
        let (now, typedText, back) = (context.now(), typedText(in: request), formPage(of: request))
        do throws(Problem) {
            try context.storeThreads.requireDatabase()
            let author = try context.authenticator.author(of: request, needing: permission, now: now)
            guard !needsToken || author.purpose == .access else {
                throw .unauthorized("this request needs an access token (Authorization: Bearer TOKEN)")
            }
            let change = ChangeRequest(
                author: author, origin: author.origin(from: request.clientAddress), match: match, now: now,
                context: context, responder: responder,
                typedText: typedText, formPage: back)
            try start(request, change)
        } catch {
            responder.send(match.rejection(error, typedText: typedText, back: back, now: now))
        }
    }
}

/// An authorized request to change something.
struct ChangeRequest: Sendable {
    /// The credential with which a person or a program requests the change.
    let author: Credential
    /// The author as the audit log names it.
    let origin: ChangeOrigin
    let match: Route.Match
    /// Milliseconds since 1970.
    let now: Int64
    let context: RequestContext
    var responder: SharedResponder
    /// Text that a person typed into the form. The error page shows it again if the change is rejected.
    var typedText: String?
    /// The result of ``Mutation/formPage(of:)``.
    var formPage: ErrorPage.PageLink?

    func rejection(_ problem: Problem) -> Response {
        match.rejection(problem, typedText: typedText, back: formPage, now: now)
    }

    /// Creates the work that waits for the store and answers the request.
    ///
    /// - Parameter name: name of the work in the log.
    func work<ThreadResources>(
        _ name: String, response: @escaping @Sendable (ThreadResources) throws -> Response
    ) -> StoreWork<ThreadResources> {
        StoreWork(name, responders: { [responder] }, rejection: rejection, response: response)
    }
}

extension Request {
    /// Checks that `Content-Type` is JSON.
    ///
    /// - Throws: ``Problem`` 415.
    func requireJSON() throws(Problem) {
        guard hasContentType("application/json") else {
            throw Problem(.unsupportedMediaType, "Content-Type must be application/json")
                .withField("Accept-Post", "application/json")
        }
    }

    /// The fields of a form; `nil` for a body of another type.
    var form: Form? {
        hasContentType("application/x-www-form-urlencoded") ? Form(body()) : nil
    }
}
