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
        try writeValues(bundles, of: tally, leaks: leaks)
    }

    private func add(_ rows: [CountRow], by statements: UpsertStatements) throws(StoreError) {
        try statements.run(rows, on: connection) { (row, upsert, index) throws(StoreError) in
            try upsert.bind(row.leak, at: index)
            try upsert.bind(row.first, at: index + 1)
            try upsert.bind(row.second, at: index + 2)
            try upsert.bind(row.reports, at: index + 3)
        }
    }

    private func writeValues(
        _ bundles: [Tally.Bundle], of tally: Tally, leaks: [LeakEntry]
    ) throws(StoreError) {
        let order = tally.texts.indices.sorted { tally.texts[$0] < tally.texts[$1] }
        var ranks = [Int64](repeating: 0, count: order.count)
        for (rank, text) in order.enumerated() { ranks[text] = Int64(rank) }
        var rows: [CountRow] = []
        rows.reserveCapacity(2 * bundles.count)
        for bundle in bundles {
            let source = tally.sources[bundle.source]
            for (kind, text) in [(ValueKind.system, source.system), (.model, source.model)] {
                guard let text else { continue }
                rows.append(
                    CountRow(
                        leak: leaks[bundle.leak].id, first: kind.rawValue, second: ranks[text],
                        reports: bundle.reports))
            }
        }
        var known: [(row: CountRow, text: String)] = []
        for row in CountRow.summed(rows) {
            let text = tally.texts[order[Int(row.second)]]
            let name = ValueName(leak: row.leak, kind: row.first, value: ByteText(text))
            if caches.values.value(of: name) != nil {
                known.append((row, text))
            } else if try isCounted(row, as: text) {
                caches.values.insert((), for: name)
            }
        }
        try UpsertStatements.values.run(known, on: connection) { (value, upsert, index) throws(StoreError) in
            try upsert.bind(value.row.leak, at: index)
            try upsert.bind(value.row.first, at: index + 1)
            try upsert.bind(value.text, at: index + 2)
            try upsert.bind(value.row.reports, at: index + 3)
        }
    }

    /// Counts a value whose row may not be there.
    ///
    /// - Returns: whether the row was there; a new one may be that of the values beyond the limit.
    private func isCounted(_ row: CountRow, as text: String) throws(StoreError) -> Bool {
        try connection.run(
            """
            update leak_value set reports = min(reports + ?, 0x1FFFFFFFFFFFFF)
            where leak = ? and kind = ? and value = ?
            """, row.reports, row.leak, row.first, text)
        if connection.changes > 0 { return true }
        try connection.run(
            """
            insert into leak_value (leak, kind, value, reports)
            values (?1, ?2,
              case when (select count(*) from leak_value where leak = ?1 and kind = ?2 and value <> '') < ?5
                then ?3 else '' end,
              ?4)
            on conflict (leak, kind, value) do update set
              reports = min(reports + excluded.reports, 0x1FFFFFFFFFFFFF)
            """, row.leak, row.first, text, row.reports, ValueKind.limit)
        return false
    }
}

extension UpsertStatements {
    fileprivate static let hours = counter("leak_hour", "hour, release")
    fileprivate static let days = counter("leak_day", "day, release")
    fileprivate static let values = counter("leak_value", "kind, value")

    /// Counts rows of a table up.
    private static func counter(_ table: String, _ key: String) -> UpsertStatements {
        UpsertStatements(
            "\(table) (leak, \(key), reports)", row: "?, ?, ?, ?", parameters: 4, conflict: "leak, \(key)",
            update: "reports = min(reports + excluded.reports, 0x1FFFFFFFFFFFFF)")
    }
}
