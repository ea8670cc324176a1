internal import HTTPServer

/// A responder that a closure on another thread may hold.
final class Later: @unchecked Sendable {
    // Unchecked: handed to one thread, which sends; the other sends only where that thread never got it.
    private var responder: Responder?

    init(_ responder: consuming Responder) { self.responder = consume responder }

    /// Sends an answer; a second one goes nowhere.
    func send(_ response: Response) {
        guard let responder = responder.take() else { return }
        responder.send(response)
    }
}
