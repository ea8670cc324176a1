#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        /// Releases read of one app: years of them.
        static let releaseLimit = 200

        func releases(app: String) throws(StoreError) -> [Release] {
            try snapshot { connection throws(StoreError) in
                let decided = try decided(app: app, on: connection)
                return try releases(
                    app, limit: Self.releaseLimit,
                    regressed: decided.filter { $0.standing.isRegressed }.map(\.row), on: connection)
            }
        }

        /// Versions of different apps do not compare: without a name, only of the one app that there is.
        func releasesOfOneApp(
            _ app: String?, limit: Int, regressed: [Int64], on connection: Connection
        ) throws(StoreError) -> [Release] {
            if let app {
                return try releases(
                    app, limit: limit, fromNewest: true, regressed: regressed, on: connection)
            }
            let names = try connection.run(Query("select name from app limit 2")).map { $0.text(0) }
            return names.count == 1
                ? try releases(
                    names[0], limit: limit, fromNewest: true, regressed: regressed, on: connection) : []
        }

        /// - Parameter fromNewest: leaves out those above the newest one (``NewestVersion``).
        private func releases(
            _ app: String, limit: Int, fromNewest: Bool = false, regressed: [Int64], on connection: Connection
        ) throws(StoreError) -> [Release] {
            // With one more, to which the last is compared.
            let rows = Array(
                try connection.run(
                    Query(
                        """
                        select r.id, r.version, r.reports, r.leaks, r.new_leaks, r.installs, r.sessions,
                          r.leaky_sessions, r.checks, r.first_seen, r.last_seen, r.id = a.newest_release,
                          (select coalesce(max(id), 0) from merged_leak)
                        from app a join release r on r.app = a.id
                        where a.name = $1::text
                          and (not $3::bool
                            or r.order_key <= (select order_key from release where id = a.newest_release))
                        order by r.order_key desc limit $2::bigint
                        """, .text(app), .integer(limit + 1), .boolean(fromNewest))))
            // Versions have fewer leaks after a merge.
            if let last = rows.first?.int64(12), last != lastMerge {
                lastMerge = last
                goneCache = GoneCache()
            }
            let answers = try connection.run([
                Query(
                    """
                    select release, name from build where release = any($1::bigint[]) and name <> ''
                    order by order_key
                    """, .integers(rows.prefix(limit).map { $0.int64(0) })), Self.returns(of: regressed),
            ])
            var builds: [Int64: [String]] = [:]
            for row in answers[0] { builds[row.int64(0), default: []].append(row.text(1)) }
            var returned: [Int64: Int] = [:]
            for row in answers[1] { returned[row.int64(1), default: 0] += 1 }
            let gone = try gone(in: rows, on: connection)
            return rows.prefix(limit).map { row in
                let number = row.int64(0)
                return Release(
                    version: row.text(1), isNewest: row.bool(11), builds: builds[number] ?? [],
                    reports: row.int(2),
                    leaks: row.int(3), newLeaks: row.int(4), regressedLeaks: returned[number] ?? 0,
                    goneLeaks: gone[number] ?? 0, installs: row.int(5), sessions: row.int(6),
                    leakySessions: row.int(7), checks: row.int(8), firstSeen: row.int64(9),
                    lastSeen: row.int64(10))
            }
        }

        /// How many leaks of the release before each of these it does not have.
        ///
        /// - Parameter releases: `id`, and `leaks` as the fourth column, newest first.
        private func gone(
            in releases: [Row], on connection: Connection
        ) throws(StoreError) -> [Int64: Int] {
            var gone: [Int64: Int] = [:]
            var unknown: [(release: Row, former: Row)] = []
            for (release, former) in zip(releases, releases.dropFirst()) {
                // The result stands until one of them has more leaks: only a merge takes leaks away.
                let kept = goneCache.gone(
                    in: release.int64(0), release.int(3), from: former.int64(0), former.int(3))
                if let kept { gone[release.int64(0)] = kept } else { unknown.append((release, former)) }
            }
            guard !unknown.isEmpty else { return gone }
            let counts = try connection.run(
                Query(
                    """
                    select asked.place, (select count(*) from leak_release p where p.release = asked.former
                      and not exists (select 1 from leak_release c where c.leak = p.leak and c.release = asked.release))
                    from unnest($1::bigint[], $2::bigint[]) with ordinality as asked (release, former, place)
                    """, .integers(unknown.map { $0.release.int64(0) }),
                    .integers(unknown.map { $0.former.int64(0) })))
            for count in counts {
                let (release, former) = unknown[count.int(0) - 1]
                gone[release.int64(0)] = count.int(1)
                goneCache.keep(
                    count.int(1), in: release.int64(0), release.int(3), from: former.int64(0), former.int(3))
            }
            return gone
        }
    }
#endif
