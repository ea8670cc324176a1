/// Arithmetic on stored counts. They are what strangers sent in the course of years: a page must not fall over the
/// largest of them.
extension Int {
    /// The sum, or the nearest number there is.
    func saturated(adding other: Int) -> Int {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }

    /// How long a bar of this count is where `most` is `length` long; rounded down, never longer.
    func scaled(from most: Int, to length: Int) -> Int {
        guard self > 0, most > 0 else { return 0 }
        guard self < most else { return length }
        let (product, isOver) = multipliedReportingOverflow(by: length)
        return isOver ? self / (most / length) : product / most
    }

    /// Rounded to the nearest; what is no number, or too large, is the nearest there is.
    init(saturating value: Double) {
        self = Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}

extension Sequence<Int> {
    func saturatedSum() -> Int { reduce(0) { $0.saturated(adding: $1) } }
}
