/// A stretch of the head's bytes.
struct Piece: Hashable, Sendable {
    var start: UInt32 = 0
    var count: UInt32 = 0

    init() {}

    @inline(__always) init(from start: Int, to end: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.count = UInt32(truncatingIfNeeded: end &- start)
    }

    @inline(__always) var range: Range<Int> { Int(start)..<Int(start) &+ Int(count) }
}

/// One field line.
struct FieldLine: Hashable, Sendable {
    var name: Piece
    var value: Piece
}

/// How the body is delimited. RFC 9112 §6.3.
enum Framing: Hashable, Sendable {
    case none
    case length(Int)
    case chunked
}

/// What a head says, as offsets into its bytes: no text is made before somebody asks for it.
struct Head: Hashable, Sendable {
    var method = Method.get
    /// Indicates whether the method is none of ``Method``, so that ``method`` says nothing.
    var hasUnknownMethod = false
    /// The digit after `HTTP/1.`
    var minorVersion: UInt8 = 1
    var target = Piece()
    /// Empty for `*` and for an absolute-form without a path.
    var path = Piece()
    var query: Piece?
    var isAsterisk = false
    var framing = Framing.none
    /// Whether the peer can use the connection again.
    var keepsAlive = true
    var expectsContinue = false
    var contentCoding = ContentCoding.identity
    /// Where `Accept-Encoding` and `If-None-Match` stand in the table of fields. Several lines are one list (RFC 9110
    /// §5.3), which nobody sends and which is not joined: it counts as none, so the whole body goes out as it is.
    var acceptEncoding: Int?
    var ifNoneMatch: Int?
}
