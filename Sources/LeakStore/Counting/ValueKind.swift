/// The kinds of values by which a leak's reports and explanations are also counted.
package enum ValueKind: Int, Sendable, CaseIterable {
    case system = 0
    case model = 1
    /// ``Submission/Explanation/reason``. Counts explanations, not reports.
    case reason = 2
    /// Bytes that one object of the leak keeps, ``RetainedBytes/rounded(_:)``. Counts explanations.
    case retainedBytes = 3
    /// ``Submission/Explanation/closures``. Counts explanations.
    case closures = 4

    /// True if the counts of all values together are at most the leak's reports.
    package var countsReports: Bool { self == .system || self == .model }

    /// Different systems, and different models, that one leak counts apart; the rest is counted together. More than
    /// Apple has ever made of either, few enough to bound what a stranger can grow.
    package static let limit = 200
}
