/// A range of bytes of the head. Half the size of a `Range<Int>`.
struct HeadRange: Hashable, Sendable {
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
    var name: HeadRange
    var value: HeadRange
}

/// The length of the body, or the way to find its end. RFC 9112 §6.3.
enum BodyLength: Hashable, Sendable {
    case none
    case length(bytes: Int)
    case chunked
}

/// A parsed head, as offsets into its bytes: strings are created only on demand.
struct Head: Hashable, Sendable {
    var method = Method.get
    /// `true` if the method is not a case of ``Method``; ``method`` is meaningless then.
    var hasUnknownMethod = false
    /// The digit after `HTTP/1.`
    var minorVersion: UInt8 = 1
    var target = HeadRange()
    /// Empty for `*` and for an absolute-form without a path.
    var path = HeadRange()
    var query: HeadRange?
    /// `true` if the target is `*`.
    var isAsterisk = false
    var framing = BodyLength.none
    /// `true` if the connection can be reused for another request.
    var keepsAlive = true
    var expectsContinue = false
    var contentEncoding = ContentEncoding.identity
    /// The index of the line `Accept-Encoding` in the table of fields; `nil` if there is none, or more than one. Several lines of
    /// one name would form a list (RFC 9110 §5.3). Because no client sends several, they are not joined, and the field counts as
    /// missing: the body is sent uncompressed.
    var acceptEncodingIndex: Int?
    /// The index of the line `If-None-Match` in the table of fields; `nil` if there is none, or more than one. In both cases
    /// the whole body is sent.
    var ifNoneMatchIndex: Int?
}

/// The properties of a request that its response depends on. They outlive the bytes of the request.
struct Exchange: Sendable {
    /// `true` for `GET` and `HEAD`, the methods that only read.
    var isSafe = false
    var isHead = false
    var minorVersion: UInt8 = 1
    /// `true` if the connection closes after the response.
    var closesConnection = false
    var acceptsGzip = false
    var ifNoneMatch: String?
    /// `nil` unless ``Server/Configuration/sendsRequestIDs`` is set.
    var requestID: RequestID?

    /// The exchange of a request that could not be parsed.
    static let broken: Exchange = {
        var exchange = Exchange()
        exchange.closesConnection = true
        return exchange
    }()

    init() {}

    init(_ head: Head, fields: [FieldLine], of bytes: borrowing Span<UInt8>) {
        isHead = head.method == .head
        isSafe = head.method == .get || isHead
        minorVersion = head.minorVersion
        closesConnection = !head.keepsAlive
        if let index = head.acceptEncodingIndex {
            acceptsGzip = AcceptEncodingParser.allowsGzip(bytes, fields[index].value.range)
        }
        if isSafe, let index = head.ifNoneMatchIndex {
            var text: [UInt8] = []
            for position in fields[index].value.range { text.append(bytes[position]) }
            ifNoneMatch = String(decoding: text, as: UTF8.self)
        }
    }
}
