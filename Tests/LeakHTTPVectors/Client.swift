// A client that sends exactly the given bytes, which are mostly invalid.

#if canImport(Darwin)
    import Darwin
    private let stream = SOCK_STREAM
    private let flags: Int32 = 0
#else
    import Glibc
    private let stream = Int32(SOCK_STREAM.rawValue)
    private let flags = Int32(MSG_NOSIGNAL)
#endif

/// One blocking connection to 127.0.0.1.
public final class Client {
    private let descriptor: Int32
    public private(set) var received: [UInt8] = []
    public private(set) var isEnded = false

    /// - Parameters:
    ///   - receiveBufferBytes: size of the receive buffer; a small one makes a slow reader.
    ///   - host: the last number of an address of this machine, 127.0.0.x, to connect from. Only on Linux.
    public init(port: Int, receiveBufferBytes: Int32? = nil, from host: UInt32? = nil) {
        descriptor = socket(AF_INET, stream, 0)
        // Processes that tests start must not inherit the socket.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var one: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        if var receiveBufferBytes {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBufferBytes, 4)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        if let host {
            var source = address
            source.sin_port = 0
            source.sin_addr.s_addr = (UInt32(0x7F00_0000) + host).bigEndian
            let bound = unsafe withUnsafePointer(to: &source) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            precondition(bound == 0, "cannot connect from 127.0.0.\(host), errno \(errno)")
        }
        let connected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(connected == 0, "cannot connect to port \(port), errno \(errno)")
    }

    deinit { close(descriptor) }

    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { unsafe systemSend($0, flags) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends as many bytes as the connection takes without waiting.
    ///
    /// - Returns: the number of bytes sent. It is also 0 if the peer has closed the connection.
    public func sendNow(_ bytes: ArraySlice<UInt8>) -> Int {
        max(0, unsafe bytes.withUnsafeBytes { unsafe systemSend($0, flags | Int32(MSG_DONTWAIT)) })
    }

    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    private func systemSend(_ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
        #else
            unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
        #endif
    }

    public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the connection end with a reset when the client is deinitialized.
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Sends text, but waits at most a tenth of a second until the connection accepts more bytes.
    ///
    /// - Returns: `false` if not all bytes were sent.
    public func sendWithShortTimeout(_ text: String) -> Bool {
        var limit = timeval(tv_sec: 0, tv_usec: 100_000)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return send(text)
    }

    /// Waits five milliseconds.
    public static func pause() { _ = poll(nil, 0, 5) }

    /// Reads once.
    ///
    /// - Parameter bytes: the maximum number of bytes.
    /// - Returns: `false` if nothing arrived in time or the peer has closed the connection.
    @discardableResult
    public func read(milliseconds: Int32, upTo bytes: Int = 65536) -> Bool {
        guard !isEnded else { return false }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, milliseconds) > 0 else { return false }
        var piece = [UInt8](repeating: 0, count: bytes)
        let count = unsafe recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else {
            isEnded = true
            return false
        }
        received += piece[..<count]
        return true
    }

    /// Reads until `count` answers are complete, the peer closes the connection, or nothing arrives for `milliseconds`.
    public func answers(_ count: Int, heads: Set<Int> = [], milliseconds: Int32 = 5000) -> [Reply] {
        while true {
            let replies = Reply.all(in: received, heads: heads)
            if replies.count >= count || !read(milliseconds: milliseconds) { return replies }
        }
    }

    /// Reads the next answer and removes it. Nothing else may have been read.
    public func nextAnswer() -> Reply? {
        defer { received = [] }
        return answers(1).first
    }

    /// Reads until the peer closes the connection.
    ///
    /// - Returns: `true` if the peer closed it in time.
    public func waitForEnd(milliseconds: Int32 = 5000) -> Bool {
        while read(milliseconds: milliseconds) {}
        return isEnded
    }
}

/// An answer as it was received.
public struct Reply: Sendable {
    public var status: Int
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]
    /// The number of bytes of the head and the body together.
    public var byteCount: Int

    public func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns all complete answers in `bytes`.
    ///
    /// - Parameter heads: indices, from 0, of the answers to `HEAD` requests, which have no body. A response with status 100
    ///   does not count.
    public static func all(in bytes: [UInt8], heads: Set<Int> = []) -> [Reply] {
        var replies: [Reply] = []
        var rest = bytes[...]
        var index = 0
        while let end = endOfHead(rest) {
            let lines = String(decoding: rest[..<(end - 4)], as: UTF8.self).split(separator: "\r\n")
            guard let first = lines.first, let status = Int(first.split(separator: " ")[1]) else { break }
            let fields = lines.dropFirst().map { line in
                let colon = line.firstIndex(of: ":") ?? line.endIndex
                return (String(line[..<colon]), line[colon...].dropFirst().drop { $0 == " " }.description)
            }
            var reply = Reply(status: status, fields: fields, body: [], byteCount: 0)
            let count = heads.contains(index) ? 0 : Int(reply.field("content-length") ?? "0") ?? 0
            guard rest.endIndex - end >= count else { break }
            reply.body = Array(rest[end..<end + count])
            reply.byteCount = end + count - rest.startIndex
            rest = rest[(end + count)...]
            replies.append(reply)
            if status != 100 { index += 1 }
        }
        return replies
    }

    private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (bytes.startIndex + 3..<bytes.endIndex).first {
            bytes[$0] == 10 && bytes[$0 - 1] == 13 && bytes[$0 - 2] == 10 && bytes[$0 - 3] == 13
        }.map { $0 + 1 }
    }
}
