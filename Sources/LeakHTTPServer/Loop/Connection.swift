/// One peer: what has come from it and what it is owed. Owned and changed by its loop alone.
final class Connection {
    enum Phase {
        case open
        /// The last answer is on its way; nothing more is read as a request.
        case finishing
        /// All is sent; what still comes is dropped until the peer closes.
        case lingering
        /// No longer among the loop's connections.
        case closed
    }

    let id: ConnectionID
    let socket: Descriptor
    /// Whom it is counted for: its peer, or the client whose request a trusted proxy brings.
    var peer: PeerGroup
    /// The client of the last request.
    var client: Client
    /// Indicates whether a trusted proxy is at the other end.
    let isProxied: Bool
    let address: IPAddress
    var phase = Phase.open
    /// What has come and cannot be read yet.
    var input: Buffer?
    /// A head that has come in part.
    var partialHead: PartialHead?
    var upload: Upload?
    /// What it has not taken yet; `nil` when that is nothing.
    var outgoing: Outgoing?
    /// Answers that came before their turn.
    var waiting: Waiting?
    /// The number of the next request, and of the next answer.
    var nextSequence: UInt32 = 0
    var nextAnswer: UInt32 = 0
    /// Bytes of a refused body that are still to be dropped.
    var discarding = 0
    var lingered = 0
    /// When lingering ends at the latest, whatever still comes; milliseconds on the monotonic clock.
    var lingerEnd: UInt64 = 0
    /// No further request is read: one was the last, or was refused.
    var takesNoMore = false
    /// More requests are here than are served in one turn; the rest is in ``Loop/queued``.
    var isQueued = false
    /// The peer has ended its side.
    var inputEnded = false
    /// A `100 Continue` that waits for earlier answers.
    var owesContinue = false
    var interest = Interest.read
    var timer = Timer.fresh
    /// Milliseconds on the monotonic clock.
    var deadline: UInt64

    /// What the deadline is for.
    enum Timer {
        /// Nothing has come yet.
        case fresh
        case idle
        case head
        case body
        case write
        case linger
        /// A service has the request; it may take its time.
        case none
    }

    init(id: ConnectionID, _ newcomer: consuming Newcomer, deadline: UInt64) {
        self.id = id
        peer = newcomer.peer
        isProxied = newcomer.peer == .proxy
        address = newcomer.address
        client = Client(address: newcomer.address)
        socket = newcomer.socket
        self.deadline = deadline
    }

    /// A parser that stopped in the middle of a head: apart, so that an idle connection stays small.
    final class PartialHead {
        var parser: HeadParser
        init(_ parser: HeadParser) { self.parser = parser }
    }

    /// Apart for the same reason.
    final class Waiting {
        var answers: [Answer] = []
    }

    /// What an access log is to be told of them.
    var visits: Visits?

    /// Requests that have no answer yet.
    var unanswered: Int { Int(nextSequence &- nextAnswer) }
}
