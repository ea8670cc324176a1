/// Bytes that a peer has not taken yet. Bodies are shared with whoever made them, not copied.
struct Outgoing {
    private var chunks: [[UInt8]] = []
    /// Bytes of the first chunk that have gone.
    private var sent = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        chunks.append(bytes)
        count += bytes.count
    }

    /// Appends `bytes` without the first `sent` of them, which the peer has already.
    mutating func append(_ bytes: [UInt8], without sent: Int) {
        guard isEmpty else { return append(Array(bytes.dropFirst(sent))) }
        guard sent < bytes.count else { return }
        chunks = [bytes]
        self.sent = sent
        count = bytes.count - sent
    }

    /// Sends as much as the peer takes.
    ///
    /// - Returns: how many bytes it took, or `nil` when the connection is broken.
    mutating func send(to socket: Int32) -> Int? {
        var total = 0
        while let first = chunks.first {
            let outcome = unsafe first.withUnsafeBufferPointer { bytes in
                unsafe Socket.send(
                    socket, UnsafeBufferPointer(rebasing: bytes[sent...]),
                    UnsafeBufferPointer(start: nil, count: 0))
            }
            guard case .bytes(let taken) = outcome else { return outcome == .failed ? nil : total }
            total += taken
            count -= taken
            sent += taken
            if sent >= first.count {
                chunks.removeFirst()
                sent = 0
            }
        }
        return total
    }
}
