/// The leaks seen in one version, sorted into the parts of a ``ReleaseCheck``.
package struct ReleaseCheckLeaks: Sendable {
    package struct Seen: Sendable {
        /// Row of `leak`.
        package var row: Int64
        /// Reports in the version.
        package var reports: Int
        /// `true` if the leak was seen in no version up to the baseline.
        package var isNew: Bool

        package init(row: Int64, reports: Int, isNew: Bool) {
            self.row = row
            self.reports = reports
            self.isNew = isNew
        }
    }

    /// Rows, most reports first.
    package private(set) var new: [Int64] = []
    package private(set) var regressed: [Int64] = []
    package private(set) var setAside = 0

    /// - Parameter regressed: rows of the leaks that regressed in this very version.
    package init(_ seen: [Seen], in version: String, _ leakStates: LeakStates, regressed: Set<Int64>) {
        for leak in seen.sorted(by: { ($1.reports, $0.row) < ($0.reports, $1.row) }) {
            if regressed.contains(leak.row) {
                self.regressed.append(leak.row)
            } else if Self.isSetAside(leak.row, in: version, leakStates) {
                setAside += 1
            } else if leak.isNew {
                new.append(leak.row)
            }
        }
    }

    /// Returns `true` if the leak is left out. A leak whose fix comes only in a later version is not left out.
    private static func isSetAside(_ row: Int64, in version: String, _ leakStates: LeakStates) -> Bool {
        switch leakStates.states[row] {
        case .known, .ignored: true
        case .resolved: leakStates.decisionStatuses[row]?.decision.action.isRefuted(in: version) ?? false
        case .open, .slow, .regressed, nil: false
        }
    }
}
