import Foundation

/// A connection that sends one request at a time, waits for the response, and otherwise stays idle.
final class Connection {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// - Returns: `nil` when no server listens on the port.
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

    static let get = Array("GET /empty HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)

    static func post(_ count: Int) -> [UInt8] {
        Array("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(count)\r\n\r\n".utf8)
            + [UInt8](repeating: UInt8(ascii: "x"), count: count)
    }

    /// Sends a request and reads its answer.
    func ask(_ request: [UInt8] = get) -> Bool {
        guard send(descriptor, request, request.count, 0) == request.count else { return false }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while !Self.isWhole(answer) {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return false }
            answer += piece[..<count]
        }
        return true
    }

    private static func isWhole(_ answer: [UInt8]) -> Bool {
        let text = String(decoding: answer.prefix(1024), as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let head = text[..<end.lowerBound]
        let length = head.range(of: "Content-Length: ").flatMap { field in
            Int(head[field.upperBound...].prefix { $0.isNumber })
        }
        return answer.count >= head.utf8.count + 4 + (length ?? 0)
    }

    static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
