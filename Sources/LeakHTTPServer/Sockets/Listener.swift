#if canImport(Darwin)
    internal import Darwin
    private let stream = SOCK_STREAM
    private let spreadsConnections = false
#else
    internal import Glibc
    private let stream = Int32(SOCK_STREAM.rawValue)
    private let spreadsConnections = true
#endif

/// A resolved address to listen on.
struct Address: Sendable {
    fileprivate let bytes: [UInt8]
    fileprivate let family: Int32

    /// Returns all addresses that `host` resolves to, without duplicates.
    ///
    /// - Parameter host: a host name or an IP address; `*` stands for all addresses of both families.
    /// - Returns: an empty array if the name cannot be resolved.
    static func resolve(_ host: String, port: UInt16) -> [Address] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = stream
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let code: Int32
        if host == "*" || host.isEmpty {
            code = unsafe getaddrinfo(nil, String(port), &hints, &first)
        } else {
            code = unsafe getaddrinfo(host, String(port), &hints, &first)
        }
        guard code == 0 else { return [] }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [Address] = []
        var nextEntry = unsafe first
        while let entry = unsafe nextEntry {
            let bytes = unsafe UnsafeRawBufferPointer(
                start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
            let address = unsafe Address(bytes: Array(bytes), family: entry.pointee.ai_family)
            if !addresses.contains(where: { $0.bytes == address.bytes }) { addresses.append(address) }
            unsafe nextEntry = entry.pointee.ai_next
        }
        return addresses
    }

    /// Returns the same address with another port.
    func with(port: UInt16) -> Address {
        // Both families store the port at the same offset, in network byte order.
        var bytes = bytes
        guard bytes.count >= 4 else { return self }
        bytes[2] = UInt8(port >> 8)
        bytes[3] = UInt8(port & 0xFF)
        return Address(bytes: bytes, family: family)
    }
}

/// A socket that listens for connections.
struct Listener: ~Copyable, Sendable {
    let descriptor: Descriptor
    /// The port of the socket; the system chooses it if 0 was requested.
    let port: UInt16

    /// `true` if the system distributes connections among the sockets that share a port. Some systems give all connections to the
    /// last socket; there the loops share one socket instead.
    static let sharesPortAcrossSockets = spreadsConnections

    /// Binds the socket and listens.
    ///
    /// - Parameter sharesPort: `true` if other sockets may listen on the same port and share its connections.
    init(_ address: Address, sharesPort: Bool) throws(SystemError) {
        let socket = try Self.bindSocket(address, sharesPort: sharesPort)
        let number = socket.number
        // Connections inherit both options, at least on Linux.
        Socket.enableOption(Int32(IPPROTO_TCP), TCP_NODELAY, on: number)
        Socket.setOption(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, to: Self.maxUnsentBytes, on: number)
        _ = try retryingOnInterrupt { listen(number, Self.backlog) }
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        port = Self.port(of: number)
        descriptor = socket
    }

    /// Checks that no other socket listens on the address. Sockets that share a port would not detect such a conflict.
    static func probe(_ address: Address) throws(SystemError) {
        _ = try bindSocket(address, sharesPort: false)
    }

    private static func bindSocket(_ address: Address, sharesPort: Bool) throws(SystemError) -> Descriptor {
        let number = try retryingOnInterrupt { socket(address.family, stream, 0) }
        let descriptor = Descriptor(adopting: number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        Socket.enableOption(SOL_SOCKET, SO_REUSEADDR, on: number)
        if sharesPort { Socket.enableOption(SOL_SOCKET, SO_REUSEPORT, on: number) }
        if address.family == AF_INET6 { Socket.enableOption(Int32(IPPROTO_IPV6), IPV6_V6ONLY, on: number) }
        _ = try retryingOnInterrupt {
            unsafe address.bytes.withUnsafeBytes { bytes -> Int32 in
                guard let base = bytes.baseAddress else { return -1 }
                return unsafe bind(
                    number, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        }
        return descriptor
    }

    private static func port(of number: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            unsafe getsockname(number, base.assumingMemoryBound(to: sockaddr.self), &length)
            return unsafe UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        }
    }

    /// The most unsent bytes that the system buffers for a connection, in addition to the bytes in flight. Without this limit,
    /// it would buffer megabytes for a peer that does not read. The bytes in flight are limited by the receive window of the
    /// peer.
    private static let maxUnsentBytes: Int32 = 256 << 10

    /// The most connections that wait to be accepted; the system lowers the number to its own limit.
    static let backlog: Int32 = 1024
}

/// An accepted connection that does not belong to a loop yet, with the group that it is counted for.
struct AcceptedConnection: ~Copyable, Sendable {
    let socket: Descriptor
    let address: IPAddress
    var peer: PeerGroup

    init(socket: consuming Descriptor, address: IPAddress) {
        self.socket = socket
        self.address = address
        peer = PeerGroup(address)
    }

    /// A reference to a connection that is passed to another loop, because arrays cannot hold noncopyable values.
    final class Box: @unchecked Sendable {
        // `@unchecked` is safe: the content is taken out once, by the loop that took the box from its queue.
        private var content: AcceptedConnection?

        init(_ content: consuming AcceptedConnection) { self.content = consume content }

        func take() -> AcceptedConnection? { content.take() }
    }
}
