extension Writer {
    /// Different systems, and different models, that one leak counts apart; the rest is counted together. More than
    /// Apple has ever made of either, few enough to bound what a stranger can grow.
    static let valueLimit = 200

    func write(
        hours: [Tally.Hour: Int], leaks: [LeakEntry], releases: [ReleaseEntry]
    ) throws(StoreError) {
        var rows: [BucketRow] = hours.map { hour, reports in
            BucketRow(
                leak: leaks[hour.leak].id, bucket: hour.number, release: releases[hour.release].id,
                reports: reports)
        }
        // In the order of the tables' keys, so that one page after another is written.
        rows.sort()
        let hourly = try connection.statement(
            """
            insert into leak_hour (leak, hour, release, reports) values (?, ?, ?, ?)
            on conflict (leak, hour, release) do update set reports = reports + excluded.reports
            """)
        for row in rows { try hourly.run(row.leak, row.bucket, row.release, row.reports) }
        let daily = try connection.statement(
            """
            insert into leak_day (leak, day, release, reports) values (?, ?, ?, ?)
            on conflict (leak, day, release) do update set reports = reports + excluded.reports
            """)
        var days: [BucketRow] = []
        for row in rows {
            var day = row
            day.bucket = Calendar.day(of: Int64(row.bucket) * Calendar.hourMilliseconds)
            days.append(day)
        }
        days.sort()
        var index = 0
        while index < days.count {
            var sum = days[index]
            index += 1
            while index < days.count, days[index].isSameBucket(as: sum) {
                sum.reports += days[index].reports
                index += 1
            }
            try daily.run(sum.leak, sum.bucket, sum.release, sum.reports)
        }
    }

    private struct BucketRow: Comparable {
        var leak: Int64
        var bucket: Int
        var release: Int64
        var reports: Int

        func isSameBucket(as other: Self) -> Bool {
            (leak, bucket, release) == (other.leak, other.bucket, other.release)
        }

        static func < (one: Self, other: Self) -> Bool {
            (one.leak, one.bucket, one.release) < (other.leak, other.bucket, other.release)
        }
    }

    func write(values: [Tally.Value: Int], texts: [String], leaks: [LeakEntry]) throws(StoreError) {
        let ordered = values.map { (leak: leaks[$0.leak].id, kind: $0.kind, text: texts[$0.text], count: $1) }
            .sorted { ($0.leak, $0.kind.rawValue, $0.text) < ($1.leak, $1.kind.rawValue, $1.text) }
        let update = try connection.statement(
            "update leak_value set reports = reports + ? where leak = ? and kind = ? and value = ?")
        let insert = try connection.statement(
            """
            insert into leak_value (leak, kind, value, reports)
            values (?1, ?2,
              case when (select count(*) from leak_value where leak = ?1 and kind = ?2 and value <> '') < ?5
                then ?3 else '' end,
              ?4)
            on conflict (leak, kind, value) do update set reports = reports + excluded.reports
            """)
        for value in ordered {
            try update.run(value.count, value.leak, value.kind.rawValue, value.text)
            guard connection.changes == 0 else { continue }
            try insert.run(value.leak, value.kind.rawValue, value.text, value.count, Self.valueLimit)
        }
    }
}
