@testable import HTTPServer

/// Reads requests as a connection does, without one: the parsers alone, fed in pieces.
struct Reading {
    /// What came out: a line for each request, and the error that ended it.
    private(set) var events: [String] = []
    private(set) var hasFailed = false

    private var input: [UInt8] = []
    private var parser: HeadParser
    private var body: [UInt8] = []
    private var framing = Framing.none
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
            while !hasFailed, !input.isEmpty, try step() {}
        } catch {
            hasFailed = true
            events.append("\(error)")
        }
    }

    /// - Returns: whether something was used up.
    private mutating func step() throws(RequestError) -> Bool {
        guard isInBody else { return try head() }
        switch framing {
        case .none:
            end()
        case .length(let missing):
            let taken = min(missing, input.count)
            body += input[..<taken]
            input.removeFirst(taken)
            framing = .length(missing - taken)
            if missing == taken { end() }
        case .chunked:
            let bytes = input
            let step = try chunks.next(bytes.span, from: 0)
            switch step {
            case .data(let range):
                body += input[range]
                input.removeFirst(range.upperBound)
            case .needsMore: input = []
            case .end(let end):
                input.removeFirst(end)
                self.end()
            }
        }
        return true
    }

    private mutating func head() throws(RequestError) -> Bool {
        let bytes = input
        guard let length = try parser.advance(over: bytes.span) else { return false }
        let head = parser.head
        let fields = parser.fields.map { line in "\(text(line.name))=\(text(line.value))" }
        events.append("\(head.method) \(text(head.target)) \(fields)")
        if case .length(let count) = head.framing, count > limits.bodyBytes { throw .bodyTooLong }
        framing = head.framing
        input.removeFirst(length)
        parser.reset()
        body = []
        if framing == .none { end() } else { isInBody = true }
        return true
    }

    private mutating func end() {
        events.append(String(decoding: body, as: UTF8.self))
        chunks = ChunkParser(limits: limits)
        isInBody = false
    }

    private func text(_ piece: Piece) -> String { String(decoding: input[piece.range], as: UTF8.self) }
}

/// Parses `text` as one head and lends the request it makes.
func withRequest<Result>(_ text: String, _ body: (borrowing Request) throws -> Result) throws -> Result {
    var parser = HeadParser(limits: Limits())
    let bytes = Array(text.utf8)
    _ = try parser.advance(over: bytes.span)
    let (head, fields) = (parser.head, parser.fields)
    return try unsafe bytes.withUnsafeBufferPointer { pointer in
        try body(unsafe Request(head: head, fields: fields, bytes: pointer))
    }
}

/// The error that a head meets, or `nil`.
func error(of text: String, limits: Limits = Limits()) -> RequestError? {
    var parser = HeadParser(limits: limits)
    let bytes = Array(text.utf8)
    do throws(RequestError) {
        _ = try parser.advance(over: bytes.span)
        return nil
    } catch { return error }
}
