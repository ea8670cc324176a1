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
        kind: String, version: String?, build: String?, isAfter: Bool, untilAt: Int64?, untilReports: Int?
    ) {
        switch DecisionKind(rawValue: kind) {
        case .resolve:
            guard let version else { return nil }
            self = .resolved(version: version, build: build, isAfter: isAfter)
        case .ignore:
            self = .ignored(untilAt.map { .until(milliseconds: $0) } ?? untilReports.map { .nextReports($0) })
        case .reopen: self = .reopened
        case .note: self = .noted
        case nil: return nil
        }
    }

    /// Returns `true` if a sighting contradicts the fix: ``FixBound/isRefuted(in:build:)``.
    package func isRefuted(in version: String, build: String?) -> Bool {
        guard case .resolved(let fix, let fixBuild, let isAfter) = self else { return false }
        return FixBound(version: fix, build: fixBuild, isAfter: isAfter).isRefuted(in: version, build: build)
    }
}
