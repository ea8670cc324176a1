/// The right to answer one request, once, from any thread. Let go without an answer, it answers 500.
public struct Responder: ~Copyable, Sendable {
    /// `nil` once it has answered.
    private var loop: EventLoop?
    private let ticket: Ticket

    init(loop: EventLoop, ticket: Ticket) {
        self.loop = loop
        self.ticket = ticket
    }

    public consuming func send(_ response: Response) {
        loop?.answer(ticket, response)
        loop = nil
    }

    deinit {
        loop?.answer(ticket, Response(.internalServerError))
    }
}

/// Which request of which connection an answer belongs to.
struct Ticket: Hashable, Sendable {
    /// Never used again by another connection of the loop.
    var connection: UInt64
    /// Counted from 0 on each connection.
    var number: Int
}
