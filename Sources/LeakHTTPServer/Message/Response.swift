internal import LeakGzip

/// An answer. The server adds `Date`, the length, `Connection` and the security fields.
public struct Response: Sendable {
    /// What follows the head.
    public enum Body: Sendable {
        case empty
        case bytes([UInt8])
        case text(StaticString)
        /// What came with a request, passed on.
        case shared(SharedBytes)

        /// Bytes of the body.
        public var count: Int {
            switch self {
            case .empty: 0
            case .bytes(let bytes): bytes.count
            case .text(let text): text.utf8CodeUnitCount
            case .shared(let bytes): bytes.count
            }
        }

        /// Lends the bytes to calls of the system.
        @unsafe
        func withPointer<Result>(_ read: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
            switch self {
            case .empty: unsafe read(UnsafeBufferPointer(start: nil, count: 0))
            case .bytes(let bytes): unsafe bytes.withUnsafeBufferPointer { unsafe read($0) }
            case .text(let text):
                unsafe read(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
            case .shared(let bytes): unsafe bytes.withPointer { unsafe read($0) }
            }
        }
    }

    /// With 204, 205 and 304 no body is sent.
    public var status: Status
    /// The media type, such as `application/json`; `nil` sends none.
    public var type: String?
    /// Further fields. One whose name is no token, whose value holds control characters, or that the server
    /// owns (`Connection`, `Content-Length`, `Date`, `Transfer-Encoding`, and `Content-Type` and `ETag`, which
    /// ``type`` and ``etag`` set) is left out.
    /// With a `Content-Encoding` the body goes out as it is.
    public var fields: [(name: String, value: String)] = []
    /// Not sent in answer to `HEAD`, which is told its length.
    public var body: Body
    /// Identifies the bytes of the body, with or without its quotes. With it the server answers
    /// `If-None-Match`.
    public var etag: String?
    /// Whether the connection ends with this answer.
    public var closes = false
    /// Whether the connection ends in place of this answer, of which nothing is sent: for peers that give up what got an
    /// error, and send again what got no answer. Its status is what is counted and told to an access log.
    public var isWithheld = false

    /// The body, compressed beforehand. Only for bodies that are served again and again.
    var gzipped: [UInt8]?
    /// Whether ``body`` is the compressed one.
    var isGzipped = false
    /// Whether another `Accept-Encoding` would have been answered with other bytes.
    var varies = false

    /// - Parameters:
    ///   - status: 200 to 599.
    ///   - type: the media type, such as `text/plain; charset=utf-8`.
    ///   - body: stays as it is; whether it goes out compressed is the server's affair.
    public init(_ status: Status, type: String? = nil, body: Body = .empty) {
        self.status = status
        self.type = type
        self.body = body
    }

    /// Problem details, RFC 9457.
    ///
    /// - Parameters:
    ///   - status: from 400 on; its words are the title.
    ///   - detail: what is wrong, in words that stand in a JSON string as they are and repeat nothing that was
    ///     sent.
    public static func problem(_ status: Status, _ detail: StaticString) -> Response {
        let text =
            #"{"title":"\#(status.reason)","status":\#(status.code),"detail":"\#(detail)","#
            + #""type":"\#(status.problemType)"}"#
        return Response(status, type: "application/problem+json", body: .bytes(Array(text.utf8)))
    }

    /// Whether bytes of this type shrink by gzip.
    static func isCompressible(_ type: String) -> Bool {
        compressibleTypes.contains { ASCII.hasPrefix(type, $0) }
    }

    private static let compressibleTypes: [StaticString] = [
        "text/", "application/json", "application/problem+json", "application/javascript",
        "application/x-ndjson", "application/manifest+json", "image/svg+xml",
    ]

    /// From here on compressing pays: less fits into one packet anyway.
    static let compressedBytes = 1024

    /// Chooses what goes out for `exchange`: the body, the compressed body, or none when the peer has it.
    mutating func negotiate(for exchange: Exchange) {
        if let tag = etag { etag = EntityTag.quoted(tag) }
        if body.count > Self.compressedBytes, let type, Self.isCompressible(type),
            !hasField("content-encoding")
        {
            varies = true
            if exchange.acceptsGzip { compress() }
        }
        if let tag = etag, let known = exchange.ifNoneMatch, status == .ok, exchange.isSafe,
            EntityTag.list(known, contains: tag)
        {
            status = .notModified
            body = .empty
        }
        gzipped = nil
    }

    /// ``negotiate(for:)`` on a copy.
    func negotiated(for exchange: Exchange) -> Response {
        var result = self
        result.negotiate(for: exchange)
        return result
    }

    /// Compresses the body now, where that pays, for an answer that goes out again and again.
    ///
    /// - Returns: how many bytes that takes besides the body.
    public mutating func compressBeforehand() -> Int {
        guard gzipped == nil, body.count > Self.compressedBytes, let type, Self.isCompressible(type) else {
            return 0
        }
        let small: [UInt8] = unsafe body.withPointer { unsafe Gzip.deflate(Array($0), level: 5) }
        gzipped = small
        return small.count
    }

    private mutating func compress() {
        let small: [UInt8] = unsafe gzipped ?? body.withPointer { unsafe Gzip.deflate(Array($0), level: 5) }
        guard small.count < body.count else { return }
        body = .bytes(small)
        isGzipped = true
        etag = etag.map(EntityTag.ofGzip)
    }

    /// - Parameter name: in lower case.
    func hasField(_ name: StaticString) -> Bool {
        fields.contains { ASCII.equalsLowercased($0.name, name) }
    }
}
