/// The handler of a server's requests. One instance serves all loops, so it must protect its shared state.
public protocol Service: Sendable {
    /// Checks a request before its body is read.
    ///
    /// Called once for each request, on the loop's thread, and must not block. The server itself rejects a body that is
    /// longer than ``ScreeningResult/bodyLimit`` allows, or in an unknown content coding.
    ///
    /// - Returns: a response, usually a rejection, or how the body is read before ``serve(_:_:)`` is called. The default reads
    ///   the body within ``Limits/bodyBytes``.
    func screen(_ request: borrowing Request) -> ScreeningResult

    /// Handles a request whose method is not a case of ``Method``, before its body is read.
    ///
    /// Runs on the loop's thread and must not block. ``Request/method`` is meaningless here. The connection closes after the
    /// response.
    ///
    /// - Returns: 405 with `Allow` if there is something at the path; `nil`, the default, is answered with 501.
    func rejectUnknownMethod(of request: borrowing Request) -> Response?

    /// Counts or logs a request that the server itself rejects after it was screened: because of its body, such as a body that
    /// is too long or cannot be decompressed, or because the body took too long.
    ///
    /// Runs on the loop's thread and must not block.
    ///
    /// - Parameters:
    ///   - context: ``ScreeningResult/context`` of the request.
    ///   - status: the status of the response.
    func recordRejection(of context: (any AnyObject & Sendable)?, status: Status)

    /// Answers a request whose body has arrived, and is decoded unless ``ScreeningResult/inflates`` was `true`.
    ///
    /// Runs on the loop's thread and must not block. Work that takes time moves to another thread, together with `responder`, which
    /// can respond from there.
    func serve(_ request: borrowing Request, _ responder: consuming Responder)
}

extension Service {
    /// Serves every request.
    public func screen(_ request: borrowing Request) -> ScreeningResult { ScreeningResult() }
    /// Returns `nil`: the server answers with 501.
    public func rejectUnknownMethod(of request: borrowing Request) -> Response? { nil }
    /// Does nothing.
    public func recordRejection(of context: (any AnyObject & Sendable)?, status: Status) {}
}

/// The result of ``Service/screen(_:)``: the response to a request, or how its body is read.
public struct ScreeningResult: Sendable {
    /// The response that is sent without reading the body, usually a rejection. If it is `nil`, the body is read, and the request
    /// is passed to ``Service/serve(_:_:)``.
    public var response: Response?

    /// The most bytes that the body may have as sent. `nil`, and any number below ``Limits/bodyBytes``, means
    /// ``Limits/bodyBytes``. A body that is longer is answered with 413 instead of ``response``. ``Limits/uploadBytes`` must have
    /// room for one such body per loop.
    public var bodyLimit: Int?

    /// `true` if ``Service/serve(_:_:)`` receives a long compressed body as ``Request/codedBody``, and decompresses it on another
    /// thread. A body is long if it has more than 8 KiB, because decompressing it may take more than a few milliseconds. If `false`,
    /// the body is decompressed on the loop's thread.
    public var inflates: Bool

    /// An object that is passed on as ``Request/context``, such as the route that was found.
    public var context: (any AnyObject & Sendable)?

    /// Creates the result; without arguments, the request is served within the limits of the server.
    public init(
        _ response: Response? = nil, bodyLimit: Int? = nil, inflates: Bool = false,
        context: (any AnyObject & Sendable)? = nil
    ) {
        self.response = response
        self.bodyLimit = bodyLimit
        self.inflates = inflates
        self.context = context
    }
}
