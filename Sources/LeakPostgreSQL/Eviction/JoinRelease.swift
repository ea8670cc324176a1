#if PostgreSQL
    internal import LeakStore

    /// Moves the counts of an evicted release to the release `other` of its app, which is locked.
    struct JoinRelease {
        /// Maximum number of classes with checks that one step moves.
        private static let maxMovedClasses = 500

        private let release: Int64
        private let app: Int64
        /// The row ID of the release `other`.
        private let other: Int64
        /// The row ID of the build of the release `other` for the counts of evicted releases.
        private let build: Int64
        private let connection: PostgreSQLConnection

        private var releases: [Parameter] { [.integer(release), .integer(other)] }

        /// Finds or inserts the release `other`, whose times then include those of the evicted release. It is marked as shared, so
        /// that undoing an ingest key does not delete it: its counts are of several keys.
        init(_ release: Int64, of app: Int64, on connection: PostgreSQLConnection) throws(StoreError) {
            let name = StoreLimits.other
            let answers = try connection.run([
                Query(
                    """
                    insert into release as o (app, version, order_key, first_seen, last_seen, is_shared)
                    select app, $2::text, $3::bytea, first_seen, last_seen, 1 from release where id = $1::bigint
                    on conflict (app, version) do update set first_seen = least(o.first_seen, excluded.first_seen),
                      last_seen = greatest(o.last_seen, excluded.last_seen),
                      is_shared = 1
                    """, .integer(release), .text(name), .bytes(VersionOrder(name).key)),
                Query(
                    """
                    insert into build (release, name, order_key)
                    select id, '', $3::bytea from release where app = $1::bigint and version = $2::text
                    on conflict (release, name) do nothing
                    """, .integer(app), .text(name), .bytes(VersionOrder("").key)),
                Query(
                    """
                    select r.id, b.id from release r join build b on b.release = r.id and b.name = ''
                    where r.app = $1::bigint and r.version = $2::text
                    """, .integer(app), .text(name)),
            ])
            guard let row = answers[2].first else { throw .unreadable("a name", in: connection.name) }
            (self.release, self.app, self.connection) = (release, app, connection)
            (other, build) = (row.int64(0), row.int64(1))
        }

        // MARK: Leaks

        /// Moves the counts of leaks in the release.
        func move(_ leaks: [Int64]) throws(StoreError) {
            try connection.moveInMerges(leaks: leaks, from: release, to: other, build: build)
            let rowIDs = Parameter.integers(leaks.map(Optional.some))
            let values = [rowIDs, .integer(release), .integer(other)]
            let answers = try connection.run([
                Query(
                    """
                    select distinct b.id from build b join leak_build p on p.build = b.id
                    where b.release = $2::bigint and p.leak = any($1::bigint[]) order by b.id
                    """, rowIDs, .integer(release)),
                Query(
                    """
                    select i.owner, i.members from install_set i
                    where i.scope = 2 and i.owner = any($1::bigint[]) and i.part in ($2::bigint, $3::bigint)
                    """, values),
                // The set of a leak in the release contains the sets of its builds, so it is read in their place.
                Query(
                    """
                    select i.owner, i.members from install_set i where i.owner = any($1::bigint[])
                      and (i.scope = 2 and i.part = $2::bigint or i.scope = 1 and i.part = $3::bigint)
                    """, rowIDs, .integer(release), .integer(build)),
                Query(
                    "select 0::bigint, members from install_set where scope = 3 and owner = $1::bigint",
                    .integer(other)),
                Query(
                    """
                    select \(RecentInstallSet.columns) from recent_install_set s
                    where s.leak = any($1::bigint[]) and s.release in ($2::bigint, $3::bigint)
                    """, values),
                Query("select count(*) from leak_build where leak = any($1::bigint[])", rowIDs),
            ])
            var queries = [
                Query(
                    """
                    update release r set new_leaks = r.new_leaks - l.leaks
                    from (select first_release, count(*) as leaks from leak where id = any($1::bigint[])
                      group by first_release) as l
                    where r.id = l.first_release
                    """, rowIDs)
            ]
            for build in answers[0] { queries += buildQueries(build.int64(0), rowIDs) }
            queries += timesQueries(values)
            queries += countsQueries(values)
            queries += try installsQueries(
                inRelease: answers[1], inBuild: answers[2], ofOther: answers[3], leaks: leaks)
            queries += recentInstallsQueries(answers[4], values)
            queries += leaksQueries(leaks, formerBuilds: answers[5].first?.int(0) ?? 0)
            _ = try connection.run(queries)
        }

        /// Returns queries that move the counts of leaks in a build.
        private func buildQueries(_ source: Int64, _ leaks: Parameter) -> [Query] {
            let buckets = BucketCountsNumeric.sumSQL(
                "known.buckets", "excluded.buckets", totalSQL: "known.reports + excluded.reports")
            return [
                Query(
                    """
                    insert into leak_build as known (leak, build, reports, freed, installs, buckets)
                    select leak, $3::bigint, reports, freed, installs, buckets from leak_build
                    where leak = any($1::bigint[]) and build = $2::bigint
                    on conflict (leak, build) do update set
                      reports = least(known.reports + excluded.reports, LARGEST_TOTAL),
                      freed = least(known.freed + excluded.freed, LARGEST_TOTAL), buckets = \(buckets)
                    """, leaks, .integer(source), .integer(build)),
                Query(
                    "delete from leak_build where leak = any($1::bigint[]) and build = $2::bigint", leaks,
                    .integer(source)),
                Query(
                    """
                    delete from install_set where scope = 1 and owner = any($1::bigint[]) and part = $2::bigint
                    """, leaks, .integer(source)),
            ]
        }

        /// Returns queries that move the counts by hour and day.
        ///
        /// - Parameter values: the row IDs of the leaks, of the release, and of the release `other`.
        private func timesQueries(_ values: [Parameter]) -> [Query] {
            [("leak_hour", "hour"), ("leak_day", "day")].flatMap { table, time in
                [
                    Query(
                        """
                        insert into \(table) as known (leak, \(time), release, reports)
                        select leak, \(time), $3::bigint, reports from \(table)
                        where leak = any($1::bigint[]) and release = $2::bigint
                        on conflict (leak, \(time), release) do update set
                          reports = least(known.reports + excluded.reports, LARGEST_TOTAL)
                        """, values),
                    Query(
                        "delete from \(table) where leak = any($1::bigint[]) and release = $2::bigint",
                        Array(values.prefix(2))),
                ]
            }
        }

        /// Returns queries that move the counts by release.
        private func countsQueries(_ values: [Parameter]) -> [Query] {
            [
                Query(
                    """
                    insert into leak_release as known (leak, release, reports, freed, installs)
                    select leak, $3::bigint, reports, freed, installs from leak_release
                    where leak = any($1::bigint[]) and release = $2::bigint
                    on conflict (leak, release) do update set
                      reports = least(known.reports + excluded.reports, LARGEST_TOTAL),
                      freed = least(known.freed + excluded.freed, LARGEST_TOTAL)
                    """, values),
                Query(
                    "delete from leak_release where leak = any($1::bigint[]) and release = $2::bigint",
                    Array(values.prefix(2))),
                Query(
                    """
                    update release r set leaks = (select count(*) from leak_release where release = r.id)
                    where r.id in ($1::bigint, $2::bigint)
                    """, releases),
                DerivedColumns.releaseTotals.update(of: [release, other]),
            ]
        }

        /// Returns queries that store the installs of the leaks in the release `other` and in its build, and all installs of the
        /// release `other`.
        private func installsQueries(
            inRelease rows: Rows, inBuild buildRows: Rows, ofOther otherRows: Rows, leaks: [Int64]
        ) throws(StoreError) -> [Query] {
            let sets = try unions(rows)
            let buildSets = try unions(buildRows)
            var all = try unions(otherRows)[0] ?? InstallSet()
            for set in sets.values { all.merge(set) }
            let empty = InstallSet()
            var stored: [(row: (scope: Int64, owner: Int64, part: Int64), members: [UInt8])] = []
            for (leak, set) in sets where set != empty {
                stored.append((InstallScope.leakRelease(leak: leak, release: other).row, set.bytes))
            }
            for (leak, set) in buildSets where set != empty {
                stored.append((InstallScope.leakBuild(leak: leak, build: build).row, set.bytes))
            }
            if all != empty { stored.append((InstallScope.release(rowID: other).row, all.bytes)) }
            let rowIDs = Parameter.integers(leaks.map(Optional.some))
            return [
                Query(
                    """
                    delete from install_set where scope = 2 and owner = any($1::bigint[]) and part = $2::bigint
                    """, rowIDs, .integer(release)),
                .setsUpsert(stored),
                Query(
                    """
                    update leak_release c set installs = d.installs
                    from unnest($1::bigint[], $2::bigint[]) as d (leak, installs)
                    where c.leak = d.leak and c.release = $3::bigint
                    """, rowIDs, .integers(leaks.map { sets[$0]?.count ?? 0 }), .integer(other)),
                Query(
                    """
                    update leak_build c set installs = d.installs
                    from unnest($1::bigint[], $2::bigint[]) as d (leak, installs)
                    where c.leak = d.leak and c.build = $3::bigint
                    """, rowIDs, .integers(leaks.map { buildSets[$0]?.count ?? 0 }), .integer(build)),
                Query(
                    "update release set installs = $2::bigint where id = $1::bigint", .integer(other),
                    .integer(all.count)),
            ]
        }

        /// Returns the unions of sets of installs, by the row ID in the first column.
        private func unions(_ rows: Rows) throws(StoreError) -> [Int64: InstallSet] {
            try LeakDeletion(app: app, connection: connection).unions(rows)
        }

        private func recentInstallsQueries(_ rows: Rows, _ values: [Parameter]) -> [Query] {
            var merged: [Int64: RecentInstallSet] = [:]
            for row in rows {
                let set = RecentInstallSet(row)
                let leak = set.key.leak
                var union = merged[leak] ?? RecentInstallSet(key: .init(leak: leak, release: other))
                union.installs.merge(set.installs)
                union.day = max(union.day, set.day)
                merged[leak] = union
            }
            return [
                Query(
                    "delete from recent_install_set where leak = any($1::bigint[]) and release = $2::bigint",
                    Array(values.prefix(2)))
            ] + RecentInstallSet.upsertQueries(of: Array(merged.values))
        }

        /// Returns queries that update the columns of the leaks that depend on their releases and builds. `first_order` keeps the
        /// order of an evicted first release, so that the leak does not count as new in a later release.
        private func leaksQueries(_ leaks: [Int64], formerBuilds: Int) -> [Query] {
            let rowIDs = Parameter.integers(leaks.map(Optional.some))
            return [
                Query(
                    """
                    update app set cells = greatest(0, cells - $3::bigint
                      + (select count(*) from leak_build where leak = any($1::bigint[]))) where id = $2::bigint
                    """, rowIDs, .integer(app), .integer(formerBuilds)),
                Query(
                    """
                    update leak l set
                      first_order = case l.first_release when $2::bigint
                        then (select order_key from release where id = $2::bigint) else l.first_order end,
                      first_release = case l.first_release when $2::bigint then $3::bigint else l.first_release end,
                      last_release = (select r.id from leak_release c join release r on r.id = c.release
                        where c.leak = l.id order by r.order_key desc, r.id limit 1)
                    where l.id = any($1::bigint[])
                    """, rowIDs, .integer(release), .integer(other)),
                Query(
                    """
                    update release r set new_leaks = r.new_leaks + l.leaks
                    from (select first_release, count(*) as leaks from leak where id = any($1::bigint[])
                      group by first_release) as l
                    where r.id = l.first_release
                    """, rowIDs),
                DerivedColumns.leakBuilds.update(of: leaks), DerivedColumns.firstBuild.update(of: leaks),
                DerivedColumns.impact.update(of: leaks),
                // The reports of a leak in a period stay the same, because only their release changes.
                Query(
                    PeriodColumns.releaseRebuildStatement(
                        " where n.leak = any($1::bigint[]) and n.release = $2::bigint"),
                    rowIDs, .integer(other)),
            ]
        }

        // MARK: Checks and sessions

        /// Moves the checks of up to ``maxMovedClasses`` classes of the release. Classes beyond the limit of the build count as
        /// `other`.
        ///
        /// - Returns: `true` if no checks are left.
        func moveChecks(maxClasses: Int) throws(StoreError) -> Bool {
            let buckets = BucketCountsNumeric.sumSQL(
                "known.buckets", "excluded.buckets", totalSQL: "known.checks + excluded.checks")
            let rows = try connection.run(
                Query(
                    """
                    select c.build, c.class from build b join build_check c on c.build = b.id
                    where b.release = $1::bigint order by c.build, c.class limit $2::bigint
                    """, .integer(release), .integer(Self.maxMovedClasses)))
            guard rows.count > 0 else { return true }
            var queries: [Query] = []
            for row in rows {
                let values: [Parameter] = [.integer(row.int64(0)), .text(row.text(1))]
                queries.append(
                    Query(
                        """
                        insert into build_check as known (build, class, checks, buckets)
                        select $3::bigint, case when c.class = 'other'
                            or exists (select 1 from build_check where build = $3::bigint and class = c.class)
                            or (select count(*) from build_check where build = $3::bigint and class <> 'other') < $4::bigint
                          then c.class else 'other' end, c.checks, c.buckets
                        from build_check c where c.build = $1::bigint and c.class = $2::text
                        on conflict (build, class) do update set
                          checks = least(known.checks + excluded.checks, LARGEST_TOTAL), buckets = \(buckets)
                        """, values + [.integer(build), .integer(maxClasses)]))
                queries.append(
                    Query("delete from build_check where build = $1::bigint and class = $2::text", values))
            }
            queries.append(DerivedColumns.releaseChecks.update(of: [release, other]))
            _ = try connection.run(queries)
            return rows.count < Self.maxMovedClasses
        }

        /// Moves the sessions of the release, which has no leaks and no checks, and deletes the release.
        func finish() throws(StoreError) {
            let builds = try connection.run(
                Query(
                    """
                    select id from build where release = $1::bigint and (session_buckets <> 0 or leaky_buckets <> 0)
                    order by id
                    """, .integer(release)))
            let sum = { (column: String) in
                BucketCountsNumeric.sumSQL("o.\(column)", "b.\(column)", totalSQL: "r.sessions")
            }
            var queries = [
                Query(
                    """
                    update release o set sessions = least(o.sessions + r.sessions, LARGEST_TOTAL),
                      leaky_sessions = least(o.leaky_sessions + r.leaky_sessions, LARGEST_TOTAL)
                    from release r where r.id = $1::bigint and o.id = $2::bigint
                    """, releases)
            ]
            for row in builds {
                queries.append(
                    Query(
                        """
                        update build o set session_buckets = \(sum("session_buckets")), leaky_buckets = \(sum("leaky_buckets"))
                        from build b, release r where b.id = $1::bigint and o.id = $2::bigint and r.id = o.release
                        """, .integer(row.int64(0)), .integer(build)))
            }
            queries.append(
                Query(
                    """
                    insert into release_hour as known (app, hour, release, sessions, reports, bucket)
                    select app, hour, $3::bigint, sessions, reports, bucket from release_hour
                    where app = $1::bigint and release = $2::bigint
                    on conflict (app, hour, release) do update set
                      sessions = least(known.sessions + excluded.sessions, LARGEST_TOTAL),
                      reports = least(known.reports + excluded.reports, LARGEST_TOTAL),
                      bucket = case when known.bucket = excluded.bucket then known.bucket else -1 end
                    """, .integer(app), .integer(release), .integer(other)))
            _ = try connection.run(queries)
            var deletion = LeakDeletion(app: app, connection: connection)
            deletion.keepsEvents = true
            try deletion.delete(releases: [release])
            try deletion.finish()
        }
    }
#endif
