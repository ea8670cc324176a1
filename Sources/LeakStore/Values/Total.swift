/// The bound of every number that reports, requests and devices add up to.
package enum Total {
    /// 2^53 - 1, which a total reaches and keeps. Every reader of JSON holds it exactly (RFC 8259 §6), SQLite's
    /// `total()` is exact up to it, and two of them cannot overflow. Written `LARGEST_TOTAL` in SQL.
    package static let largest = (1 << 53) - 1

    /// A text of SQL as the database reads it: with the number for `LARGEST_TOTAL`. For when a statement is prepared.
    package static func sql(_ text: String) -> String { text.replacing("LARGEST_TOTAL", with: "\(largest)") }

    /// A count as a stranger gave it, made safe to add.
    package static func bounded(_ count: Int) -> Int { Swift.min(Swift.max(count, 0), largest) }
}

extension Int {
    /// Adds a count to a total, which stops at ``Total/largest``.
    package mutating func addBounded(_ count: Int) {
        let (sum, overflows) = addingReportingOverflow(count)
        self = overflows ? Total.largest : Swift.min(sum, Total.largest)
    }
}
