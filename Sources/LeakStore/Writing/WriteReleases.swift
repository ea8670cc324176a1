extension Writer {
    /// Counts the reports and installs of a leak in its builds and releases.
    ///
    /// - Parameter changed: receives the changed rows.
    func countReleases(
        of leak: SubmissionAggregate.Leak, entry: LeakEntry, aggregate: SubmissionAggregate,
        rows: ResolvedRows,
        changed: inout ChangedCounts, now: Int64
    ) throws(StoreError) {
        entry.evictBuildsAndReleasesIfFull()
        let today = Calendar.day(of: clock?.expiryTime ?? now)
        var newInstalls: [UInt64] = []
        let cells = aggregate.cells.span
        for index in leak.cells {
            let release = rows.releases[aggregate.releases[aggregate.release(ofCell: index)].number]
            let inRelease = try findOrInsertCountEntry(of: entry, release: release.id)
            let inBuild = try findOrInsertCountEntry(
                of: entry, build: rows.builds[aggregate.builds[cells[index].build].number].buildRowID,
                releaseEntry: inRelease, releaseID: release.id)
            inBuild.add(cells[index])
            inRelease.add(cells[index])
            if let change = try add(cells[index].installHashes, to: .leakBuild, of: inBuild.id) {
                release.newInstalls.append(contentsOf: change.newHashes)
                inBuild.installs = change.installCount
                // A release with only one build has no set of its own: it uses the set of that build.
                if inRelease.builds == 1 {
                    inRelease.installs = change.installCount
                } else if let releaseChange = try add(change.newHashes, to: .leakRelease, of: inRelease.id) {
                    inRelease.installs = releaseChange.installCount
                }
                if entry.buildCount == 1 {
                    entry.installs = change.installCount
                } else {
                    newInstalls.append(contentsOf: change.newHashes)
                }
            }
            changed.add(cell: index, of: entry.id, in: inBuild, inRelease, release: release.id)
            let row = inRelease.id
            cells[index].forEachRecentInstall(on: today) { install, day in
                guard caches.countedInstalls.insert(install, day: day, in: UInt64(bitPattern: row)) else {
                    return
                }
                changed.recentInstalls.append(
                    LoggedCounts.RecentInstall(leakReleaseRowID: row, install: install, day: day))
            }
        }
        if let leakChange = try add(newInstalls, to: .leak, of: entry.id) {
            entry.installs = leakChange.installCount
        }
    }

    private func findOrInsertCountEntry(
        of leak: LeakEntry, build: Int64, releaseEntry: CountEntry, releaseID: Int64
    ) throws(StoreError) -> CountEntry {
        if let count = leak.countEntry(ofBuild: build) { return count }
        let select = try connection.statement(
            "select id, reports, freed, installs, 0 from leak_build where leak = ? and build = ?")
        let count: CountEntry
        if let stored = try readCountEntry(select, leak: leak.id, part: build) {
            count = stored
        } else {
            try connection.run("insert into leak_build (leak, build) values (?, ?)", leak.id, build)
            count = CountEntry(id: connection.lastInsertedRowID)
            leak.add(try readBuildMark(build))
            releaseEntry.builds += 1
            leak.buildCount += 1
            if releaseEntry.builds == 2 {
                try startReleaseSet(of: releaseEntry, leak: leak.id, releaseID, except: count.id)
            }
            if leak.buildCount == 2 { try startLeakSet(leak: leak.id, except: count.id) }
        }
        leak.remember(count, build: build)
        return count
    }

    private func readBuildMark(_ build: Int64) throws(StoreError) -> LeakEntry.BuildMark {
        let select = try connection.statement("select release, order_key from build where id = ?")
        defer { select.reset() }
        try select.bind(build)
        guard try select.step() else { throw .unreadable("a build", in: connection.path) }
        return LeakEntry.BuildMark(id: build, release: select.int64(0), order: select.bytes(1))
    }

    /// Starts the set of installs of a leak in a release (`leak_release`) as a copy of the set of its first build there
    /// (`leak_build`), because the leak was now seen in a second build of this release.
    ///
    /// - Parameter newBuild: the row ID in `leak_build` of the second build.
    private func startReleaseSet(
        of count: CountEntry, leak: Int64, _ release: Int64, except newBuild: Int64
    ) throws(StoreError) {
        let select = try connection.statement(
            """
            select p.id from leak_build p join build b on b.id = p.build
            where p.leak = ? and b.release = ? and p.id <> ?
            """)
        try select.bind(leak, release, newBuild)
        try copyInstalls(ofBuildIn: select, to: InstallScope.leakRelease.rowID(ownerRowID: count.id))
    }

    /// Starts the set of installs of a leak as a copy of the set of its first build, because the leak was now seen in a second
    /// build.
    ///
    /// - Parameter newBuild: the row ID in `leak_build` of the second build.
    private func startLeakSet(leak: Int64, except newBuild: Int64) throws(StoreError) {
        let select = try connection.statement("select id from leak_build where leak = ? and id <> ?")
        try select.bind(leak, newBuild)
        try copyInstalls(ofBuildIn: select, to: InstallScope.leak.rowID(ownerRowID: leak))
    }

    private func copyInstalls(ofBuildIn select: Statement, to rowID: Int64) throws(StoreError) {
        defer { select.reset() }
        guard try select.step() else { return }
        try copyInstalls(from: InstallScope.leakBuild.rowID(ownerRowID: select.int64(0)), to: rowID)
    }

    private func findOrInsertCountEntry(of leak: LeakEntry, release: Int64) throws(StoreError) -> CountEntry {
        if let count = leak.countEntry(ofRelease: release) { return count }
        let select = try connection.statement(
            """
            select id, reports, freed, installs,
              (select count(*) from leak_build p join build b on b.id = p.build
               where p.leak = c.leak and b.release = c.release)
            from leak_release c where leak = ? and release = ?
            """)
        let count: CountEntry
        if let stored = try readCountEntry(select, leak: leak.id, part: release) {
            count = stored
        } else {
            try connection.run("insert into leak_release (leak, release) values (?, ?)", leak.id, release)
            try connection.run("update release set leaks = leaks + 1 where id = ?", release)
            count = CountEntry(id: connection.lastInsertedRowID)
        }
        leak.remember(count, release: release)
        return count
    }

    private func readCountEntry(
        _ select: Statement, leak: Int64, part: Int64
    ) throws(StoreError) -> CountEntry? {
        defer { select.reset() }
        try select.bind(leak, part)
        guard try select.step() else { return nil }
        let count = CountEntry(id: select.int64(0))
        count.reports = select.int(1)
        count.freed = select.int(2)
        count.installs = select.int(3)
        count.builds = select.int(4)
        return count
    }

    /// Adds times for which objects stayed to the histogram of a leak.
    func writeLived(
        _ lived: [(milliseconds: Int, count: Int)], of entry: LeakEntry
    ) throws(StoreError) {
        let select = try connection.statement("select histogram from leak_lived where leak = ?")
        var histogram = DurationHistogram()
        do {
            defer { select.reset() }
            try select.bind(entry.id)
            if try select.step() {
                guard let stored = DurationHistogram(bytes: select.bytes(0)) else {
                    throw StoreError.unreadable("a histogram", in: connection.path)
                }
                histogram = stored
            }
        }
        for (milliseconds, count) in lived { histogram.add(milliseconds: milliseconds, count: count) }
        try connection.run(
            """
            insert into leak_lived (leak, histogram) values (?, ?)
            on conflict (leak) do update set histogram = excluded.histogram
            """, entry.id, histogram.bytes)
    }
}

/// Rows of `leak`, `leak_build` and `leak_release` whose counts a transaction has changed, and samples that it stores.
struct ChangedCounts {
    private(set) var leaks: [LeakEntry] = []
    var samples: [StoredSample] = []
    private(set) var builds: [CountEntry] = []
    private(set) var releases: [(leak: Int64, release: Int64, count: CountEntry)] = []
    private(set) var bucketReports: [LoggedCounts.BucketReports] = []
    var recentInstalls: [LoggedCounts.RecentInstall] = []
    /// The counts of the build of each cell, by index of ``SubmissionAggregate/cells``; `nil` for a cell that was not added.
    private var buildOfCell: [CountEntry?]
    /// The counts of the release of each cell, by index of ``SubmissionAggregate/cells``; `nil` for a cell that was not added.
    private var releaseOfCell: [CountEntry?]

    init(of aggregate: SubmissionAggregate) {
        releaseOfCell = [CountEntry?](repeating: nil, count: aggregate.cells.count)
        buildOfCell = releaseOfCell
    }

    mutating func add(_ leak: LeakEntry) { leaks.append(leak) }

    mutating func add(
        cell: Int, of leak: Int64, in build: CountEntry, _ inRelease: CountEntry, release: Int64
    ) {
        builds.append(build)
        buildOfCell[cell] = build
        releaseOfCell[cell] = inRelease
        // A release with several builds is added only once.
        if !inRelease.isChanged { releases.append((leak, release, inRelease)) }
        inRelease.isChanged = true
    }

    /// Adds the reports of hours to the counts of their releases.
    func addHours(of hourCounts: [SubmissionAggregate.LeakHourCount]) {
        for hourCount in hourCounts {
            releaseOfCell[hourCount.cell]?.add(hourCount.reports, in: hourCount.hour)
        }
    }

    /// Adds the reports of buckets of installs to the counts of their builds.
    mutating func addBuckets(of reports: [SubmissionAggregate.BucketReports]) {
        bucketReports.reserveCapacity(reports.count)
        for reports in reports {
            guard let build = buildOfCell[reports.cell] else { continue }
            bucketReports.append(
                LoggedCounts.BucketReports(
                    leakBuildRowID: build.id, bucket: reports.part.bucket, reports: reports.part.count))
        }
    }
}
