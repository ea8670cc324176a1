/// A service made of closures, one for each method and pattern: all that a small program needs.
///
/// What no route takes is a file, when there are some, or 404; another method is 405 with `Allow`; `OPTIONS` is
/// answered from the table. All of that before a body is read.
///
/// ```swift
/// var routes = Routes()
/// routes.on(.get, "/hello/{name}") { _, parameters in .text("Hello, \(parameters["name"] ?? "")!\n") }
/// let server = try Server(.init(port: 8080), service: routes)
/// ```
public struct Routes: Service {
    /// Answers at once, on the loop's thread: it must not block.
    public typealias Answering =
        @Sendable (_ request: borrowing Request, _ parameters: Parameters) -> Response
    /// Answers whenever it can, from any thread, with the responder.
    public typealias Responding =
        @Sendable (
            _ request: borrowing Request, _ parameters: Parameters, _ responder: consuming Responder
        ) -> Void

    private var router = Router<Responding>()
    private let files: StaticFiles?

    /// - Parameter files: what is served where no route is.
    public init(files: StaticFiles? = nil) { self.files = files }

    /// Answers `method` on `pattern` with what `answer` returns; see ``Router/add(_:_:_:)``.
    public mutating func on(_ method: Method, _ pattern: String, answer: @escaping Answering) {
        router.add(method, pattern) { request, parameters, responder in
            responder.send(answer(request, parameters))
        }
    }

    /// Lets `respond` answer `method` on `pattern`, from any thread; see ``Router/add(_:_:_:)``.
    public mutating func on(_ method: Method, _ pattern: String, respond: @escaping Responding) {
        router.add(method, pattern, respond)
    }

    /// Answers what no closure takes, from the table and the files.
    public func screen(_ request: borrowing Request) -> Response? {
        let match = router.match(request)
        if case .notFound = match, let file = files?.response(to: request) { return file }
        return match.refusal
    }

    /// Answers 405 where a route or a file is.
    public func refuseUnknownMethod(of request: borrowing Request) -> Response? {
        let allow = router.allowedMethods(of: request) ?? files?.allowedMethods(of: request)
        return allow.map { .methodNotAllowed(allow: $0) }
    }

    /// Calls the closure of the route.
    public func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        let match = router.match(request)
        guard case .found(let respond, let parameters) = match else {
            responder.send(match.refusal ?? Response(.notFound))
            return
        }
        respond(request, parameters, responder)
    }
}

extension Response {
    /// A plain text in UTF-8.
    public static func text(_ text: String, _ status: Status = .ok) -> Response {
        Response(status, type: "text/plain; charset=utf-8", body: .bytes(Array(text.utf8)))
    }
}
