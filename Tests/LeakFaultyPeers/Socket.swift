// Only this file imports the system's library.

#if canImport(Darwin)
    import Darwin
    private let stream = SOCK_STREAM
    private let flags: Int32 = 0
    /// Makes a send to a disconnected peer fail instead of ending the process.
    private func disableSIGPIPE(_ number: Int32) {
        var one: Int32 = 1
        unsafe setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &one, 4)
    }
#else
    import Glibc
    private let stream = Int32(SOCK_STREAM.rawValue)
    private let flags = Int32(MSG_NOSIGNAL)
    private func disableSIGPIPE(_ number: Int32) {}
#endif
import LeakPlatform

/// A TCP socket on 127.0.0.1 that one thread uses and any thread may end.
final class Socket: Sendable {
    /// The system's error number of a failed socket call.
    struct Failure: Error {
        let code: Int32
    }

    private let number: Int32
    /// The descriptor is closed once and not used afterwards, because the system reuses its number.
    private let isOpen = Guarded(true)

    private init(adopting number: Int32) {
        self.number = number
        // Processes that tests start must not inherit the socket.
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        var one: Int32 = 1
        unsafe setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        disableSIGPIPE(number)
    }

    deinit { close() }

    /// Listens on a free port.
    static func listening() throws -> (socket: Socket, port: Int) {
        let socket = Socket(adopting: systemSocket())
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket.number, $0, length) == 0 && listen(socket.number, 128) == 0
                    && getsockname(socket.number, $0, &length) == 0 ? 0 : errno
            }
        }
        guard code == 0 else { throw Failure(code: code) }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Connects to a port.
    ///
    /// - Returns: `nil` if no server listens on that port.
    static func connected(to port: Int) -> Socket? {
        let socket = Socket(adopting: systemSocket())
        var address = loopback(port: UInt16(port))
        let code = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return code == 0 ? socket : nil
    }

    /// Waits for the next connection.
    ///
    /// - Returns: `nil` if no further connection can arrive.
    func accepted() -> Socket? {
        let accepted = accept(number, nil, nil)
        return accepted >= 0 ? Socket(adopting: accepted) : nil
    }

    /// Waits until one of two sockets has bytes or has ended.
    ///
    /// - Returns: for each socket, `true` if it is ready.
    static func waitForInput(_ one: Socket, _ other: Socket) -> (Bool, Bool) {
        var requests = [one, other].map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
        while unsafe poll(&requests, 2, -1) < 0, errno == EINTR {}
        return (requests[0].revents != 0, requests[1].revents != 0)
    }

    /// Waits for bytes.
    ///
    /// - Returns: an empty array if the peer has closed its side or is gone.
    func receive(atMost limit: Int = 65_536) -> [UInt8] {
        var piece = [UInt8](repeating: 0, count: limit)
        while true {
            let count = unsafe recv(number, &piece, limit, 0)
            if count < 0, errno == EINTR { continue }
            return Array(piece.prefix(max(count, 0)))
        }
    }

    /// Sends all bytes.
    ///
    /// - Returns: `true` if the peer is still connected.
    func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemSend($0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Ends the connection from any thread. A thread that waits for bytes gets none.
    func end() {
        isOpen.with { isOpen in
            if isOpen { _ = shutdown(number, Int32(SHUT_RDWR)) }
        }
    }

    /// Closes the sending side, and waits for the peer to close the connection.
    ///
    /// Closing the socket immediately would reset the connection if bytes of the peer are still unread. RFC 9293 §3.6.1.
    func finish() {
        _ = shutdown(number, Int32(SHUT_WR))
        while !receive().isEmpty {}
        close()
    }

    /// Aborts the connection: the peer receives a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        isOpen.with { isOpen in
            if isOpen { systemClose(number) }
            isOpen = false
        }
    }

    private func systemSend(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.send(number, bytes.baseAddress, bytes.count, flags)
        #else
            unsafe Glibc.send(number, bytes.baseAddress, bytes.count, flags)
        #endif
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

private func systemSocket() -> Int32 { socket(AF_INET, stream, 0) }

private func systemClose(_ number: Int32) { _ = close(number) }
