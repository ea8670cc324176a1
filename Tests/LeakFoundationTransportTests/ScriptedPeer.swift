import Foundation

#if canImport(Darwin)
    import Darwin
    private let streamType = SOCK_STREAM
    private let noSignal: Int32 = 0
#else
    import Glibc
    private let streamType = Int32(SOCK_STREAM.rawValue)
    private let noSignal = Int32(MSG_NOSIGNAL)
#endif

/// A server on 127.0.0.1 that answers each request by a script, with valid or invalid responses.
final class ScriptedPeer: @unchecked Sendable {
    // `Sendable` is unchecked: `received` is accessed only while `lock` is locked; all other state is set once.

    /// The response to one request, and the way in which it is sent.
    struct Script: Sendable {
        enum Manner: Sendable {
            case whole
            /// Sends one byte in each packet, with the given pause in milliseconds.
            case byteByByte(milliseconds: UInt32)
            /// Sends the script's text, then this text repeatedly until the other side closes the connection. The server pauses
            /// in between, because Foundation on Linux ignores cancellation as long as there is something to read.
            case endlessly(String)
        }
        enum End: Sendable {
            case keep, close
            /// Sends nothing more until the other side closes the connection.
            case silence
        }

        var text: [UInt8]
        var manner = Manner.whole
        var end = End.keep
        /// If `false`, the server answers after the head and does not read the body.
        var readsBody = true

        init(_ text: String, _ manner: Manner = .whole, then end: End = .keep, readsBody: Bool = true) {
            self.init(Array(text.utf8), manner, then: end, readsBody: readsBody)
        }

        init(_ text: [UInt8], _ manner: Manner = .whole, then end: End = .keep, readsBody: Bool = true) {
            self.text = text
            self.manner = manner
            self.end = end
            self.readsBody = readsBody
        }
    }

    struct Request: Hashable, Sendable {
        /// The number of the connection, from 0 in the order of arrival.
        let connection: Int
        let head: String
        let body: [UInt8]
    }

    let port: UInt16
    private let listener: Int32
    private let script: @Sendable (_ number: Int) -> Script
    private let lock = NSLock()
    private var received: [Request] = []

    var requests: [Request] { lock.withLock { received } }
    var address: String { "http://127.0.0.1:\(port)/api/v1/reports" }

    /// - Parameter script: returns the script of a request, by its number from 0.
    init(_ script: @escaping @Sendable (_ number: Int) -> Script) throws {
        self.script = script
        (listener, port) = try Self.listen()
        Thread { [self] in
            for connection in 0... {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else {
                    close(listener)
                    return
                }
                Thread { [self] in
                    serve(socket, connection)
                    close(socket)
                }.start()
            }
        }.start()
    }

    /// Returns a port of 127.0.0.1 at which nothing listens. The process keeps the port, so no other process can use it.
    static func freePort() throws -> UInt16 { try bindPort().port }

    /// Shuts the listener down. The accepting thread closes the socket. If this function closed it, its number might already
    /// belong to another file when that thread accepts again.
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

    private func serve(_ socket: Int32, _ connection: Int) {
        var buffer: [UInt8] = []
        while let head = readHead(socket, &buffer) {
            let number = lock.withLock { received.count }
            let script = script(number)
            var body: [UInt8] = []
            if script.readsBody {
                guard let whole = readBody(socket, of: head, &buffer) else { return }
                body = whole
            }
            lock.withLock { received.append(Request(connection: connection, head: head, body: body)) }
            guard transmit(script, to: socket) else { return }
            switch script.end {
            case .keep: continue
            case .close: return
            case .silence:
                while readMore(socket, &buffer) {}
                return
            }
        }
    }

    private func readHead(_ socket: Int32, _ buffer: inout [UInt8]) -> String? {
        let blank = Array("\r\n\r\n".utf8)
        while true {
            if let end = buffer.firstRange(of: blank) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer.removeFirst(end.upperBound)
                return head
            }
            guard readMore(socket, &buffer) else { return nil }
        }
    }

    private func readBody(_ socket: Int32, of head: String, _ buffer: inout [UInt8]) -> [UInt8]? {
        let line = head.lowercased().components(separatedBy: "\r\n").first { $0.hasPrefix("content-length:") }
        let length = line.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        while buffer.count < length {
            guard readMore(socket, &buffer) else { return nil }
        }
        let body = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return body
    }

    private func readMore(_ socket: Int32, _ buffer: inout [UInt8]) -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(socket, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer += piece.prefix(count)
        return true
    }

    private func transmit(_ script: Script, to socket: Int32) -> Bool {
        switch script.manner {
        case .whole: return transmit(script.text[...], to: socket)
        case .byteByByte(let milliseconds):
            return script.text.indices.allSatisfy { index in
                if milliseconds > 0 { usleep(milliseconds * 1000) }
                return transmit(script.text[index...index], to: socket)
            }
        case .endlessly(let text):
            let piece = Array(text.utf8)
            guard transmit(script.text[...], to: socket) else { return false }
            while transmit(piece[...], to: socket) { usleep(5_000) }
            return false
        }
    }

    private func transmit(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(socket, $0.baseAddress, $0.count, noSignal)
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
