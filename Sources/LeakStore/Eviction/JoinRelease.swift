// Moving the counts of an evicted release to the release `other` of its app.
extension Writer {
    /// Maximum number of classes with checks that one step moves.
    private static let maxMovedClasses = 500

    /// The row IDs of the release `other` of an app, and of its build for the counts of evicted releases.
    private struct OtherRelease {
        var release: Int64
        var build: Int64
    }

    /// Returns the release `other`, whose times now include those of an evicted release. Inserts the release if the app has none.
    /// Undoing an ingest key does not delete the release, because its counts are of several keys.
    private func otherRelease(
        including release: Int64, of app: Int64, _ key: AppKey
    ) throws(StoreError) -> OtherRelease {
        let firstSeen = try singleNumber("select first_seen from release where id = ?", release)
        let other = try self.release(
            StoreLimits.other, of: AppEntry(id: app, key: key), key: 0, at: firstSeen, now: firstSeen
        ) { true }
        let (build, _, _) = try self.build("", of: other, key: 0, now: firstSeen) { true }
        try connection.run(
            """
            update release as o set first_seen = min(o.first_seen, r.first_seen), last_seen = max(o.last_seen, r.last_seen),
              is_shared = 1
            from release r where r.id = ?1 and o.id = ?2
            """, release, other.id)
        return OtherRelease(release: other.id, build: build)
    }

    // MARK: Leaks

    /// Moves the counts of some leaks in a release to the release `other`.
    ///
    /// - Parameter maxRows: number of changed rows after which no further leak is moved.
    /// - Returns: the number of moved leaks.
    func moveToOther(
        _ leaks: ArraySlice<Int64>, from release: Int64, of app: Int64, _ key: AppKey, maxRows: Int
    ) throws(StoreError) -> Int {
        guard !leaks.isEmpty else { return 0 }
        let other = try otherRelease(including: release, of: app, key)
        let formerChanges = connection.totalChanges
        var installs = try readStoredSet(in: InstallScope.release.rowID(ownerRowID: other.release))
        var count = 0
        for leak in leaks where count == 0 || connection.totalChanges - formerChanges < maxRows {
            installs.merge(try move(leak: leak, from: release, to: other, app: app))
            count += 1
        }
        try put(installs, in: InstallScope.release.rowID(ownerRowID: other.release))
        try connection.run("update release set installs = ? where id = ?", installs.count, other.release)
        return count
    }

    /// Moves the counts of a leak in a release to the release `other`.
    ///
    /// - Returns: the installs of the leak in both releases.
    private func move(
        leak: Int64, from release: Int64, to other: OtherRelease, app: Int64
    ) throws(StoreError) -> InstallSet {
        var installs = try installSet(ofLeak: leak, in: release)
        installs.merge(try installSet(ofLeak: leak, in: other.release))
        try connection.moveInMerges(leaks: [leak], from: release, to: other.release, build: other.build)
        try moveBuilds(of: leak, from: release, to: other.build, app: app)
        for statement: StaticString in [
            """
            insert into leak_hour (leak, hour, release, reports)
            select leak, hour, ?3, reports from leak_hour where leak = ?1 and release = ?2
            on conflict (leak, hour, release) do update set reports = min(reports + excluded.reports, LARGEST_TOTAL)
            """,
            """
            insert into leak_day (leak, day, release, reports)
            select leak, day, ?3, reports from leak_day where leak = ?1 and release = ?2
            on conflict (leak, day, release) do update set reports = min(reports + excluded.reports, LARGEST_TOTAL)
            """,
        ] { try connection.run(statement, leak, release, other.release) }
        try connection.run("delete from leak_hour where leak = ? and release = ?", leak, release)
        try connection.run("delete from leak_day where leak = ? and release = ?", leak, release)
        try moveRelease(of: leak, from: release, to: other.release, installs)
        try updateReleases(of: leak, evicted: release, to: other.release)
        return installs
    }

    /// Moves the counts of a leak in the builds of a release to the build of the release `other`.
    private func moveBuilds(
        of leak: Int64, from release: Int64, to build: Int64, app: Int64
    ) throws(StoreError) {
        let rows = try numbers(
            "select p.id from leak_build p join build b on b.id = p.build where p.leak = ? and b.release = ?",
            leak, release)
        var target = try numbers("select id from leak_build where leak = ? and build = ?", leak, build).first
        var mergedRows = 0
        for row in rows {
            if let target {
                try addBuildCounts(of: row, to: target)
                mergedRows += 1
            } else {
                try connection.run("update leak_build set build = ? where id = ?", build, row)
                target = row
            }
        }
        try connection.run("update app set cells = max(0, cells - ?) where id = ?", mergedRows, app)
        let builds = try numbers("select id from leak_build where leak = ? limit 2", leak).count
        guard builds == 1 else { return }
        // A leak that was seen in only one build has no set of its own: it uses the set of the build.
        try put(InstallSet(), in: InstallScope.leak.rowID(ownerRowID: leak))
        try compute(.leakInstalls, of: leak)
    }

    /// - Parameter installs: the installs of the leak in both releases.
    private func moveRelease(
        of leak: Int64, from release: Int64, to other: Int64, _ installs: InstallSet
    ) throws(StoreError) {
        let row = try singleNumber(
            "select id from leak_release where leak = ? and release = ?", leak, release)
        let reports = try singleNumber("select reports from leak_release where id = ?", row)
        let freed = try singleNumber("select freed from leak_release where id = ?", row)
        var target = row
        if let existing = try numbers(
            "select id from leak_release where leak = ? and release = ?", leak, other
        ).first {
            target = existing
            try addReleaseCounts(of: row, to: existing)
        } else {
            try connection.run("update leak_release set release = ? where id = ?", other, row)
            try connection.run("update release set leaks = leaks + 1 where id = ?", other)
        }
        try connection.run("update release set leaks = leaks - 1 where id = ?", release)
        let builds = try numbers(
            "select p.id from leak_build p join build b on b.id = p.build where p.leak = ? and b.release = ? limit 2",
            leak, other)
        // A release with only one build has no set of its own: it uses the set of the build.
        try put(
            builds.count > 1 ? installs : InstallSet(),
            in: InstallScope.leakRelease.rowID(ownerRowID: target))
        try connection.run("update leak_release set installs = ? where id = ?", installs.count, target)
        try connection.run(
            """
            update release set reports = reports - ?2, freed = freed - ?3
            where id = ?1 and max(reports, freed) < LARGEST_TOTAL
            """, release, reports, freed)
        if connection.changes == 0 { try compute(.releaseTotals, of: release) }
        try connection.run(
            """
            update release set reports = min(reports + ?2, LARGEST_TOTAL), freed = min(freed + ?3, LARGEST_TOTAL)
            where id = ?1
            """, other, reports, freed)
    }

    /// Updates the first and last release of a leak, and the columns that depend on them. The leak keeps the order of an
    /// evicted first release, so that it is not new in a later one.
    private func updateReleases(
        of leak: Int64, evicted release: Int64, to other: Int64
    ) throws(StoreError) {
        try connection.run(
            """
            update release set new_leaks = new_leaks + case id when ?2 then -1 else 1 end
            where id in (?2, ?3) and (select first_release from leak where id = ?1) = ?2
            """, leak, release, other)
        try connection.run(
            """
            update leak as l set is_unindexed = 1,
              first_order = case first_release when ?2 then (select order_key from release where id = ?2)
                else first_order end,
              first_release = case first_release when ?2 then ?3 else first_release end,
              last_release = (select r.id from leak_release c join release r on r.id = c.release
                where c.leak = l.id order by r.order_key desc, r.id limit 1)
            where id = ?1
            """, leak, release, other)
        try compute(.firstBuild, of: leak)
        try compute(.impact, of: leak)
    }

    // MARK: Checks and sessions

    /// Moves the checks of up to ``maxMovedClasses`` classes from a release without leaks to the release `other`. If no checks
    /// are left, moves the sessions too, and deletes the release.
    ///
    /// - Returns: `true` if the release was deleted; `false` if it may have more checks.
    func mergeIntoOther(
        emptiedRelease release: Int64, of app: Int64, _ key: AppKey
    ) throws(StoreError) -> Bool {
        let other = try otherRelease(including: release, of: app, key)
        guard try moveChecks(of: release, to: other) else { return false }
        try connection.run(
            """
            update release as o set sessions = min(o.sessions + r.sessions, LARGEST_TOTAL),
              leaky_sessions = min(o.leaky_sessions + r.leaky_sessions, LARGEST_TOTAL)
            from release r where r.id = ?1 and o.id = ?2
            """, release, other.release)
        for build in try numbers(
            "select id from build where release = ? and (session_buckets <> x'' or leaky_buckets <> x'')",
            release)
        {
            try connection.run(
                """
                update build as o set session_buckets = add_buckets(o.session_buckets, b.session_buckets),
                  leaky_buckets = add_buckets(o.leaky_buckets, b.leaky_buckets)
                from build b where b.id = ?1 and o.id = ?2
                """, build, other.build)
        }
        try connection.run(
            """
            insert into release_hour (app, hour, release, sessions, reports, bucket)
            select app, hour, ?3, sessions, reports, bucket from release_hour where app = ?1 and release = ?2
            on conflict (app, hour, release) do update set
              sessions = min(sessions + excluded.sessions, LARGEST_TOTAL),
              reports = min(reports + excluded.reports, LARGEST_TOTAL),
              bucket = case when bucket = excluded.bucket then bucket else -1 end
            """, app, release, other.release)
        var deletion = LeakDeletion()
        deletion.keepsEvents = true
        try delete(release: release, by: &deletion)
        try finish(deletion)
        try addOverLimitCount(1, of: .evictedReleases, to: AppEntry(id: app, key: key))
        return true
    }

    /// Moves the checks of up to ``maxMovedClasses`` classes. Classes beyond the limit of the target build count as `other`.
    ///
    /// - Returns: `true` if no checks are left; `false` if there may be more.
    private func moveChecks(of release: Int64, to other: OtherRelease) throws(StoreError) -> Bool {
        let select = try connection.statement(
            """
            select c.build, c.class from build b join build_check c on c.build = b.id where b.release = ? limit ?
            """)
        try select.bind(release, Self.maxMovedClasses)
        var rows: [(build: Int64, className: String)] = []
        while try select.step() { rows.append((select.int64(0), select.text(1))) }
        select.reset()
        guard !rows.isEmpty else { return true }
        for (build, className) in rows {
            try connection.run(
                """
                insert into build_check (build, class, checks, buckets)
                select ?3, case when class = 'other' or exists (select 1 from build_check where build = ?3 and class = ?2)
                  or (select count(*) from build_check where build = ?3 and class <> 'other') < ?4 then class else 'other' end,
                  checks, buckets from build_check where build = ?1 and class = ?2
                on conflict (build, class) do update set checks = min(checks + excluded.checks, LARGEST_TOTAL),
                  buckets = add_buckets(buckets, excluded.buckets)
                """, build, className, other.build, limits.checkClassesPerBuild)
            try connection.run("delete from build_check where build = ? and class = ?", build, className)
        }
        for release in [release, other.release] { try compute(.releaseChecks, of: release) }
        return rows.count < Self.maxMovedClasses
    }
}
