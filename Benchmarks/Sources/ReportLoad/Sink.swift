import Foundation

/// Accepts requests on a port of its own, answers each as a collector does, and counts the received traffic.
public final class Sink: @unchecked Sendable {
    // `Sendable` is unchecked: the counts are accessed only while `lock` is locked, and `listener` is set before the thread
    // starts.
    public struct Counts: Sendable {
        public var requests = 0
        public var bytes = 0
        /// Processor time of the sink's own thread.
        public var processorNanoseconds = 0
    }

    public let port: Int
    private let listener: Int32
    private let lock = NSLock()
    private var counts = Counts()

    public init() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                guard bind(listener, $0, length) == 0, listen(listener, 64) == 0 else {
                    preconditionFailure("no port is free to listen on")
                }
                getsockname(listener, $0, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in serve() }
    }

    /// Returns the counts since the last call, and sets them to 0.
    public func take() -> Counts {
        lock.withLock {
            defer { counts = Counts() }
            return counts
        }
    }

    private func serve() {
        while true {
            let peer = accept(listener, nil, nil)
            guard peer >= 0 else { return }
            serveConnection(peer)
            close(peer)
        }
    }

    /// Serves a connection until the client closes it. The reporter never has a second connection at the same time.
    private func serveConnection(_ peer: Int32) {
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        let answer = Array(
            """
            HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 46\r\n\r\n\
            {"accepted":1,"duplicate":false,"rejected":[]}
            """.utf8)
        while true {
            let start = Self.processorNanoseconds
            let count = read(peer, &piece, piece.count)
            guard count > 0 else { return }
            received += piece[..<count]
            while let length = Self.requestLength(received), received.count >= length {
                received.removeFirst(length)
                _ = write(peer, answer, answer.count)
                lock.withLock { counts.requests += 1 }
            }
            lock.withLock {
                counts.bytes += count
                counts.processorNanoseconds += Self.processorNanoseconds - start
            }
        }
    }

    /// Processor time of the calling thread.
    private static var processorNanoseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private static func requestLength(_ bytes: [UInt8]) -> Int? {
        let text = String(decoding: bytes.prefix(8 * 1024), as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.upperBound]
        let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        return head.utf8.count
            + (field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0)
    }
}
