#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Whom a connection is counted for: an IPv4 address, or the first 64 bits of an IPv6 address, since one customer
/// has all addresses behind them (RFC 6177).
struct PeerGroup: Hashable, Sendable {
    /// The bits of the IPv4 address or of the IPv6 prefix. They meet in 0 alone,
    /// which is `::1` and no peer's IPv4 address: of the IPv6 addresses that begin with 32 zero bits only those of
    /// this host and the mapped ones are in use, and both begin with 64.
    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    init(_ address: sockaddr_storage) {
        // Both families keep the address at the same place on all systems, in network order.
        let (start, count) = Int32(address.ss_family) == AF_INET6 ? (8, 8) : (4, 4)
        bits = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe bytes[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
