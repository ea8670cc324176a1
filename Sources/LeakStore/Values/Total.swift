/// The upper bound of all totals.
package enum Total {
    /// 2^53 - 1; a total that reaches it stays there. Every JSON parser represents it exactly (RFC 8259 §6), SQLite's `total()`
    /// is exact up to it, and the sum of two totals does not overflow. SQL texts contain it as `LARGEST_TOTAL`.
    package static let largest = (1 << 53) - 1

    /// Returns a count from an untrusted sender, limited to 0 to ``largest``.
    package static func bounded(_ count: Int) -> Int { Swift.min(Swift.max(count, 0), largest) }
}

extension Int {
    /// Adds a count to a total, which stops at ``Total/largest``.
    package mutating func addBounded(_ count: Int) {
        let (sum, overflows) = addingReportingOverflow(count)
        self = overflows ? Total.largest : Swift.min(sum, Total.largest)
    }
}
