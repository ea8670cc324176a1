internal import LeakBrotli
internal import LeakGzip

/// A body as it was sent, in its content coding, to be decompressed on another thread.
public struct CodedBody: Sendable {
    /// The error for a body that cannot be decompressed, or exceeds the server's limits when decompressed.
    public struct Failure: Error {
        /// The response to send: 400 or 413 with the reason.
        public let response: Response
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
            var response = RequestError(error).response
            // The message has valid framing, so the connection can be kept.
            response.closesConnection = false
            throw Failure(response: response)
        }
        return output
    }
}
