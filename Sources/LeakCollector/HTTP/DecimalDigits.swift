/// Validation of numbers in URLs, which consist of digits only. `Int("+1")` would accept a sign.
enum DecimalDigits {
    /// Returns `true` if `text` consists of digits only, or is empty.
    static func isOnlyDigits(_ text: String) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension FixedWidthInteger {
    /// Parses a number that is written in digits only, without a sign.
    init?(decimalDigits text: String) {
        guard DecimalDigits.isOnlyDigits(text) else { return nil }
        self.init(text)
    }
}
