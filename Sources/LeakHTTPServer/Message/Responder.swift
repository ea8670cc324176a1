/// The right and the duty to answer one request, once, from any thread.
///
/// Dropped without an answer it answers 500 itself, so that no peer waits for good.
public struct Responder: ~Copyable, Sendable {
    /// `nil` once answered.
    private var mailbox: Mailbox?
    private let connection: ConnectionID
    private let sequence: UInt32
    private let exchange: Exchange

    init(_ mailbox: Mailbox, _ connection: ConnectionID, _ sequence: UInt32, _ exchange: Exchange) {
        self.mailbox = mailbox
        self.connection = connection
        self.sequence = sequence
        self.exchange = exchange
    }

    /// Answers. Negotiates and compresses on the calling thread; when the peer has gone, nothing happens.
    public consuming func send(_ response: consuming Response) {
        guard let mailbox else { return }
        self.mailbox = nil
        response.negotiate(for: exchange)
        mailbox.deliver(
            Answer(connection: connection, sequence: sequence, exchange: exchange, response: response))
    }

    deinit {
        guard let mailbox else { return }
        mailbox.deliver(
            Answer(
                connection: connection, sequence: sequence, exchange: exchange,
                response: .problem(.internalServerError, "The request was dropped without an answer.")))
    }
}

/// A connection of one loop, told apart from later ones in the same place.
struct ConnectionID: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    init(token: UInt64) {
        slot = UInt32(truncatingIfNeeded: token)
        generation = UInt32(truncatingIfNeeded: token >> 32)
    }

    var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// An answer on its way to its connection.
struct Answer: Sendable {
    let connection: ConnectionID
    let sequence: UInt32
    let exchange: Exchange
    let response: Response
}
