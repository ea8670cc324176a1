internal import LeakGzip

/// A response. The server adds `Date`, the length, `Connection` and the security fields.
public struct Response: Sendable {
    /// The body of a response.
    public enum Body: Sendable {
        /// No body.
        case empty
        /// Bytes in memory.
        case bytes([UInt8])
        /// A literal of the program, in UTF-8.
        case text(StaticString)
        /// The body of a request, passed on without a copy.
        case shared(SharedBytes)

        /// The number of bytes of the body.
        public var count: Int {
            switch self {
            case .empty: 0
            case .bytes(let bytes): bytes.count
            case .text(let text): text.utf8CodeUnitCount
            case .shared(let bytes): bytes.count
            }
        }

        /// Calls `read` with the bytes, for system calls.
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

    /// The status. With 204, 205 and 304 no body is sent.
    public var status: Status
    /// The media type, such as `application/json`; `nil` sends no `Content-Type`.
    public var type: String?
    /// Additional fields. A field is left out if its name is not a token, if its value contains control characters other than tabs,
    /// or if the server sets it itself (`Connection`, `Content-Length`, `Date`, `Transfer-Encoding`, and `Content-Type` and
    /// `ETag`, which ``type`` and ``etag`` set). With a `Content-Encoding` field, the body is sent unchanged.
    public var fields: [(name: String, value: String)] = []
    /// The body. In response to `HEAD` only its length is sent.
    public var body: Body
    /// The entity tag of the body, with or without quotes. If it is set, the server handles `If-None-Match`.
    public var etag: String?
    /// The part of the body where the server adds the identifier of the request; `nil` adds it nowhere.
    public var requestIDPosition: RequestIDPosition?
    /// `true` if the connection closes after this response.
    public var closesConnection = false
    /// `true` if the connection closes instead of sending this response, for clients that give up after an error response but retry
    /// without a response. The status is still counted and written to an access log.
    public var isWithheld = false

    /// The body in gzip, compressed in advance because the response is sent repeatedly; otherwise `nil`.
    var gzippedBody: [UInt8]?
    /// `true` if ``body`` is compressed.
    var isGzipped = false
    /// `true` if the bytes of the response depend on `Accept-Encoding`, so that it needs a `Vary` field.
    var varies = false

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: 200 to 599.
    ///   - type: the media type, such as `text/plain; charset=utf-8`.
    ///   - body: the uncompressed body; the server decides whether to compress it.
    public init(_ status: Status, type: String? = nil, body: Body = .empty) {
        self.status = status
        self.type = type
        self.body = body
    }

    /// Returns a response with problem details, RFC 9457.
    ///
    /// - Parameters:
    ///   - status: 400 or higher; its reason phrase is the title.
    ///   - detail: the error in words. The text must need no escaping in a JSON string and must not repeat anything that the client
    ///     sent.
    public static func problem(_ status: Status, _ detail: StaticString) -> Response {
        let text =
            #"{"title":"\#(status.reason)","status":\#(status.code),"detail":"\#(detail)","#
            + #""type":"\#(status.problemType)"}"#
        var response = Response(status, type: "application/problem+json", body: .bytes(Array(text.utf8)))
        response.requestIDPosition = .lastMember
        return response
    }

    /// Returns `true` if gzip makes content of this media type smaller.
    static func isCompressible(_ type: String) -> Bool {
        compressibleTypes.contains { ASCII.hasPrefix(type, $0) }
    }

    private static let compressibleTypes: [StaticString] = [
        "text/", "application/json", "application/problem+json", "application/javascript",
        "application/x-ndjson", "application/manifest+json", "image/svg+xml",
    ]

    /// The part of a body where the server adds the identifier of the request, if requests have identifiers.
    public enum RequestIDPosition: Hashable, Sendable {
        /// The body is a JSON object with at least one member. The member `request_id` is added at its end.
        case lastMember
        /// The text is inserted before the byte with this index.
        case byte(Int)
    }

    /// Adds the identifier of the request to the body.
    mutating func addRequestID(_ requestID: RequestID?) {
        guard let position = requestIDPosition, let requestID, case .bytes(var bytes) = body else { return }
        requestIDPosition = nil
        switch position {
        case .lastMember:
            guard bytes.last == UInt8(ascii: "}") else { return }
            bytes.removeLast()
            bytes += #","request_id":""#.utf8
            bytes += requestID.bytes
            bytes += "\"}".utf8
        case .byte(let index):
            guard bytes.indices.contains(index) else { return }
            bytes.insert(contentsOf: requestID.bytes, at: index)
        }
        body = .bytes(bytes)
    }

    /// The number of bytes above which a body is compressed; a shorter body fits into one packet anyway.
    static let compressionThreshold = 1024

    /// Selects the content for `exchange`: the body, the compressed body, or no body if the client already has it.
    mutating func negotiate(for exchange: Exchange) {
        addRequestID(exchange.requestID)
        if let tag = etag { etag = EntityTag.quoted(tag) }
        if body.count > Self.compressionThreshold, let type, Self.isCompressible(type),
            !hasField("content-encoding")
        {
            varies = true
            if exchange.acceptsGzip { compress() }
        }
        if let tag = etag, let clientTags = exchange.ifNoneMatch, status == .ok, exchange.isSafe,
            EntityTag.isTag(tag, inList: clientTags)
        {
            status = .notModified
            body = .empty
        }
        gzippedBody = nil
    }

    /// Returns a copy of the response to which ``negotiate(for:)`` was applied.
    func negotiated(for exchange: Exchange) -> Response {
        var result = self
        result.negotiate(for: exchange)
        return result
    }

    /// Compresses the body now, if it is long enough and of a compressible type, for a response that is sent repeatedly.
    ///
    /// - Returns: the number of bytes of memory that the compressed body takes, in addition to ``body``.
    public mutating func compressBeforehand() -> Int {
        guard gzippedBody == nil, body.count > Self.compressionThreshold, let type, Self.isCompressible(type)
        else {
            return 0
        }
        let compressedBytes: [UInt8] = unsafe body.withPointer { unsafe Gzip.deflate(Array($0), level: 5) }
        gzippedBody = compressedBytes
        return compressedBytes.count
    }

    private mutating func compress() {
        let compressedBytes: [UInt8] =
            unsafe gzippedBody ?? body.withPointer { unsafe Gzip.deflate(Array($0), level: 5) }
        guard compressedBytes.count < body.count else { return }
        body = .bytes(compressedBytes)
        isGzipped = true
        etag = etag.map(EntityTag.forGzip)
    }

    /// - Parameter name: the name in lower case.
    func hasField(_ name: StaticString) -> Bool {
        fields.contains { ASCII.equalsLowercased($0.name, name) }
    }
}
