#if PostgreSQL
    internal import LeakStore

    /// The progress of the erasure of one install, step by step.
    struct InstallErasure {
        let install: UInt64
        fileprivate(set) var erased = ErasureResult()
        /// The entry for the audit log, until the first step has written it.
        fileprivate var pendingEntry: AuditEntry?
        fileprivate var areSamplesDone = false
        /// Sets up to this set have been searched.
        fileprivate var lastSearchedSet: (scope: Int64, owner: Int64, part: Int64) = (-1, 0, 0)
        fileprivate var areSetsDone = false
        /// Sets of recent installs up to this set have been searched.
        fileprivate var lastSearchedRecentSet = RecentInstallSet.Key(leak: -1, release: 0)
        fileprivate var areRecentSetsDone = false
        /// Copies that merges by hand keep have been searched up to this row of `leak_merge_release`.
        fileprivate var lastSearchedMerge = SavedReleaseKey.start

        /// The number that ``lastMergeQuery`` returned in the previous step.
        private var lastMerge: Int64?

        init(install: UInt64, audit entry: AuditEntry? = nil) {
            self.install = install
            pendingEntry = entry
        }

        /// Starts the search again if leaks were merged, deleted or evicted meanwhile, because this writes rows that the search has
        /// already passed.
        ///
        /// - Parameters:
        ///   - mergeBeforeLock: the answer to ``lastMergeQuery`` before this step locked the apps.
        ///   - mergeAfterLock: the answer to ``lastMergeQuery`` after this step locked the apps.
        /// - Returns: `true` if the search starts again.
        fileprivate mutating func startAgainIfMerged(mergeBeforeLock: Int64, mergeAfterLock: Int64) -> Bool {
            defer { lastMerge = mergeAfterLock }
            guard (lastMerge ?? mergeBeforeLock) != mergeAfterLock else { return false }
            (areSamplesDone, lastSearchedSet) = (false, (-1, 0, 0))
            (areSetsDone, lastSearchedRecentSet) = (false, RecentInstallSet.Key(leak: -1, release: 0))
            (areRecentSetsDone, lastSearchedMerge) = (false, .start)
            return true
        }

        /// A query for a number that grows with each merge, and each time that leaks are deleted or evicted: ``deletionMark``.
        fileprivate static let lastMergeQuery = Query(
            "select coalesce(pg_sequence_last_value(pg_get_serial_sequence('merged_leak', 'id')::regclass), 0)"
        )
        /// A query after which a running erasure starts again. Deleting or evicting a leak or a version computes sets of installs
        /// again, which an erasure may have searched before.
        static let deletionMark = Query(
            "select nextval(pg_get_serial_sequence('merged_leak', 'id')::regclass)")

        /// A query for ``ExistingRows/cacheGeneration``. It runs after the apps are locked, so that the number is as new as the sets.
        static let generationQuery = Query("select count from erasure")
        /// A query that makes all collectors clear what they have cached about names and sets of installs.
        static let cacheInvalidation = Query("update erasure set count = count + 1")
    }

    extension Writer {
        /// Maximum number of sets that one step searches; each has up to 2 KiB.
        private static let maxSetsPerStep = 1_000
        /// Locks all apps, even those that no report has named yet. A transaction that counts locks the rows of its apps: this
        /// statement waits for such transactions, and they wait for it.
        private static let lockOfAllApps = Query("lock table app in exclusive mode")

        /// Erases some rows, in a transaction of its own that keeps all apps from changing.
        ///
        /// - Returns: `true` if anything is left to search.
        func runStep(of erasure: inout InstallErasure) throws(StoreError) -> Bool {
            let connection = try connector.open()
            do throws(StoreError) {
                var next = erasure
                connection.begin("begin")
                let openingAnswers = try connection.run([
                    Migration.sharedLockQuery, InstallErasure.lastMergeQuery,
                ])
                // The samples are searched before the locks, so that no transaction waits for the search.
                let samples = next.areSamplesDone ? nil : try samples(of: next.install, on: connection)
                let answersAfterLock = try connection.run([Self.lockOfAllApps, InstallErasure.lastMergeQuery])
                var isLeft = true
                if next.startAgainIfMerged(
                    mergeBeforeLock: openingAnswers[1].first?.int64(0) ?? 0,
                    mergeAfterLock: answersAfterLock[1].first?.int64(0) ?? 0)
                {
                    // Nothing is erased in this step.
                } else if let samples {
                    try erase(samples, &next, on: connection)
                } else if !next.areSetsDone {
                    next.areSetsDone = try !eraseFromSets(&next, on: connection)
                } else if !next.areRecentSetsDone {
                    next.areRecentSetsDone = try !eraseFromRecentSets(&next, on: connection)
                } else {
                    isLeft = try eraseFromMerges(&next, on: connection)
                }
                _ = try connection.run((next.pendingEntry?.queries ?? []) + [Query("commit")])
                next.pendingEntry = nil
                erasure = next
                return isLeft
            } catch {
                connector.reset()
                throw error
            }
        }

        private func samples(of install: UInt64, on connection: PostgreSQLConnection) throws(StoreError)
            -> Rows
        {
            try connection.run(
                Query(
                    "select leak, slot from sample where install_hash = $1::bigint",
                    .integer(Int64(bitPattern: install))))
        }

        private func erase(
            _ samples: Rows, _ erasure: inout InstallErasure, on connection: PostgreSQLConnection
        ) throws(StoreError) {
            let rows = try connection.run(
                Query(
                    Self.samplesDeletionSQL(
                        from: "sample s using unnest($2::bigint[], $3::bigint[]) as found (leak, slot)",
                        where: "s.leak = found.leak and s.slot = found.slot and s.install_hash = $1::bigint"),
                    .integer(Int64(bitPattern: erasure.install)), .integers(samples.map { $0.int64(0) }),
                    .integers(samples.map { $0.int64(1) })))
            erasure.erased.samples += rows.first?.int(0) ?? 0
            erasure.areSamplesDone = true
        }

        /// Returns SQL that deletes samples `s`, and counts them. The next report of a leak without its newest sample becomes that
        /// sample. No later report becomes the first sample.
        static func samplesDeletionSQL(from tables: String, where condition: String) -> String {
            """
            with gone as (delete from \(tables) where \(condition) returning s.leak, s.slot),
              freed as (
                update leak l set newest_sample = null from gone
                where l.id = gone.leak and gone.slot = \(SampleSlot.newest)),
              unsaid as (
                update leak_text t set message = null from gone
                where t.leak = gone.leak and gone.slot = \(SampleSlot.newest))
            select count(*) from gone
            """
        }

        /// - Returns: `true` if sets may be left to search.
        private func eraseFromSets(
            _ erasure: inout InstallErasure, on connection: PostgreSQLConnection
        ) throws(StoreError) -> Bool {
            let lastSet = erasure.lastSearchedSet
            let rows = try connection.run(
                Query(
                    """
                    select scope, owner, part, members from install_set
                    where (scope, owner, part) > ($1::bigint, $2::bigint, $3::bigint)
                    order by scope, owner, part limit $4::bigint
                    """, .integer(lastSet.scope), .integer(lastSet.owner), .integer(lastSet.part),
                    .integer(Self.maxSetsPerStep)))
            var changedSets: [(row: (scope: Int64, owner: Int64, part: Int64), set: InstallSet)] = []
            for row in rows {
                erasure.lastSearchedSet = (row.int64(0), row.int64(1), row.int64(2))
                guard var set = InstallSet(bytes: row.bytes(3)) else {
                    throw .unreadable("a set of installs", in: connection.name)
                }
                if set.remove(erasure.install) { changedSets.append((erasure.lastSearchedSet, set)) }
            }
            if !changedSets.isEmpty { try write(changedSets, on: connection) }
            erasure.erased.sets += changedSets.count
            return rows.count == Self.maxSetsPerStep
        }

        /// - Returns: `true` if sets may be left to search.
        private func eraseFromRecentSets(
            _ erasure: inout InstallErasure, on connection: PostgreSQLConnection
        ) throws(StoreError) -> Bool {
            let rows = try connection.run(
                Query(
                    """
                    select \(RecentInstallSet.columns) from recent_install_set s
                    where (leak, release) > ($1::bigint, $2::bigint) order by leak, release limit $3::bigint
                    """, .integer(erasure.lastSearchedRecentSet.leak),
                    .integer(erasure.lastSearchedRecentSet.release), .integer(Self.maxRecentSetsPerStep)))
            var changedSets: [RecentInstallSet] = []
            var erasedCount = 0
            for row in rows {
                var set = RecentInstallSet(row)
                erasure.lastSearchedRecentSet = set.key
                // A damaged set may contain the install, so it is deleted.
                let isUnreadable = set.installs.isEmpty
                let hadInstall = set.installs.remove(erasure.install)
                if hadInstall || isUnreadable { changedSets.append(set) }
                if hadInstall { erasedCount += 1 }
            }
            if !changedSets.isEmpty {
                _ = try connection.run(
                    RecentInstallSet.upsertQueries(of: changedSets) + [
                        RecentInstallSet.impactUpdate(changedSets), InstallErasure.cacheInvalidation,
                    ])
            }
            erasure.erased.sets += erasedCount
            return rows.count == Self.maxRecentSetsPerStep
        }

        /// Erases the install from the copies of leaks that merges by hand keep.
        ///
        /// - Returns: `true` if copies may be left to search.
        private func eraseFromMerges(
            _ erasure: inout InstallErasure, on connection: PostgreSQLConnection
        ) throws(StoreError) -> Bool {
            if erasure.lastSearchedMerge == .start {
                erasure.erased.samples += try connection.eraseSamplesOfMerges(install: erasure.install)
            }
            let erased = try connection.erase(
                install: erasure.install, fromMergesAfter: erasure.lastSearchedMerge,
                limit: SavedReleaseKey.maxPerStep)
            guard let erased else { return false }
            (erasure.lastSearchedMerge, erasure.erased.sets) = (
                erased.last, erasure.erased.sets + erased.erasedSets
            )
            return true
        }

        private func write(
            _ changedSets: [(row: (scope: Int64, owner: Int64, part: Int64), set: InstallSet)],
            on connection: PostgreSQLConnection
        ) throws(StoreError) {
            var queries = [
                Query(
                    """
                    update install_set i set members = d.members
                    from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[]) as d (scope, owner, part, members)
                    where i.scope = d.scope and i.owner = d.owner and i.part = d.part
                    """, .integers(changedSets.map { $0.row.scope }),
                    .integers(changedSets.map { $0.row.owner }),
                    .integers(changedSets.map { $0.row.part }), .byteArrays(changedSets.map(\.set.bytes))),
                InstallErasure.cacheInvalidation,
            ]
            for scope in InstallScope.countedScopes {
                guard let counted = InstallScope.countTable(ofScope: scope) else { continue }
                let scopeSets = changedSets.filter { $0.row.scope == scope }
                guard !scopeSets.isEmpty else { continue }
                queries.append(
                    Query(
                        """
                        update \(counted.table) t set installs = i.installs
                        from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as i (owner, part, installs)
                        where \(counted.rowCondition)
                        """, .integers(scopeSets.map { $0.row.owner }),
                        .integers(scopeSets.map { $0.row.part }),
                        .integers(scopeSets.map { $0.set.count })))
            }
            _ = try connection.run(queries)
        }
    }
#endif
