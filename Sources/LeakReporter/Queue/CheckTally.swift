import LeakMessage

/// How often each class was checked since the last batch.
struct CheckTally: Hashable, Sendable {
    private(set) var counts: [String: Int] = [:]

    /// One batch carries this many classes; a large app has a few hundred.
    static let classLimit = WireLimits.checksCount

    var isEmpty: Bool { counts.isEmpty }

    /// Adds to what is there. Classes beyond ``classLimit`` are left out: their share is then unknown, not wrong.
    mutating func add(_ checks: [ClassChecks]) {
        for check in checks where check.count > 0 && !check.className.isEmpty {
            if let old = counts[check.className] {
                let (sum, isTooLarge) = old.addingReportingOverflow(check.count)
                counts[check.className] = isTooLarge ? .max : sum
            } else if counts.count < Self.classLimit {
                counts[check.className] = check.count
            }
        }
    }

    /// By name, so that the same tally is the same bytes.
    var list: [ClassChecks] {
        counts.sorted { $0.key < $1.key }.map { ClassChecks(className: $0.key, count: $0.value) }
    }
}
