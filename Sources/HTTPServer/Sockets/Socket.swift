// With its neighbours in this folder the only file that calls the system's sockets.

#if canImport(Darwin)
    import Darwin
    private let noSignal: Int32 = 0
    private let streamType = SOCK_STREAM
#else
    import CLinux
    import Glibc
    private let noSignal = Int32(MSG_NOSIGNAL)
    private let streamType = Int32(SOCK_STREAM.rawValue)
#endif

/// What came of reading.
enum Received {
    case bytes(Int)
    /// The peer will send no more.
    case end
    case nothingYet
    case broken
}

/// Calls on a connected socket.
enum Socket {
    /// Reads what has come, at most what fits.
    static func receive(_ socket: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Received {
        do throws(Errno) {
            let count = try retryingOnInterrupt { unsafe recv(socket, buffer.baseAddress, buffer.count, 0) }
            return count == 0 ? .end : .bytes(count)
        } catch {
            return error == .wouldBlock ? .nothingYet : .broken
        }
    }

    /// Sends what the system takes now.
    ///
    /// - Returns: how much that was; `nil` when the connection is broken.
    static func send(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int? {
        do throws(Errno) {
            #if canImport(Darwin)
                return try retryingOnInterrupt {
                    unsafe Darwin.send(socket, bytes.baseAddress, bytes.count, noSignal)
                }
            #else
                return try retryingOnInterrupt {
                    unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, noSignal)
                }
            #endif
        } catch {
            return error == .wouldBlock ? 0 : nil
        }
    }

    /// Says that no more will be sent, and lets the peer go on.
    static func finishSending(_ socket: Int32) {
        _ = shutdown(socket, Int32(SHUT_WR))
    }

    /// What a new connection needs: no waiting for more to send, no blocking, no signal.
    static func prepare(_ socket: Int32) {
        set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        #if canImport(Darwin)
            set(socket, SOL_SOCKET, SO_NOSIGPIPE, 1)
            _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        #endif
    }

    fileprivate static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// A socket that takes connections.
struct Listener: ~Copyable {
    private let descriptor: Descriptor
    let port: Int

    var number: Int32 { descriptor.number }

    /// How many connections may wait to be accepted; the system caps it at its own bound.
    private static let backlog: Int32 = 1024

    /// - Parameters:
    ///   - isShared: several listeners share the port, and the system spreads connections over them.
    /// - Throws: ``ServerError`` with one line for the operator.
    init(host: String, port: Int, isShared: Bool) throws(ServerError) {
        let addresses = try Addresses(host: host, port: port)
        let descriptor = try Self.bound(addresses, host, port, isShared)
        self.port = try Self.port(of: descriptor.number)
        self.descriptor = descriptor
    }

    private static func bound(
        _ addresses: borrowing Addresses, _ host: String, _ port: Int, _ isShared: Bool
    ) throws(ServerError) -> Descriptor {
        let number = socket(addresses.family, streamType, 0)
        guard number >= 0 else { throw ServerError(host: host, port: port, Errno.current) }
        let descriptor = Descriptor(adopting: number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        Socket.set(number, SOL_SOCKET, SO_REUSEADDR, 1)
        if isShared { Socket.set(number, SOL_SOCKET, SO_REUSEPORT, 1) }
        // `::` then means every network of either version.
        if addresses.family == AF_INET6 { Socket.set(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        guard unsafe bind(number, addresses.address, addresses.length) == 0, listen(number, backlog) == 0
        else {
            throw ServerError(host: host, port: port, Errno.current)
        }
        return descriptor
    }

    private static func port(of socket: Int32) throws(ServerError) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(socket, $0, &length)
            }
        }
        guard result == 0 else { throw ServerError(host: "", port: 0, Errno.current) }
        // The port stands at the same place in addresses of both versions.
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
    }

    /// Takes the next connection.
    ///
    /// - Throws: ``Errno/wouldBlock`` when none waits.
    func accept() throws(Errno) -> Int32 {
        #if canImport(Darwin)
            let socket = try retryingOnInterrupt { unsafe Darwin.accept(number, nil, nil) }
        #else
            let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let socket = try retryingOnInterrupt { unsafe accept4(number, nil, nil, flags) }
        #endif
        Socket.prepare(socket)
        return socket
    }
}

/// What a name and a port stand for.
private struct Addresses: ~Copyable {
    private let list: UnsafeMutablePointer<addrinfo>

    init(host: String, port: Int) throws(ServerError) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = streamType
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &found)
        guard code == 0, let found = unsafe found else {
            throw ServerError(unknownHost: host, unsafe String(cString: gai_strerror(code)))
        }
        unsafe list = found
    }

    deinit { unsafe freeaddrinfo(list) }

    var family: Int32 { unsafe list.pointee.ai_family }
    var address: UnsafeMutablePointer<sockaddr>? { unsafe list.pointee.ai_addr }
    var length: socklen_t { unsafe list.pointee.ai_addrlen }
}

extension ServerError {
    init(host: String, port: Int, _ failure: Errno) {
        let place = "\(host):\(port)"
        switch failure.code {
        case EADDRINUSE:
            self.init(.addressInUse, "\(place) is in use by another program; stop it or choose another port")
        case EACCES:
            self.init(
                .notPermitted,
                "\(place) needs more rights: ports below 1024 are for root; choose one from 1024 on")
        case EADDRNOTAVAIL:
            self.init(
                .unknownHost, "\(host) is not an address of this machine; 127.0.0.1 and 0.0.0.0 always are")
        default: self.init(.other, "cannot listen on \(place): \(failure)")
        }
    }

    init(unknownHost host: String, _ reason: String) {
        self.init(
            .unknownHost, "\(host) is not a host that this machine knows (\(reason)); 127.0.0.1 always is")
    }
}
