/// Generator of unique random texts.
enum RandomText {
    /// Returns 128 random bits as 32 hexadecimal digits in lower case. Two devices never generate the same text.
    static func hexadecimal128() -> String {
        let words = [UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)]
        return words.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
