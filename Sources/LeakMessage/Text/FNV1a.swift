/// A 64-bit FNV-1a hash of texts, the same in every launch and build. https://www.rfc-editor.org/rfc/rfc9923
package struct FNV1a {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init(_ text: String = "") { add(text) }

    package mutating func add(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Adds the eight bytes of a number, the lowest byte first.
    package mutating func add(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            value = (value ^ (number >> shift & 0xFF)) &* 0x100_0000_01B3
        }
    }

    /// The hash as 16 hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
