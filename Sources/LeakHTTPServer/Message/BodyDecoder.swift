internal import LeakBrotli
internal import LeakGzip

/// A decoder for bodies in all supported content codings. The same limits apply to each of them.
struct BodyDecoder: ~Copyable {
    /// The decoder of gzip and `deflate`. It takes 40 KiB and is reused for all bodies, because most are in gzip.
    private var inflater: Inflater

    init(limits: Inflater.Limits) { inflater = Inflater(limits: limits) }

    var limits: Inflater.Limits { inflater.limits }

    init(limits: Limits) {
        self.init(
            limits: .init(
                outputBytes: limits.inflatedBytes, ratio: limits.inflateRatio,
                bytesBeforeRatio: limits.inflatedBytesBeforeRatio))
    }

    /// Decompresses a complete body and passes the result to `output` in pieces. A piece is valid only during the call.
    ///
    /// - Parameter coding: neither ``ContentEncoding/identity`` nor ``ContentEncoding/unknown``.
    /// - Throws: ``InflateError``; a part of the output may have been passed on before.
    @unsafe
    mutating func decode(
        _ body: UnsafeBufferPointer<UInt8>, from coding: ContentEncoding,
        output: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(InflateError) {
        switch coding {
        case .gzip, .deflate:
            inflater.reset(coding == .gzip ? .gzip : .deflate)
            try unsafe inflater.inflate(body, output: output)
            try inflater.finish()
        case .brotli:
            var inflater = BrotliInflater(limits: self.inflater.limits)
            try unsafe inflater.inflate(body, output: output)
            try inflater.finish()
        case .identity, .unknown:
            preconditionFailure("a body in \(coding) is not inflated")
        }
    }
}

/// A body as it was sent, in its content coding, to be decompressed on another thread.
public struct CodedBody: Sendable {
    /// The error for a body that cannot be decompressed, or exceeds the server's limits when decompressed.
    public struct Failure: Error {
        /// The response to send, with the reason: 400, 413, or 503 if no memory is left to decompress the body.
        public let response: Response
        /// The reason, in one sentence.
        public let detail: String
    }

    private let bytes: SharedBytes
    private let coding: ContentEncoding
    private let limits: Inflater.Limits

    /// - Parameter coding: neither ``ContentEncoding/identity`` nor ``ContentEncoding/unknown``.
    init(_ bytes: SharedBytes, in coding: ContentEncoding, limits: Inflater.Limits) {
        self.bytes = bytes
        self.coding = coding
        self.limits = limits
    }

    /// The number of bytes as sent.
    public var count: Int { bytes.count }

    /// Decompresses the body, within ``Limits/inflatedBytes`` and ``Limits/inflateRatio``. Takes up to about 50 ms.
    ///
    /// - Throws: ``Failure`` with the response to send.
    public func inflated() throws(Failure) -> [UInt8] {
        var decoder = BodyDecoder(limits: limits)
        var output: [UInt8] = []
        do throws(InflateError) {
            try unsafe bytes.withPointer { (body) throws(InflateError) in
                try unsafe decoder.decode(body, from: coding) { unsafe output.append(contentsOf: $0) }
            }
        } catch {
            let error = RequestError(error)
            var response = error.response
            // The message has valid framing, so the connection can be kept.
            response.closesConnection = false
            throw Failure(response: response, detail: "\(error.detail)")
        }
        return output
    }
}

/// The encoding of a body, RFC 9110 §8.4.1.
enum ContentEncoding: Hashable, Sendable {
    case identity
    /// RFC 1952.
    case gzip
    /// Either the zlib format of RFC 1950, or the data of RFC 1951 without the zlib header and checksum.
    case deflate
    /// RFC 7932.
    case brotli
    /// Another coding, or several codings in sequence.
    case unknown

    /// The codings that the server can decode, as a value of `Accept-Encoding`.
    static let supported = "gzip, deflate, br"

    /// Parses the whole value of `Content-Encoding`; an empty value is ``identity``.
    init(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) {
        self =
            switch value.count {
            case 0: .identity
            case 2 where ASCII.equal(bytes, in: value, to: "br"): .brotli
            case 4 where ASCII.equal(bytes, in: value, to: "gzip"): .gzip
            case 6 where ASCII.equal(bytes, in: value, to: "x-gzip"): .gzip
            case 7 where ASCII.equal(bytes, in: value, to: "deflate"): .deflate
            case 8 where ASCII.equal(bytes, in: value, to: "identity"): .identity
            default: .unknown
            }
    }
}
