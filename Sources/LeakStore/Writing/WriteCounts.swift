extension LoggedCounts {
    /// Writes the rows in the order of their tables.
    func write(on connection: SQLiteConnection) throws(StoreError) {
        for leak in leaks.sorted(by: { $0.id < $1.id }) {
            try connection.run(
                """
                update leak set moving = 1, reports = ?, freed = ?, installs = ?, sightings = ?, alive_at_most = ?,
                  last_seen = ?, impact = coalesce(?, impact)
                where id = ?
                """, leak.reports, leak.freed, leak.installs, leak.sightings, leak.aliveAtMost, leak.lastSeen,
                leak.impact, leak.id)
        }
        try connection.write(builds.sorted { $0.id < $1.id }, by: .builds)
        for build in buckets.sorted(by: { $0.build < $1.build }) {
            try connection.run(
                "update leak_build set buckets = add_buckets(buckets, ?) where id = ?",
                BucketCounts(build.parts).bytes, build.build)
        }
        try connection.write(releases.map(\.part).sorted { $0.id < $1.id }, by: .releases)
        let hours = releases.flatMap { release in
            release.hours.map {
                CountRow(leak: release.leak, first: $0.hour, second: release.release, reports: $0.reports)
            }
        }
        try connection.add(CountRow.summed(hours), by: .hours)
        let days = hours.map { hour in
            var day = hour
            day.first = Calendar.day(of: Int64(hour.first) * Calendar.hourMilliseconds)
            return day
        }
        try connection.add(CountRow.summed(days), by: .days)
    }
}

extension SQLiteConnection {
    /// True if tables lack counts that are in the log.
    var lacksCounts: Bool {
        get throws(StoreError) { try number("select 1 from count_log limit 1") != nil }
    }

    /// - Throws: ``StoreError/Reason/corrupt`` for a log that cannot be read.
    func countLog() throws(StoreError) -> LoggedCounts {
        let select = try statement("select counts from count_log order by id")
        defer { select.reset() }
        var log: [[UInt8]] = []
        while try select.step() { log.append(select.bytes(0)) }
        guard let rows = LoggedCounts(log) else { throw .unreadable("the log of counts", in: path) }
        return rows
    }

    /// Writes the counts of the whole log to their tables, and empties it.
    func flush(_ log: LoggedCounts) throws(StoreError) {
        try log.write(on: self)
        for sample in log.samples.sorted(by: { $0.row < $1.row }) { try sample.write(on: self) }
        try run("delete from count_log")
    }

    fileprivate func write(
        _ parts: [LoggedCounts.Part], by statements: UpsertStatements
    ) throws(StoreError) {
        try statements.run(parts, on: self) { (part, upsert, index) throws(StoreError) in
            try upsert.bind(part.id, at: index)
            try upsert.bind(part.reports, at: index + 1)
            try upsert.bind(part.freed, at: index + 2)
            try upsert.bind(part.installs, at: index + 3)
        }
    }

    fileprivate func add(_ rows: [CountRow], by statements: UpsertStatements) throws(StoreError) {
        try statements.run(rows, on: self) { (row, upsert, index) throws(StoreError) in
            try upsert.bind(row.leak, at: index)
            try upsert.bind(row.first, at: index + 1)
            try upsert.bind(row.second, at: index + 2)
            try upsert.bind(row.reports, at: index + 3)
        }
    }
}

extension UpsertStatements {
    fileprivate static let builds = counts("leak_build", part: "build")
    fileprivate static let releases = counts("leak_release", part: "release")
    fileprivate static let hours = counter("leak_hour", "hour, release")
    fileprivate static let days = counter("leak_day", "day, release")

    /// Writes counts of rows that exist. If a row did not exist, the zeros would refer to nothing, and the statement would fail.
    private static func counts(_ table: String, part: String) -> UpsertStatements {
        UpsertStatements(
            "\(table) (id, reports, freed, installs, leak, \(part))", row: "?, ?, ?, ?, 0, 0", parameters: 4,
            conflict: "id",
            update: "reports = excluded.reports, freed = excluded.freed, installs = excluded.installs")
    }

    /// Adds reports to the rows of a table, and inserts missing rows.
    static func counter(_ table: String, _ key: String) -> UpsertStatements {
        UpsertStatements(
            "\(table) (leak, \(key), reports)", row: "?, ?, ?, ?", parameters: 4, conflict: "leak, \(key)",
            update: "reports = min(reports + excluded.reports, LARGEST_TOTAL)")
    }
}
