/// A connection on which a transaction merges leaks by hand, undoes such merges, and changes the copies of leaks that they save.
///
/// Most of the statements are the same in both stores. A store adds the statements about its sets of installs, and about the
/// columns that it computes from other rows.
package protocol MergeConnection: ChangeConnection {
    /// Inserts rows into a table, with the columns of its ``PortableTable``.
    func insert(_ rows: [[PortableValue]], into table: PortableTable) throws(StoreError)

    /// SQL for the builds of the leak `$1`: the row ID of the build, its release, the counts, and the set of installs.
    static var buildCountsSQL: String { get }
    /// SQL for the recent installs of the leak `$1`: the release, the day of the count, and the set.
    static var recentInstallsSQL: String { get }

    /// Deletes the counts, sets of installs and samples of a leak, and the rows of other tables that are computed from them.
    func deleteCounts(of leak: Int64) throws(StoreError)
    /// Stores the sets of installs of a leak. Its counts by build and by release are stored before.
    func insertInstalls(of contents: LeakContents, leak: Int64) throws(StoreError)
    /// Computes the columns of leaks that depend on their counts, and the rows of other tables that depend on these columns.
    func deriveColumns(ofLeaks leaks: [Int64]) throws(StoreError)
}

/// The leaks of a merge by hand, as they are stored.
package struct MergedPair: Sendable {
    /// Row IDs in `leak`.
    package var source: Int64
    package var target: Int64
    package var sourceID: LeakID
    package var targetID: LeakID
    /// Row ID in `app`.
    package var app: Int64
    package var appKey: AppKey
    package var title: String
    package var reports: Int
}

extension MergeConnection {
    /// Returns the id of the leak that a leak was merged into.
    private func target(ofMerged id: LeakID) throws(StoreError) -> LeakID? {
        try read(
            StoreRead<LeakID?>(
                "select l.key from merged_leak m join leak l on l.id = m.leak where m.key = $1::uuid", .id(id)
            ) {
                (row: NamedRow<OnlyColumn>) throws(StoreError) -> LeakID in try row.id(.value)
            })
    }

    /// Checks that two leaks may be merged by hand.
    ///
    /// - Parameter target: the id of the target, or of a leak that was merged into it.
    /// - Returns: `nil` if there is no leak with the id of the source.
    /// - Throws: ``StoreError/Reason/invalidArgument`` if they may not be merged.
    package func pair(merging source: LeakID, into target: LeakID) throws(StoreError) -> MergedPair? {
        guard let from = try read(MergeQueries.leak(withID: source)) else { return nil }
        var found = try read(MergeQueries.leak(withID: target))
        if found == nil, let other = try self.target(ofMerged: target) {
            found = try read(MergeQueries.leak(withID: other))
        }
        guard let into = found else { throw .missingMergeTarget(target) }
        guard from.row != into.row else { throw .mergeOfItself(source) }
        guard from.app == into.app else { throw .mergeAcrossApps }
        for leak in [from, into] {
            guard !LeakIdentity.isOverLimit(leak.id), leak.appKey.name != StoreLimits.other else {
                throw .collectiveLeakMerged
            }
            guard try !isDiscarded(leak.id) else { throw .discardedLeakMerged(leak.id) }
        }
        let count = try read(
            StoreRead<[Int64]>.numbers(
                "select count(*) from leak_merge where app = $1::bigint", .integer(from.app))
        ).first
        guard count ?? 0 < ManualMerge.maxPerApp else { throw .tooManyMerges(of: from.appKey.description) }
        return MergedPair(
            source: from.row, target: into.row, sourceID: from.id, targetID: into.id, app: from.app,
            appKey: from.appKey,
            title: from.title, reports: from.reports)
    }

    func isDiscarded(_ id: LeakID) throws(StoreError) -> Bool {
        try !read(
            StoreRead<[Int64]>.numbers("select 1 from discarded_leak where key = $1::uuid limit 1", .id(id))
        ).isEmpty
    }

    /// Saves a copy of two leaks before they are merged, so that the merge can be undone. Earlier merges into the source become
    /// merges into the target.
    ///
    /// - Returns: the number of the merge.
    package func save(_ pair: MergedPair, by author: String, at now: Int64) throws(StoreError) -> Int64 {
        guard let source = try contents(of: pair.source), var target = try contents(of: pair.target) else {
            throw .unreadable("a leak", in: database)
        }
        try change(
            "update leak_merge set leak = $2::bigint where leak = $1::bigint", .integer(pair.source),
            .integer(pair.target))
        let other = try read(
            StoreRead<[Int64]>.numbers(
                "select id from release where app = $1::bigint and version = $2::text",
                .integer(pair.app), .text(StoreLimits.other))
        ).first
        target.removeUnneededData(toUndoMergeOf: source, other: other)
        try change(
            """
            insert into leak_merge (app, source, module, title, leak, reports, by, at, made_by, made_at, is_shared,
              source_body, target_body)
            values ($1::bigint, $2::uuid, $3::text, $4::text, $5::bigint, $6::bigint, $7::text, $8::bigint, $9::bigint,
              $10::bigint, $11::bigint, $12::bytea, $13::bytea)
            """, .integer(pair.app), .id(pair.sourceID), .text(source.leak.module ?? ""), .text(pair.title),
            .integer(pair.target), .int(pair.reports), .text(author), .integer(now),
            .integer(source.leak.madeBy),
            .integer(source.leak.madeAt), .int(source.leak.isShared ? 1 : 0), .bytes(source.leak.bytes),
            .bytes(target.leak.bytes))
        guard
            let number = try read(
                StoreRead<[Int64]>.numbers(
                    "select id from leak_merge where source = $1::uuid", .id(pair.sourceID))
            ).first
        else { throw .unreadable("a merge", in: database) }
        for (side, contents) in [(MergeSide.source, source), (.target, target)] {
            let key: [PortableValue] = [.integer(number), .int(side.rawValue)]
            try insert(
                contents.releases.sorted { $0.key < $1.key }.map {
                    key + [.integer($0.key), .bytes($0.value.bytes)]
                },
                into: .mergeRelease)
            try insert(contents.samples.map { key + $0.columns }, into: .mergeSample)
        }
        return number
    }

    /// Makes merges by hand into some leaks merges into the leak into which a rule merges these leaks.
    ///
    /// - Returns: `true` if the target has merges by hand now.
    package func redirectMerges(of leaks: [Int64], to target: Int64) throws(StoreError) -> Bool {
        try change(
            "update leak_merge set leak = $2::bigint where leak = any($1::bigint[]) and leak <> $2::bigint",
            .integers(leaks), .integer(target))
        let merges = try read(
            StoreRead<[Int64]>.numbers(
                "select id from leak_merge where leak = $1::bigint limit 1", .integer(target)))
        return !merges.isEmpty
    }
}
