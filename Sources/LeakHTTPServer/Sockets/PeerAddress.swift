#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

extension Socket {
    /// Returns the numeric address of the peer, without the port; `nil` if the connection is broken.
    static func peerAddress(_ number: Int32) -> String? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = unsafe withUnsafeMutablePointer(to: &storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(number, $0, &length)
            }
        }
        guard code == 0 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = unsafe withUnsafePointer(to: &storage) { address in
            let family = Int32(unsafe address.pointee.ss_family)
            return unsafe UnsafeRawPointer(address).withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
                let offset =
                    family == AF_INET6
                    ? MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)
                    : MemoryLayout<sockaddr_in>.offset(of: \.sin_addr)
                return unsafe inet_ntop(family, $0 + (offset ?? 0), &text, socklen_t(INET6_ADDRSTRLEN)) != nil
            }
        }
        guard isWritten else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The unit by which connections are counted: an IPv4 address, or the first 64 bits of an IPv6 address, because one customer has
/// all addresses with that prefix (RFC 6177).
struct PeerGroup: Hashable, Sendable {
    /// The bits of the IPv4 address or of the IPv6 prefix. The two cannot be confused: a prefix that is as small as an IPv4
    /// address begins with 32 zero bits. Of the IPv6 addresses with such a prefix, only those of this host and the mapped IPv4
    /// addresses are in use. Their prefix is 0, and no peer has the IPv4 address 0.
    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    init(_ address: IPAddress) {
        bits = address.isIPv4 ? address.low & 0xFFFF_FFFF : address.high
    }

    /// The group of a trusted proxy's connection between two requests, when it counts for no client. The bits are the start of a
    /// multicast address, which no peer can have (RFC 4291 §2.7).
    static let proxy = PeerGroup(bits: .max)
}
