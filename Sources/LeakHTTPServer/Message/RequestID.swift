/// The identifier of a request, which is in the response, in the access log and in problem details, so that they can be
/// matched. It is not secret, and nothing depends on it being unique.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    /// A pseudorandom number, of which ``description`` has 16 hexadecimal digits.
    private let number: UInt64
    /// The identifier that a trusted proxy sent in `X-Request-Id`, in place of the number.
    private let forwarded: String?

    init(number: UInt64) {
        self.number = number
        forwarded = nil
    }

    /// Creates the identifier that a trusted proxy sent.
    ///
    /// - Returns: `nil` for text that is not 1 to ``maxForwardedBytes`` letters, digits, `-`, `_` and `.`: it would have to be
    ///   escaped in logs and pages.
    init?(forwarded text: some Collection<UInt8>) {
        guard (1...Self.maxForwardedBytes).contains(text.count), text.allSatisfy(Self.isPlain) else {
            return nil
        }
        number = 0
        forwarded = String(decoding: text, as: UTF8.self)
    }

    /// The identifiers of common proxies have 32 or 36 bytes.
    static let maxForwardedBytes = 64

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    public var description: String { forwarded ?? String(decoding: digits, as: UTF8.self) }

    private var digits: [UInt8] { (0..<Self.digitCount).map(digit) }

    private static let digitCount = 16

    /// Returns a hexadecimal digit of the number; 0 is the most significant one.
    private func digit(_ index: Int) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: number >> (60 - 4 * index)) & 15
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Appends the text without creating a string.
    func append(to output: Buffer) {
        if let forwarded {
            output.append(string: forwarded)
        } else {
            for index in 0..<Self.digitCount { output.append(digit(index)) }
        }
    }

    /// Returns the bytes of the text.
    var bytes: [UInt8] { forwarded.map { Array($0.utf8) } ?? digits }
}

/// A source of the identifiers of one loop's requests. It begins at a random number, so that loops and restarts have different
/// ones.
struct RequestIDGenerator {
    private var state = UInt64.random(in: .min ... .max)

    /// Returns the next identifier: SplitMix64, https://doi.org/10.1145/2714064.2660195
    mutating func next() -> RequestID {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return RequestID(number: mixed ^ (mixed >> 31))
    }
}
