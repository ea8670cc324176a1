/// One peer: what it has sent, what it waits for, what it has not taken yet. Touched by its loop's thread alone.
final class Connection {
    enum Phase {
        /// Between requests, or inside a head.
        case head
        /// A body of known length; the value is what is missing.
        case length(Int)
        case chunked(ChunkedDecoder)
        /// Nothing more is read as a request: the last answer says `close`.
        case finished
        /// The last answer is out; what still comes is dropped, so that no reset destroys the answer.
        case lingering
    }

    /// A request whose answer has not been written yet.
    struct Pending {
        let preferences: Preferences
        var response: Response?
    }

    let socket: Int32
    let id: UInt64

    var phase = Phase.head
    var scanner = HeadScanner()
    /// Bytes of a request that is not whole; while a body comes in, its head.
    var inbox: [UInt8] = []
    /// Of the request whose body comes in.
    var head = Head()
    var headRange = 0..<0
    var body: [UInt8] = []

    /// In the order of the requests; answers leave in this order.
    var pending: [Pending] = []
    /// The number of the first of them.
    var firstNumber = 0
    var requests: Int { firstNumber + pending.count }

    var outbox: [UInt8] = []
    /// How much of it has been sent.
    var sent = 0
    var unsent: Int { outbox.count - sent }

    /// What the poller is told.
    var interest = Interest.readable
    /// Reading waits for answers to go out.
    var isPaused = false
    /// The peer will send no more.
    var peerIsDone = false
    /// Its bytes are being read just now: what is answered meanwhile goes out at the end, together.
    var isBusy = false

    /// Monotonic milliseconds: when the current head began, the current body began, the connection fell idle, and a
    /// byte of an answer was last taken.
    var headStart: Int64?
    var bodyStart: Int64 = 0
    var bodyBytes = 0
    var idleStart: Int64
    var writeStart: Int64 = 0

    init(socket: Int32, id: UInt64, now: Int64) {
        self.socket = socket
        self.id = id
        idleStart = now
    }

    var isReadingBody: Bool {
        switch phase {
        case .length, .chunked: true
        case .head, .finished, .lingering: false
        }
    }

    /// Nothing is under way in either direction.
    var isIdle: Bool {
        guard case .head = phase else { return false }
        return inbox.isEmpty && pending.isEmpty && unsent == 0
    }

    /// When patience ends, in monotonic milliseconds; `nil` while it is the server's turn.
    func deadline(_ limits: Limits) -> Int64? {
        if case .lingering = phase { return writeStart + limits.lingerTime.milliseconds }
        if unsent > 0 { return writeStart + limits.writeTime.milliseconds }
        if isReadingBody {
            let promised = if case .length(let missing) = phase { bodyBytes + missing } else { bodyBytes }
            return bodyStart + limits.bodyTime.milliseconds + Int64(promised) * 1000
                / Int64(max(limits.bodyRate, 1))
        }
        if let headStart { return headStart + limits.headTime.milliseconds }
        guard isIdle else { return nil }
        return idleStart + (requests == 0 ? limits.headTime : limits.idleTime).milliseconds
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
