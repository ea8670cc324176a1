/// What a server is for: answers requests. One instance serves every loop, so it guards what it shares.
public protocol Service: Sendable {
    /// Looks at a request before its body is read.
    ///
    /// Runs on the loop's thread and must not block.
    ///
    /// - Returns: an answer that needs no body, a refusal above all, or `nil` to read the body and
    ///   ``serve(_:_:)`` the request. A service that does not say otherwise reads every body.
    func screen(_ request: borrowing Request) -> Response?

    /// Looks at a request whose method is none of ``Method``, before its body is read.
    ///
    /// Runs on the loop's thread and must not block. ``Request/method`` says nothing here. The connection ends with the
    /// answer.
    ///
    /// - Returns: 405 with `Allow` if something is at the address; `nil`, the default, is answered 501.
    func refuseUnknownMethod(of request: borrowing Request) -> Response?

    /// Bytes that the body of this request may have as sent; more is 413.
    ///
    /// Asked for a body that is longer than ``Limits/bodyBytes`` or comes in chunks. Runs on the loop's thread.
    /// ``Limits/uploadBytes`` has to have room for one such body on each loop.
    ///
    /// - Parameters:
    ///   - request: its head; the body has not been read.
    ///   - limits: the server's.
    /// - Returns: ``Limits/bodyBytes`` unless a service says otherwise.
    func bodyLimit(of request: borrowing Request, _ limits: Limits) -> Int

    /// Asked for a compressed body that may take more than a few milliseconds to inflate. Runs on the loop's thread.
    ///
    /// - Returns: whether ``serve(_:_:)`` gets it as ``Request/codedBody``, to inflate it on another thread. `false`, the
    ///   default, has it inflated on the loop's.
    func inflates(_ request: borrowing Request) -> Bool

    /// Answers a request whose body has arrived, decoded.
    ///
    /// Runs on the loop's thread and must not block: what takes time moves to another thread together with
    /// `responder`, which may answer from there.
    func serve(_ request: borrowing Request, _ responder: consuming Responder)
}

extension Service {
    public func screen(_ request: borrowing Request) -> Response? { nil }
    public func refuseUnknownMethod(of request: borrowing Request) -> Response? { nil }
    public func bodyLimit(of request: borrowing Request, _ limits: Limits) -> Int { limits.bodyBytes }
    public func inflates(_ request: borrowing Request) -> Bool { false }
}
