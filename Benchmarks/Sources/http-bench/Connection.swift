import Foundation

/// A connection that asks once and then stays idle.
final class Connection {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// - Returns: `nil` when nobody listens.
    static func open(port: Int) -> Connection? {
        let connection = Connection(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = address(port: port)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return code == 0 ? connection : nil
    }

    /// Sends a GET and reads what comes back, which is less than 4 KiB.
    func ask() -> Bool {
        let request = Array("GET /empty HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        var answer = [UInt8](repeating: 0, count: 4096)
        return send(descriptor, request, request.count, 0) == request.count
            && recv(descriptor, &answer, answer.count, 0) > 0
    }

    static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
