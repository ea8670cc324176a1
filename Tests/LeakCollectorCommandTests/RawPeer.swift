import Foundation

#if canImport(Darwin)
    private let stream = SOCK_STREAM
#else
    private let stream = Int32(SOCK_STREAM.rawValue)
#endif

/// A connection that sends given bytes at given times, which an HTTP client cannot do.
final class RawPeer {
    private let descriptor: Int32

    /// Connects to a port of this machine.
    ///
    /// - Returns: `nil` if no server listens on that port.
    init?(port: Int) {
        descriptor = socket(AF_INET, stream, 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code != 0 { return nil }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(descriptor, bytes, bytes.count)
    }

    /// Returns the next bytes as soon as they arrive.
    func receive() -> String {
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = unsafe max(read(descriptor, &piece, piece.count), 0)
        return String(decoding: piece[..<count], as: UTF8.self)
    }

    /// Returns all bytes until the peer closes the connection or sends nothing for ten seconds.
    func receiveAll() -> String {
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(descriptor, &piece, piece.count)
            guard count > 0 else { return String(decoding: received, as: UTF8.self) }
            received += piece[..<count]
        }
    }
}
