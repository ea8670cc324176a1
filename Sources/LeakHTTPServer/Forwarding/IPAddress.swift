#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// An IPv4 or IPv6 address. An IPv4 address that is mapped into IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The upper half of the 128 bits of the IPv6 address. An IPv4 address is stored in its mapped form. RFC 4291 §2.5.5.2
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    init(v4 bits: UInt32) { self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(bits)) }

    /// Parses the text of an address, without brackets, port or zone.
    ///
    /// - Returns: `nil` if the text is not an address.
    public init?(_ text: String) { self.init(Array(text.utf8)) }

    /// - Parameter text: the address in ASCII.
    init?(_ text: some Collection<UInt8>) {
        // The longest text is an IPv6 address that ends with an IPv4 address.
        guard (2...45).contains(text.count), !text.contains(0) else { return nil }
        let string = text.map { CChar(bitPattern: $0) } + [0]
        let isIPv4 = !text.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: 16)
        guard unsafe inet_pton(isIPv4 ? AF_INET : AF_INET6, string, &bytes) == 1 else { return nil }
        func bits(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        if isIPv4 {
            self.init(v4: UInt32(bits(0..<4)))
        } else {
            self.init(high: bits(0..<8), low: bits(8..<16))
        }
    }

    /// Creates the address of a socket's peer.
    init(_ address: sockaddr_storage) {
        // The offset of the address is the same on all systems, for each of the two families. The bytes are in network order.
        func bits(_ range: Range<Int>) -> UInt64 {
            unsafe withUnsafeBytes(of: address) { bytes in
                unsafe bytes[range].reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
        if Int32(address.ss_family) == AF_INET6 {
            self.init(high: bits(8..<16), low: bits(16..<24))
        } else {
            self.init(v4: UInt32(bits(4..<8)))
        }
    }

    /// The unit by which clients are counted: an IPv4 address itself, or an IPv6 address with its last 64 bits cleared, because
    /// one customer has all addresses with the same first 64 bits (RFC 6177).
    public var network: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The shortest usual notation, as `inet_ntop` writes it.
    public var description: String {
        var bytes: [UInt8] = []
        if !isIPv4 {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(high >> shift & 255)) }
        }
        for shift in stride(from: isIPv4 ? 24 : 56, through: 0, by: -8) {
            bytes.append(UInt8(low >> shift & 255))
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isIPv4 ? AF_INET : AF_INET6
        guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
