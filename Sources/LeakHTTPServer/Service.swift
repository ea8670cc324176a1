/// The handler of a server's requests. One instance serves all loops, so it must protect its shared state.
public protocol Service: Sendable {
    /// Checks a request before its body is read.
    ///
    /// Runs on the loop's thread and must not block.
    ///
    /// - Returns: a response that can be given without the body of the request, usually a rejection, or `nil` to read the body
    ///   and call ``serve(_:_:)``. The default is `nil`.
    func screen(_ request: borrowing Request) -> Response?

    /// Handles a request whose method is not a case of ``Method``, before its body is read.
    ///
    /// Runs on the loop's thread and must not block. ``Request/method`` is meaningless here. The connection closes after the
    /// response.
    ///
    /// - Returns: 405 with `Allow` if there is something at the path; `nil`, the default, is answered with 501.
    func rejectUnknownMethod(of request: borrowing Request) -> Response?

    /// Returns the most bytes that the body of this request may have as sent; a longer body is answered with 413.
    ///
    /// Called for a body that is longer than ``Limits/bodyBytes`` or chunked. Runs on the loop's thread. ``Limits/uploadBytes``
    /// must have room for one such body per loop.
    ///
    /// - Parameters:
    ///   - request: the head of the request; the body has not been read.
    ///   - limits: the limits of the server.
    /// - Returns: by default ``Limits/bodyBytes``.
    func bodyLimit(of request: borrowing Request, _ limits: Limits) -> Int

    /// Decides whether the service decompresses a body itself. Called for a body of more than 8 KiB in a content coding, whose
    /// decompression may take more than a few milliseconds. Runs on the loop's thread.
    ///
    /// - Returns: `true` if ``serve(_:_:)`` is to receive the body as ``Request/codedBody`` and decompress it on another thread. If
    ///   `false`, the default, the body is decompressed on the loop's thread.
    func inflates(_ request: borrowing Request) -> Bool

    /// Answers a request whose body has arrived and is decoded.
    ///
    /// Runs on the loop's thread and must not block. Work that takes time moves to another thread, together with `responder`, which
    /// can respond from there.
    func serve(_ request: borrowing Request, _ responder: consuming Responder)
}

extension Service {
    /// Returns `nil`: every request is served.
    public func screen(_ request: borrowing Request) -> Response? { nil }
    /// Returns `nil`: the server answers with 501.
    public func rejectUnknownMethod(of request: borrowing Request) -> Response? { nil }
    /// Returns ``Limits/bodyBytes``.
    public func bodyLimit(of request: borrowing Request, _ limits: Limits) -> Int { limits.bodyBytes }
    /// Returns `false`: the server decompresses the body.
    public func inflates(_ request: borrowing Request) -> Bool { false }
}
