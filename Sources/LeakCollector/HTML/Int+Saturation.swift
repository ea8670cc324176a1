/// Saturating arithmetic on stored counts. Counts come from untrusted senders over years, and even the largest must
/// not crash a page.
extension Int {
    /// Returns the sum, or the nearest number that `Int` can represent.
    func saturated(adding other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the length of a bar for this count if the bar for `maximum` has length `length`: rounded down, at most
    /// `length`.
    func scaled(from maximum: Int, to length: Int) -> Int {
        guard self > 0, maximum > 0 else { return 0 }
        guard self < maximum else { return length }
        let (product, overflows) = multipliedReportingOverflow(by: length)
        return overflows ? self / (maximum / length) : product / maximum
    }

    /// Rounds to the nearest integer. A value out of range becomes `min` or `max`, and NaN becomes `max`.
    init(saturating value: Double) {
        self = Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}

extension Sequence<Int> {
    func saturatedSum() -> Int { reduce(0) { $0.saturated(adding: $1) } }
}
