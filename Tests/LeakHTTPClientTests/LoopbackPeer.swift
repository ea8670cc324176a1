#if os(Linux)
    import Foundation

    #if canImport(Darwin)
        import Darwin
        private let streamType = SOCK_STREAM
    #else
        import Glibc
        private let streamType = Int32(SOCK_STREAM.rawValue)
    #endif

    /// A server on 127.0.0.1 that sends exactly the bytes that a test specifies, valid or not.
    final class LoopbackPeer: @unchecked Sendable {
        // `Sendable` is unchecked: `received` is accessed only while `lock` is locked; all other state is set once.

        /// The reaction to a request.
        enum Reaction: Sendable {
            case send(String)
            /// Sends the text and closes the connection, even if the text announces a longer body.
            case sendAndClose(String)
            /// Sends nothing until the peer closes the connection.
            case hang
        }

        struct Request: Hashable, Sendable {
            /// The number of the connection, from 0 in the order of arrival.
            let connection: Int
            let head: String
            let body: String
        }

        let port: UInt16
        private let listener: Int32
        private let react: @Sendable (Request) -> Reaction
        private let lock = NSLock()
        private var received: [Request] = []

        var requests: [Request] { lock.withLock { received } }
        var address: String { "http://127.0.0.1:\(port)" }

        init(_ react: @escaping @Sendable (Request) -> Reaction) throws {
            self.react = react
            (listener, port) = try Self.listen()
            let thread = Thread { [self] in accept() }
            thread.start()
        }

        /// Returns a port of 127.0.0.1 at which nothing listens. The process keeps the port, so no other process can use it.
        static func freePort() throws -> UInt16 { try bindPort().port }

        /// Shuts the listener down. The accepting thread closes the socket. If this function closed it, its number might
        /// already belong to another file when that thread accepts again.
        func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

        private static func listen() throws -> (Int32, UInt16) {
            let (listener, port) = try bindPort()
            #if canImport(Darwin)
                let listening = Darwin.listen(listener, 16)
            #else
                let listening = Glibc.listen(listener, 16)
            #endif
            guard listening == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
            return (listener, port)
        }

        private static func bindPort() throws -> (socket: Int32, port: UInt16) {
            let listener = socket(AF_INET, streamType, 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let bound = unsafe withUnsafeMutablePointer(to: &name) { name in
                unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                    unsafe bind(listener, name, length) == 0 && getsockname(listener, name, &length) == 0
                }
            }
            guard bound else { throw POSIXError(.EADDRNOTAVAIL) }
            return (listener, UInt16(bigEndian: name.sin_port))
        }

        private func accept() {
            for connection in 0... {
                #if canImport(Darwin)
                    let socket = Darwin.accept(listener, nil, nil)
                #else
                    let socket = Glibc.accept(listener, nil, nil)
                #endif
                guard socket >= 0 else {
                    close(listener)
                    return
                }
                Thread { [self] in
                    serve(socket, connection)
                    close(socket)
                }.start()
            }
        }

        private func serve(_ socket: Int32, _ connection: Int) {
            var buffer: [UInt8] = []
            while let request = readRequest(socket, connection, &buffer) {
                lock.withLock { received.append(request) }
                switch react(request) {
                case .send(let text):
                    send(text, to: socket)
                case .sendAndClose(let text):
                    return send(text, to: socket)
                case .hang:
                    _ = readMore(socket, &buffer)
                    return
                }
            }
        }

        private func readRequest(_ socket: Int32, _ connection: Int, _ buffer: inout [UInt8]) -> Request? {
            while true {
                let text = String(decoding: buffer, as: UTF8.self)
                if let end = text.range(of: "\r\n\r\n") {
                    let head = String(text[..<end.lowerBound])
                    let lengths = head.components(separatedBy: "\r\n").filter {
                        $0.lowercased().hasPrefix("content-length:")
                    }
                    let length =
                        lengths.first.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
                        ?? 0
                    let body = Array(text[end.upperBound...].utf8)
                    if body.count >= length {
                        buffer = Array(body.dropFirst(length))
                        return Request(
                            connection: connection, head: head,
                            body: String(decoding: body.prefix(length), as: UTF8.self))
                    }
                }
                guard readMore(socket, &buffer) else { return nil }
            }
        }

        private func readMore(_ socket: Int32, _ buffer: inout [UInt8]) -> Bool {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe recv(socket, &piece, piece.count, 0)
            guard count > 0 else { return false }
            buffer += piece.prefix(count)
            return true
        }

        private func send(_ text: String, to socket: Int32) {
            let bytes = Array(text.utf8)
            var sent = 0
            while sent < bytes.count {
                let count = unsafe bytes.withUnsafeBytes { bytes in
                    #if canImport(Darwin)
                        unsafe Darwin.send(socket, bytes.baseAddress! + sent, bytes.count - sent, 0)
                    #else
                        unsafe Glibc.send(
                            socket, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                    #endif
                }
                guard count > 0 else { return }
                sent += count
            }
        }
    }
#endif
