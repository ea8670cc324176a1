internal import CLeakCrypto

/// Comparison that takes as long for a near miss as for a wild guess.
enum ConstantTime {
    /// Whether two byte strings of the same length are equal; of different length they are not.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                unsafe CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
            }
        }
    }
}
