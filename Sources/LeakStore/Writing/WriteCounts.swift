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
        let hourly = try connection.statement(
            """
            insert into leak_hour (leak, hour, release, reports) values (?, ?, ?, ?)
            on conflict (leak, hour, release) do update set
              reports = min(reports + excluded.reports, 0x1FFFFFFFFFFFFF)
            """)
        for row in hours { try hourly.run(row.leak, row.first, row.second, row.reports) }
        let daily = try connection.statement(
            """
            insert into leak_day (leak, day, release, reports) values (?, ?, ?, ?)
            on conflict (leak, day, release) do update set
              reports = min(reports + excluded.reports, 0x1FFFFFFFFFFFFF)
            """)
        let days = hours.map { hour in
            var day = hour
            day.first = Calendar.day(of: Int64(hour.first) * Calendar.hourMilliseconds)
            return day
        }
        for row in CountRow.summed(days) { try daily.run(row.leak, row.first, row.second, row.reports) }
        try writeValues(bundles, of: tally, leaks: leaks)
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
