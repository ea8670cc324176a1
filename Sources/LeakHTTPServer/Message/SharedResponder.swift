internal import LeakPlatform

/// A responder that can be shared, in particular by closures, which cannot take ownership of a noncopyable value. It can be
/// used from any thread. If it is released without a response, it sends a 500, as every ``Responder`` does.
public final class SharedResponder: @unchecked Sendable {
    // `@unchecked` is safe: the responder is accessed only once, by the caller that sets `isTaken`.
    private var responder: Responder?
    private let isTaken = Guarded(false)

    /// Takes ownership of the responder.
    public init(_ responder: consuming Responder) { self.responder = consume responder }

    /// Sends the response. Only the first call has an effect.
    ///
    /// - Returns: `true` if this was the first call.
    @discardableResult
    public func send(_ response: consuming Response) -> Bool {
        guard let responder = take() else { return false }
        responder.send(response)
        return true
    }

    /// Returns the responder to the first caller.
    ///
    /// - Returns: the responder, or `nil` for later callers and after ``send(_:)``.
    public func take() -> Responder? {
        let isFirst = isTaken.with { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFirst else { return nil }
        return responder.take()
    }
}
