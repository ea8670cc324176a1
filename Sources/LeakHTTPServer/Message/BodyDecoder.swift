internal import LeakBrotli
internal import LeakGzip

/// Undoes the content codings that bodies come in, each within the same bounds.
struct BodyDecoder: ~Copyable {
    /// Kept between bodies: most come in gzip, and it holds 40 KiB.
    private var inflater: Inflater

    init(limits: Inflater.Limits) { inflater = Inflater(limits: limits) }

    var limits: Inflater.Limits { inflater.limits }

    init(limits: Limits) {
        self.init(
            limits: .init(
                outputBytes: limits.inflatedBytes, ratio: limits.inflateRatio,
                bytesBeforeRatio: limits.inflatedBytesBeforeRatio))
    }

    /// Hands to `take`, piece by piece, what a whole body inflates to. The pieces are lent for the call.
    ///
    /// - Parameter coding: neither ``ContentCoding/identity`` nor ``ContentCoding/unknown``.
    /// - Throws: ``InflateError``; some of it may have been handed over then.
    @unsafe
    mutating func decode(
        _ body: UnsafeBufferPointer<UInt8>, from coding: ContentCoding,
        take: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(InflateError) {
        switch coding {
        case .gzip, .deflate:
            inflater.reset(coding == .gzip ? .gzip : .deflate)
            try unsafe inflater.inflate(body, take: take)
            try inflater.finish()
        case .brotli:
            var inflater = BrotliInflater(limits: self.inflater.limits)
            try unsafe inflater.inflate(body, take: take)
            try inflater.finish()
        case .identity, .unknown:
            preconditionFailure("a body in \(coding) is not inflated")
        }
    }
}
