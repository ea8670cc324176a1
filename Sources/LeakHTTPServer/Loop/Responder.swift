internal import LeakPlatform

/// The right to send the response to one request: exactly once, from any thread.
///
/// A responder that is released without a response sends a 500, so that no peer waits forever.
public struct Responder: ~Copyable, Sendable {
    /// The queue of the loop that owns the connection; `nil` after the response was sent.
    private var messageQueue: MessageQueue?
    private let connection: ConnectionID
    private let sequence: UInt32
    private let exchange: Exchange

    init(_ messageQueue: MessageQueue, connection: ConnectionID, sequence: UInt32, exchange: Exchange) {
        self.messageQueue = messageQueue
        self.connection = connection
        self.sequence = sequence
        self.exchange = exchange
    }

    /// The identifier of the request.
    public var requestID: RequestID? { exchange.requestID }

    /// Sends the response. Content negotiation and compression run on the calling thread. If the peer has disconnected, the
    /// response is discarded.
    public consuming func send(_ response: consuming Response) {
        guard let messageQueue else { return }
        self.messageQueue = nil
        response.negotiate(for: exchange)
        messageQueue.deliver(
            AddressedResponse(
                connection: connection, sequence: sequence, exchange: exchange, response: response))
    }

    deinit {
        guard let messageQueue else { return }
        messageQueue.deliver(
            AddressedResponse(
                connection: connection, sequence: sequence, exchange: exchange,
                response: Response.problem(
                    .internalServerError,
                    "The server did not answer the request because of an internal error."
                ).negotiated(for: exchange)))
    }
}

/// The identity of a connection in one loop. The generation distinguishes it from later connections with the same index.
struct ConnectionID: Hashable, Sendable {
    let index: UInt32
    let generation: UInt32

    init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    init(token: UInt64) {
        index = UInt32(truncatingIfNeeded: token)
        generation = UInt32(truncatingIfNeeded: token >> 32)
    }

    var token: UInt64 { UInt64(generation) << 32 | UInt64(index) }
}

/// A response with the connection and the sequence number of the request that it answers.
struct AddressedResponse: Sendable {
    let connection: ConnectionID
    let sequence: UInt32
    let exchange: Exchange
    let response: Response
}

/// A responder that can be shared, in particular by closures, which cannot take ownership of a noncopyable value. It can be
/// used from any thread. If it is released without a response, it sends a 500, as every ``Responder`` does.
public final class SharedResponder: @unchecked Sendable {
    // `@unchecked` is safe: the responder is accessed only once, by the caller that sets `isTaken`.
    private var responder: Responder?
    private let isTaken = Guarded(false)
    /// The identifier of the request.
    public let requestID: RequestID?

    /// Takes ownership of the responder.
    public init(_ responder: consuming Responder) {
        requestID = responder.requestID
        self.responder = consume responder
    }

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

/// A queue of messages from other threads to a loop. Several messages cause a single wake-up.
final class MessageQueue: Sendable {
    private struct Content {
        var answers: [AddressedResponse] = []
        var acceptedConnections: [AcceptedConnection.Box] = []
        var stopDeadline: UInt64?
        var isWoken = false
        var isClosed = false
    }

    private let content = Guarded(Content())
    private let waker: Waker
    private let loopReference: LoopReference

    /// A reference to the loop for calls on its own thread, which need no lock.
    private final class LoopReference: @unchecked Sendable {
        // `@unchecked` is safe: the reference is accessed only on the loop's thread, from ``MessageQueue/setThread(of:)`` to
        // ``MessageQueue/close()``, which also breaks the reference cycle.
        var loop: Loop?
    }

    init(waker: Waker) {
        self.waker = waker
        loopReference = LoopReference()
    }

    /// Marks the current thread as the thread that runs `loop`.
    func setThread(of loop: Loop) {
        loopReference.loop = loop
        ThreadMark.set(self)
    }

    /// Delivers `answer` to the loop: at once if its connection is being served on this thread, otherwise with the next wake-up.
    func deliver(_ answer: consuming AddressedResponse) {
        if ThreadMark.isSet(by: self), let loop = loopReference.loop, loop.isServing(answer.connection) {
            loop.sendWhileServing(answer)
            return
        }
        let message = answer
        enqueue { $0.answers.append(message) }
    }

    /// Adds a message, unless the queue is closed, and wakes the loop if that has not happened yet.
    private func enqueue(_ add: (inout Content) -> Void) {
        let mustWake = content.with { content in
            guard !content.isClosed else { return false }
            add(&content)
            defer { content.isWoken = true }
            return !content.isWoken
        }
        if mustWake { waker.wake() }
    }

    /// `true` if the queue can hold another connection: it is open, and fewer than ``maxWaitingConnections`` wait in it because
    /// the loop is busy.
    var acceptsConnections: Bool {
        content.with { $0.acceptedConnections.count < Self.maxWaitingConnections && !$0.isClosed }
    }

    private static let maxWaitingConnections = 64

    /// Passes a connection to the loop, from another loop that has no room for the connection. If the loop has ended, the
    /// connection is closed.
    func deliver(_ incoming: consuming AcceptedConnection) {
        let box = AcceptedConnection.Box(incoming)
        enqueue { $0.acceptedConnections.append(box) }
    }

    /// Asks the loop to end.
    ///
    /// - Parameter deadline: milliseconds on the monotonic clock; requests in progress may take until then.
    func stop(by deadline: UInt64) {
        content.with { content in
            content.stopDeadline = min(content.stopDeadline ?? .max, deadline)
            content.isWoken = true
        }
        waker.wake()
    }

    /// Removes and returns all messages. Must be called on the loop's thread.
    func take() -> (
        answers: [AddressedResponse], acceptedConnections: [AcceptedConnection.Box], stopDeadline: UInt64?
    ) {
        waker.clear()
        return content.with { content in
            defer {
                content.answers.removeAll(keepingCapacity: content.answers.count < 1024)
                content.acceptedConnections = []
                content.isWoken = false
            }
            return (content.answers, content.acceptedConnections, content.stopDeadline)
        }
    }

    /// Closes the queue, because the loop has ended. Later messages are discarded.
    func close() {
        loopReference.loop = nil
        content.with { content in
            content.isClosed = true
            content.answers = []
            content.acceptedConnections = []
        }
    }
}
