/// Counts of leaks, and reports that are kept of them, in memory and in `count_log`, and not yet in `leak`, `leak_release`,
/// `leak_build`, `leak_hour`, `leak_day` and `sample`.
///
/// Under load each commit counts up hundreds of leaks in a dozen versions, whose rows are on as many pages. Commits append
/// their counts to one page instead. The rows are written when the log is long, and before they are read.
struct CountLog: PendingLog {
    /// Counts in a release, and the columns that the rows of hours and days need.
    private struct Release {
        var leak: Int64
        var release: Int64
        var count: CountEntry
    }

    /// By row of `leak`. Entries that no cache has are looked up here, and know those of their builds and releases.
    private(set) var leaks: [Int64: LeakEntry] = [:]
    private var builds: [CountEntry] = []
    private var releases: [Release] = []
    /// By row of `sample`.
    private var samples: [Int64: StoredSample] = [:]
    /// Bytes on disk, with ``unwritten``.
    private var size = 0
    var unwritten: [UInt8] = []

    func isLong(beyond limits: Logs.Limits) -> Bool { size > limits.countBytes }

    /// Adds what one transaction has counted up.
    mutating func add(_ changed: ChangedCounts) {
        guard !changed.leaks.isEmpty else { return }
        var rows = CountRows()
        rows.leaks.reserveCapacity(changed.leaks.count)
        rows.builds.reserveCapacity(changed.builds.count)
        rows.releases.reserveCapacity(changed.releases.count)
        for leak in changed.leaks {
            if !leak.isInLog { leaks[leak.id] = leak }
            leak.isInLog = true
            rows.leaks.append(CountRows.Leak(leak))
        }
        for build in changed.builds {
            if !build.isInLog { builds.append(build) }
            build.isInLog = true
            rows.builds.append(CountRows.Part(build))
        }
        for (leak, release, count) in changed.releases {
            if !count.isInLog { releases.append(Release(leak: leak, release: release, count: count)) }
            count.isInLog = true
            rows.releases.append(
                CountRows.Release(
                    leak: leak, release: release, part: CountRows.Part(count), hours: count.hours))
        }
        for sample in changed.samples { samples[sample.row] = sample }
        rows.samples = changed.samples
        unwritten = rows.bytes
        size += unwritten.count
    }

    /// The rows to write. The entries forget what their tables have by then.
    fileprivate func takeRows() -> CountRows {
        var rows = CountRows()
        rows.leaks = leaks.values.map { CountRows.Leak($0) }
        rows.builds = builds.map { CountRows.Part($0) }
        rows.releases = releases.map {
            CountRows.Release(
                leak: $0.leak, release: $0.release, part: CountRows.Part($0.count), hours: $0.count.hours)
        }
        rows.samples = Array(samples.values)
        for leak in leaks.values { (leak.impact, leak.isInLog) = (nil, false) }
        for build in builds { build.isInLog = false }
        for release in releases { (release.count.hours, release.count.isInLog) = ([], false) }
        return rows
    }
}

/// Counts as they stand in a log: those of a row that comes again replace the ones before.
struct CountRows {
    struct Leak {
        var id: Int64
        var reports: Int
        var freed: Int
        var installs: Int
        var sightings: Int
        var aliveAtMost: Int?
        var lastSeen: Int64
        /// `nil` leaves it as it is.
        var impact: Int?
    }

    struct Part {
        var id: Int64
        var reports: Int
        var freed: Int
        var installs: Int
    }

    struct Release {
        var leak: Int64
        var release: Int64
        var part: Part
        /// Reports that `leak_hour` lacks.
        var hours: [(hour: Int, reports: Int)]
    }

    var leaks: [Leak] = []
    var builds: [Part] = []
    var releases: [Release] = []
    var samples: [StoredSample] = []

    var isEmpty: Bool { leaks.isEmpty }

    // MARK: Bytes

    var bytes: [UInt8] {
        var writer = PackedWriter()
        writer.append(leaks.count)
        for leak in leaks {
            writer.append(Int(leak.id))
            writer.append(leak.reports)
            writer.append(leak.freed)
            writer.append(leak.installs)
            writer.append(leak.sightings)
            writer.append(leak.aliveAtMost)
            writer.append(Int(leak.lastSeen))
            writer.append(leak.impact)
        }
        writer.append(builds.count)
        for build in builds { writer.append(build) }
        writer.append(releases.count)
        for release in releases {
            writer.append(Int(release.leak))
            writer.append(Int(release.release))
            writer.append(release.part)
            writer.append(release.hours.count)
            for (hour, reports) in release.hours {
                writer.append(hour)
                writer.append(reports)
            }
        }
        writer.append(samples.count)
        for sample in samples { writer.append(sample) }
        return writer.bytes
    }

    init() {}

    /// Reads rows of the table in their order; `nil` for bytes that ``bytes`` did not write.
    fileprivate init?(_ log: [[UInt8]]) {
        var (leaks, builds, releases): ([Int64: Leak], [Int64: Part], [Int64: Release]) = ([:], [:], [:])
        var samples: [Int64: StoredSample] = [:]
        for bytes in log {
            var reader = PackedReader(bytes)
            guard let leakCount = reader.number(), leakCount <= bytes.count else { return nil }
            for _ in 0..<leakCount {
                guard var leak = reader.leak() else { return nil }
                leak.impact = leak.impact ?? leaks[leak.id]?.impact
                leaks[leak.id] = leak
            }
            guard let buildCount = reader.number(), buildCount <= bytes.count else { return nil }
            for _ in 0..<buildCount {
                guard let build = reader.part() else { return nil }
                builds[build.id] = build
            }
            guard let releaseCount = reader.number(), releaseCount <= bytes.count else { return nil }
            for _ in 0..<releaseCount {
                guard let release = reader.release() else { return nil }
                releases[release.part.id] = release
            }
            guard let sampleCount = reader.number(), sampleCount <= bytes.count else { return nil }
            for _ in 0..<sampleCount {
                guard let sample = reader.sample() else { return nil }
                samples[sample.row] = sample
            }
            guard reader.isAtEnd else { return nil }
        }
        self.leaks = Array(leaks.values)
        self.builds = Array(builds.values)
        self.releases = Array(releases.values)
        self.samples = Array(samples.values)
    }

    // MARK: Tables

    /// The tables of counts.
    fileprivate static let tables = ["leak", "leak_build", "leak_release", "leak_hour", "leak_day"]

    /// Writes the rows in the order of their tables.
    fileprivate func write(on connection: Connection) throws(StoreError) {
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

    fileprivate func writeSamples(on connection: Connection) throws(StoreError) {
        for sample in samples.sorted(by: { $0.row < $1.row }) { try sample.write(on: connection) }
    }
}

extension CountRows.Leak {
    fileprivate init(_ entry: LeakEntry) {
        self.init(
            id: entry.id, reports: entry.reports, freed: entry.freed, installs: entry.installs,
            sightings: entry.samples.sightings, aliveAtMost: entry.aliveAtMost, lastSeen: entry.lastSeen,
            impact: entry.impact)
    }
}

extension CountRows.Part {
    fileprivate init(_ entry: CountEntry) {
        self.init(id: entry.id, reports: entry.reports, freed: entry.freed, installs: entry.installs)
    }
}

extension PackedWriter {
    fileprivate mutating func append(_ number: Int?) { append(number.map { $0 + 1 } ?? 0) }

    fileprivate mutating func append(_ part: CountRows.Part) {
        append(Int(part.id))
        append(part.reports)
        append(part.freed)
        append(part.installs)
    }
}

extension PackedReader {
    /// A number of the counts that tables hold.
    private mutating func count() -> Int? { number().map { Total.bounded($0) } }

    private mutating func optional() -> Int?? { number().map { $0 == 0 ? nil : Total.bounded($0 - 1) } }

    fileprivate mutating func leak() -> CountRows.Leak? {
        guard let id = number(), let reports = count(), let freed = count(), let installs = count(),
            let sightings = count(), let aliveAtMost = optional(), let lastSeen = count(),
            let impact = optional()
        else { return nil }
        return CountRows.Leak(
            id: Int64(id), reports: reports, freed: freed, installs: installs, sightings: sightings,
            aliveAtMost: aliveAtMost, lastSeen: Int64(lastSeen), impact: impact)
    }

    fileprivate mutating func part() -> CountRows.Part? {
        guard let id = number(), let reports = count(), let freed = count(), let installs = count() else {
            return nil
        }
        return CountRows.Part(id: Int64(id), reports: reports, freed: freed, installs: installs)
    }

    fileprivate mutating func release() -> CountRows.Release? {
        guard let leak = number(), let release = number(), let part = part(), let count = number() else {
            return nil
        }
        var hours: [(hour: Int, reports: Int)] = []
        for _ in 0..<count {
            guard let hour = number(), let reports = self.count() else { return nil }
            hours.append((hour, reports))
        }
        return CountRows.Release(leak: Int64(leak), release: Int64(release), part: part, hours: hours)
    }
}

extension Connection {
    /// True if tables lack counts that are in the log.
    var lacksCounts: Bool {
        get throws(StoreError) { try number("select 1 from count_log limit 1") != nil }
    }

    /// - Throws: ``StoreError/Reason/corrupt`` for a log that cannot be read.
    func countLog() throws(StoreError) -> CountRows {
        let select = try statement("select counts from count_log order by id")
        defer { select.reset() }
        var log: [[UInt8]] = []
        while try select.step() { log.append(select.blob(0)) }
        guard let rows = CountRows(log) else { throw .unreadable("the log of counts", in: path) }
        return rows
    }

    /// Shows this connection the tables with the counts that they lack, as copies that have their names: for a database
    /// that cannot be written to. The time grows with the database. Reports that are kept in the log are not shown.
    ///
    /// Inside a transaction. It ends with ``dropCountCopies()``, or is rolled back.
    func copyCounts() throws(StoreError) {
        for table in CountRows.tables {
            let select = try statement(
                """
                select sql from main.sqlite_master where tbl_name = ? and sql is not null
                order by type = 'index'
                """)
            defer { select.reset() }
            try select.bind(table)
            var parts: [String] = []
            while try select.step() { parts.append(select.text(0)) }
            select.reset()
            for (number, part) in parts.enumerated() {
                // CREATE, what, and the name.
                let words = part.split(separator: " ", maxSplits: 2)
                guard words.count == 3 else { throw .unreadable("the schema", in: path) }
                try execute("create \(words[1]) temp.\(words[2])")
                if number == 0 { try execute("insert into temp.\(table) select * from main.\(table)") }
            }
        }
        try countLog().write(on: self)
    }

    func dropCountCopies() throws(StoreError) {
        for table in CountRows.tables { try execute("drop table temp.\(table)") }
    }

    fileprivate func write(
        _ parts: [CountRows.Part], by statements: UpsertStatements
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

extension Writer {
    /// Writes the counts that this process has in the log to their tables.
    func foldCountLog() throws(StoreError) {
        guard let log = caches.logs?.counts, !log.leaks.isEmpty else { return }
        for leak in log.leaks.values where leak.movedIn != caches.movement.period {
            caches.movement.add(leak)
        }
        caches.logs?.counts = CountLog()
        try fold(log.takeRows())
    }

    /// Writes the counts that an earlier process, or another one, has left in the log to their tables.
    func foldStoredCounts() throws(StoreError) {
        if try connection.lacksCounts { try fold(connection.countLog()) }
    }

    private func fold(_ rows: CountRows) throws(StoreError) {
        try rows.write(on: connection)
        try rows.writeSamples(on: connection)
        try connection.run("delete from count_log")
    }

    /// Writes all counts in the log to their tables, in a transaction of its own.
    func foldCounts() throws(StoreError) {
        do throws(StoreError) {
            try connection.transaction(.immediate) { () throws(StoreError) in
                try forgetIfOthersWrote()
                try readLogs()
                try foldCountLog()
            }
        } catch {
            forget()
            throw error
        }
    }
}

extension UpsertStatements {
    fileprivate static let builds = counts("leak_build", part: "build")
    fileprivate static let releases = counts("leak_release", part: "release")
    fileprivate static let hours = counter("leak_hour", "hour, release")
    fileprivate static let days = counter("leak_day", "day, release")

    /// Writes counts of rows that exist. If one did not, the zeros would refer to nothing, and the statement would fail.
    private static func counts(_ table: String, part: String) -> UpsertStatements {
        UpsertStatements(
            "\(table) (id, reports, freed, installs, leak, \(part))", row: "?, ?, ?, ?, 0, 0", parameters: 4,
            conflict: "id",
            update: "reports = excluded.reports, freed = excluded.freed, installs = excluded.installs")
    }

    /// Counts rows of a table up.
    static func counter(_ table: String, _ key: String) -> UpsertStatements {
        UpsertStatements(
            "\(table) (leak, \(key), reports)", row: "?, ?, ?, ?", parameters: 4, conflict: "leak, \(key)",
            update: "reports = min(reports + excluded.reports, 0x1FFFFFFFFFFFFF)")
    }
}
