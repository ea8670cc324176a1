// Merging the counts of leaks by build and by release, and their sets of installs.
extension Writer {
    func unionOfInstalls(ofLeaks one: Int64, _ other: Int64) throws(StoreError) -> InstallSet {
        var union = try installs(ofLeak: one)
        union.merge(try installs(ofLeak: other))
        return union
    }

    /// Returns the installs of a leak. A leak that was seen in only one build has no set of its own: it uses the set of the
    /// build.
    private func installs(ofLeak leak: Int64) throws(StoreError) -> InstallSet {
        try installSet(
            by: """
                select i.members from install_set i where i.id = coalesce((select id from install_set where id = ?1 << 3),
                  (select id << 3 | 1 from leak_build where leak = ?1 limit 1))
                """, leak)
    }

    /// Returns the installs of both leaks in each release that the source was seen in, by row ID in `release`.
    func readUnionsByRelease(_ source: Int64, _ target: Int64) throws(StoreError) -> [Int64: InstallSet] {
        var unions: [Int64: InstallSet] = [:]
        for release in try numbers("select release from leak_release where leak = ?", source) {
            for leak in [source, target] {
                unions[release, default: InstallSet()].merge(try installSet(ofLeak: leak, in: release))
            }
        }
        return unions
    }

    /// Returns the installs of a leak in a release. A release with only one build has no set of its own: it uses the set of the
    /// build.
    func installSet(ofLeak leak: Int64, in release: Int64) throws(StoreError) -> InstallSet {
        try installSet(
            by: """
                select i.members from leak_release c join install_set i on i.id = coalesce(
                  (select id from install_set where id = c.id << 3 | 4),
                  (select p.id << 3 | 1 from leak_build p join build b on b.id = p.build
                   where p.leak = c.leak and b.release = c.release limit 1))
                where c.leak = ?1 and c.release = ?2
                """, leak, release)
    }

    /// Moves the counts by build, and their sets of installs, from one leak to another leak.
    func mergeBuilds(of source: Int64, into target: Int64) throws(StoreError) {
        let commonBuilds = try numbers(
            """
            select build from leak_build where leak = ?1
              and build in (select build from leak_build where leak = ?2)
            """, source, target)
        for build in commonBuilds {
            let sourceRowID = try singleNumber(
                "select id from leak_build where leak = ? and build = ?", source, build)
            let targetRowID = try singleNumber(
                "select id from leak_build where leak = ? and build = ?", target, build)
            try addBuildCounts(of: sourceRowID, to: targetRowID)
        }
        try connection.run("update leak_build set leak = ? where leak = ?", target, source)
        try connection.run(
            "update app set cells = cells - ? where id = (select app from leak where id = ?)",
            commonBuilds.count,
            target)
    }

    /// Adds the counts and installs of a row of `leak_build` to another row, and deletes the first.
    func addBuildCounts(of source: Int64, to target: Int64) throws(StoreError) {
        var installs = try readStoredSet(in: InstallScope.leakBuild.rowID(ownerRowID: target))
        installs.merge(try readStoredSet(in: InstallScope.leakBuild.rowID(ownerRowID: source)))
        try put(installs, in: InstallScope.leakBuild.rowID(ownerRowID: target))
        try put(InstallSet(), in: InstallScope.leakBuild.rowID(ownerRowID: source))
        try connection.run(
            """
            update leak_build set reports = min(leak_build.reports + s.reports, LARGEST_TOTAL),
              freed = min(leak_build.freed + s.freed, LARGEST_TOTAL), installs = ?3,
              buckets = add_buckets(leak_build.buckets, s.buckets)
            from leak_build s where s.id = ?1 and leak_build.id = ?2
            """, source, target, installs.count)
        try connection.run("delete from leak_build where id = ?", source)
    }

    /// Moves the counts by release from one leak to another leak. ``mergeBuilds(of:into:)`` has moved the builds before.
    ///
    /// - Parameter unions: the result of ``readUnionsByRelease(_:_:)`` before the merge.
    func mergeReleases(
        of source: Int64, into target: Int64, _ unions: [Int64: InstallSet]
    ) throws(StoreError) {
        for (release, union) in unions.sorted(by: { $0.key < $1.key }) {
            let sourceRowID = try singleNumber(
                "select id from leak_release where leak = ? and release = ?", source, release)
            var targetRowID = sourceRowID
            if let existingRowID = try numbers(
                "select id from leak_release where leak = ? and release = ?", target, release
            ).first {
                targetRowID = existingRowID
                try addReleaseCounts(of: sourceRowID, to: targetRowID)
                try connection.run("update release set leaks = leaks - 1 where id = ?", release)
            } else {
                try connection.run("update leak_release set leak = ? where id = ?", target, sourceRowID)
            }
            let builds = try numbers(
                """
                select p.id from leak_build p join build b on b.id = p.build where p.leak = ? and b.release = ?
                """, target, release)
            // A release with only one build has no set of its own: it uses the set of the build.
            try put(
                builds.count > 1 ? union : InstallSet(),
                in: InstallScope.leakRelease.rowID(ownerRowID: targetRowID))
            try connection.run("update leak_release set installs = ? where id = ?", union.count, targetRowID)
        }
    }

    /// Adds the counts and recent installs of a row of `leak_release` to another row, and deletes the first with its set of
    /// installs.
    func addReleaseCounts(of source: Int64, to target: Int64) throws(StoreError) {
        try connection.run(
            """
            update leak_release set reports = min(leak_release.reports + s.reports, LARGEST_TOTAL),
              freed = min(leak_release.freed + s.freed, LARGEST_TOTAL)
            from leak_release s where s.id = ?1 and leak_release.id = ?2
            """, source, target)
        try put(InstallSet(), in: InstallScope.leakRelease.rowID(ownerRowID: source))
        try mergeRecentInstalls(of: source, into: target)
        try connection.run("delete from leak_release where id = ?", source)
    }

    /// Merges the recent installs of two rows of `leak_release`.
    private func mergeRecentInstalls(of source: Int64, into target: Int64) throws(StoreError) {
        var sets = (
            source: try connection.recentInstallSet(source), target: try connection.recentInstallSet(target)
        )
        sets.target.day = max(sets.target.day, sets.source.day)
        sets.target.installs.merge(sets.source.installs)
        sets.source.installs = RecentInstalls()
        try connection.put(sets.source)
        try connection.put(sets.target)
    }

    func readStoredSet(in rowID: Int64) throws(StoreError) -> InstallSet {
        try installSet(by: "select members from install_set where id = ?", rowID)
    }

    func installSet<each Value: Bindable>(
        by sql: StaticString, _ values: repeat each Value
    ) throws(StoreError) -> InstallSet {
        let select = try connection.statement(sql)
        defer { select.reset() }
        try select.bind(repeat each values)
        guard try select.step() else { return InstallSet() }
        guard let set = InstallSet(bytes: select.bytes(0)) else {
            throw .unreadable("a set of installs", in: connection.path)
        }
        return set
    }

    /// Stores a set, or deletes its row if the set is empty.
    func put(_ set: InstallSet, in rowID: Int64) throws(StoreError) {
        guard !set.isEmpty else {
            return try connection.run("delete from install_set where id = ?", rowID)
        }
        try connection.run(
            """
            insert into install_set (id, members) values (?, ?)
            on conflict (id) do update set members = excluded.members
            """, rowID, set.bytes)
    }

    func numbers<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value
    ) throws(StoreError) -> [Int64] {
        let select = try connection.statement(sql)
        defer { select.reset() }
        try select.bind(repeat each values)
        var numbers: [Int64] = []
        while try select.step() { numbers.append(select.int64(0)) }
        return numbers
    }

    /// Computes the columns of a row that a ``RowCheck`` compares with other rows.
    func compute(_ check: RowCheck, of row: Int64) throws(StoreError) {
        guard let update = check.rowUpdateSQL else { return }
        try connection.statement(composed: update).run(row)
    }

    /// Returns the number that a query selects.
    ///
    /// - Throws: ``StoreError/Reason/corrupt`` if it selects no row.
    func singleNumber<each Value: Bindable>(
        _ sql: StaticString, _ values: repeat each Value
    ) throws(StoreError) -> Int64 {
        guard let number = try numbers(sql, repeat each values).first else {
            throw .unreadable("the counts of a leak", in: connection.path)
        }
        return number
    }
}
