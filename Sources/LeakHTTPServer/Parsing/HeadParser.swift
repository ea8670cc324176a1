/// A parser of request heads, for bytes that arrive in pieces of any size.
///
/// Each byte is examined once, and an invalid byte is rejected as soon as it arrives. The result does not depend on how the bytes
/// are split, because the parser can stop and continue at any byte. It stores only offsets and does not access sockets.
struct HeadParser: Sendable {
    private enum State: UInt8 {
        case emptyLine, emptyLineFeed
        case method, target, version, requestLineFeed
        case fieldStart, fieldName, valueStart, value, valueLineFeed
        case headLineFeed
    }

    private(set) var head = Head()
    private(set) var fields: [FieldLine] = []

    private let headLimit: Int
    private let targetLimit: Int
    private let fieldLimit: Int
    private var state = State.emptyLine
    private var validator = FieldValidator()
    /// The offset of the next byte to examine.
    private var position = 0
    /// The start of the current token.
    private var mark = 0
    /// The end of the current value, without trailing white space.
    private var valueEnd = 0
    private var name = HeadRange()
    private var emptyLineCount = 0

    init(limits: Limits) {
        headLimit = limits.headBytes
        targetLimit = limits.targetBytes
        fieldLimit = limits.fields
        fields.reserveCapacity(16)
    }

    /// Resets the parser for the next head.
    mutating func reset() {
        head = Head()
        fields.removeAll(keepingCapacity: true)
        state = .emptyLine
        validator = FieldValidator()
        position = 0
        emptyLineCount = 0
    }

    /// Begins to parse a new head.
    ///
    /// - Parameter bytes: all bytes of the message so far.
    /// - Returns: the length of the head, or `nil` if more bytes are needed; then continue with ``advance(over:)``.
    mutating func start(over bytes: borrowing Span<UInt8>) throws(RequestError) -> Int? {
        reset()
        return try advance(over: bytes)
    }

    /// `true` if a byte of the request line has arrived. Empty lines before it do not count.
    var hasBegun: Bool { state.rawValue > State.emptyLineFeed.rawValue }

    /// Continues parsing.
    ///
    /// - Parameter bytes: all bytes of the message so far, including those of earlier calls.
    /// - Returns: the length of the head, or `nil` if more bytes are needed.
    mutating func advance(over bytes: borrowing Span<UInt8>) throws(RequestError) -> Int? {
        do throws(RequestError) {
            return try parse(bytes)
        } catch {
            // A request with an unknown method is answered with 501, even if its head has other errors.
            throw head.hasUnknownMethod ? .unknownMethod : error
        }
    }

    private mutating func parse(_ bytes: borrowing Span<UInt8>) throws(RequestError) -> Int? {
        // Bytes after the longest permitted head are not examined, so that the result does not depend on how the bytes are split.
        let end = min(bytes.count, headLimit)
        var offset = position
        reading: while offset < end {
            switch state {
            case .emptyLine:
                if bytes[offset] == ASCII.carriageReturn {
                    // RFC 9112 §2.2 asks servers to ignore at least one empty line; more than two are not accidental.
                    emptyLineCount += 1
                    guard emptyLineCount <= 2 else { throw .malformedRequestLine }
                    state = .emptyLineFeed
                    offset &+= 1
                } else {
                    mark = offset
                    state = .method
                }
            case .emptyLineFeed:
                guard bytes[offset] == ASCII.lineFeed else { throw .malformedRequestLine }
                state = .emptyLine
                offset &+= 1
            case .method:
                while offset < end && ASCII.isToken(bytes[offset]) { offset &+= 1 }
                guard offset &- mark <= Self.maxMethodBytes else { throw .unknownMethod }
                guard offset < end else { break reading }
                guard bytes[offset] == ASCII.space && offset > mark else { throw .malformedRequestLine }
                if let method = try Self.parseMethod(bytes, from: mark, to: offset) {
                    head.method = method
                } else {
                    head.hasUnknownMethod = true
                }
                offset &+= 1
                mark = offset
                state = .target
            case .target:
                while offset < end && ASCII.isTarget(bytes[offset]) { offset &+= 1 }
                guard offset &- mark <= targetLimit else { throw .targetTooLong }
                guard offset < end else { break reading }
                guard bytes[offset] == ASCII.space && offset > mark else { throw .malformedRequestLine }
                try TargetParser.parse(bytes, HeadRange(from: mark, to: offset), into: &head)
                offset &+= 1
                mark = offset
                state = .version
                if Self.isUsualVersion(bytes, offset) {
                    offset &+= 10
                    state = .fieldStart
                }
            case .version:
                try parseVersionByte(bytes[offset], at: offset &- mark)
                offset &+= 1
            case .requestLineFeed:
                guard bytes[offset] == ASCII.lineFeed else { throw .malformedRequestLine }
                offset &+= 1
                state = .fieldStart
            case .fieldStart:
                if bytes[offset] == ASCII.carriageReturn {
                    offset &+= 1
                    state = .headLineFeed
                } else {
                    guard fields.count < fieldLimit else { throw .tooManyFields }
                    mark = offset
                    state = .fieldName
                }
            case .fieldName:
                while offset < end && ASCII.isToken(bytes[offset]) { offset &+= 1 }
                guard offset < end else { break reading }
                guard bytes[offset] == UInt8(ascii: ":") && offset > mark else { throw .malformedField }
                name = HeadRange(from: mark, to: offset)
                offset &+= 1
                state = .valueStart
            case .valueStart:
                while offset < end && (bytes[offset] == ASCII.space || bytes[offset] == ASCII.tab) {
                    offset &+= 1
                }
                guard offset < end else { break reading }
                mark = offset
                valueEnd = offset
                state = .value
            case .value:
                offset = unsafe bytes.withUnsafeBufferPointer {
                    unsafe ASCII.endOfFieldValue($0, from: offset)
                }
                guard offset < end else { break reading }
                guard bytes[offset] == ASCII.carriageReturn else { throw .malformedField }
                valueEnd = offset
                while valueEnd > mark
                    && (bytes[valueEnd &- 1] == ASCII.space || bytes[valueEnd &- 1] == ASCII.tab)
                {
                    valueEnd &-= 1
                }
                offset &+= 1
                state = .valueLineFeed
            case .valueLineFeed:
                guard bytes[offset] == ASCII.lineFeed else { throw .malformedField }
                let line = FieldLine(name: name, value: HeadRange(from: mark, to: valueEnd))
                try validator.process(line, at: fields.count, of: bytes, into: &head)
                fields.append(line)
                offset &+= 1
                state = .fieldStart
            case .headLineFeed:
                guard bytes[offset] == ASCII.lineFeed else { throw .malformedField }
                offset &+= 1
                try validator.finish(&head)
                return offset
            }
        }
        position = offset
        guard bytes.count <= headLimit else { throw .headTooLong }
        return nil
    }

    /// Parses one byte of `HTTP/1.x` and the carriage return after it.
    private mutating func parseVersionByte(_ byte: UInt8, at offset: Int) throws(RequestError) {
        switch offset {
        case 0..<5:
            guard byte == Self.versionName[offset] else { throw .malformedRequestLine }
        case 5:
            guard ASCII.isDigit(byte) else { throw .malformedRequestLine }
            guard byte == UInt8(ascii: "1") else { throw .unsupportedVersion }
        case 6:
            guard byte == UInt8(ascii: ".") else { throw .malformedRequestLine }
        case 7:
            guard ASCII.isDigit(byte) else { throw .malformedRequestLine }
            head.minorVersion = byte &- 0x30
            head.keepsAlive = head.minorVersion > 0
        default:
            guard byte == ASCII.carriageReturn else { throw .malformedRequestLine }
            state = .requestLineFeed
        }
    }

    /// Returns `true` if the next bytes are `HTTP/1.1` and the end of the line, as in most requests.
    @inline(__always)
    private static func isUsualVersion(_ bytes: borrowing Span<UInt8>, _ start: Int) -> Bool {
        guard bytes.count &- start >= 10 else { return false }
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) == 0x312E_312F_5054_5448
                && bytes.loadUnaligned(fromByteOffset: start &+ 8, as: UInt16.self) == 0x0A0D
        }
    }

    /// - Returns: the method, or `nil` if it is unknown.
    private static func parseMethod(
        _ bytes: borrowing Span<UInt8>, from start: Int, to end: Int
    ) throws(RequestError) -> Method? {
        // At most eight bytes fit into one integer.
        var word: UInt64 = 0
        guard end &- start <= 8 else { return nil }
        for index in start..<end { word = word << 8 | UInt64(bytes[index]) }
        switch word {
        case 0x47_4554: return .get
        case 0x4845_4144: return .head
        case 0x504F_5354: return .post
        case 0x50_5554: return .put
        case 0x50_4154_4348: return .patch
        case 0x4445_4C45_5445: return .delete
        case 0x4F_5054_494F_4E53: return .options
        case 0x43_4F4E_4E45_4354, 0x54_5241_4345: throw .refusedMethod
        default: return nil
        }
    }

    private static let versionName = Array("HTTP/".utf8)
    /// The most bytes of a method: the longest registered method has 17 letters; the supported methods have at most seven.
    /// https://www.iana.org/assignments/http-methods
    private static let maxMethodBytes = 17
}
