/// A range of addresses in the notation of RFC 4632 and RFC 4291 §2.3: `10.0.0.0/8`, `2001:db8::/32`.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The error for a text that is not a range of addresses.
    public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason, worded as the rest of a sentence whose subject is the text.
        public let description: String
    }

    private let firstAddress: IPAddress
    /// The length of the prefix in bits, out of 128.
    private let prefixBits: Int

    /// Parses `ADDRESS/BITS`; an address alone is a range of one address.
    ///
    /// - Throws: ``Malformed`` if the text has neither form, or if a bit after the first `BITS` is set.
    public init(_ text: String) throws(Malformed) {
        let bytes = Array(text.utf8)
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        guard let address = IPAddress(bytes[..<slash]) else {
            throw Malformed(
                description: "is not an address, such as 10.0.0.1, or a range, such as 10.0.0.0/8 or fd00::/8"
            )
        }
        // The prefix length of a mapped address refers to the bits of IPv6.
        let isIPv4 = !bytes[..<slash].contains(UInt8(ascii: ":"))
        let width = isIPv4 ? 32 : 128
        var prefixLength = width
        if slash < bytes.endIndex {
            let digits = bytes[(slash + 1)...]
            guard (1...3).contains(digits.count), digits.allSatisfy(ASCII.isDigit),
                let number = Int(String(decoding: digits, as: UTF8.self)), number <= width
            else { throw Malformed(description: "must end with a number of bits from 0 to \(width)") }
            prefixLength = number
        }
        prefixBits = prefixLength + 128 - width
        firstAddress = Self.masked(address, prefixBits)
        guard address == firstAddress else {
            throw Malformed(
                description:
                    "has bits set after its first \(prefixLength); write \(firstAddress)/\(prefixLength), or \(address) for this address alone"
            )
        }
    }

    private static func masked(_ address: IPAddress, _ prefixBits: Int) -> IPAddress {
        func mask(_ prefixLength: Int) -> UInt64 {
            prefixLength <= 0 ? 0 : prefixLength >= 64 ? .max : ~(.max >> UInt64(prefixLength))
        }
        return IPAddress(high: address.high & mask(prefixBits), low: address.low & mask(prefixBits - 64))
    }

    /// Returns `true` if the address is of the same family and in the range. `::/0` contains no IPv4 address.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.isIPv4 == (firstAddress.isIPv4 && prefixBits >= 96) else { return false }
        return Self.masked(address, prefixBits) == firstAddress
    }

    /// The range as `ADDRESS/BITS`.
    public var description: String {
        firstAddress.isIPv4 && prefixBits >= 96
            ? "\(firstAddress)/\(prefixBits - 96)" : "\(firstAddress)/\(prefixBits)"
    }
}
