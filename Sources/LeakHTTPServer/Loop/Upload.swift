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
        head: Head, fields: [FieldLine], headBytes: [UInt8], sequence: UInt32, exchange: Exchange,
        startedAt: UInt64, remainingBody: RemainingBody, body: Buffer, in memory: UploadMemory
    ) {
        self.head = head
        self.fields = fields
        self.headBytes = headBytes
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
