internal import LeakHTTPServer
internal import LeakStore

/// A method of an address: who may send it, which body it takes, how it is rejected, and what answers it.
final class Route: Sendable {
    /// The senders that a request is accepted from.
    enum Access: Hashable {
        case anyone
        /// Senders with an ingest key. ``screen`` checks it.
        case writers
        /// Programs with an access token and signed-in browsers; rejected in JSON.
        case readers
        /// The same; browsers are sent to the sign-in page.
        case people
    }

    /// The body that a request may have.
    enum Body: Hashable {
        /// So many bytes at most, not compressed.
        case atMost(Int)
        /// Inflated and read by the parsing threads: so many bytes at most, or the server's limit if that is higher.
        case parsed(atMost: Int)
    }

    /// An object that the path names. An id that it cannot have is 404.
    private enum Identifier: String, CaseIterable {
        case leak
        /// The number of a key or a token.
        case id
        /// SDKs of Sentry want a number there, and any will do.
        case project
    }

    /// A route with the parameters in the path of a request.
    struct Match: Sendable {
        let route: Route
        let parameters: Parameters

        /// - Returns: `nil` if nothing can have the id in the path.
        init?(_ route: Route, _ parameters: Parameters) {
            guard route.exists(parameters) else { return nil }
            self.route = route
            self.parameters = parameters
        }

        /// The page with the form that is sent here.
        var formPage: ErrorPage.PageLink? { route.formPage?(parameters) }

        /// The answer to a request that is rejected: a page for people, a problem for programs.
        ///
        /// - Parameters:
        ///   - written: text from the form, given back to its author.
        ///   - now: milliseconds since 1970.
        func rejection(_ problem: Problem, written: String? = nil, now: Int64) -> Response {
            guard route.isForBrowsers else { return problem.response }
            // The page has words of its own for what does not exist and for failures of the server.
            let isMissing = problem.status == .notFound
            let detail = problem.status.code < 500 && !isMissing ? problem.detail : nil
            return .page(
                error: problem.status, detail: detail, written: written,
                back: isMissing || route.method == .get ? nil : formPage,
                isSignedIn: route.access == .people, now: now)
        }
    }

    typealias Handler = @Sendable (borrowing Request, Match, consuming Responder) -> Void

    let method: LeakHTTPServer.Method
    /// Such as `/leaks/{leak}/decisions`.
    let path: String
    let access: Access
    let body: Body
    private let isForBrowsers: Bool
    private let formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)?
    /// Rejects what need not be read; `nil` if access, length and coding are all that matters.
    let screen: (@Sendable (borrowing Request) -> Response?)?
    /// Answers once the body is there.
    let handler: Handler
    private let identifier: Identifier?

    init(
        _ method: LeakHTTPServer.Method, _ path: String, access: Access, body: Body = .atMost(0),
        isForBrowsers: Bool = false, formPage: (@Sendable (Parameters) -> ErrorPage.PageLink?)? = nil,
        screen: (@Sendable (borrowing Request) -> Response?)? = nil, handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.body = body
        self.isForBrowsers = isForBrowsers || access == .people
        self.formPage = formPage
        self.screen = screen
        self.handler = handler
        identifier = Identifier.allCases.first { path.contains("{\($0.rawValue)}") }
    }

    private func exists(_ parameters: Parameters) -> Bool {
        guard let identifier else { return true }
        guard let value = parameters[identifier.rawValue] else { return false }
        return switch identifier {
        case .leak: LeakID(value) != nil
        // The address of a form leads to its page, whatever the number.
        case .id: method == .get || Int64(decimalDigits: value) != nil
        case .project: DecimalDigits.areAll(in: value)
        }
    }
}
