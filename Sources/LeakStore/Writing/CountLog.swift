/// Counts of leaks, and reports that are kept of them, in memory and in `count_log`, and not yet in `leak`, `leak_release`,
/// `leak_build`, `leak_hour`, `leak_day` and `sample`.
///
/// Under load each commit counts up hundreds of leaks in a dozen versions, whose rows are on as many pages. Commits append
/// their counts to a few pages instead. The rows are written when the log is long, and before they are read.
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

    func isLong(beyond limits: Logs.Limits) -> Bool {
        size > limits.countBytes || leaks.count + builds.count + releases.count > limits.countRows
    }

    /// Adds what one transaction has counted up.
    ///
    /// - Parameter limit: ``Logs/Limits/countBytes``. Beyond it ``unwritten`` stays empty: the log is folded at once.
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
        for sample in changed.samples { samples[sample.row] = sample }
        size += changed.samples.reduce(0) { $0 + $1.body.count }
        guard size <= limit else { return }
        rows.samples = changed.samples
        unwritten = rows.bytes
        size += unwritten.count - changed.samples.reduce(0) { $0 + $1.body.count }
    }

    /// The rows to write. The entries forget what their tables have by then.
    fileprivate func takeRows() -> LoggedCounts {
        var rows = LoggedCounts()
        rows.leaks = leaks.values.map { LoggedCounts.Leak($0) }
        rows.builds = builds.map { LoggedCounts.Part($0) }
        rows.releases = releases.map {
            LoggedCounts.Release(
                leak: $0.leak, release: $0.release, part: LoggedCounts.Part($0.count), hours: $0.count.hours)
        }
        rows.samples = Array(samples.values)
        for leak in leaks.values { (leak.impact, leak.isInLog) = (nil, false) }
        for build in builds { build.isInLog = false }
        for release in releases { (release.count.hours, release.count.isInLog) = ([], false) }
        return rows
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
        let rows = log.takeRows()
        for leak in log.leaks.values { leak.forgetParts() }
        try connection.fold(rows)
    }

    /// Writes the counts that an earlier process, or another one, has left in the log to their tables.
    func foldStoredCounts() throws(StoreError) {
        guard try connection.lacksCounts else { return }
        let rows = try connection.countLog()
        caches.movement.add(rows.leaks.count)
        try connection.fold(rows)
    }

    /// Writes all counts in the log to their tables, in a transaction of its own.
    func foldCounts() throws(StoreError) {
        do throws(StoreError) {
            try connection.transaction(.immediate) { () throws(StoreError) in
                try forgetIfOthersWrote()
                try readLogs()
                try foldCountLog()
                if caches.logs?.values.isLong(beyond: logLimits.whileRead) == true { try foldValueLog() }
                try restCrowd()
            }
        } catch {
            forget()
            throw error
        }
    }
}
