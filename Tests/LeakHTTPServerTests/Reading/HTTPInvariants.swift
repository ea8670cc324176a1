import LeakSeededRandom
internal import LeakBrotli
internal import LeakGzip

@testable import LeakHTTPServer

/// Properties that hold for every stream of bytes, including hostile streams.
enum HTTPInvariants {
    /// Limits so low that short inputs reach them.
    static let lowLimits: Limits = {
        var limits = Limits()
        limits.headBytes = 160
        limits.fields = 5
        limits.targetBytes = 40
        limits.bodyBytes = 60
        limits.chunkOverheadBytes = 30
        return limits
    }()

    /// Checks all properties.
    ///
    /// - Returns: a description of the property that `stream` violates, or `nil`.
    static func violation(by stream: [UInt8]) -> String? {
        for limits in [Limits(), lowLimits] {
            var whole = ParserRun(limits: limits)
            whole.feed(stream)
            if let violation = violationByCutting(stream, limits, whole.events) { return violation }
            for event in whole.events {
                switch event {
                case .head(let head, let fields, let bytes):
                    if let violation = NaiveHead.difference(head, fields, bytes) { return violation }
                    if let violation = violationByRequest(head, fields, bytes) { return violation }
                case .body(let body):
                    if let violation = violationByInflating(body) { return violation }
                case .inflated, .damaged, .refused: break
                }
            }
        }
        return violationByText(stream)
    }

    /// Checks that a stream gives the same events, however it is cut. Events are only ever added, so no part of a stream
    /// can give an event that the whole stream does not give.
    private static func violationByCutting(_ stream: [UInt8], _ limits: Limits, _ whole: [ParserRun.Event])
        -> String?
    {
        var byteByByte = ParserRun(limits: limits)
        for byte in stream { byteByByte.feed(CollectionOfOne(byte)) }
        guard byteByByte.events == whole else { return "byte by byte: \(byteByByte.events), not \(whole)" }
        var random = SeededRandom(seed: stream)
        var cuts: [Int] = []
        var pieces = ParserRun(limits: limits)
        var rest = stream[...]
        while !rest.isEmpty {
            // Mostly short pieces, and some long pieces.
            let count = 1 + Int(random.next() % UInt64(random.next() % 4 == 0 ? rest.count : 16))
            pieces.feed(rest.prefix(count))
            rest = rest.dropFirst(count)
            cuts.append(stream.count - rest.count)
        }
        guard pieces.events == whole else { return "cut at \(cuts): \(pieces.events), not \(whole)" }
        return nil
    }

    /// Checks that the request that a service receives satisfies the invariants that its documentation names.
    private static func violationByRequest(_ head: Head, _ fields: [FieldLine], _ bytes: [UInt8])
        -> String?
    {
        _ = Exchange(head, fields: fields, of: bytes.span)
        return unsafe bytes.withUnsafeBufferPointer { pointer in
            let request = unsafe Request(head: head, fields: fields, bytes: pointer)
            let path = request.path
            guard path.utf8.first == UInt8(ascii: "/") else { return "a path without /: \(path)" }
            guard !path.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                return "a path with control characters: \(path)"
            }
            let raw = bytes[head.path.range]
            guard raw.isEmpty || path.utf8.count(where: { $0 == 0x2F }) == raw.count(where: { $0 == 0x2F }),
                !path.utf8.contains(UInt8(ascii: "\\"))
            else { return "a path with a hidden separator: \(path)" }
            _ = (request.query("a"), request.hasContentType("application/json"), request.target)
            return nil
        }
    }

    /// Checks that a body inflates to the same bytes, however it is cut, in any coding.
    private static func violationByInflating(_ body: [UInt8]) -> String? {
        // The ratio between output and input at each check depends on the pieces, so it has no limit here.
        let limits = Inflater.Limits(outputBytes: 100_000, ratio: .max)
        func inflated(_ pieces: [[UInt8]], _ format: Inflater.Format) -> Result<[UInt8], InflateError> {
            var inflater = Inflater(limits: limits, format: format)
            var output: [UInt8] = []
            do throws(InflateError) {
                for piece in pieces { try inflater.inflate(piece, into: &output) }
                try inflater.finish()
                return .success(output)
            } catch { return .failure(error) }
        }
        // The first error also depends on the pieces, because libbrotli keeps output until it is requested.
        func decompressBrotli(_ pieces: [[UInt8]]) -> [UInt8]? {
            var inflater = BrotliInflater(limits: limits)
            var output: [UInt8] = []
            do throws(InflateError) {
                for piece in pieces { try inflater.inflate(piece, into: &output) }
                try inflater.finish()
                return output
            } catch { return nil }
        }
        let bytes = body.map { [$0] }
        for format in [Inflater.Format.gzip, .deflate] {
            let (whole, byteByByte) = (inflated([body], format), inflated(bytes, format))
            guard byteByByte == whole else { return "\(format) byte by byte: \(byteByByte), not \(whole)" }
        }
        let (whole, byteByByte) = (decompressBrotli([body]), decompressBrotli(bytes))
        guard byteByByte == whole else {
            return "brotli byte by byte: \(String(describing: byteByByte)), not \(String(describing: whole))"
        }
        return nil
    }

    /// Checks that the parsers of field values and of percent-encoded text accept any bytes without a trap.
    private static func violationByText(_ bytes: [UInt8]) -> String? {
        let escaped = bytes.flatMap { byte in
            Array("%".utf8) + [byte >> 4, byte & 15].map { Array("0123456789aBcDeF".utf8)[Int($0)] }
        }
        guard
            PercentEncoding.decoded(escaped, plusIsSpace: true) == String(decoding: bytes, as: UTF8.self)
        else { return "the bytes changed when they were percent-encoded and decoded" }
        _ = PercentEncoding.decoded(bytes, plusIsSpace: true)
        _ = AcceptEncodingParser.allowsGzip(bytes.span, bytes.indices)
        _ = EntityTag.isTag("\"a\"", inList: String(decoding: bytes, as: UTF8.self))
        return nil
    }
}
