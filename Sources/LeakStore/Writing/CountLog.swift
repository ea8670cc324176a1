/// Counts, samples and recent installs of leaks that are in memory and in `count_log`, and not yet in `leak`, `leak_release`,
/// `leak_build`, `leak_hour`, `leak_day`, `sample` and `recent_install_set`.
///
/// Under load, each commit changes the counts of hundreds of leaks in a dozen versions, whose rows are on hundreds of pages.
/// Commits append the counts to a few pages instead. The rows are written when the log is long, and before they are read.
struct CountLog: PendingLog {
    /// Counts of a leak in a release, with the columns that rows of hours and days need.
    private struct Release {
        var leak: Int64
        var release: Int64
        var count: CountEntry
    }

    /// Entries by row ID in `leak`. An entry that the cache of leaks has evicted is found here, with the entries of its builds
    /// and releases.
    private(set) var leaks: [Int64: LeakEntry] = [:]
    private var builds: [CountEntry] = []
    private var releases: [Release] = []
    private var bucketReports: [LoggedCounts.BucketReports] = []
    private var recentInstalls: [LoggedCounts.RecentInstall] = []
    /// Samples by row ID in `sample`.
    private var samples: [Int64: StoredSample] = [:]
    /// Bytes of the log on disk and of ``unwritten``.
    private var byteCount = 0
    var unwritten: [UInt8] = []

    func isLong(beyond limits: PendingLogs.Limits) -> Bool {
        byteCount > limits.countBytes || leaks.count + builds.count + releases.count > limits.countRows
    }

    /// Adds the changes of one transaction.
    ///
    /// - Parameter limit: ``PendingLogs/Limits/countBytes``. If the log is longer, ``unwritten`` stays empty, because the log
    ///   is flushed in the same transaction.
    mutating func add(_ changed: ChangedCounts, within limit: Int) {
        guard !changed.leaks.isEmpty else { return }
        var rows = LoggedCounts()
        rows.leaks.reserveCapacity(changed.leaks.count)
        rows.builds.reserveCapacity(changed.builds.count)
        rows.releases.reserveCapacity(changed.releases.count)
        for leak in changed.leaks {
            if !leak.isInLog { leaks[leak.id] = leak }
            leak.isInLog = true
            rows.leaks.append(LoggedCounts.Leak(leak))
        }
        for build in changed.builds {
            if !build.isInLog { builds.append(build) }
            build.isInLog = true
            rows.builds.append(LoggedCounts.Part(build))
        }
        for (leak, release, count) in changed.releases {
            if !count.isInLog { releases.append(Release(leak: leak, release: release, count: count)) }
            count.isInLog = true
            count.isChanged = false
            rows.releases.append(
                LoggedCounts.Release(
                    leak: leak, release: release, part: LoggedCounts.Part(count), hours: count.hours))
        }
        bucketReports += changed.bucketReports
        recentInstalls += changed.recentInstalls
        for sample in changed.samples { samples[sample.rowID] = sample }
        byteCount += changed.samples.reduce(0) { $0 + $1.body.count }
        guard byteCount <= limit else { return }
        rows.samples = changed.samples
        rows.bucketReports = changed.bucketReports
        rows.recentInstalls = changed.recentInstalls
        unwritten = rows.bytes
        byteCount += unwritten.count - changed.samples.reduce(0) { $0 + $1.body.count }
    }

    /// Returns the rows to write, and resets the entries to their state after this write: without hours, and not in the log.
    fileprivate func takeRows() -> LoggedCounts {
        var rows = LoggedCounts()
        rows.leaks = leaks.values.map { LoggedCounts.Leak($0) }
        rows.builds = builds.map { LoggedCounts.Part($0) }
        rows.bucketReports = bucketReports
        rows.recentInstalls = recentInstalls
        rows.releases = releases.map {
            LoggedCounts.Release(
                leak: $0.leak, release: $0.release, part: LoggedCounts.Part($0.count), hours: $0.count.hours)
        }
        rows.samples = Array(samples.values)
        for leak in leaks.values { leak.isInLog = false }
        for build in builds { build.isInLog = false }
        for release in releases { (release.count.hours, release.count.isInLog) = ([], false) }
        return rows
    }
}

extension Writer {
    /// Writes the counts that this process has logged to their tables.
    func flushCountLog() throws(StoreError) {
        guard let log = caches.logs?.counts, !log.leaks.isEmpty else { return }
        for leak in log.leaks.values where leak.deferredIn != caches.deferredIndexing.period {
            caches.deferredIndexing.add(leak)
        }
        caches.logs?.counts = CountLog()
        let rows = log.takeRows()
        for leak in log.leaks.values { leak.evictBuildsAndReleasesIfFull() }
        try connection.flush(rows) { set in
            caches.countedInstalls.rememberLevel(
                of: set.installs, set: UInt64(bitPattern: set.leakReleaseRowID))
        }
    }

    /// Writes the counts that another process has left in the log to their tables.
    func flushStoredCounts() throws(StoreError) {
        guard try connection.hasLoggedCounts else { return }
        let rows = try connection.loadCountLog()
        caches.deferredIndexing.add(rows.leaks.count)
        try connection.flush(rows) { set in
            caches.countedInstalls.rememberLevel(
                of: set.installs, set: UInt64(bitPattern: set.leakReleaseRowID))
        }
    }

    /// Writes all counts in the log to their tables, in a transaction of its own.
    func flushCounts() throws(StoreError) {
        do throws(StoreError) {
            try connection.transaction(.immediate) { () throws(StoreError) in
                try clearCachesIfOthersWrote()
                try readLogs()
                try flushCountLog()
                if caches.logs?.values.isLong(beyond: logLimits.whileRead) == true { try flushValueLog() }
                try reindexIfTooManyUnindexed()
            }
        } catch {
            clearCaches()
            throw error
        }
    }
}

/// The counts in a log. If a row occurs several times, its last counts replace the earlier counts, except ``BucketReports``,
/// which are added up.
struct LoggedCounts {
    /// Counts of a row of `leak`.
    struct Leak {
        var id: Int64
        var reports: Int
        var freed: Int
        var installs: Int
        var sightings: Int
        var maxAlive: Int?
        var lastSeen: Int64
    }

    /// Counts of a row of `leak_build` or `leak_release`.
    struct Part {
        var id: Int64
        var reports: Int
        var freed: Int
        var installs: Int
    }

    /// Counts of a row of `leak_release`.
    struct Release {
        var leak: Int64
        var release: Int64
        var part: Part
        /// Reports by hour that are not in `leak_hour` yet.
        var hours: [(hour: Int, reports: Int)]
    }

    /// Reports of a row of `leak_build` from one bucket of installs. Unlike other counts, these are added to earlier counts of
    /// the same row.
    struct BucketReports: Comparable {
        /// The row of `leak_build`, and the bucket in the low six bits.
        fileprivate let packedKey: UInt64
        fileprivate(set) var reports: Int

        init(leakBuildRowID: Int64, bucket: Int, reports: Int) {
            packedKey = UInt64(bitPattern: leakBuildRowID) << 6 | UInt64(bucket)
            self.reports = reports
        }

        fileprivate init(packedKey: UInt64, reports: Int) {
            self.packedKey = packedKey
            self.reports = reports
        }

        var leakBuildRowID: Int64 { Int64(packedKey >> 6) }
        var bucket: Int { Int(packedKey & 63) }

        static func < (one: Self, other: Self) -> Bool { one.packedKey < other.packedKey }
    }

    /// An install that was seen on a day, in the set of a row of `leak_release`.
    struct RecentInstall {
        var leakReleaseRowID: Int64
        var install: UInt64
        var day: Int
    }

    var leaks: [Leak] = []
    var builds: [Part] = []
    var bucketReports: [BucketReports] = []
    var recentInstalls: [RecentInstall] = []
    var releases: [Release] = []
    var samples: [StoredSample] = []

    var isEmpty: Bool { leaks.isEmpty }

    // MARK: Bytes

    /// The counts as a row of `count_log`.
    var bytes: [UInt8] {
        var writer = PackedWriter()
        writer.append(leaks.count)
        for leak in leaks {
            writer.append(Int(leak.id))
            writer.append(leak.reports)
            writer.append(leak.freed)
            writer.append(leak.installs)
            writer.append(leak.sightings)
            writer.append(leak.maxAlive)
            writer.append(Int(leak.lastSeen))
            // Stands in place of the impact of the leak, which was logged up to schema 17.
            writer.append(0)
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
        writer.append(bucketReports.count)
        for reports in bucketReports {
            writer.append(Int(truncatingIfNeeded: reports.packedKey))
            writer.append(reports.reports)
        }
        writer.append(recentInstalls.count)
        for recent in recentInstalls {
            writer.append(Int(recent.leakReleaseRowID))
            writer.append(Int(recent.install >> 32))
            writer.append(Int(recent.install & 0xFFFF_FFFF))
            writer.append(recent.day)
        }
        return writer.bytes
    }

    init() {}

    /// Parses the rows of `count_log` in their order; `nil` for bytes of another format than ``bytes``.
    init?(_ log: [[UInt8]]) {
        var (leaks, builds, releases): ([Int64: Leak], [Int64: Part], [Int64: Release]) = ([:], [:], [:])
        var samples: [Int64: StoredSample] = [:]
        for bytes in log {
            var reader = PackedReader(bytes)
            guard let leakCount = reader.number(), leakCount <= bytes.count else { return nil }
            for _ in 0..<leakCount {
                guard let leak = reader.readLeak() else { return nil }
                leaks[leak.id] = leak
            }
            guard let buildCount = reader.number(), buildCount <= bytes.count else { return nil }
            for _ in 0..<buildCount {
                guard let build = reader.readPart() else { return nil }
                builds[build.id] = build
            }
            guard let releaseCount = reader.number(), releaseCount <= bytes.count else { return nil }
            for _ in 0..<releaseCount {
                guard let release = reader.readRelease() else { return nil }
                releases[release.part.id] = release
            }
            guard let sampleCount = reader.number(), sampleCount <= bytes.count else { return nil }
            for _ in 0..<sampleCount {
                guard let sample = reader.readSample() else { return nil }
                samples[sample.rowID] = sample
            }
            // Rows of schema 13 end here.
            if reader.isAtEnd { continue }
            guard let bucketCount = reader.number(), bucketCount <= bytes.count else { return nil }
            for _ in 0..<bucketCount {
                guard let reports = reader.readBucketReports() else { return nil }
                bucketReports.append(reports)
            }
            // Rows of schemas 14 to 17 end here.
            if reader.isAtEnd { continue }
            guard let recentCount = reader.number(), recentCount <= bytes.count else { return nil }
            for _ in 0..<recentCount {
                guard let recent = reader.readRecentInstall() else { return nil }
                recentInstalls.append(recent)
            }
            guard reader.isAtEnd else { return nil }
        }
        self.leaks = Array(leaks.values)
        self.builds = Array(builds.values)
        self.releases = Array(releases.values)
        self.samples = Array(samples.values)
    }
}

extension LoggedCounts.Leak {
    init(_ entry: LeakEntry) {
        self.init(
            id: entry.id, reports: entry.reports, freed: entry.freed, installs: entry.installs,
            sightings: entry.samples.sightings, maxAlive: entry.maxAlive, lastSeen: entry.lastSeen)
    }
}

extension LoggedCounts.Part {
    init(_ entry: CountEntry) {
        self.init(id: entry.id, reports: entry.reports, freed: entry.freed, installs: entry.installs)
    }
}

extension PackedWriter {
    /// Appends 0 for `nil`, and the number plus 1 otherwise.
    fileprivate mutating func append(_ number: Int?) { append(number.map { $0 + 1 } ?? 0) }

    fileprivate mutating func append(_ part: LoggedCounts.Part) {
        append(Int(part.id))
        append(part.reports)
        append(part.freed)
        append(part.installs)
    }
}

extension PackedReader {
    /// Reads a count, limited to ``Total/largest``.
    private mutating func readCount() -> Int? { number().map { Total.bounded($0) } }

    /// Reads a count that may be missing. `nil`: the log is damaged; `.some(nil)`: there is no count.
    private mutating func readOptionalCount() -> Int?? {
        number().map { $0 == 0 ? nil : Total.bounded($0 - 1) }
    }

    fileprivate mutating func readLeak() -> LoggedCounts.Leak? {
        guard let id = number(), let reports = readCount(), let freed = readCount(),
            let installs = readCount(),
            let sightings = readCount(), let maxAlive = readOptionalCount(), let lastSeen = readCount(),
            // Skips the impact of the leak, which was logged up to schema 17.
            readOptionalCount() != nil
        else { return nil }
        return LoggedCounts.Leak(
            id: Int64(id), reports: reports, freed: freed, installs: installs, sightings: sightings,
            maxAlive: maxAlive, lastSeen: Int64(lastSeen))
    }

    /// Maximum of hours and days since 1970. Computations with a higher number, which only damage can cause, would overflow.
    private static let maxTime = Int(UInt32.max)

    fileprivate mutating func readPart() -> LoggedCounts.Part? {
        guard let id = number(), let reports = readCount(), let freed = readCount(),
            let installs = readCount()
        else {
            return nil
        }
        return LoggedCounts.Part(id: Int64(id), reports: reports, freed: freed, installs: installs)
    }

    fileprivate mutating func readBucketReports() -> LoggedCounts.BucketReports? {
        guard let packedKey = number(), let reports = readCount() else { return nil }
        return LoggedCounts.BucketReports(packedKey: UInt64(truncatingIfNeeded: packedKey), reports: reports)
    }

    fileprivate mutating func readRecentInstall() -> LoggedCounts.RecentInstall? {
        guard let rowID = number(), let high = number(), let low = number(), let day = number(),
            high <= UInt32.max, low <= UInt32.max, day <= Self.maxTime
        else { return nil }
        return LoggedCounts.RecentInstall(
            leakReleaseRowID: Int64(rowID), install: UInt64(high) << 32 | UInt64(low), day: day)
    }

    fileprivate mutating func readRelease() -> LoggedCounts.Release? {
        guard let leak = number(), let release = number(), let part = readPart(), let count = number() else {
            return nil
        }
        var hours: [(hour: Int, reports: Int)] = []
        for _ in 0..<count {
            guard let hour = number(), hour <= Self.maxTime, let reports = readCount() else { return nil }
            hours.append((hour, reports))
        }
        return LoggedCounts.Release(leak: Int64(leak), release: Int64(release), part: part, hours: hours)
    }
}
