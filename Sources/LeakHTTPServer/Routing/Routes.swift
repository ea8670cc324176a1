/// A service made of closures, one per method and pattern: enough for a small program.
///
/// If no route matches, the service responds with a static file if it has one, otherwise with 404. A method that is not allowed
/// gets 405 with `Allow`; `OPTIONS` is answered from the table. All of these responses are sent before the body is read.
///
/// ```swift
/// var routes = Routes()
/// routes.on(.get, "/hello/{name}") { _, parameters in .text("Hello, \(parameters["name"] ?? "")!\n") }
/// let server = try Server(.init(port: 8080), service: routes)
/// ```
public struct Routes: Service {
    /// A handler that returns its response at once. It runs on the loop's thread and must not block.
    public typealias SyncHandler =
        @Sendable (_ request: borrowing Request, _ parameters: Parameters) -> Response
    /// A handler that may respond later, from any thread, through the responder.
    public typealias AsyncHandler =
        @Sendable (
            _ request: borrowing Request, _ parameters: Parameters, _ responder: consuming Responder
        ) -> Void

    private var router = Router<AsyncHandler>()
    private let files: StaticFiles?

    /// Creates a service without routes.
    ///
    /// - Parameter files: the files to serve if no route matches.
    public init(files: StaticFiles? = nil) { self.files = files }

    /// Adds a route for `method` and `pattern` that responds with the result of `answer`; see ``Router/add(_:_:endpoint:)``.
    public mutating func on(_ method: Method, _ pattern: String, answer: @escaping SyncHandler) {
        router.add(method, pattern) { request, parameters, responder in
            responder.send(answer(request, parameters))
        }
    }

    /// Adds a route for `method` and `pattern` whose handler responds from any thread; see ``Router/add(_:_:endpoint:)``.
    public mutating func on(_ method: Method, _ pattern: String, respond: @escaping AsyncHandler) {
        router.add(method, pattern, endpoint: respond)
    }

    /// A route that was found for a request.
    private final class FoundRoute: Sendable {
        let respond: AsyncHandler
        let parameters: Parameters

        init(_ respond: @escaping AsyncHandler, _ parameters: Parameters) {
            self.respond = respond
            self.parameters = parameters
        }
    }

    /// Answers a request that matches no route: with a file, 404, 405, or the allowed methods.
    public func screen(_ request: borrowing Request) -> ScreeningResult {
        let match = router.match(request)
        switch match {
        case .found(let respond, let parameters):
            return ScreeningResult(context: FoundRoute(respond, parameters))
        case .notFound: return ScreeningResult(files?.response(to: request) ?? match.refusal)
        case .methodNotAllowed, .options: return ScreeningResult(match.refusal)
        }
    }

    /// Answers with 405 if there is a route or a file at the path.
    public func rejectUnknownMethod(of request: borrowing Request) -> Response? {
        let allow = router.allowedMethods(of: request) ?? files?.allowedMethods(of: request)
        return allow.map { .methodNotAllowed(allow: $0) }
    }

    /// Calls the closure of the route that ``screen(_:)`` found.
    public func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        guard let found = request.context as? FoundRoute else { return }
        found.respond(request, found.parameters, responder)
    }
}

extension Response {
    /// Returns a response with plain text in UTF-8.
    public static func text(_ text: String, _ status: Status = .ok) -> Response {
        Response(status, type: "text/plain; charset=utf-8", body: .bytes(Array(text.utf8)))
    }
}
