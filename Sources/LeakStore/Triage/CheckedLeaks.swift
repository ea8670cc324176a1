/// The leaks seen in one version, sorted by what a ``ReleaseCheck`` says of them.
package struct CheckedLeaks: Sendable {
    package struct Seen: Sendable {
        /// Of `leak`.
        package var row: Int64
        /// In the version.
        package var reports: Int
        /// Whether it was seen in no version that is not newer than the baseline.
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

    /// - Parameter regressed: rows of the leaks that came back in this very version.
    package init(_ seen: [Seen], in version: String, _ verdicts: Verdicts, regressed: Set<Int64>) {
        for leak in seen.sorted(by: { ($1.reports, $0.row) < ($0.reports, $1.row) }) {
            if regressed.contains(leak.row) {
                self.regressed.append(leak.row)
            } else if Self.isSetAside(leak.row, in: version, verdicts) {
                setAside += 1
            } else if leak.isNew {
                new.append(leak.row)
            }
        }
    }

    /// What is to be mended by a later version only is there in this one.
    private static func isSetAside(_ row: Int64, in version: String, _ verdicts: Verdicts) -> Bool {
        switch verdicts.states[row] {
        case .known, .ignored: true
        case .resolved: verdicts.standings[row]?.decision.action.isRefuted(in: version) ?? false
        case .open, .slow, .regressed, nil: false
        }
    }
}
