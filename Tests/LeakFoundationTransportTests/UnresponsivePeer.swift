import Foundation

#if canImport(Darwin)
    import Darwin
    private let streamType = SOCK_STREAM
#else
    import Glibc
    private let streamType = Int32(SOCK_STREAM.rawValue)
#endif

/// A port of 127.0.0.1 that never answers: it listens, accepts no connection, and its backlog is full.
final class UnresponsivePeer: Sendable {
    let port: UInt16
    private let sockets: [Int32]

    init() throws {
        let listener = socket(AF_INET, streamType, 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var sockets = [listener]
        let isReady = unsafe withUnsafeMutablePointer(to: &name) { name in
            unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                guard unsafe bind(listener, name, length) == 0, listen(listener, 1) == 0,
                    unsafe getsockname(listener, name, &length) == 0
                else { return false }
                for _ in 0..<8 {
                    let client = socket(AF_INET, streamType, 0)
                    _ = fcntl(client, F_SETFL, O_NONBLOCK)
                    _ = unsafe connect(client, name, length)
                    sockets.append(client)
                }
                return true
            }
        }
        guard isReady else { throw POSIXError(.EADDRNOTAVAIL) }
        self.sockets = sockets
        port = UInt16(bigEndian: name.sin_port)
    }

    deinit { for socket in sockets { close(socket) } }
}
