/// The kind of a decision, as both stores write it in a row.
package enum DecisionKind: String, Sendable {
    case resolve, ignore, reopen, note
}

extension Decision.Action {
    package var kind: DecisionKind {
        switch self {
        case .resolve: .resolve
        case .ignore: .ignore
        case .reopen: .reopen
        case .note: .note
        }
    }
}

extension PastDecision.Action {
    /// Creates the action from the columns of a row; `nil` for values that no store wrote.
    package init?(
        kind: String, version: String?, isAfter: Bool, untilAt: Int64?, untilReports: Int?
    ) {
        switch DecisionKind(rawValue: kind) {
        case .resolve:
            guard let version else { return nil }
            self = .resolved(version: version, isAfter: isAfter)
        case .ignore:
            self = .ignored(untilAt.map { .until(milliseconds: $0) } ?? untilReports.map { .nextReports($0) })
        case .reopen: self = .reopened
        case .note: self = .noted
        case nil: return nil
        }
    }

    /// Returns `true` if a sighting in this version contradicts the fix.
    package func isRefuted(in version: String) -> Bool {
        guard case .resolved(let fix, let isAfter) = self else { return false }
        let bound = isAfter ? VersionOrder(fix).higherRankLowerBound : VersionOrder(fix).sameRankLowerBound
        return !VersionOrder(version).key.lexicographicallyPrecedes(bound)
    }
}
