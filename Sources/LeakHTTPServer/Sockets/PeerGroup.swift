/// Whom a connection is counted for: an IPv4 address, or the first 64 bits of an IPv6 address, since one customer
/// has all addresses behind them (RFC 6177).
struct PeerGroup: Hashable, Sendable {
    /// The bits of the IPv4 address or of the IPv6 prefix. They meet in 0 alone,
    /// which is `::1` and no peer's IPv4 address: of the IPv6 addresses that begin with 32 zero bits only those of
    /// this host and the mapped ones are in use, and both begin with 64.
    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    init(_ address: IPAddress) {
        bits = address.isIPv4 ? address.low & 0xFFFF_FFFF : address.high
    }

    /// A trusted proxy between two requests: its connections count for no client. The bits begin a multicast address, which
    /// is no peer's (RFC 4291 §2.7).
    static let proxy = PeerGroup(bits: .max)
}
