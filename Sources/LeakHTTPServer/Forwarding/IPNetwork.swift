/// A range of addresses in the notation of RFC 4632 and RFC 4291 §2.3: `10.0.0.0/8`, `2001:db8::/32`.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The error for a text that is not a range of addresses.
    public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason, worded as the rest of a sentence whose subject is the text.
        public let description: String
    }

    private let first: IPAddress
    /// The length of the prefix in bits, out of 128.
    private let bits: Int

    /// Parses `ADDRESS/BITS`; an address alone is a range of one address.
    ///
    /// - Throws: ``Malformed`` if the text is neither, or if a bit after the first `BITS` is set.
    public init(_ text: String) throws(Malformed) {
        let bytes = Array(text.utf8)
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        guard let address = IPAddress(bytes[..<slash]) else {
            throw Malformed(
                description: "is not an address, such as 10.0.0.1, or a range, such as 10.0.0.0/8 or fd00::/8"
            )
        }
        // The prefix length of a mapped address refers to the bits of IPv6.
        let isShort = !bytes[..<slash].contains(UInt8(ascii: ":"))
        let width = isShort ? 32 : 128
        var count = width
        if slash < bytes.endIndex {
            let digits = bytes[(slash + 1)...]
            guard (1...3).contains(digits.count), digits.allSatisfy(ASCII.isDigit),
                let number = Int(String(decoding: digits, as: UTF8.self)), number <= width
            else { throw Malformed(description: "must end with a number of bits from 0 to \(width)") }
            count = number
        }
        bits = count + 128 - width
        first = Self.masked(address, bits)
        guard address == first else {
            throw Malformed(
                description:
                    "has bits set after its first \(count); write \(first)/\(count), or \(address) for this address alone"
            )
        }
    }

    private static func masked(_ address: IPAddress, _ bits: Int) -> IPAddress {
        func mask(_ count: Int) -> UInt64 { count <= 0 ? 0 : count >= 64 ? .max : ~(.max >> UInt64(count)) }
        return IPAddress(high: address.high & mask(bits), low: address.low & mask(bits - 64))
    }

    /// Returns `true` if the address is of the same family and in the range. `::/0` contains no IPv4 address.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.isIPv4 == (first.isIPv4 && bits >= 96) else { return false }
        return Self.masked(address, bits) == first
    }

    /// The range as `ADDRESS/BITS`.
    public var description: String {
        first.isIPv4 && bits >= 96 ? "\(first)/\(bits - 96)" : "\(first)/\(bits)"
    }
}
