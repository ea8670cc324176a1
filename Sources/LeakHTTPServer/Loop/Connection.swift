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
    /// The identifier of the request that is being parsed, until its exchange has it.
    var requestID: RequestID?
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
    /// `true` if no further request is read, because the last request was rejected or was to close the connection, or the input
    /// has ended.
    var stopsReading = false
    /// `true` if more requests have arrived than are served in one turn; the connection is in ``Loop/deferredConnections`` then.
    var isDeferred = false
    /// `true` if the peer has closed its sending side.
    var hasInputEnded = false
    /// `true` if a `100 Continue` waits for earlier responses.
    var needsContinue = false
    var interest = Interest.read
    var timer = Timer.fresh
    /// The time when ``timer`` expires, in milliseconds on the monotonic clock.
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
        /// The connection waits for the service or for the loop, and has no deadline.
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

/// Bytes that a peer has not accepted yet. Response bodies are shared with their creator, not copied.
final class PendingOutput {
    private var chunks: [Response.Body] = []
    /// The number of bytes of the first chunk that have been sent.
    private var firstChunkSentBytes = 0
    /// The number of bytes that are still to be sent.
    private(set) var byteCount = 0

    func append(_ chunk: Response.Body) {
        guard chunk.count > 0 else { return }
        byteCount += chunk.count
        chunks.append(chunk)
    }

    /// Creates output that begins with `chunk`, without its first `sent` bytes, which the peer already has.
    init(_ chunk: Response.Body, without sent: Int = 0) {
        append(chunk)
        firstChunkSentBytes = sent
        byteCount -= sent
    }

    /// Sends as many bytes as the peer accepts.
    ///
    /// - Returns: the number of bytes sent, or `nil` if the connection is broken.
    func send(to socket: Int32) -> Int? {
        var total = 0
        while let first = chunks.first {
            let outcome = unsafe first.withPointer { bytes in
                unsafe Socket.send(
                    socket, UnsafeBufferPointer(rebasing: bytes[firstChunkSentBytes...]),
                    then: UnsafeBufferPointer(start: nil, count: 0))
            }
            guard case .transferred(let sentNow) = outcome else { return outcome == .failed ? nil : total }
            total += sentNow
            byteCount -= sentNow
            firstChunkSentBytes += sentNow
            if firstChunkSentBytes >= first.count {
                chunks.removeFirst()
                firstChunkSentBytes = 0
            }
        }
        return total
    }
}

/// A request with an incomplete body: its head and the received part of its body.
@safe
final class Upload {
    /// The part of the body that has not arrived yet.
    enum RemainingBody {
        /// The number of bytes that are still missing.
        case length(bytes: Int)
        case chunked(ChunkParser)
    }

    let head: Head
    let fields: [FieldLine]
    let headBytes: [UInt8]
    /// ``ScreeningResult/inflates`` of the request.
    let inflates: Bool
    /// ``ScreeningResult/context`` of the request.
    let context: (any AnyObject & Sendable)?
    let sequence: UInt32
    let exchange: Exchange
    /// The time when the head was complete, in milliseconds on the monotonic clock.
    let startedAt: UInt64
    var remainingBody: RemainingBody
    var body: Buffer {
        didSet { addCapacityChange(from: oldValue.capacity) }
    }
    let memory: UploadMemory
    /// `true` if the body is complete and waits for decompression.
    var isComplete = false

    init(
        head: Head, fields: [FieldLine], headBytes: [UInt8], screening: ScreeningResult, sequence: UInt32,
        exchange: Exchange, startedAt: UInt64, remainingBody: RemainingBody, body: Buffer,
        in memory: UploadMemory
    ) {
        self.head = head
        self.fields = fields
        self.headBytes = headBytes
        inflates = screening.inflates
        context = screening.context
        self.sequence = sequence
        self.exchange = exchange
        self.startedAt = startedAt
        self.remainingBody = remainingBody
        self.body = body
        self.memory = memory
        addCapacityChange(from: 0)
    }

    deinit { subtractCapacity() }

    /// Consumes the next bytes.
    ///
    /// - Returns: the number of bytes that belong to this body, and whether the body is complete.
    func consume(_ bytes: borrowing Span<UInt8>) throws(RequestError) -> (
        consumedBytes: Int, isComplete: Bool
    ) {
        let capacity = body.capacity
        defer { addCapacityChange(from: capacity) }
        switch remainingBody {
        case .length(let missingCount):
            let takenCount = min(missingCount, bytes.count)
            unsafe bytes.withUnsafeBufferPointer {
                unsafe body.append(UnsafeBufferPointer(rebasing: $0[..<takenCount]))
            }
            remainingBody = .length(bytes: missingCount - takenCount)
            return (takenCount, missingCount == takenCount)
        case .chunked(var parser):
            var position = 0
            while true {
                let step = try parser.next(bytes, from: position)
                remainingBody = .chunked(parser)
                switch step {
                case .data(let range):
                    unsafe bytes.withUnsafeBufferPointer {
                        unsafe body.append(UnsafeBufferPointer(rebasing: $0[range]))
                    }
                    position = range.upperBound
                case .needsMore: return (bytes.count, false)
                case .end(let end): return (end, true)
                }
            }
        }
    }
}

/// The memory that the incomplete bodies of one loop occupy.
final class UploadMemory {
    /// The number of bytes, including unused capacity of buffers.
    fileprivate(set) var bytes = 0
}

extension Upload {
    /// Adds the change of the body's capacity to the total of the loop.
    ///
    /// - Parameter oldCapacity: the capacity before the change.
    func addCapacityChange(from oldCapacity: Int) { memory.bytes += body.capacity - oldCapacity }

    /// Subtracts the body's capacity from the total of the loop.
    func subtractCapacity() { memory.bytes -= body.capacity }
}

extension Loop {
    /// Ends the uploads that began first, until the uploads of this loop are within its share of ``Limits/uploadBytes``. These
    /// are the slowest uploads, because a body that arrives in one piece is handled within a turn.
    func endUploadsOverLimit() {
        while uploadMemory.bytes > uploadByteLimit {
            var oldest: (connection: Connection, startedAt: UInt64)?
            for case let connection? in connections {
                guard let upload = connection.upload, !upload.isComplete,
                    upload.startedAt < oldest?.startedAt ?? .max
                else { continue }
                oldest = (connection, upload.startedAt)
            }
            guard let oldest else { return }
            reject(oldest.connection, .uploadMemoryExceeded)
            finishTurn(oldest.connection)
        }
    }
}
