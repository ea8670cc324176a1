/// A factory for the `id` of a report.
public enum SightingID {
    /// Creates a UUID of version 7: 48 bits of time, then 74 random bits; see RFC 9562 §5.7.
    ///
    /// - Returns: 36 characters, lower case.
    public static func make(at time: WireTime, using generator: inout some RandomNumberGenerator) -> String {
        let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        let high = milliseconds << 16 | 0x7000 | UInt64.random(in: 0...0xFFF, using: &generator)
        let low = 0x8000_0000_0000_0000 | UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF, using: &generator)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
            let word = index < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index % 16))) & 0xF
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Creates a UUID of version 7 with random bits of the system.
    ///
    /// - Returns: 36 characters, lower case.
    public static func make(at time: WireTime) -> String {
        var generator = SystemRandomNumberGenerator()
        return make(at: time, using: &generator)
    }
}
