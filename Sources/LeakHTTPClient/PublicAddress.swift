#if os(Linux)
    internal import Glibc

    /// The addresses of the public internet: all except those that IANA registers for private, loopback, link-local, shared,
    /// multicast and other special networks, also inside IPv6 addresses that carry an IPv4 address.
    ///
    /// https://www.iana.org/assignments/iana-ipv4-special-registry,
    /// https://www.iana.org/assignments/iana-ipv6-special-registry
    enum PublicAddress {
        /// Special networks: the first address and the number of bits that an address in the network shares with it.
        private static let specialIPv4: [(first: [UInt8], bits: Int)] = [
            ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8),
            ([169, 254, 0, 0], 16), ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24),
            ([192, 88, 99, 0], 24), ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15), ([198, 51, 100, 0], 24),
            ([203, 0, 113, 0], 24), ([224, 0, 0, 0], 4), ([240, 0, 0, 0], 4),
        ]
        /// Special networks in 2000::/3, by their first bytes. Outside 2000::/3, no address is public.
        private static let specialIPv6: [(first: [UInt8], bits: Int)] = [
            ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16),
            ([0x3F, 0xFF, 0x00], 20),
        ]
        private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        /// The network in which IPv6-only networks show all IPv4 addresses: NAT64, RFC 6052.
        private static let translatedPrefix: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

        /// Returns `true` for a public address.
        ///
        /// - Parameter address: the bytes of a `sockaddr_in` or `sockaddr_in6`; no address of another family is public.
        static func contains(_ address: UnsafeRawBufferPointer) -> Bool {
            guard address.count >= MemoryLayout<sockaddr_in>.size else { return false }
            switch unsafe Int32(address.loadUnaligned(as: sa_family_t.self)) {
            case AF_INET:
                return unsafe contains(bytes: Array(address[4..<8]))
            case AF_INET6:
                guard address.count >= MemoryLayout<sockaddr_in6>.size else { return false }
                return unsafe contains(bytes: Array(address[8..<24]))
            default:
                return false
            }
        }

        /// - Parameter bytes: 4 bytes of an IPv4 address or 16 of an IPv6 address.
        static func contains(bytes: [UInt8]) -> Bool {
            if bytes.count == 4 { return !specialIPv4.contains { isIn($0, bytes) } }
            if bytes.starts(with: mappedPrefix) || bytes.starts(with: translatedPrefix) {
                return contains(bytes: Array(bytes.suffix(4)))
            }
            return bytes.count == 16 && bytes[0] & 0xE0 == 0x20
                && !specialIPv6.contains { isIn($0, bytes) }
        }

        private static func isIn(_ network: (first: [UInt8], bits: Int), _ bytes: [UInt8]) -> Bool {
            let whole = network.bits / 8
            guard bytes.prefix(whole) == network.first.prefix(whole) else { return false }
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (network.bits % 8))
            return mask == 0 || bytes[whole] & mask == network.first[whole] & mask
        }
    }
#endif
