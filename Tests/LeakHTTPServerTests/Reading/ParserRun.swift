internal import LeakGzip

@testable import LeakHTTPServer

/// Runs the parsers of a connection without a connection, with bytes that arrive in pieces. It makes no copies whose cost
/// would grow with the number of pieces, so a slow run points to the parsers.
struct ParserRun {
    /// A result of the parsers.
    enum Event: Hashable {
        /// A head and its bytes.
        case head(Head, [FieldLine], [UInt8])
        case body([UInt8])
        /// The inflated bytes of a body with a content coding.
        case inflated([UInt8])
        case damaged(InflateError)
        /// The error that ended the reading.
        case refused(RequestError)
    }

    /// All events so far. Nothing follows ``Event/refused(_:)``.
    private(set) var events: [Event] = []
    private(set) var hasFailed = false

    private var input: [UInt8] = []
    /// The offset in `input` of the next message or of the next piece of a body.
    private var start = 0
    private var parser: HeadParser
    private var body: [UInt8] = []
    private var framing = BodyLength.none
    private var coding = ContentEncoding.identity
    private var chunks: ChunkParser
    private var isInBody = false
    private let limits: Limits

    init(limits: Limits = Limits()) {
        self.limits = limits
        parser = HeadParser(limits: limits)
        chunks = ChunkParser(limits: limits)
    }

    mutating func feed(_ bytes: some Sequence<UInt8>) {
        input += bytes
        do throws(RequestError) {
            while !hasFailed, start < input.count, try step() {}
        } catch {
            hasFailed = true
            events.append(.refused(error))
        }
    }

    /// Consumes the next head or the next piece of a body.
    ///
    /// - Returns: `true` if bytes were consumed.
    private mutating func step() throws(RequestError) -> Bool {
        guard isInBody else { return try head() }
        switch framing {
        case .none:
            end()
        case .length(let missing):
            let taken = min(missing, input.count - start)
            body += input[start..<start + taken]
            start += taken
            framing = .length(bytes: missing - taken)
            if missing == taken { end() }
        case .chunked:
            let bytes = input
            switch try chunks.next(bytes.span, from: start) {
            case .data(let range):
                body += input[range]
                start = range.upperBound
            case .needsMore: start = input.count
            case .end(let end):
                start = end
                self.end()
            }
        }
        return true
    }

    private mutating func head() throws(RequestError) -> Bool {
        let bytes = input
        guard let length = try parser.advance(over: bytes.span.extracting(start...)) else { return false }
        let head = parser.head
        guard !head.hasUnknownMethod else { throw .unknownMethod }
        events.append(.head(head, parser.fields, Array(input[start..<start + length])))
        if case .length(let count) = head.framing, count > limits.bodyBytes { throw .bodyTooLong }
        framing = head.framing
        if framing != .none && head.contentEncoding == .unknown { throw .unsupportedContentEncoding }
        coding = head.contentEncoding
        start += length
        parser.reset()
        body = []
        if framing == .none { end() } else { isInBody = true }
        return true
    }

    private mutating func end() {
        events.append(.body(body))
        if coding != .identity && framing != .none { inflate() }
        chunks = ChunkParser(limits: limits)
        isInBody = false
    }

    private mutating func inflate() {
        var decoder = BodyDecoder(limits: Inflater.Limits(outputBytes: 1 << 20))
        var output: [UInt8] = []
        let error = unsafe body.withUnsafeBufferPointer { body -> InflateError? in
            do throws(InflateError) {
                try unsafe decoder.decode(body, from: coding) { unsafe output.append(contentsOf: $0) }
                return nil
            } catch { return error }
        }
        events.append(error.map { .damaged($0) } ?? .inflated(output))
    }
}

extension ParserRun.Event: CustomStringConvertible {
    /// The event as text: a body as a string, and a head without its offsets.
    var description: String {
        switch self {
        case .head(_, _, let bytes): "head \(String(decoding: bytes, as: UTF8.self))"
        case .body(let bytes), .inflated(let bytes): String(decoding: bytes, as: UTF8.self)
        case .damaged(let error): "\(error)"
        case .refused(let error): "\(error)"
        }
    }
}

/// Parses `text` as one head, and calls `body` with the request.
func withRequest<Result>(_ text: String, _ body: (borrowing Request) throws -> Result) throws -> Result {
    var parser = HeadParser(limits: Limits())
    let bytes = Array(text.utf8)
    _ = try parser.advance(over: bytes.span)
    let (head, fields) = (parser.head, parser.fields)
    return try unsafe bytes.withUnsafeBufferPointer { pointer in
        try body(unsafe Request(head: head, fields: fields, bytes: pointer))
    }
}

/// Returns the error with which a head is rejected, or `nil`.
func error(of text: String, limits: Limits = Limits()) -> RequestError? {
    var parser = HeadParser(limits: limits)
    let bytes = Array(text.utf8)
    do throws(RequestError) {
        _ = try parser.advance(over: bytes.span)
        return nil
    } catch { return error }
}
