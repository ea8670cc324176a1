internal import LeakMessage

/// The position of a JSON value in a body. A slice takes eight bytes and copies nothing from the body.
///
/// ``JSONScanner/string()`` returns the position of a string without its quotes.
package struct JSONSlice: Hashable, Sendable {
    private let start: UInt32
    /// The number of bytes in the low 30 bits, and two flags.
    private let countAndFlags: UInt32

    private static let presenceFlag: UInt32 = 1 << 31
    private static let escapeFlag: UInt32 = 1 << 30

    /// The longest body that can be sliced: 1 GiB less one byte.
    static let byteLimit = Int(escapeFlag) - 1

    /// The position of a field that is missing or `null`.
    package static let absent = JSONSlice(start: 0, countAndFlags: 0)

    private init(start: UInt32, countAndFlags: UInt32) {
        self.start = start
        self.countAndFlags = countAndFlags
    }

    /// Creates a slice of a body of at most ``byteLimit`` bytes.
    init(_ range: Range<Int>, isEscaped: Bool = false) {
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        countAndFlags =
            Self.presenceFlag | (isEscaped ? Self.escapeFlag : 0) | UInt32(truncatingIfNeeded: range.count)
    }

    package var isPresent: Bool { countAndFlags & Self.presenceFlag != 0 }

    /// `true` for a string with escape sequences, whose bytes differ from its text.
    package var isEscaped: Bool { countAndFlags & Self.escapeFlag != 0 }

    /// The number of bytes that the value takes in the body.
    package var count: Int { Int(countAndFlags & (Self.escapeFlag - 1)) }

    package var isEmpty: Bool { count == 0 }

    package var range: Range<Int> { Int(start)..<Int(start) + count }
}

/// The position of a number in a body, and its value if it is written without a fraction and an exponent.
package struct JSONNumber: Hashable, Sendable {
    package let slice: JSONSlice
    /// The value if it is written as a whole number in the range of `Int`; `nil` for `1.0` and `1e3`.
    package let integer: Int?
}
