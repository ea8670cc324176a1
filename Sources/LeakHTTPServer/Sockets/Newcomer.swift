/// A connection that was accepted and has no place in a loop yet.
struct Newcomer: ~Copyable, Sendable {
    let socket: Descriptor
    let address: IPAddress
    var peer: PeerGroup

    init(socket: consuming Descriptor, address: IPAddress) {
        self.socket = socket
        self.address = address
        peer = PeerGroup(address)
    }

    /// One on its way to another loop: arrays hold no noncopyable values.
    final class Parcel: @unchecked Sendable {
        // Unchecked: taken out once, by the loop that took the parcel from its mailbox.
        private var content: Newcomer?

        init(_ content: consuming Newcomer) { self.content = consume content }

        func take() -> Newcomer? { content.take() }
    }
}
