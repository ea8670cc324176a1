internal import LeakBrotli
internal import LeakGzip

/// A body in the content coding that it was sent in, to be inflated on another thread.
public struct CodedBody: Sendable {
    /// A body that cannot be inflated, or inflates beyond the server's bounds.
    public struct Failure: Error {
        /// 400 or 413 with the reason.
        public let response: Response
    }

    private let bytes: SharedBytes
    private let coding: ContentCoding
    private let limits: Inflater.Limits

    /// - Parameter coding: neither ``ContentCoding/identity`` nor ``ContentCoding/unknown``.
    init(_ bytes: SharedBytes, in coding: ContentCoding, limits: Inflater.Limits) {
        self.bytes = bytes
        self.coding = coding
        self.limits = limits
    }

    /// Bytes as sent.
    public var count: Int { bytes.count }

    /// Inflates the body within the bounds that ``Limits`` sets. Takes up to some 50 ms.
    public func inflated() throws(Failure) -> [UInt8] {
        var decoder = BodyDecoder(limits: limits)
        var output: [UInt8] = []
        do throws(InflateError) {
            try unsafe bytes.withPointer { (body) throws(InflateError) in
                try unsafe decoder.decode(body, from: coding) { unsafe output.append(contentsOf: $0) }
            }
        } catch {
            var response = RequestError(error).response
            // The message was framed well, so the connection can go on.
            response.closes = false
            throw Failure(response: response)
        }
        return output
    }
}
