/// The progress of the erasure of one install, step by step.
struct InstallErasure {
    /// ``Submission/Origin/installHash``.
    let install: UInt64
    private(set) var result = ErasureResult()
    /// The entry for the audit log, until the first step has written it.
    fileprivate var pendingEntry: AuditEntry?
    /// The row ID of the last row of `sample` that was searched; -1 before the first step; `nil` if all rows were searched.
    fileprivate var lastSearchedSample: Int64? = -1
    /// The row ID up to which sets of installs that may be copied (``Writer/copiedScopes``) were searched; -1 before the first
    /// step; `nil` if all were searched.
    fileprivate var lastSearchedCopiedSet: Int64? = -1
    /// The row ID up to which all other sets of installs were searched; -1 before the first step; `nil` if all were searched.
    fileprivate var lastSearchedOtherSet: Int64? = -1
    /// The row ID up to which sets of recent installs were searched; -1 before the first step; `nil` if all were searched.
    fileprivate var lastSearchedRecentSet: Int64? = -1
    /// The row up to which the copies that merges by hand saved were searched; `nil` if all were searched.
    fileprivate var lastSearchedMerge: SavedReleaseKey? = .start

    init(install: UInt64, audit entry: AuditEntry? = nil) {
        self.install = install
        pendingEntry = entry
    }

    /// ``Writer/lastMerge()`` at the time of the previous step.
    private var lastMerge: Int64?

    /// Starts the search again if leaks were merged, deleted or evicted since the previous step.
    mutating func startAgain(after merge: Int64) {
        if let lastMerge, lastMerge != merge {
            (lastSearchedSample, lastSearchedCopiedSet, lastSearchedOtherSet) = (-1, -1, -1)
            (lastSearchedRecentSet, lastSearchedMerge) = (-1, .start)
        }
        lastMerge = merge
    }

    fileprivate mutating func addToResult(samples: Int = 0, sets: Int = 0) {
        result.samples += samples
        result.sets += sets
    }
}

extension Writer {
    private static let maxSamplesPerStep = 5_000
    /// Maximum number of sets that one step searches; up to 2 KiB each.
    private static let maxSetsPerStep = 1_000

    /// Scopes of sets that may be copied into other sets between two steps: the set of a ten-minute slot is merged into the set
    /// of its day, and the set of a leak's first build is copied when a second build appears. These sets are searched first, so
    /// that later copies do not contain the install.
    private static let copiedScopes: (InstallScope, InstallScope) = (.slot, .leakBuild)

    /// Erases the install from some rows, in a transaction of its own.
    ///
    /// - Returns: `true` if another step is needed.
    func runStep(of erasure: inout InstallErasure) throws(StoreError) -> Bool {
        do throws(StoreError) {
            var next = erasure
            try connection.transaction(.immediate) { () throws(StoreError) in
                try clearCachesIfOthersWrote()
                try record(next.pendingEntry)
                next.pendingEntry = nil
                // A merge or an eviction of leaks may move data into rows that earlier steps have searched.
                try next.startAgain(after: lastMerge())
                if let last = next.lastSearchedSample {
                    try eraseSamples(after: last, &next)
                } else if let last = next.lastSearchedCopiedSet {
                    next.lastSearchedCopiedSet = try eraseFromSets(after: last, isCopied: true, &next)
                } else if let last = next.lastSearchedOtherSet {
                    next.lastSearchedOtherSet = try eraseFromSets(after: last, isCopied: false, &next)
                } else if let last = next.lastSearchedRecentSet {
                    next.lastSearchedRecentSet = try eraseFromRecentSets(after: last, &next)
                } else if let last = next.lastSearchedMerge {
                    next.lastSearchedMerge = try eraseFromMerges(after: last, &next)
                }
            }
            erasure = next
            return next.lastSearchedSample != nil || next.lastSearchedCopiedSet != nil
                || next.lastSearchedOtherSet != nil || next.lastSearchedRecentSet != nil
                || next.lastSearchedMerge != nil
        } catch {
            clearCaches()
            throw error
        }
    }

    private func eraseSamples(after previousRowID: Int64, _ next: inout InstallErasure) throws(StoreError) {
        // Between two steps, samples may be added to the log.
        try flushLogs()
        next.lastSearchedSample = try lastRowID(
            "select max(id) from (select id from sample where id > ? order by id limit ?)",
            after: previousRowID,
            limit: Self.maxSamplesPerStep)
        guard let last = next.lastSearchedSample else { return }
        try connection.run(
            "delete from sample where id > ? and id <= ? and install_hash = ?", previousRowID, last,
            Int64(bitPattern: next.install))
        guard connection.changes > 0 else { return }
        next.addToResult(samples: connection.changes)
        // The cached entries of leaks contain the times of their first and newest samples.
        caches.removeAll()
    }

    /// Removes the install from the next sets of installs.
    ///
    /// - Parameter isCopied: `true` for the sets that may be copied (``copiedScopes``), `false` for all others.
    /// - Returns: the row ID of the last row that was searched; `nil` if there were no more rows.
    private func eraseFromSets(
        after previousRowID: Int64, isCopied: Bool, _ next: inout InstallErasure
    ) throws(StoreError) -> Int64? {
        // Between two steps, installs may be added to the logs.
        try flushLogs()
        let last = try lastRowID(
            "select max(id) from (select id from install_set where id > ? order by id limit ?)",
            after: previousRowID,
            limit: Self.maxSetsPerStep)
        guard let last else { return nil }
        let select = try connection.statement(
            """
            select id, members from install_set where id > ? and id <= ? and (id & 7 in (?, ?)) = ? order by id
            """)
        defer { select.reset() }
        try select.bind(
            previousRowID, last, Self.copiedScopes.0.rawValue, Self.copiedScopes.1.rawValue, isCopied ? 1 : 0)
        var changed: [(rowID: Int64, set: InstallSet)] = []
        while try select.step() {
            guard var set = InstallSet(bytes: select.bytes(1)) else {
                throw .unreadable("a set of installs", in: connection.path)
            }
            if set.remove(next.install) { changed.append((select.int64(0), set)) }
        }
        guard !changed.isEmpty else { return last }
        for (rowID, set) in changed { try replace(set, in: rowID) }
        try reindexAll()
        next.addToResult(sets: changed.count)
        // Cached entries contain the sets and their sizes.
        caches.removeAll()
        return last
    }

    /// Removes the install from the next sets of recent installs.
    ///
    /// - Returns: the row ID of the last row that was searched; `nil` if there were no more rows.
    private func eraseFromRecentSets(
        after previousRowID: Int64, _ next: inout InstallErasure
    ) throws(StoreError) -> Int64? {
        // Between two steps, installs may be added to the logs.
        try flushLogs()
        let sets = try connection.recentInstallSets(after: previousRowID, limit: Self.maxSetsPerStep)
        guard let last = sets.last?.leakReleaseRowID else { return nil }
        var (isChanged, erasedCount) = (false, 0)
        for var set in sets {
            // A set that cannot be parsed is read as an empty set. It may contain the install, so it is deleted.
            let isUnreadable = set.installs.isEmpty
            let hadInstall = set.installs.remove(next.install)
            guard hadInstall || isUnreadable else { continue }
            try connection.put(set)
            isChanged = true
            if hadInstall { erasedCount += 1 }
        }
        guard isChanged else { return last }
        next.addToResult(sets: erasedCount)
        // The caches may still have the install as counted today, so that its next report would not add it to the set again.
        caches.removeAll()
        return last
    }

    /// Removes the install from the next copies that merges by hand saved. The first call deletes all saved samples of the install.
    ///
    /// - Returns: the key of the last row that was searched; `nil` if there were no more rows.
    private func eraseFromMerges(
        after last: SavedReleaseKey, _ next: inout InstallErasure
    ) throws(StoreError) -> SavedReleaseKey? {
        if last == .start {
            next.addToResult(samples: try connection.eraseSamplesOfMerges(install: next.install))
        }
        let erased = try connection.erase(
            install: next.install, fromMergesAfter: last, limit: SavedReleaseKey.maxPerStep)
        next.addToResult(sets: erased?.erasedSets ?? 0)
        return erased?.last
    }

    private func lastRowID(
        _ sql: StaticString, after previousRowID: Int64, limit: Int
    ) throws(StoreError) -> Int64? {
        let select = try connection.statement(sql)
        defer { select.reset() }
        try select.bind(previousRowID, limit)
        return try select.step() ? select.optionalInt64(0) : nil
    }

    /// Stores a set, and its size in the row that the set belongs to.
    private func replace(_ set: InstallSet, in rowID: Int64) throws(StoreError) {
        try connection.run("update install_set set members = ? where id = ?", set.bytes, rowID)
        let owner = rowID >> 3
        switch InstallScope(rawValue: rowID & 7) {
        case .leak:
            try connection.run(
                "update leak set is_unindexed = 1, installs = ? where id = ?", set.count, owner)
        case .release: try connection.run("update release set installs = ? where id = ?", set.count, owner)
        case .leakRelease:
            try connection.run("update leak_release set installs = ? where id = ?", set.count, owner)
        case .leakBuild:
            try connection.run("update leak_build set installs = ? where id = ?", set.count, owner)
            // A leak, or a leak in a release, that was seen only in this build has no set of its own: it uses the set of the
            // build.
            try connection.run(
                """
                update leak set is_unindexed = 1, installs = ?1 where id = (select leak from leak_build where id = ?2)
                  and not exists (select 1 from install_set where id = leak.id << 3)
                """, set.count, owner)
            try connection.run(
                """
                update leak_release set installs = ?1
                where (leak, release) = (select p.leak, b.release from leak_build p join build b on b.id = p.build
                    where p.id = ?2)
                  and not exists (select 1 from install_set where id = leak_release.id << 3 | 4)
                """, set.count, owner)
        case .slot, .day, nil: break
        }
    }
}
