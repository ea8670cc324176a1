/// A connection with a peer: its input, its pending responses and its state. Only the owning loop accesses it.
final class Connection {
    enum Phase {
        case open
        /// The last response is being sent; no further request is read.
        case finishing
        /// All responses are sent; further input is dropped until the peer closes.
        case lingering
        /// The loop has removed the connection.
        case closed
    }

    let id: ConnectionID
    let socket: Descriptor
    /// The group that the connection is counted for: its peer, the client whose request a trusted proxy forwards, or
    /// ``PeerGroup/proxy`` for a proxy between two requests.
    var peer: PeerGroup
    /// The client of the last request.
    var client: Client
    /// `true` if the peer is a trusted proxy.
    let isProxied: Bool
    let address: IPAddress
    var phase = Phase.open
    /// Received bytes that cannot be parsed yet.
    var input: Buffer?
    /// A partially received head.
    var partialHead: PartialHead?
    var upload: Upload?
    /// Bytes that the peer has not accepted yet; `nil` if there are none.
    var pendingOutput: PendingOutput?
    /// Responses that wait for the responses to earlier requests.
    var outOfOrderResponses: OutOfOrderResponses?
    /// The sequence number of the next request.
    var nextSequence: UInt32 = 0
    /// The sequence number of the oldest request without a response.
    var nextResponseSequence: UInt32 = 0
    /// Bytes of a rejected body that have yet to arrive and to be dropped.
    var bytesToDiscard = 0
    /// Bytes dropped after the last request, see ``Limits/lingerBytes``.
    var lingeredBytes = 0
    /// The latest end of lingering, even if bytes still arrive; milliseconds on the monotonic clock.
    var lingerEnd: UInt64 = 0
    /// `true` if no further request is read, because the last request was rejected or was to close the connection.
    var stopsReading = false
    /// `true` if more requests have arrived than are served in one turn; the connection is in ``Loop/deferredConnections`` then.
    var isDeferred = false
    /// `true` if the peer has closed its sending side.
    var hasInputEnded = false
    /// `true` if a `100 Continue` waits for earlier responses.
    var needsContinue = false
    var interest = Interest.read
    var timer = Timer.fresh
    /// The end of ``timer``, in milliseconds on the monotonic clock.
    var deadline: UInt64

    /// The action that the deadline applies to.
    enum Timer {
        /// No bytes have arrived yet.
        case fresh
        case idle
        case head
        case body
        case write
        case linger
        /// The connection waits for the service or for the loop, without a deadline.
        case none
    }

    init(id: ConnectionID, _ incoming: consuming AcceptedConnection, deadline: UInt64) {
        self.id = id
        peer = incoming.peer
        isProxied = incoming.peer == .proxy
        address = incoming.address
        client = Client(address: incoming.address)
        socket = incoming.socket
        self.deadline = deadline
    }

    /// A parser that stopped in the middle of a head. It is a separate object, so that an idle connection stays small.
    final class PartialHead {
        var parser: HeadParser
        init(_ parser: HeadParser) { self.parser = parser }
    }

    /// Responses that were given before the response to an earlier request. They are in a separate object, because few connections
    /// have any.
    final class OutOfOrderResponses {
        var answers: [AddressedResponse] = []
    }

    /// Data of unanswered requests for the access log.
    var pendingRecords: PendingAccessRecords?

    /// The number of requests without a response yet.
    var unansweredCount: Int { Int(nextSequence &- nextResponseSequence) }
}
