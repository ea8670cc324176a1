/// A number of reports with a key of three parts: a leak, an hour or day, and a release; or a leak, a ``ValueKind``, and a
/// value.
package struct CountRow: Comparable {
    /// Row ID of the leak.
    package var leak: Int64
    /// An hour, a day, or a ``ValueKind``.
    package var periodOrKind: Int
    /// Row ID of a release, or a number that stands for a value of that kind.
    package var releaseOrValue: Int64
    package var reports: Int

    package init(leak: Int64, periodOrKind: Int, releaseOrValue: Int64, reports: Int) {
        self.leak = leak
        self.periodOrKind = periodOrKind
        self.releaseOrValue = releaseOrValue
        self.reports = reports
    }

    /// Adds up rows with the same key, and sorts them by the keys of the tables, so that database pages are written one after
    /// another.
    package static func summed(_ rows: [CountRow]) -> [CountRow] {
        var sums: [CountRow] = []
        sums.reserveCapacity(rows.count)
        for row in rows.sorted() {
            if let last = sums.indices.last, sums[last].key == row.key {
                sums[last].reports.addBounded(row.reports)
            } else {
                sums.append(row)
            }
        }
        return sums
    }

    private var key: (Int64, Int, Int64) { (leak, periodOrKind, releaseOrValue) }

    package static func < (one: Self, other: Self) -> Bool { one.key < other.key }
}
