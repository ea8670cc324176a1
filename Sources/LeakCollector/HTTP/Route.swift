internal import LeakHTTPServer
internal import LeakStore

/// One HTTP method of one address: who may send its requests, which body they may have, and how they are rejected or handled.
final class Route: Sendable {
    /// The senders from which a route accepts requests.
    enum Access: Hashable {
        case anyone
        /// Senders with an ingest key. ``screen`` checks it.
        case writers
        /// Programs with an access token, and people who are signed in or whom a trusted proxy names. They need the right. A
        /// rejection is JSON.
        case readers(Permission)
        /// The same senders as ``readers(_:)``. A rejection is a page, and a browser that is not signed in is redirected to the
        /// sign-in page.
        case people(Permission)

        /// The right that a request needs; `nil` if it needs no access token.
        var permission: Permission? {
            switch self {
            case .anyone, .writers: nil
            case .readers(let permission), .people(let permission): permission
            }
        }

        var isForPeople: Bool {
            if case .people = self { true } else { false }
        }
    }

    /// The body that a request may have.
    enum Body: Hashable {
        /// A body of at most this many bytes, not compressed.
        case atMost(bytes: Int)
        /// A body that parsing threads inflate and parse. It has at most this many bytes, or the server's limit if that is
        /// higher.
        case parsed(atMost: Int)
    }

    /// A parameter of the path that identifies an object. An invalid value is answered with 404.
    private enum Identifier: String, CaseIterable {
        case leak
        /// The id of a key or a token, a number.
        case id
        /// A project of Sentry. SDKs require a number, and any number is accepted.
        case project
    }

    /// A route with the parameters in the path of a request. The server keeps it until the body has arrived.
    final class Match: Sendable {
        let route: Route
        let parameters: Parameters
        /// The credential of a request that needs a right. It may lack the right; then the request is rejected.
        let reader: Credential?

        /// - Returns: `nil` if the path contains an invalid id.
        init?(_ route: Route, _ parameters: Parameters, reader: Credential? = nil) {
            guard route.hasValidIdentifier(parameters) else { return nil }
            self.route = route
            self.parameters = parameters
            self.reader = reader
        }

        /// The page with the form that is sent to this route.
        var formPage: ErrorPage.PageLink? { route.formPage?(parameters) }

        /// Returns the response to a rejected request: a page for people, a problem for programs.
        ///
        /// - Parameters:
        ///   - typedText: text that a person typed into the form, which the page shows again.
        ///   - back: the link to the page with the form; `nil` for ``formPage``.
        ///   - now: milliseconds since 1970.
        func rejection(
            _ problem: Problem, typedText: String? = nil, back: ErrorPage.PageLink? = nil, now: Int64
        ) -> Response {
            guard route.isForBrowsers else { return problem.response }
            // For 404 and for server errors, the error page shows its general text instead of the detail.
            let isMissing = problem.status == .notFound
            let detail = problem.status.code < 500 && !isMissing ? problem.detail : nil
            return .page(
                error: problem.status, detail: detail, typedText: typedText,
                back: isMissing || route.method == .get ? nil : back ?? formPage,
                permissions: reader?.permissions ?? [], now: now)
        }
    }

    typealias Handler = @Sendable (borrowing Request, Match, consuming Responder) -> Void

    let method: LeakHTTPServer.Method
    /// The path with its parameters, such as `/leaks/{leak}/decisions`.
    let path: String
    let access: Access
    let body: Body
    /// `true` if a rejection is a page; `false` if it is JSON.
    private let isForBrowsers: Bool
    /// Returns the page with the form that is sent to this route; `nil` if no form is sent to it.
    private let formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)?
    /// The check of a request before its body is read, which returns a rejection; `nil` if only access, length and
    /// content coding are checked.
    let screen: (@Sendable (borrowing Request) -> Response?)?
    /// The handler of a request whose body has arrived.
    let handler: Handler
    /// The parameter of ``path`` that is validated before the handler runs.
    private let identifier: Identifier?

    init(
        _ method: LeakHTTPServer.Method, _ path: String, access: Access, body: Body = .atMost(bytes: 0),
        isForBrowsers: Bool = false, formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? = nil,
        screen: (@Sendable (borrowing Request) -> Response?)? = nil, handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.body = body
        self.isForBrowsers = isForBrowsers || access.isForPeople
        self.formPage = formPage
        self.screen = screen
        self.handler = handler
        identifier = Identifier.allCases.first { path.contains("{\($0.rawValue)}") }
    }

    private func hasValidIdentifier(_ parameters: Parameters) -> Bool {
        guard let identifier else { return true }
        guard let value = parameters[identifier.rawValue] else { return false }
        return switch identifier {
        case .leak: LeakID(value) != nil
        // GET on the address of a form is redirected to the form's page, even if the id is invalid.
        case .id: method == .get || Int64(decimalDigits: value) != nil
        case .project: DecimalDigits.isOnlyDigits(value)
        }
    }
}
