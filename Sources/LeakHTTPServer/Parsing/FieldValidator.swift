/// A check of the header fields that determine how a message is read, and of those that must not be repeated. The length of a
/// name selects the fields to compare it with.
struct FieldValidator: Sendable {
    // The number of lines of each field so far.
    private var hostCount = 0
    private var contentLengthCount = 0
    private var transferEncodingCount = 0
    private var contentEncodingCount = 0
    private var acceptEncodingCount = 0
    private var ifNoneMatchCount = 0
    private var contentTypeCount = 0
    private var originCount = 0
    private var authorizationCount = 0
    private var idempotencyKeyCount = 0
    private var transferEncodingIsChunked = false
    private var hasCloseOption = false
    private var hasKeepAliveOption = false
    private var hasUnknownExpectation = false

    /// Processes one field line.
    ///
    /// - Parameter index: the index of the line in the table of fields.
    mutating func process(
        _ line: FieldLine, at index: Int, of bytes: borrowing Span<UInt8>, into head: inout Head
    ) throws(RequestError) {
        let name = line.name.range
        let value = line.value.range
        switch line.name.count {
        case 4 where ASCII.equal(bytes, in: name, to: "host"):
            hostCount += 1
            guard hostCount == 1, HostSyntax.isAuthority(bytes, from: value.lowerBound, to: value.upperBound)
            else {
                throw .invalidHost
            }
        case 6 where ASCII.equal(bytes, in: name, to: "expect"):
            if ASCII.equal(bytes, in: value, to: "100-continue") {
                head.expectsContinue = true
            } else {
                hasUnknownExpectation = true
            }
        case 6 where ASCII.equal(bytes, in: name, to: "origin"):
            originCount += 1
            guard originCount == 1 else { throw .repeatedField }
        case 10 where ASCII.equal(bytes, in: name, to: "connection"):
            parseConnection(bytes, value)
        case 12 where ASCII.equal(bytes, in: name, to: "content-type"):
            contentTypeCount += 1
            guard contentTypeCount == 1 else { throw .repeatedField }
        case 13 where ASCII.equal(bytes, in: name, to: "authorization"):
            authorizationCount += 1
            guard authorizationCount == 1 else { throw .repeatedField }
        case 13 where ASCII.equal(bytes, in: name, to: "if-none-match"):
            ifNoneMatchCount += 1
            head.ifNoneMatchIndex = ifNoneMatchCount == 1 ? index : nil
        case 14 where ASCII.equal(bytes, in: name, to: "content-length"):
            contentLengthCount += 1
            guard contentLengthCount == 1 else { throw .invalidContentLength }
            head.framing = .length(bytes: try parseLength(bytes, value))
        case 15 where ASCII.equal(bytes, in: name, to: "accept-encoding"):
            acceptEncodingCount += 1
            head.acceptEncodingIndex = acceptEncodingCount == 1 ? index : nil
        case 15 where ASCII.equal(bytes, in: name, to: "idempotency-key"):
            idempotencyKeyCount += 1
            guard idempotencyKeyCount == 1 else { throw .repeatedField }
        case 16 where ASCII.equal(bytes, in: name, to: "content-encoding"):
            contentEncodingCount += 1
            parseCoding(bytes, value, into: &head)
        case 17 where ASCII.equal(bytes, in: name, to: "transfer-encoding"):
            transferEncodingCount += 1
            guard transferEncodingCount == 1, !value.isEmpty else { throw .invalidTransferEncoding }
            transferEncodingIsChunked = ASCII.equal(bytes, in: value, to: "chunked")
        default: break
        }
    }

    /// Makes the checks that need the whole head.
    func finish(_ head: inout Head) throws(RequestError) {
        // A missing Host field is accepted only in HTTP/1.0, which did not have it.
        guard hostCount == 1 || head.minorVersion == 0 else { throw .invalidHost }
        if transferEncodingCount > 0 {
            guard contentLengthCount == 0 else { throw .ambiguousLength }
            guard head.minorVersion > 0 else { throw .invalidTransferEncoding }
            guard transferEncodingIsChunked else { throw .unsupportedTransferEncoding }
            head.framing = .chunked
        }
        if head.framing == .length(bytes: 0) { head.framing = .none }
        if head.minorVersion == 0 {
            // RFC 9110 §10.1.1: an expectation in HTTP/1.0 is ignored.
            head.expectsContinue = false
            head.keepsAlive = hasKeepAliveOption && !hasCloseOption
        } else {
            guard !hasUnknownExpectation else { throw .unknownExpectation }
            head.keepsAlive = !hasCloseOption
        }
    }

    /// Parses `Connection`, which is a list; the server uses only two of its members.
    private mutating func parseConnection(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) {
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound && bytes[end] != UInt8(ascii: ",") { end += 1 }
            var first = start
            var last = end
            while first < last && (bytes[first] == ASCII.space || bytes[first] == ASCII.tab) { first += 1 }
            while last > first && (bytes[last - 1] == ASCII.space || bytes[last - 1] == ASCII.tab) {
                last -= 1
            }
            if ASCII.equal(bytes, in: first..<last, to: "close") { hasCloseOption = true }
            if ASCII.equal(bytes, in: first..<last, to: "keep-alive") { hasKeepAliveOption = true }
            start = end + 1
        }
    }

    private func parseLength(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) throws(RequestError) -> Int
    {
        guard !value.isEmpty else { throw .invalidContentLength }
        var number = 0
        for index in value {
            guard ASCII.isDigit(bytes[index]) else { throw .invalidContentLength }
            // 15 digits cannot overflow. A longer number is rejected, even if it begins with zeros.
            guard index - value.lowerBound < 15 else { throw .bodyTooLong }
            number = number &* 10 &+ Int(bytes[index] &- 0x30)
        }
        return number
    }

    private func parseCoding(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>, into head: inout Head) {
        let coding = ContentEncoding(bytes, value)
        guard coding != .identity else { return }
        head.contentEncoding = contentEncodingCount == 1 ? coding : .unknown
    }
}
