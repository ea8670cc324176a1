/// A parser of chunked bodies, for bytes that arrive in pieces of any size. RFC 9112 §7.1.
///
/// White space around sizes and extensions, which some parsers accept, is rejected: two servers in a chain could parse it
/// differently.
struct ChunkParser: Sendable {
    /// The result of parsing the next bytes.
    enum Step: Hashable, Sendable {
        /// A range of bytes that belongs to the body.
        case data(Range<Int>)
        /// All bytes were consumed, and the body is not complete.
        case needsMore
        /// The body ended before the byte at this offset.
        case end(offset: Int)
    }

    private enum State: UInt8 {
        case size, sizeLineFeed
        case extensionName, extensionValueStart, extensionToken, extensionQuoted, extensionEscape,
            extensionQuoteEnd
        case data, dataReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed
        case lastLineFeed
    }

    private let overheadLimit: Int
    private let bodyLimit: Int
    private var state = State.size
    private var chunkBytesLeft = 0
    private var digitCount = 0
    private var overheadBytes = 0
    private var bodyBytesSoFar = 0
    /// The number of bytes so far of the extension's current name or value.
    private var wordBytes = 0
    private var trailerName: [UInt8] = []

    /// - Parameter bodyLimit: the limit to use instead of ``Limits/bodyBytes``.
    init(limits: Limits, bodyLimit: Int? = nil) {
        overheadLimit = limits.chunkOverheadBytes
        self.bodyLimit = bodyLimit ?? limits.bodyBytes
    }

    /// Parses from `start` on, up to the next piece of the body.
    ///
    /// - Returns: the next step. After ``Step/data(_:)``, call again with its upper bound.
    mutating func next(_ bytes: borrowing Span<UInt8>, from start: Int) throws(RequestError) -> Step {
        var position = start
        let end = bytes.count
        while position < end {
            if state == .data {
                let count = min(chunkBytesLeft, end - position)
                chunkBytesLeft -= count
                if chunkBytesLeft == 0 { state = .dataReturn }
                return .data(position..<position + count)
            }
            let byte = bytes[position]
            position += 1
            if try process(byte) { return .end(offset: position) }
        }
        return .needsMore
    }

    /// - Returns: `true` if the body ends with this byte.
    private mutating func process(_ byte: UInt8) throws(RequestError) -> Bool {
        switch state {
        case .size:
            try parseSizeByte(byte)
        case .sizeLineFeed:
            guard byte == ASCII.lineFeed else { throw .malformedChunk }
            try finishSize()
        case .extensionName, .extensionValueStart, .extensionToken, .extensionQuoted, .extensionEscape,
            .extensionQuoteEnd:
            try countOverheadByte()
            try parseExtensionByte(byte)
        case .data:
            break
        case .dataReturn:
            guard byte == ASCII.carriageReturn else { throw .malformedChunk }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == ASCII.lineFeed else { throw .malformedChunk }
            state = .size
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed:
            try countOverheadByte()
            try parseTrailerByte(byte)
        case .lastLineFeed:
            guard byte == ASCII.lineFeed else { throw .malformedTrailer }
            return true
        }
        return false
    }

    private mutating func countOverheadByte() throws(RequestError) {
        overheadBytes += 1
        guard overheadBytes <= overheadLimit else { throw .chunkOverheadTooLong }
    }

    private mutating func parseSizeByte(_ byte: UInt8) throws(RequestError) {
        if let digit = ASCII.hexDigit(byte) {
            // Eight digits allow 4 GiB, far above any limit, and cannot overflow.
            guard digitCount < 8 else { throw .malformedChunk }
            digitCount += 1
            chunkBytesLeft = chunkBytesLeft << 4 | Int(digit)
            return
        }
        guard digitCount > 0 else { throw .malformedChunk }
        switch byte {
        case ASCII.carriageReturn: state = .sizeLineFeed
        case UInt8(ascii: ";"):
            wordBytes = 0
            state = .extensionName
        default: throw .malformedChunk
        }
        guard bodyBytesSoFar + chunkBytesLeft <= bodyLimit else { throw .bodyTooLong }
    }

    private mutating func finishSize() throws(RequestError) {
        digitCount = 0
        bodyBytesSoFar += chunkBytesLeft
        state = chunkBytesLeft == 0 ? .trailerStart : .data
    }

    private mutating func parseExtensionByte(_ byte: UInt8) throws(RequestError) {
        switch state {
        case .extensionName where ASCII.isToken(byte), .extensionToken where ASCII.isToken(byte):
            wordBytes += 1
        case .extensionName where byte == UInt8(ascii: "=") && wordBytes > 0:
            state = .extensionValueStart
        case .extensionValueStart where byte == UInt8(ascii: "\""):
            state = .extensionQuoted
        case .extensionValueStart where ASCII.isToken(byte):
            wordBytes = 1
            state = .extensionToken
        case .extensionQuoted where byte == UInt8(ascii: "\""):
            wordBytes = 1
            state = .extensionQuoteEnd
        case .extensionQuoted where byte == UInt8(ascii: "\\"):
            state = .extensionEscape
        case .extensionQuoted where ASCII.isFieldValue(byte):
            break
        case .extensionEscape where ASCII.isFieldValue(byte):
            state = .extensionQuoted
        case .extensionName where wordBytes > 0, .extensionToken, .extensionQuoteEnd:
            switch byte {
            case ASCII.carriageReturn: state = .sizeLineFeed
            case UInt8(ascii: ";"):
                wordBytes = 0
                state = .extensionName
            default: throw .malformedChunk
            }
        default: throw .malformedChunk
        }
    }

    private mutating func parseTrailerByte(_ byte: UInt8) throws(RequestError) {
        switch state {
        case .trailerStart where byte == ASCII.carriageReturn:
            state = .lastLineFeed
        case .trailerStart where ASCII.isToken(byte):
            trailerName = [ASCII.lowercased(byte)]
            state = .trailerName
        case .trailerName where ASCII.isToken(byte):
            trailerName.append(ASCII.lowercased(byte))
        case .trailerName where byte == UInt8(ascii: ":"):
            guard !Self.refusedTrailers.contains(trailerName) else { throw .malformedTrailer }
            state = .trailerValue
        case .trailerValue where byte == ASCII.carriageReturn:
            state = .trailerLineFeed
        case .trailerValue where ASCII.isFieldValue(byte):
            break
        case .trailerLineFeed where byte == ASCII.lineFeed:
            state = .trailerStart
        default: throw .malformedTrailer
        }
    }

    /// Fields for framing, routing, authorization or content description, which are forbidden in trailers. RFC 9110 §6.5.1.
    private static let refusedTrailers = Set(
        [
            "authorization", "cache-control", "connection", "content-encoding", "content-length",
            "content-range", "content-type", "cookie", "expect", "host", "idempotency-key", "if-match",
            "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive",
            "max-forwards", "pragma", "proxy-authorization", "range", "te", "trailer", "transfer-encoding",
            "upgrade",
        ].map { Array($0.utf8) })
}
