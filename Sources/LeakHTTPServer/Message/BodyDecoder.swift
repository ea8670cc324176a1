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
