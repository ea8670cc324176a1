/// A request, valid during one call: a view into the loop's buffers. Copy the parts that are needed later.
@safe
public struct Request: ~Copyable {
    /// The method. Requests with a method that ``Method`` does not have are never served, see
    /// ``Service/rejectUnknownMethod(of:)``.
    public let method: Method
    /// The identifier of the request; `nil` unless ``Server/Configuration/sendsRequestIDs`` is set.
    public internal(set) var requestID: RequestID?
    private let client: Client
    private let head: Head
    private let fields: [FieldLine]
    /// The bytes of the head, valid during the call.
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var bodyBytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The buffer that contains the body.
    private var bodyOwner: Buffer?

    @unsafe
    init(
        head: Head, fields: [FieldLine], bytes: UnsafeBufferPointer<UInt8>, client: Client = Client()
    ) {
        method = head.method
        self.client = client
        self.head = head
        self.fields = fields
        unsafe self.bytes = unsafe bytes
    }

    /// Adds the body.
    ///
    /// - Parameter body: bytes in `owner`.
    @unsafe
    mutating func setBody(_ body: UnsafeBufferPointer<UInt8>, of owner: Buffer) {
        unsafe bodyBytes = unsafe body
        bodyOwner = owner
    }

    /// The address of the client: that of the peer, or the one named by a proxy of ``Server/Configuration/trustedProxies``.
    public var clientAddress: IPAddress? { client.address }

    /// `true` if a trusted proxy says that the client reached it over TLS. The fields of other peers are ignored.
    public var cameOverTLS: Bool { client.usesTLS }

    /// `true` if the request came over a connection from a proxy of ``Server/Configuration/trustedProxies``, so that fields which this
    /// proxy sets can be trusted.
    public var cameThroughTrustedProxy: Bool { client.isBehindProxy }

    /// The target as sent, in ASCII: a path with its query, or a whole URL.
    public var target: String { text(head.target.range) }

    /// The path, percent-decoded once. It starts with `/` and contains no control characters and no encoded `/`.
    public var path: String {
        head.path.count == 0 ? "/" : decoded(head.path.range, plusIsSpace: false)
    }

    /// The first bytes of the path, not decoded.
    func pathAsSent(upTo count: Int) -> String {
        unsafe String(decoding: bytes[head.path.range.prefix(count)], as: UTF8.self)
    }

    /// Returns `true` if the path as sent equals `path`, compared by bytes without creating a string.
    public func pathEquals(_ path: StaticString) -> Bool {
        equals(head.path.range, path)
    }

    /// The requested host, with its port if there is one: from the target if that is an absolute URL, otherwise from `Host` (RFC
    /// 9112 §3.2.2). `nil` in HTTP/1.0 without either.
    public var host: String? {
        let (target, path) = (head.target.range, head.path.range)
        guard !head.isAsterisk, path.lowerBound > target.lowerBound else { return field("host") }
        // The host is between `http://` or `https://` and the path.
        let scheme = index(of: UInt8(ascii: ":"), in: target)
        return text(scheme + 3..<path.lowerBound)
    }

    /// Calls `read` with the bytes of ``path``, without a copy unless a part is percent-encoded.
    public func withPath<Result>(_ read: (borrowing Span<UInt8>) -> Result) -> Result {
        let range = head.path.range
        guard !range.isEmpty, index(of: UInt8(ascii: "%"), in: range) == range.upperBound else {
            let decoded = Array(path.utf8)
            return read(decoded.span)
        }
        return read(unsafe UnsafeBufferPointer(rebasing: bytes[range]).span)
    }

    /// The query as sent, or `nil` if the target has no `?`.
    public var query: String? { head.query.map { text($0.range) } }

    /// The names in the query, percent- and plus-decoded, in the order in which they were sent. Invalid UTF-8 is repaired.
    public var queryNames: [String] {
        guard let query = head.query?.range else { return [] }
        var names: [String] = []
        var start = query.lowerBound
        while start < query.upperBound {
            let end = index(of: UInt8(ascii: "&"), in: start..<query.upperBound)
            if end > start {
                let equals = index(of: UInt8(ascii: "="), in: start..<end)
                names.append(decoded(start..<equals, plusIsSpace: true))
            }
            start = end + 1
        }
        return names
    }

    /// Returns the first value of `name` in the query, percent- and plus-decoded. Invalid UTF-8 is repaired.
    public func query(_ name: String) -> String? {
        guard let query = head.query?.range else { return nil }
        var start = query.lowerBound
        while start < query.upperBound {
            let end = index(of: UInt8(ascii: "&"), in: start..<query.upperBound)
            let equals = index(of: UInt8(ascii: "="), in: start..<end)
            if decoded(start..<equals, plusIsSpace: true) == name {
                return decoded(min(equals + 1, end)..<end, plusIsSpace: true)
            }
            start = end + 1
        }
        return nil
    }

    /// Returns the value of the first field line with this name. Invalid UTF-8 is repaired.
    ///
    /// - Parameter name: the name in lower case.
    public func field(_ name: StaticString) -> String? {
        value(of: name).map { text($0) }
    }

    /// Returns the number of field lines with this name.
    ///
    /// - Parameter name: the name in lower case.
    public func fieldCount(_ name: StaticString) -> Int {
        fields.count { unsafe ASCII.equal(bytes.span, in: $0.name.range, to: name) }
    }

    /// Returns `true` if the first field line with this name has this value, compared by bytes without creating a string.
    ///
    /// - Parameters:
    ///   - name: the name in lower case.
    ///   - value: the expected value; case-sensitive.
    public func field(_ name: StaticString, equals value: StaticString) -> Bool {
        self.value(of: name).map { equals($0, value) } ?? false
    }

    /// Returns `true` if the media type of the body is `type`, with any parameters. RFC 9110 §8.3.1.
    ///
    /// - Parameter type: the media type in lower case, such as `application/json`.
    public func hasContentType(_ type: StaticString) -> Bool {
        guard let value = value(of: "content-type") else { return false }
        var end = index(of: UInt8(ascii: ";"), in: value)
        while end > value.lowerBound, unsafe bytes[end - 1] == ASCII.space || bytes[end - 1] == ASCII.tab {
            end -= 1
        }
        return ASCII.equal(unsafe bytes.span, in: value.lowerBound..<end, to: type)
    }

    /// `true` if the request has a body. In ``Service/screen(_:)`` it is `true` although ``bodyCount`` is still zero.
    public var hasBody: Bool { head.framing != .none }

    /// The value of `Content-Length` in bytes; `nil` for a chunked body, 0 for a request without a body.
    public var announcedLength: Int? {
        switch head.framing {
        case .none: 0
        case .length(let count): count
        case .chunked: nil
        }
    }

    /// The body as it was sent, if the service decompresses it: see ``ScreeningResult/inflates``. `nil` if the server has decompressed
    /// the body, or if it was sent without a content coding.
    public internal(set) var codedBody: CodedBody?

    /// The object that ``Service/screen(_:)`` returned for this request as ``ScreeningResult/context``.
    public internal(set) var context: (any AnyObject & Sendable)?

    /// `true` if the body was sent in a content coding. The bytes that ``Service/serve(_:_:)`` receives are decompressed,
    /// unless there is a ``codedBody``.
    public var isCompressed: Bool { hasBody && contentEncoding != .identity }

    /// The content coding in which the body was sent.
    var contentEncoding: ContentEncoding { head.contentEncoding }

    /// The number of bytes of the body: decoded, or as sent if there is a ``codedBody``.
    public var bodyCount: Int { unsafe bodyBytes.count }

    /// Returns a copy of the body, for keeping it: decoded, or as sent if there is a ``codedBody``.
    public func body() -> [UInt8] { unsafe Array(bodyBytes) }

    /// Returns the body without a copy, for a response or for another thread: decoded, or as sent if there is a ``codedBody``.
    public func sharedBody() -> SharedBytes { unsafe SharedBytes(bodyBytes, of: bodyOwner) }

    /// Calls `read` with the body, without a copy.
    public func withBody<Result, Failure: Error>(
        _ read: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try read(unsafe bodyBytes.span)
    }

    private func value(of name: StaticString) -> Range<Int>? {
        for line in fields where ASCII.equal(unsafe bytes.span, in: line.name.range, to: name) {
            return line.value.range
        }
        return nil
    }

    private func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        let expected = unsafe text.utf8Start
        for index in range {
            guard unsafe bytes[index] == expected[index &- range.lowerBound] else { return false }
        }
        return true
    }

    private func text(_ range: Range<Int>) -> String {
        unsafe String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    private func index(of byte: UInt8, in range: Range<Int>) -> Int {
        var position = range.lowerBound
        while position < range.upperBound, unsafe bytes[position] != byte { position += 1 }
        return position
    }

    private func decoded(_ range: Range<Int>, plusIsSpace: Bool) -> String {
        unsafe PercentEncoding.decoded(bytes[range], plusIsSpace: plusIsSpace)
    }
}
