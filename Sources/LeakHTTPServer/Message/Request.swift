/// A request, lent for one call: a view into the loop's buffers. What is to be kept is copied out of it.
@safe
public struct Request: ~Copyable {
    /// Never one that ``Method`` does not know: the server refuses those.
    public let method: Method
    private let client: Client
    private let head: Head
    private let fields: [FieldLine]
    /// The bytes of the head; they live as long as the call.
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var bodyBytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The buffer that the body lies in.
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
    /// - Parameter body: in `owner`.
    @unsafe
    mutating func setBody(_ body: UnsafeBufferPointer<UInt8>, of owner: Buffer) {
        unsafe bodyBytes = unsafe body
        bodyOwner = owner
    }

    /// The address of the client: the peer's, or what a proxy of ``Server/Configuration/trustedProxies`` says.
    public var clientAddress: IPAddress? { client.address }

    /// Indicates whether a trusted proxy says that the client reached it over TLS. What others say does not count.
    public var cameOverTLS: Bool { client.usesTLS }

    /// The target as sent, in ASCII: a path with its query, or a whole URL.
    public var target: String { text(head.target.range) }

    /// The path, percent-decoded once. Starts with `/`, holds no control characters, and no `/` that was
    /// encoded.
    public var path: String {
        head.path.count == 0 ? "/" : decoded(head.path.range, plusIsSpace: false)
    }

    /// The first bytes of the path, not decoded.
    func pathAsSent(upTo count: Int) -> String {
        unsafe String(decoding: bytes[head.path.range.prefix(count)], as: UTF8.self)
    }

    /// Whether the path as sent is `path`, byte by byte, without making a string of it.
    public func pathEquals(_ path: StaticString) -> Bool {
        equals(head.path.range, path)
    }

    /// The host that is asked, with its port if there is one: of a target that is a whole URL, and only else of `Host`
    /// (RFC 9112 §3.2.2). `nil` in HTTP/1.0 without either.
    public var host: String? {
        let (target, path) = (head.target.range, head.path.range)
        guard !head.isAsterisk, path.lowerBound > target.lowerBound else { return field("host") }
        // Between `http://` or `https://` and the path.
        let scheme = index(of: UInt8(ascii: ":"), in: target)
        return text(scheme + 3..<path.lowerBound)
    }

    /// Lends the bytes of ``path``, without a copy unless something in it is percent-encoded.
    public func withPath<Result>(_ read: (borrowing Span<UInt8>) -> Result) -> Result {
        let range = head.path.range
        guard !range.isEmpty, index(of: UInt8(ascii: "%"), in: range) == range.upperBound else {
            let decoded = Array(path.utf8)
            return read(decoded.span)
        }
        return read(unsafe UnsafeBufferPointer(rebasing: bytes[range]).span)
    }

    /// The query as sent, or `nil` without a `?`.
    public var query: String? { head.query.map { text($0.range) } }

    /// The first value of `name` in the query, percent- and plus-decoded; what is no UTF-8 is repaired.
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

    /// The value of the first field line with this name; bytes that are no UTF-8 are repaired.
    ///
    /// - Parameter name: in lower case.
    public func field(_ name: StaticString) -> String? {
        value(of: name).map { text($0) }
    }

    /// Whether the first field line with this name has this value, byte by byte, without making a string of
    /// it.
    ///
    /// - Parameters:
    ///   - name: in lower case.
    ///   - value: its case matters.
    public func field(_ name: StaticString, equals value: StaticString) -> Bool {
        self.value(of: name).map { equals($0, value) } ?? false
    }

    /// Whether the media type of the body is `type`, whatever parameters follow it. RFC 9110 §8.3.1.
    ///
    /// - Parameter type: in lower case, such as `application/json`.
    public func hasContentType(_ type: StaticString) -> Bool {
        guard let value = value(of: "content-type") else { return false }
        var end = index(of: UInt8(ascii: ";"), in: value)
        while end > value.lowerBound, unsafe bytes[end - 1] == ASCII.space || bytes[end - 1] == ASCII.tab {
            end -= 1
        }
        return FieldRules.equal(unsafe bytes.span, value.lowerBound..<end, type)
    }

    /// Whether a body comes with the request. True in ``Service/screen(_:)`` while ``bodyCount`` is still
    /// zero.
    public var hasBody: Bool { head.framing != .none }

    /// What `Content-Length` announces, in bytes as sent; `nil` for a chunked body, 0 without one.
    public var announcedLength: Int? {
        switch head.framing {
        case .none: 0
        case .length(let count): count
        case .chunked: nil
        }
    }

    /// The body as it was sent, where the service inflates it: see ``Service/inflates(_:)``. `nil` where the server has
    /// inflated it or it came in no coding.
    public internal(set) var codedBody: CodedBody?

    /// True if the body was sent in a content coding. The bytes lent by ``Service/serve(_:_:)`` are inflated, unless there
    /// is a ``codedBody``.
    public var isCompressed: Bool { hasBody && contentCoding != .identity }

    /// What is to be undone before anybody is lent the body.
    var contentCoding: ContentCoding { head.contentCoding }

    /// Bytes of the body, decoded.
    public var bodyCount: Int { unsafe bodyBytes.count }

    /// A copy of the body, decoded: for what is kept.
    public func body() -> [UInt8] { unsafe Array(bodyBytes) }

    /// The body, decoded, to pass on without a copy: to an answer or to another thread.
    public func sharedBody() -> SharedBytes { unsafe SharedBytes(bodyBytes, of: bodyOwner) }

    /// Lends the body without a copy.
    public func withBody<Result, Failure: Error>(
        _ read: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try read(unsafe bodyBytes.span)
    }

    private func value(of name: StaticString) -> Range<Int>? {
        for line in fields where FieldRules.equal(unsafe bytes.span, line.name.range, name) {
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
        var at = range.lowerBound
        while at < range.upperBound, unsafe bytes[at] != byte { at += 1 }
        return at
    }

    private func decoded(_ range: Range<Int>, plusIsSpace: Bool) -> String {
        unsafe PercentEncoding.decoded(bytes[range], plusIsSpace: plusIsSpace)
    }
}
