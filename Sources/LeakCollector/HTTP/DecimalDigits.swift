/// The digits of numbers in addresses. `Int("+1")` is 1, and an address has no such number.
enum DecimalDigits {
    /// Returns whether `text` has digits alone. An empty text has.
    static func areAll(in text: String) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension FixedWidthInteger {
    /// Reads a number that is written in digits alone, without a sign.
    init?(decimalDigits text: String) {
        guard DecimalDigits.areAll(in: text) else { return nil }
        self.init(text)
    }
}
