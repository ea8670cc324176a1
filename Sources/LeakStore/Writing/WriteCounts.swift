extension LoggedCounts {
    /// Writes the counts to their tables, the rows of each table in the order of its key.
    ///
    /// - Parameter didRead: called with each set of recent installs in the log, after the installs were added.
    func write(
        on connection: SQLiteConnection, didRead: (RecentInstallSet) -> Void = { _ in }
    ) throws(StoreError) {
        try connection.add(recentInstalls, didRead: didRead)
        // `copyCounts()` also writes logs of schemas before 18, in which the table of recent installs is missing.
        let update: StaticString =
            recentInstalls.isEmpty
            ? """
            update leak set is_unindexed = 1, reports = ?, freed = ?, installs = ?, sightings = ?, alive_at_most = ?,
              last_seen = ?
            where id = ?
            """
            : """
            update leak set is_unindexed = 1, reports = ?, freed = ?, installs = ?, sightings = ?, alive_at_most = ?,
              last_seen = ?, impact = coalesce((
                select s.installs from app a join leak_release c on c.leak = leak.id and c.release = a.newest_release
                join recent_install_set s on s.id = c.id where a.id = leak.app), 0)
            where id = ?
            """
        for leak in leaks.sorted(by: { $0.id < $1.id }) {
            try connection.run(
                update, leak.reports, leak.freed, leak.installs, leak.sightings, leak.maxAlive,
                leak.lastSeen,
                leak.id)
        }
        try connection.write(builds.sorted { $0.id < $1.id }, buckets: bucketReports.sorted())
        try connection.write(releases.map(\.part).sorted { $0.id < $1.id })
        let hours = releases.flatMap { release in
            release.hours.map {
                CountRow(
                    leak: release.leak, periodOrKind: $0.hour, releaseOrValue: release.release,
                    reports: $0.reports)
            }
        }
        try connection.add(CountRow.summed(hours), by: .hours)
        let days = hours.map { hour in
            var day = hour
            day.periodOrKind = Calendar.day(of: Int64(hour.periodOrKind) * Calendar.hourMilliseconds)
            return day
        }
        try connection.add(CountRow.summed(days), by: .days)
    }
}

extension SQLiteConnection {
    /// `true` if the log has counts that are not in their tables yet.
    var hasLoggedCounts: Bool {
        get throws(StoreError) { try number("select 1 from count_log limit 1") != nil }
    }

    /// Reads the whole log of counts.
    ///
    /// - Throws: ``StoreError/Reason/corrupt`` for a log that cannot be read.
    func loadCountLog() throws(StoreError) -> LoggedCounts {
        let select = try statement("select counts from count_log order by id")
        defer { select.reset() }
        var log: [[UInt8]] = []
        while try select.step() { log.append(select.bytes(0)) }
        guard let rows = LoggedCounts(log) else { throw .unreadable("the log of counts", in: path) }
        return rows
    }

    /// Writes the counts of the whole log to their tables, and empties the log.
    ///
    /// - Parameter didRead: called with each set of recent installs in the log, after the installs were added.
    func flush(
        _ log: LoggedCounts, didRead: (RecentInstallSet) -> Void = { _ in }
    ) throws(StoreError) {
        try log.write(on: self, didRead: didRead)
        // Sorts the indices of the samples and not the samples, because each swap would move the many texts of a sample.
        let places = log.samples.indices.map { (rowID: log.samples[$0].rowID, index: $0) }
        for place in places.sorted(by: { $0.rowID < $1.rowID }) {
            try log.samples[place.index].write(on: self)
        }
        try run("delete from count_log")
    }

    fileprivate func write(_ releases: [LoggedCounts.Part]) throws(StoreError) {
        try UpsertStatements.releases.run(releases, on: self) { (part, upsert, index) throws(StoreError) in
            try upsert.bind(part, at: index)
        }
    }

    /// Writes counts of builds, with their counts by bucket.
    ///
    /// - Parameters:
    ///   - builds: counts of builds, sorted by row ID.
    ///   - buckets: counts by bucket of the same builds, sorted.
    fileprivate func write(
        _ builds: [LoggedCounts.Part], buckets: [LoggedCounts.BucketReports]
    ) throws(StoreError) {
        var remainingBuckets = buckets[...]
        try UpsertStatements.builds.run(builds, on: self) { (build, upsert, index) throws(StoreError) in
            var counts: [BucketCounts.Part] = []
            while let reports = remainingBuckets.first, reports.leakBuildRowID <= build.id {
                counts.append(BucketCounts.Part(bucket: reports.bucket, count: reports.reports))
                remainingBuckets.removeFirst()
            }
            try upsert.bind(build, at: index)
            try upsert.bind(counts.isEmpty ? [] : BucketCounts(counts).bytes, at: index + 4)
        }
    }

    fileprivate func add(_ rows: [CountRow], by statements: UpsertStatements) throws(StoreError) {
        try statements.run(rows, on: self) { (row, upsert, index) throws(StoreError) in
            try upsert.bind(row.leak, at: index)
            try upsert.bind(row.periodOrKind, at: index + 1)
            try upsert.bind(row.releaseOrValue, at: index + 2)
            try upsert.bind(row.reports, at: index + 3)
        }
    }
}

extension UpsertStatements {
    fileprivate static let builds = UpsertStatements(
        "leak_build (id, reports, freed, installs, buckets, leak, build)", row: "?, ?, ?, ?, ?, 0, 0",
        parameters: 5,
        conflict: "id", update: countsUpdateSQL + ", buckets = add_buckets(buckets, excluded.buckets)")
    fileprivate static let releases = UpsertStatements(
        "leak_release (id, reports, freed, installs, leak, release)", row: "?, ?, ?, ?, 0, 0", parameters: 4,
        conflict: "id", update: countsUpdateSQL)
    fileprivate static let hours = counter("leak_hour", "hour, release")
    fileprivate static let days = counter("leak_day", "day, release")

    /// The SQL that sets the counts of existing rows. If a row did not exist, the insert would violate a foreign key (row 0),
    /// and the statement would fail.
    private static let countsUpdateSQL =
        "reports = excluded.reports, freed = excluded.freed, installs = excluded.installs"

    /// Returns the statements that add reports to rows of a table, and insert missing rows.
    static func counter(_ table: String, _ key: String) -> UpsertStatements {
        UpsertStatements(
            "\(table) (leak, \(key), reports)", row: "?, ?, ?, ?", parameters: 4, conflict: "leak, \(key)",
            update: "reports = min(reports + excluded.reports, LARGEST_TOTAL)")
    }
}

extension Statement {
    fileprivate func bind(_ part: LoggedCounts.Part, at index: Int) throws(StoreError) {
        try bind(part.id, at: index)
        try bind(part.reports, at: index + 1)
        try bind(part.freed, at: index + 2)
        try bind(part.installs, at: index + 3)
    }
}
