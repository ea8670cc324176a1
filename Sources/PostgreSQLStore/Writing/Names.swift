#if PostgreSQL
    internal import LeakStore

    /// Numbers of names that the database has. A number never changes and no name goes, so that they stay true whatever
    /// other collectors do.
    struct Names {
        var releases = RecentCache<ReleaseName, Int64>(capacity: 2_048)
        var builds = RecentCache<BuildName, Int64>(capacity: 4_096)
    }

    struct ReleaseName: Hashable {
        var app: Int64
        var version: ByteText
    }

    struct BuildName: Hashable {
        var release: Int64
        var name: ByteText
    }

    /// Where the database keeps what a tally names, and what it knows of each leak.
    struct Places {
        private(set) var apps: [Int64] = []
        private(set) var releases: [Int64] = []
        private(set) var builds: [Int64] = []
        private(set) var leaks: [LeakState] = []
        /// Leaks of the tally that were not there before, by app of the tally.
        private(set) var newLeaks: [Int]
        /// How often an install has been taken from sets, ``Erasing``.
        private(set) var erasures: Int64

        /// Locks the apps, and writes the names that are new.
        init(of tally: Tally, in flush: Flush, names: inout Names) throws(StoreError) {
            newLeaks = [Int](repeating: 0, count: tally.apps.count)
            let connection = flush.connection
            let found = try connection.run([
                Query(
                    """
                    insert into app (name, last_seen)
                    select new.name, new.seen from unnest($1::text[], $2::bigint[]) as new (name, seen)
                    where not exists (select 1 from app where name = new.name)
                    order by new.name on conflict (name) do nothing
                    """, .texts(tally.apps.map(\.name)), .integers(tally.apps.map { $0.lastSeen })),
                Query(
                    """
                    select asked.place, a.id
                    from unnest($1::text[]) with ordinality as asked (name, place) join app a on a.name = asked.name
                    order by a.id for no key update of a
                    """, .texts(tally.apps.map(\.name))),
                LeakState.query(for: tally.leaks.map(\.identity.id)), Erasing.countQuery,
            ])
            erasures = found[3].first?.int64(0) ?? 0
            apps = try Self.all(found[1], count: tally.apps.count, connection)
            try findReleases(of: tally, on: connection, &names)
            try findBuilds(of: tally, on: connection, &names)
            try findLeaks(of: tally, found[2], on: connection)
        }

        private mutating func findReleases(
            of tally: Tally, on connection: Connection, _ names: inout Names
        ) throws(StoreError) {
            var known: [ReleaseName: Int64] = [:]
            let wanted = tally.releases.map {
                ReleaseName(app: apps[$0.app], version: ByteText($0.version))
            }
            for name in wanted { known[name] = names.releases.value(of: name) }
            let missing = tally.releases.indices.filter { known[wanted[$0]] == nil }
            if !missing.isEmpty {
                let rows = try connection.run([
                    Query(
                        """
                        insert into release (app, version, order_key, first_seen, last_seen)
                        select * from unnest($1::bigint[], $2::text[], $3::bytea[], $4::bigint[], $5::bigint[])
                        order by 1, 2 on conflict (app, version) do nothing
                        """, .integers(missing.map { wanted[$0].app }),
                        .texts(missing.map { tally.releases[$0].version }),
                        .byteArrays(missing.map { VersionOrder(tally.releases[$0].version).key }),
                        .integers(missing.map { tally.releases[$0].span.first }),
                        .integers(missing.map { tally.releases[$0].span.last })),
                    Query(
                        """
                        select asked.place, r.id
                        from unnest($1::bigint[], $2::text[]) with ordinality as asked (app, version, place)
                        join release r on r.app = asked.app and r.version = asked.version
                        """, .integers(missing.map { wanted[$0].app }),
                        .texts(missing.map { tally.releases[$0].version })),
                ])
                let ids = try Self.all(rows[1], count: missing.count, connection)
                for (index, id) in zip(missing, ids) {
                    known[wanted[index]] = id
                    names.releases.insert(id, for: wanted[index])
                }
            }
            releases = wanted.map { known[$0] ?? 0 }
        }

        private mutating func findBuilds(
            of tally: Tally, on connection: Connection, _ names: inout Names
        ) throws(StoreError) {
            var known: [BuildName: Int64] = [:]
            let wanted = tally.builds.map {
                BuildName(release: releases[$0.release], name: ByteText($0.name))
            }
            for name in wanted { known[name] = names.builds.value(of: name) }
            let missing = tally.builds.indices.filter { known[wanted[$0]] == nil }
            if !missing.isEmpty {
                let rows = try connection.run([
                    Query(
                        """
                        insert into build (release, name, order_key)
                        select * from unnest($1::bigint[], $2::text[], $3::bytea[])
                        order by 1, 2 on conflict (release, name) do nothing
                        """, .integers(missing.map { wanted[$0].release }),
                        .texts(missing.map { tally.builds[$0].name }),
                        .byteArrays(missing.map { VersionOrder(tally.builds[$0].name).key })),
                    Query(
                        """
                        select asked.place, b.id
                        from unnest($1::bigint[], $2::text[]) with ordinality as asked (release, name, place)
                        join build b on b.release = asked.release and b.name = asked.name
                        """, .integers(missing.map { wanted[$0].release }),
                        .texts(missing.map { tally.builds[$0].name })),
                ])
                let ids = try Self.all(rows[1], count: missing.count, connection)
                for (index, id) in zip(missing, ids) {
                    known[wanted[index]] = id
                    names.builds.insert(id, for: wanted[index])
                }
            }
            builds = wanted.map { known[$0] ?? 0 }
        }

        private mutating func findLeaks(
            of tally: Tally, _ stored: Rows, on connection: Connection
        ) throws(StoreError) {
            var states = [LeakState?](repeating: nil, count: tally.leaks.count)
            for row in stored { states[row.int(0) - 1] = LeakState(row) }
            let missing = tally.leaks.indices.filter { states[$0] == nil }
            if !missing.isEmpty {
                let releases = missing.map { index in
                    self.releases[tally.builds[tally.cells[tally.leaks[index].cells[0]].build].release]
                }
                let rows = try connection.run(
                    LeakState.inserts(
                        missing.map { tally.leaks[$0] }, apps: missing.map { apps[tally.leaks[$0].app] },
                        releases: releases))
                guard let inserted = rows.last, inserted.count == missing.count else {
                    throw .unreadable("a leak", in: connection.name)
                }
                for row in inserted { states[missing[row.int(0) - 1]] = LeakState(row) }
                for index in missing { newLeaks[tally.leaks[index].app] += 1 }
            }
            leaks = states.compactMap { $0 }
        }

        /// Numbers by place, from 1; all are there.
        private static func all(
            _ rows: Rows, count: Int, _ connection: Connection
        ) throws(StoreError) -> [Int64] {
            var ids = [Int64](repeating: 0, count: count)
            for row in rows { ids[row.int(0) - 1] = row.int64(1) }
            guard !ids.contains(0) else { throw .unreadable("a name", in: connection.name) }
            return ids
        }
    }

    extension StoreError {
        /// For a value that this code did not write.
        static func unreadable(_ what: String, in database: String) -> StoreError {
            StoreError(.corrupt, "database \(database): \(what) cannot be read; restore it from a backup")
        }
    }
#endif
