/// The identifier of a leak: 128 bits, written as 32 lower-case hexadecimal digits.
public struct LeakID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The first eight bytes, read big-endian.
    public let high: UInt64
    /// The last eight bytes, read big-endian.
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Hashes one half of the id. Ids are hashes already, so one half distinguishes them well enough.
    public func hash(into hasher: inout Hasher) { hasher.combine(low) }

    /// Creates an id from the first 16 bytes, big-endian; missing bytes are zero.
    public init(bytes: [UInt8]) {
        func half(_ from: Int) -> UInt64 {
            (from..<from + 8).reduce(0) { $0 << 8 | UInt64($1 < bytes.count ? bytes[$1] : 0) }
        }
        high = half(0)
        low = half(8)
    }

    /// Parses 32 lower-case hexadecimal digits; `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for (index, byte) in text.utf8.enumerated() {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            if index < 16 {
                halves.0 = halves.0 << 4 | UInt64(digit)
            } else {
                halves.1 = halves.1 << 4 | UInt64(digit)
            }
        }
        high = halves.0
        low = halves.1
    }

    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(32)
        for half in [high, low] {
            for shift in stride(from: 60, through: 0, by: -4) {
                text.append(digits[Int(half >> UInt64(shift) & 15)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    public static func < (one: Self, other: Self) -> Bool {
        (one.high, one.low) < (other.high, other.low)
    }
}
