/// Bytes that a peer has not accepted yet. Response bodies are shared with their creator, not copied.
final class PendingOutput {
    private var chunks: [Response.Body] = []
    /// The number of bytes of the first chunk that have been sent.
    private var firstChunkSentBytes = 0
    /// The number of bytes that are still to be sent.
    private(set) var byteCount = 0

    func append(_ chunk: Response.Body) {
        guard chunk.count > 0 else { return }
        byteCount += chunk.count
        chunks.append(chunk)
    }

    /// Creates output that begins with `chunk`, without its first `sent` bytes, which the peer already has.
    init(_ chunk: Response.Body, without sent: Int = 0) {
        append(chunk)
        firstChunkSentBytes = sent
        byteCount -= sent
    }

    /// Sends as many bytes as the peer accepts.
    ///
    /// - Returns: the number of bytes sent, or `nil` if the connection is broken.
    func send(to socket: Int32) -> Int? {
        var total = 0
        while let first = chunks.first {
            let outcome = unsafe first.withPointer { bytes in
                unsafe Socket.send(
                    socket, UnsafeBufferPointer(rebasing: bytes[firstChunkSentBytes...]),
                    then: UnsafeBufferPointer(start: nil, count: 0))
            }
            guard case .transferred(let sentNow) = outcome else { return outcome == .failed ? nil : total }
            total += sentNow
            byteCount -= sentNow
            firstChunkSentBytes += sentNow
            if firstChunkSentBytes >= first.count {
                chunks.removeFirst()
                firstChunkSentBytes = 0
            }
        }
        return total
    }
}
