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

    private func add(_ rows: [CountRow], by counter: Counter) throws(StoreError) {
        let whole = rows.count - rows.count % Counter.rows
        for start in stride(from: 0, to: whole, by: Counter.rows) {
            try add(rows[start..<start + Counter.rows], by: connection.statement(composed: counter.many))
        }
        for index in whole..<rows.count {
            try add(rows[index...index], by: connection.statement(composed: counter.one))
        }
    }

    private func add(_ rows: ArraySlice<CountRow>, by upsert: Statement) throws(StoreError) {
        defer { upsert.reset() }
        try upsert.bind(integers: rows.flatMap { [$0.leak, Int64($0.first), $0.second, Int64($0.reports)] })
        while try upsert.step() {}
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
        let update = try connection.statement(
            """
            update leak_value set reports = min(reports + ?, 0x1FFFFFFFFFFFFF)
            where leak = ? and kind = ? and value = ?
            """)
        let insert = try connection.statement(
            """
            insert into leak_value (leak, kind, value, reports)
            values (?1, ?2,
              case when (select count(*) from leak_value where leak = ?1 and kind = ?2 and value <> '') < ?5
                then ?3 else '' end,
              ?4)
            on conflict (leak, kind, value) do update set
              reports = min(reports + excluded.reports, 0x1FFFFFFFFFFFFF)
            """)
        for row in CountRow.summed(rows) {
            let text = tally.texts[order[Int(row.second)]]
            try update.run(row.reports, row.leak, row.first, text)
            guard connection.changes == 0 else { continue }
            try insert.run(row.leak, row.first, text, row.reports, ValueKind.limit)
        }
    }
}

/// Counts rows of a table up.
private struct Counter {
    /// How many ``many`` takes: to begin and to end a statement costs as much as to write a row.
    static let rows = 16

    static let hours = Counter(table: "leak_hour", time: "hour")
    static let days = Counter(table: "leak_day", time: "day")

    let one: String
    let many: String

    private init(table: String, time: String) {
        func upsert(_ rows: Int) -> String {
            """
            insert into \(table) (leak, \(time), release, reports)
            values \(repeatElement("(?, ?, ?, ?)", count: rows).joined(separator: ", "))
            on conflict (leak, \(time), release) do update set
              reports = min(reports + excluded.reports, 0x1FFFFFFFFFFFFF)
            """
        }
        one = upsert(1)
        many = upsert(Self.rows)
    }
}
