extension Writer {
    /// Writes what each leak's reports are counted by: hours, days, systems and models.
    func write(
        _ bundles: [Tally.Bundle], of tally: Tally, _ rows: AdmittedRows, leaks: [LeakEntry]
    ) throws(StoreError) {
        let hours = CountRow.summed(
            bundles.map { bundle in
                CountRow(
                    leak: leaks[bundle.leak].id, first: bundle.hour,
                    second: rows.releases[tally.sources[bundle.source].release].id,
                    reports: bundle.reports)
            })
        try add(hours, by: .hours)
        let days = hours.map { hour in
            var day = hour
            day.first = Calendar.day(of: Int64(hour.first) * Calendar.hourMilliseconds)
            return day
        }
        try add(CountRow.summed(days), by: .days)
        caches.logs?.values.add(tally, leaks: leaks)
    }

    private func add(_ rows: [CountRow], by statements: UpsertStatements) throws(StoreError) {
        try statements.run(rows, on: connection) { (row, upsert, index) throws(StoreError) in
            try upsert.bind(row.leak, at: index)
            try upsert.bind(row.first, at: index + 1)
            try upsert.bind(row.second, at: index + 2)
            try upsert.bind(row.reports, at: index + 3)
        }
    }
}

extension UpsertStatements {
    fileprivate static let hours = counter("leak_hour", "hour, release")
    fileprivate static let days = counter("leak_day", "day, release")

    /// Counts rows of a table up.
    static func counter(_ table: String, _ key: String) -> UpsertStatements {
        UpsertStatements(
            "\(table) (leak, \(key), reports)", row: "?, ?, ?, ?", parameters: 4, conflict: "leak, \(key)",
            update: "reports = min(reports + excluded.reports, 0x1FFFFFFFFFFFFF)")
    }
}
