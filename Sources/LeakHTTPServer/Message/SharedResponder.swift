internal import LeakPlatform

/// A responder that several may hold, closures above all, which cannot take over a value that cannot be copied. From
/// any thread; let go of without an answer it answers 500, as every ``Responder`` does.
public final class SharedResponder: @unchecked Sendable {
    // Unchecked: touched once, by whoever turns `isTaken`.
    private var responder: Responder?
    private let isTaken = Guarded(false)

    /// Takes the responder over.
    public init(_ responder: consuming Responder) { self.responder = consume responder }

    /// Sends the answer; of several calls the first one counts.
    ///
    /// - Returns: whether this was the first one.
    @discardableResult
    public func send(_ response: consuming Response) -> Bool {
        guard let responder = take() else { return false }
        responder.send(response)
        return true
    }

    /// Gives the responder back to the first caller.
    ///
    /// - Returns: `nil` to later callers, and after ``send(_:)``.
    public func take() -> Responder? {
        let isFirst = isTaken.with { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFirst else { return nil }
        return responder.take()
    }
}
