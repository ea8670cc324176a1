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
                response: .problem(
                    .internalServerError,
                    "The server did not answer the request because of an internal error.")))
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
