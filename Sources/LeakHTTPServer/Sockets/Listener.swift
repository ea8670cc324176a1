#if canImport(Darwin)
    internal import Darwin
    private let stream = SOCK_STREAM
    private let spreadsConnections = false
#else
    internal import Glibc
    private let stream = Int32(SOCK_STREAM.rawValue)
    private let spreadsConnections = true
#endif

/// An address to listen on, resolved.
struct Address: Sendable {
    fileprivate let bytes: [UInt8]
    fileprivate let family: Int32

    /// All addresses that `host` stands for, each once.
    ///
    /// - Parameter host: a name or a number; `*` is every address of both families.
    /// - Returns: none when the name is not known.
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
        var found: [Address] = []
        var next = unsafe first
        while let entry = unsafe next {
            let bytes = unsafe UnsafeRawBufferPointer(
                start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
            let address = unsafe Address(bytes: Array(bytes), family: entry.pointee.ai_family)
            if !found.contains(where: { $0.bytes == address.bytes }) { found.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return found
    }

    /// The same address with another port.
    func with(port: UInt16) -> Address {
        // Both families keep the port at the same place, in network order.
        var bytes = bytes
        guard bytes.count >= 4 else { return self }
        bytes[2] = UInt8(port >> 8)
        bytes[3] = UInt8(port & 0xFF)
        return Address(bytes: bytes, family: family)
    }
}

/// A socket that waits for connections.
struct Listener: ~Copyable, Sendable {
    let descriptor: Descriptor
    /// The port it has, chosen by the system when 0 was asked for.
    let port: UInt16

    /// Whether the system spreads connections over the sockets that share a port. Where it gives all to the
    /// last one, loops share one socket instead.
    static let spreads = spreadsConnections

    /// Binds and listens.
    ///
    /// - Parameter shares: whether other sockets may listen on the same port and share its connections.
    init(_ address: Address, shares: Bool) throws(SystemError) {
        let socket = try Self.bound(address, shares: shares)
        let number = socket.number
        // Connections inherit both, on Linux for certain.
        Socket.enable(Int32(IPPROTO_TCP), TCP_NODELAY, on: number)
        Socket.set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, to: Self.unsentBytes, on: number)
        _ = try retryingOnInterrupt { listen(number, Self.backlog) }
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        port = Self.port(of: number)
        descriptor = socket
    }

    /// Fails when somebody listens there already: sockets that share a port would not notice it.
    static func probe(_ address: Address) throws(SystemError) {
        _ = try bound(address, shares: false)
    }

    private static func bound(_ address: Address, shares: Bool) throws(SystemError) -> Descriptor {
        let number = try retryingOnInterrupt { socket(address.family, stream, 0) }
        let descriptor = Descriptor(adopting: number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        Socket.enable(SOL_SOCKET, SO_REUSEADDR, on: number)
        if shares { Socket.enable(SOL_SOCKET, SO_REUSEPORT, on: number) }
        if address.family == AF_INET6 { Socket.enable(Int32(IPPROTO_IPV6), IPV6_V6ONLY, on: number) }
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

    /// Bytes of answers that the system may hold for a peer beyond those that are on their way: for one that does not
    /// read it would take megabytes. Those that are on their way are bounded by what the peer has room for.
    private static let unsentBytes: Int32 = 256 << 10

    /// Connections the system may hold ready; it lowers the number to its own limit.
    static let backlog: Int32 = 1024
}

/// A connection that was accepted and has no place in a loop yet.
struct Newcomer: ~Copyable, Sendable {
    let socket: Descriptor
    let address: IPAddress
    var peer: PeerGroup

    init(socket: consuming Descriptor, address: IPAddress) {
        self.socket = socket
        self.address = address
        peer = PeerGroup(address)
    }

    /// One on its way to another loop: arrays hold no noncopyable values.
    final class Parcel: @unchecked Sendable {
        // Unchecked: taken out once, by the loop that took the parcel from its mailbox.
        private var content: Newcomer?

        init(_ content: consuming Newcomer) { self.content = consume content }

        func take() -> Newcomer? { content.take() }
    }
}
