#if PostgreSQL
    internal import LeakStore

    /// The changes of the aggregate to the database: computed first, then written in one round trip.
    struct WriteBatch {
        let aggregate: SubmissionAggregate
        let rowIDs: RowIDs
        let submissions: [Submission]
        /// The oldest ten-minute slot that is kept. Reports of earlier slots count only for their day.
        let oldestSlot: Int
        /// The oldest day for which the reports of apps are kept.
        let firstDay: Int
        /// The hour in which the sessions and reports arrived.
        let hour: Int
        /// The day on which the sessions and reports arrived.
        let today: Int
        /// Each leak as it will be after the changes.
        private(set) var states: [StoredLeak]
        private(set) var details = Details()
        /// Reports by systems and models that their leaks already have; ``CountRow/releaseOrValue`` is an index
        /// in ``SubmissionAggregate/texts``.
        private(set) var knownValues: [CountRow] = []
        /// Checks of classes that their builds already have.
        private(set) var knownChecks: [CappedCounts.Row] = []
        /// Histograms of lifetimes that change, by row ID of the leak.
        private(set) var histograms: [(leak: Int64, histogram: DurationHistogram)] = []
        /// Sets that have new members.
        private(set) var sets: [InstallScope: InstallSet] = [:]
        /// Sets of recent installs that have new members.
        private(set) var recentSets: [RecentInstallSet.Key: RecentInstallSet] = [:]
        /// The leak and the build of each cell of the aggregate.
        let cells: [LeakBuildKey]
        /// Number of cells that the database does not have yet, by leak of the aggregate.
        private(set) var newCellCounts: [Int]
        /// Bytes of the rows of new cells, by ingest key.
        private(set) var cellBytes: [Int64: Int] = [:]
        /// Number of leaks that a release did not have, by release of the aggregate.
        private(set) var newLeakCountsOfReleases: [Int]
        /// Change of the number of leaks that were first seen in a release, by row ID of the release.
        private(set) var firstReleaseChanges: [Int64: Int] = [:]

        init(
            of aggregate: SubmissionAggregate, in rowIDs: RowIDs, _ submissions: [Submission], now: Int64,
            expiry: Int64, by writer: Writer
        ) {
            self.aggregate = aggregate
            self.rowIDs = rowIDs
            self.submissions = submissions
            oldestSlot = SlotWindow.oldestKept(now: expiry)
            firstDay = Retention.firstAppDay(now: expiry)
            hour = Calendar.hour(of: expiry)
            today = Calendar.day(of: expiry)
            cells = aggregate.cells.map {
                LeakBuildKey(leak: rowIDs.leaks[$0.leak].id, build: rowIDs.builds[$0.build])
            }
            newCellCounts = [Int](repeating: 0, count: aggregate.leaks.count)
            newLeakCountsOfReleases = [Int](repeating: 0, count: aggregate.releases.count)
            states = rowIDs.leaks
            for (index, leak) in aggregate.leaks.enumerated() {
                for cell in leak.cells {
                    let release = aggregate.builds[aggregate.cells[cell].build].release
                    states[index].widen(
                        to: StoredLeak.OrderedRelease(
                            release: rowIDs.releases[release],
                            order: VersionOrder(aggregate.releases[release].version).key))
                }
                for cell in leak.cells {
                    let build = aggregate.cells[cell].build
                    states[index].add(
                        build: rowIDs.builds[build], named: aggregate.builds[build].name,
                        of: rowIDs.releases[aggregate.builds[build].release])
                }
                countFirstRelease(of: index)
                let candidates = states[index].samples.candidates(
                    of: leak, from: submissions, by: writer.reservoir, &writer.newestSampleLimit, now: now)
                let bodies = SampleChoice.masked(candidates, from: submissions, by: writer.redact)
                details.add(
                    candidates, bodies: bodies, of: index, leakRowID: states[index].id, from: submissions)
                details.add(leak.values, of: index, leakRowID: states[index].id)
            }
            addValues(&writer.nameCache)
            addChecks(&writer.nameCache)
        }

        private mutating func addValues(_ names: inout NameCache) {
            let hashes = aggregate.texts.map { HashedName.hash(of: $0) }
            for hourCount in aggregate.hourCounts {
                let source = aggregate.sources[hourCount.source]
                let leak = states[hourCount.leak].id
                for (kind, text) in [(ValueKind.system, source.system), (.model, source.model)] {
                    guard let text else { continue }
                    let name = HashedName(leak: leak, kind, hash: hashes[text])
                    if names.values.value(of: name) == nil {
                        details.add(
                            Details.Value(
                                leak: hourCount.leak, leakRowID: leak,
                                aggregatedValue: SubmissionAggregate.Value(
                                    kind: kind, text: aggregate.texts[text], key: hourCount.key),
                                name: name, reports: hourCount.reports))
                    } else {
                        knownValues.append(
                            CountRow(
                                leak: leak, periodOrKind: kind.rawValue, releaseOrValue: Int64(text),
                                reports: hourCount.reports))
                    }
                }
            }
        }

        private mutating func addChecks(_ names: inout NameCache) {
            for (build, row) in zip(aggregate.builds, rowIDs.builds) {
                let app = rowIDs.apps[aggregate.releases[build.release].app].id
                for (className, check) in build.checks {
                    let classCount = CappedCounts.Row(
                        owner: row, app: app, name: className.text, count: check.count, buckets: check.buckets
                    )
                    let name = HashedName(owner: row, hash: className.hashValue)
                    if names.checks.value(of: name) == nil {
                        details.add(classCount, keys: check.keys)
                    } else {
                        knownChecks.append(classCount)
                    }
                }
            }
        }

        private mutating func countFirstRelease(of leak: Int) {
            let (oldRelease, newRelease) = (
                rowIDs.leaks[leak].lowestRelease.release, states[leak].lowestRelease.release
            )
            guard rowIDs.isLeakNew[leak] || oldRelease != newRelease else { return }
            if !rowIDs.isLeakNew[leak] { firstReleaseChanges[oldRelease, default: 0] -= 1 }
            firstReleaseChanges[newRelease, default: 0] += 1
        }

        // MARK: Reading

        /// Merges new installs, and the times until objects were freed, into the stored values, and determines which cells are
        /// new.
        mutating func readAndMerge(
            _ existing: inout ExistingRows, on connection: PostgreSQLConnection, by writer: Writer
        ) throws(StoreError) {
            var isNew = [Bool](repeating: false, count: cells.count)
            defer { cellBytes = aggregate.cellBytes { isNew[$0] } }
            let newHashesOfScopes = newInstallHashes(notIn: &writer.installSetCache)
            let recentInstalls = recentInstalls(notIn: &writer.installSetCache)
            let freedLeaks = aggregate.leaks.indices.filter { !aggregate.leaks[$0].lived.isEmpty }
            let uncachedCells = cells.indices.filter { index in
                writer.nameCache.cells.value(of: cells[index]) == nil
                    && !existing.cells.contains(cells[index])
            }
            guard
                !newHashesOfScopes.isEmpty || !freedLeaks.isEmpty || !uncachedCells.isEmpty
                    || !recentInstalls.isEmpty
            else { return }
            let rows = newHashesOfScopes.map { $0.scope.row }
            let cellKeys = uncachedCells.map { cells[$0] }
            let owners = uncachedCells.map {
                InstallScope.leakRelease(leak: cells[$0].leak, release: release(ofCell: $0))
            }
            let answers = try connection.run([
                Query(
                    """
                    select asked.place, i.members
                    from unnest($1::bigint[], $2::bigint[], $3::bigint[]) with ordinality
                      as asked (scope, owner, part, place)
                    join install_set i on i.scope = asked.scope and i.owner = asked.owner and i.part = asked.part
                    """, .integers(rows.map { $0.scope }), .integers(rows.map { $0.owner }),
                    .integers(rows.map { $0.part })),
                Query(
                    """
                    select asked.place, h.histogram
                    from unnest($1::bigint[]) with ordinality as asked (leak, place)
                    join leak_lived h on h.leak = asked.leak
                    """, .integers(freedLeaks.map { states[$0].id })),
                ExistingRows.cellsQuery(cellKeys),
                Query(
                    """
                    select asked.place from unnest($1::bigint[], $2::bigint[]) with ordinality
                      as asked (leak, release, place)
                    join leak_release c on c.leak = asked.leak and c.release = asked.release
                    """, .integers(owners.map { $0.row.owner }), .integers(owners.map { $0.row.part })),
                RecentInstallSet.query(for: Array(recentInstalls.keys)),
            ])
            mergeRecentInstalls(
                recentInstalls, into: answers[4], updating: &writer.installSetCache.countedInstalls)
            try mergeInstalls(newHashesOfScopes, into: answers[0], on: connection)
            try mergeTimes(of: freedLeaks, into: answers[1], on: connection)
            existing.add(answers[2], of: cellKeys)
            var countedOwners = Set(answers[3].map { owners[$0.int(0) - 1] })
            for (index, owner) in zip(uncachedCells, owners) {
                if !existing.cells.contains(cells[index]) {
                    newCellCounts[aggregate.cells[index].leak] += 1
                    isNew[index] = true
                }
                if countedOwners.insert(owner).inserted {
                    newLeakCountsOfReleases[aggregate.builds[aggregate.cells[index].build].release] += 1
                }
            }
        }

        /// Returns the row ID of the release that a cell's build belongs to.
        func release(ofCell index: Int) -> Int64 {
            rowIDs.releases[aggregate.builds[aggregate.cells[index].build].release]
        }

        private func newInstallHashes(
            notIn installSetCache: inout InstallSetCache
        ) -> [(scope: InstallScope, hashes: [UInt64])] {
            var hashes: [InstallScope: [UInt64]] = [:]
            for (index, cell) in aggregate.cells.enumerated() where !cell.installHashes.isEmpty {
                let (leak, build) = (cells[index].leak, cells[index].build)
                let release = release(ofCell: index)
                let scopes: [InstallScope] = [
                    .leakBuild(leak: leak, build: build), .leakRelease(leak: leak, release: release),
                    .leak(rowID: leak), .release(rowID: release),
                ]
                for scope in scopes {
                    let newHashes = installSetCache.possiblyNewHashes(cell.installHashes, in: scope)
                    if !newHashes.isEmpty { hashes[scope, default: []] += newHashes }
                }
            }
            for slot in aggregate.slots where slot.day >= firstDay && !slot.installHashes.isEmpty {
                let app = rowIDs.apps[slot.app].id
                let scope: InstallScope =
                    slot.number >= oldestSlot
                    ? .slot(app: app, slot: Int64(slot.number))
                    : .day(app: app, day: Int64(slot.day))
                let newHashes = installSetCache.possiblyNewHashes(slot.installHashes, in: scope)
                if !newHashes.isEmpty { hashes[scope, default: []] += newHashes }
            }
            return hashes.map { ($0.key, $0.value) }
        }

        private typealias RecentInstall = (install: UInt64, day: Int)

        /// Returns the recent installs of the cells, except those that the stored sets are known to have.
        private func recentInstalls(
            notIn cache: inout InstallSetCache
        ) -> [RecentInstallSet.Key: [RecentInstall]] {
            var installs: [RecentInstallSet.Key: [RecentInstall]] = [:]
            for (index, cell) in aggregate.cells.enumerated() {
                let key = RecentInstallSet.Key(leak: cells[index].leak, release: release(ofCell: index))
                cell.forEachRecentInstall(on: today) { install, day in
                    guard cache.countedInstalls.insert(install, day: day, in: key.number) else { return }
                    installs[key, default: []].append((install, day))
                }
            }
            return installs
        }

        private mutating func mergeRecentInstalls(
            _ installs: [RecentInstallSet.Key: [RecentInstall]], into storedRows: Rows,
            updating counted: inout CountedInstalls
        ) {
            var sets: [RecentInstallSet.Key: RecentInstallSet] = [:]
            for row in storedRows {
                let set = RecentInstallSet(row)
                sets[set.key] = set
            }
            for (key, installs) in installs {
                var set = sets[key] ?? RecentInstallSet(key: key)
                var isChanged = false
                for install in installs where set.installs.insert(install.install, day: install.day) {
                    isChanged = true
                }
                set.day = RecentInstalls.laterDay(set.day, today: today)
                counted.rememberLevel(of: set.installs, set: key.number)
                if isChanged { recentSets[key] = set }
            }
        }

        private mutating func mergeInstalls(
            _ newHashesOfScopes: [(scope: InstallScope, hashes: [UInt64])], into storedRows: Rows,
            on connection: PostgreSQLConnection
        ) throws(StoreError) {
            var mergedSets = [InstallSet](repeating: InstallSet(), count: newHashesOfScopes.count)
            for row in storedRows {
                guard let set = InstallSet(bytes: row.bytes(1)) else {
                    throw .unreadable("a set of installs", in: connection.name)
                }
                mergedSets[row.int(0) - 1] = set
            }
            for (index, addition) in newHashesOfScopes.enumerated() {
                var isChanged = false
                for hash in addition.hashes where mergedSets[index].insert(hash) { isChanged = true }
                if isChanged { sets[addition.scope] = mergedSets[index] }
            }
        }

        private mutating func mergeTimes(
            of freedLeaks: [Int], into storedRows: Rows, on connection: PostgreSQLConnection
        ) throws(StoreError) {
            var mergedHistograms = [DurationHistogram](
                repeating: DurationHistogram(), count: freedLeaks.count)
            for row in storedRows {
                guard let histogram = DurationHistogram(bytes: row.bytes(1)) else {
                    throw .unreadable("a histogram", in: connection.name)
                }
                mergedHistograms[row.int(0) - 1] = histogram
            }
            for (index, leak) in freedLeaks.enumerated() {
                for (milliseconds, count) in aggregate.leaks[leak].lived {
                    mergedHistograms[index].add(milliseconds: milliseconds, count: count)
                }
                histograms.append((states[leak].id, mergedHistograms[index]))
            }
        }

        /// Returns the number of installs of a set that has new members; `nil` leaves the stored number as it is.
        func installCount(of scope: InstallScope) -> Int64? { sets[scope].map { Int64($0.count) } }

        // MARK: Writing

        /// Leaves out details beyond the limit of bytes that an ingest key may add on a day.
        mutating func limitDetails(
            _ existing: ExistingRows, on connection: PostgreSQLConnection, by writer: Writer, now: Int64
        ) throws(StoreError) {
            try details.limit(
                by: writer.limits, existing, &writer.idempotencyCache, on: connection
            )
            for sample in details.samples { states[sample.leak].samples.keep(sample.candidate, now: now) }
        }

        /// Returns the queries for all tables, except those of ``detailQueries(maxCheckClasses:)``. Most of them change one table, in
        /// the order of its key.
        func queries(maxDroppedReasons: Int) -> [Query] {
            let upserts = [
                lastHoursUpdate(), hoursUpsert(), daysUpsert(), leaksUpdate(), modulesUpdate(),
                leakReleasesUpsert(),
                leakBuildsUpsert(),
                runningHoursRefresh(), runningDaysRefresh(), lifetimesUpsert(), setsUpsert(),
                releasesUpdate(), sessionsUpsert(), firstReleasesUpdate(), slotsUpsert(), lateDaysUpsert(),
                droppedUpsert(maxReasons: maxDroppedReasons), overLimitUpsert(), leftOutUpdate(),
                appsUpdate(),
            ]
            return upserts.compactMap { $0 } + RecentInstallSet.upsertQueries(of: recentSets.values)
                + currentReleaseQueries()
        }

        /// Returns the queries for details. They run after ``IdempotencyCache/usageUpsert(_:textBytes:details:limits:)``, which
        /// compares the details with the rows that exist.
        func detailQueries(maxCheckClasses: Int) -> [Query] {
            [
                checksUpsert(maxClasses: maxCheckClasses), unnamedChecksUpdate(), valuesUpsert(),
                retainedBytesUpdate(),
                samplesUpsert(), messagesUpdate(),
            ].compactMap { $0 }
        }
    }
#endif
