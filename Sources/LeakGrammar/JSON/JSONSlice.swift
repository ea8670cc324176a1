internal import LeakMessage

/// Where a JSON value stands in a body: eight bytes, nothing copied.
///
/// Of a string it is what stands between the quotes; of everything else the whole value.
package struct JSONSlice: Hashable, Sendable {
    private let start: UInt32
    private let bits: UInt32

    private static let presence: UInt32 = 1 << 31
    private static let escape: UInt32 = 1 << 30

    /// The longest body that can be sliced: 1 GiB less one byte.
    static let byteLimit = Int(escape) - 1

    /// The field was not given, or was `null`.
    package static let absent = JSONSlice(start: 0, bits: 0)

    private init(start: UInt32, bits: UInt32) {
        self.start = start
        self.bits = bits
    }

    /// A slice of a body of at most ``byteLimit`` bytes.
    init(_ range: Range<Int>, isEscaped: Bool = false) {
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        bits = Self.presence | (isEscaped ? Self.escape : 0) | UInt32(truncatingIfNeeded: range.count)
    }

    package var isPresent: Bool { bits & Self.presence != 0 }

    /// The string holds escape sequences, so its bytes are not yet its text.
    package var isEscaped: Bool { bits & Self.escape != 0 }

    /// Bytes as they stand in the body.
    package var count: Int { Int(bits & (Self.escape - 1)) }

    package var isEmpty: Bool { count == 0 }

    package var range: Range<Int> { Int(start)..<Int(start) + count }
}

/// A number as it stands, and its value where that is a whole one.
package struct JSONNumber: Hashable, Sendable {
    package let slice: JSONSlice
    /// The value, when written as a whole number that fits; `1.0` and `1e3` are not.
    package let integer: Int?
}
