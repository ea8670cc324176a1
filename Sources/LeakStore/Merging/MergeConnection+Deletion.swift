// Deleting and changing the copies of leaks that merges by hand saved.
extension MergeConnection {
    /// Deletes the copies that merges by hand saved of leaks that are deleted, completely or in one release. Otherwise undoing a
    /// merge would restore deleted counts.
    ///
    /// - Parameter release: the row ID of the release; `nil` for all releases. Then the merges are deleted too, and a later report
    ///   of a merged leak creates that leak again.
    package func deleteFromMerges(leaks: [Int64], release: Int64?) throws(StoreError) {
        guard let release else {
            return try deleteMerges(where: "leak = any($1::bigint[])", .integers(leaks))
        }
        let merges = "merge in (select id from leak_merge where leak = any($1::bigint[]))"
        try change(
            .composed("delete from leak_merge_release where release = $2::bigint and \(merges)"),
            .integers(leaks),
            .integer(release))
        try change(
            .composed(
                """
                delete from leak_merge_sample where \(merges) and (
                  version = (select version from release where id = $2::bigint)
                  or exists (select 1 from release where id = $2::bigint and version = '\(StoreLimits.other)')
                    and not exists (select 1 from release r join release o on o.app = r.app
                      where o.id = $2::bigint and r.version = leak_merge_sample.version))
                """), .integers(leaks), .integer(release))
        try change(
            """
            update leak_merge set source_body = ''::bytea where leak = any($1::bigint[])
              and not exists (select 1 from leak_merge_release r where r.merge = leak_merge.id and r.side = 0)
            """, .integers(leaks))
    }

    func deleteMerges(where condition: String, _ value: StoreValue) throws(StoreError) {
        for table in ["leak_merge_release", "leak_merge_sample"] {
            try change(
                .composed(
                    "delete from \(table) where merge in (select id from leak_merge where \(condition))"),
                value)
        }
        try change(.composed("delete from leak_merge where \(condition)"), value)
    }

    private func update(_ release: SavedRelease) throws(StoreError) {
        try change(
            """
            update leak_merge_release set body = $4::bytea
            where merge = $1::bigint and side = $2::bigint and release = $3::bigint
            """, .integer(release.merge), .int(release.side), .integer(release.release),
            .bytes(release.contents.bytes))
    }

    /// Moves the counts of leaks in a release, in the copies that merges by hand saved, to a build of another release.
    package func moveInMerges(leaks: [Int64], from release: Int64, to other: Int64, build: Int64)
        throws(StoreError)
    {
        let saved = try read(
            MergeQueries.savedReleases(
                """
                release in ($2::bigint, $3::bigint) and merge in (select id from leak_merge where leak = any($1::bigint[]))
                """, .integers(leaks), .integer(release), .integer(other)))
        let others = Dictionary(
            uniqueKeysWithValues: saved.filter { $0.release == other }.map { ($0.key, $0) })
        for moved in saved where moved.release == release {
            let key = SavedReleaseKey(merge: moved.merge, side: moved.side, release: other)
            try change(
                """
                delete from leak_merge_release where merge = $1::bigint and side = $2::bigint and release = $3::bigint
                """, .integer(moved.merge), .int(moved.side), .integer(release))
            if var present = others[key] {
                present.contents.add(moved.contents, to: build)
                try update(present)
            } else {
                var contents = LeakContents.Release()
                contents.add(moved.contents, to: build)
                try insert(
                    [[.integer(moved.merge), .int(moved.side), .integer(other), .bytes(contents.bytes)]],
                    into: .mergeRelease)
            }
        }
    }

    /// Removes an install from some of the sets that merges by hand saved.
    ///
    /// - Returns: the last saved release that was searched; `nil` if there are no more after `last`.
    package func erase(
        install: UInt64, fromMergesAfter last: SavedReleaseKey, limit: Int
    ) throws(StoreError) -> (last: SavedReleaseKey, erasedSets: Int)? {
        let releases = try read(
            MergeQueries.savedReleases(
                """
                (merge, side, release) > ($1::bigint, $2::bigint, $3::bigint) order by merge, side, release
                limit $4::bigint
                """, .integer(last.merge), .int(last.side), .integer(last.release), .int(limit)))
        guard let end = releases.last else { return nil }
        var count = 0
        for var release in releases where release.contents.remove(install: install) {
            try update(release)
            count += 1
        }
        return (SavedReleaseKey(merge: end.merge, side: end.side, release: end.release), count)
    }

    /// Deletes those samples of an install that merges by hand saved.
    ///
    /// - Returns: the number of deleted samples.
    package func eraseSamplesOfMerges(install: UInt64) throws(StoreError) -> Int {
        try change(
            "delete from leak_merge_sample where install_hash = $1::bigint",
            .integer(Int64(bitPattern: install)))
    }

    /// Returns the numbers of the merges by hand whose saved copies cannot be parsed, completely or in part.
    package func unreadableMerges() throws(StoreError) -> Set<Int64> {
        var numbers: Set<Int64> = []
        var lastMerge: Int64 = -1
        while true {
            let merges = try read(
                MergeQueries.mergeReadability(after: lastMerge, limit: SavedReleaseKey.maxPerStep))
            numbers.formUnion(merges.filter { !$0.isReadable }.map(\.number))
            guard let last = merges.last else { break }
            lastMerge = last.number
        }
        var lastRelease = SavedReleaseKey.start
        while true {
            let releases = try read(
                MergeQueries.releaseReadability(after: lastRelease, limit: SavedReleaseKey.maxPerStep))
            numbers.formUnion(releases.filter { !$0.isReadable }.map(\.key.merge))
            guard let last = releases.last else { break }
            lastRelease = last.key
        }
        return numbers
    }

    /// Deletes the merges of ``unreadableMerges()`` with their saved copies, so that these merges can no longer be undone. The
    /// reports of their sources still count for the targets. A later report of a source creates that leak again.
    ///
    /// - Returns: the number of deleted merges.
    package func deleteUnreadableMerges() throws(StoreError) -> Int {
        let numbers = try unreadableMerges().sorted()
        try deleteMerges(where: "id = any($1::bigint[])", .integers(numbers))
        return numbers.count
    }
}
