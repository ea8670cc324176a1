#if PostgreSQL
    internal import LeakStore

    /// The row IDs for the names of the aggregate, and the state of each leak; indexed as in the aggregate.
    struct RowIDs {
        struct App {
            var id: Int64
            /// The current release before this transaction; after it, another release may be current:
            /// ``WriteBatch/currentReleaseQueries()``.
            var currentRelease: Int64?
            /// Number of leaks that the app did not have before the transaction.
            var newLeaks = 0
            /// Bytes of the texts of the ``newLeaks``.
            var newTextBytes = 0
        }

        private(set) var apps: [App] = []
        private(set) var releases: [Int64] = []
        private(set) var builds: [Int64] = []
        private(set) var leaks: [StoredLeak] = []
        /// `true` if the leak did not exist before the transaction.
        private(set) var isLeakNew: [Bool] = []

        /// Looks up the rows, and inserts the names that are new.
        ///
        /// - Parameter now: the time at which new rows are made, by the collector's clock.
        init(
            of aggregate: SubmissionAggregate, _ existing: inout ExistingRows,
            on connection: PostgreSQLConnection, names: inout NameCache, now: Int64
        ) throws(StoreError) {
            let releaseNames = aggregate.releases.indices.map { existing.name(ofRelease: $0, in: aggregate) }
            let newReleases = releaseNames.indices.filter { existing.releases[releaseNames[$0]] == nil }
            let buildNames = aggregate.builds.indices.map { existing.name(ofBuild: $0, in: aggregate) }
            let newBuilds = buildNames.indices.filter { existing.builds[buildNames[$0]] == nil }
            if !newReleases.isEmpty || !newBuilds.isEmpty {
                let rows = try connection.run([
                    Self.insertion(
                        of: newReleases.map { (releaseNames[$0], aggregate.releases[$0]) }, now: now),
                    Self.insertion(
                        of: newBuilds.map { (buildNames[$0], aggregate.builds[$0].key) }, now: now),
                    ExistingRows.releasesQuery(newReleases.map { releaseNames[$0] }),
                    ExistingRows.buildsQuery(newBuilds.map { buildNames[$0] }),
                ])
                existing.add(rows[2], of: newReleases.map { releaseNames[$0] }, &names)
                existing.add(rows[3], of: newBuilds.map { buildNames[$0] }, &names)
            }
            releases = try Self.requireAll(releaseNames.map { existing.releases[$0] }, connection)
            builds = try Self.requireAll(buildNames.map { existing.builds[$0] }, connection)
            apps = aggregate.apps.map { app in
                let existingApp = existing.apps[app.key]
                return App(id: existingApp?.id ?? 0, currentRelease: existingApp?.currentRelease)
            }
            try writeLeaks(of: aggregate, &existing, on: connection, now: now)
        }

        private static func insertion(
            of releases: [(name: ReleaseName, counts: SubmissionAggregate.Release)], now: Int64
        ) -> Query {
            Query(
                """
                insert into release (app, version, order_key, first_seen, last_seen, made_by, made_at)
                select *, $7::bigint
                from unnest($1::bigint[], $2::text[], $3::bytea[], $4::bigint[], $5::bigint[], $6::bigint[])
                order by 1, 2 on conflict (app, version) do nothing
                """, .integers(releases.map(\.name.app)), .texts(releases.map(\.name.version.text)),
                .byteArrays(releases.map { VersionOrder($0.name.version.text).key }),
                .integers(releases.map(\.counts.span.first)), .integers(releases.map(\.counts.span.last)),
                .integers(releases.map { Optional($0.counts.key) }), .integer(now))
        }

        private static func insertion(of newBuilds: [(name: BuildName, key: Int64)], now: Int64) -> Query {
            let builds = newBuilds.map(\.name)
            let orders = builds.map { VersionOrder($0.name.text) }
            // The lowest new build with a number, by release. All other new builds with a number have a lower build.
            var lowestKeys: [ReleaseName: [UInt8]] = [:]
            for (build, order) in zip(builds, orders) where order.isNumbered {
                let lowest = lowestKeys[build.release]
                if lowest.map({ order.key.lexicographicallyPrecedes($0) }) ?? true {
                    lowestKeys[build.release] = order.key
                }
            }
            return Query(
                """
                insert into build (release, name, order_key, has_lower, made_by, made_at)
                select r.id, new.name, new.order_key, case when new.order_key >= $6::bytea
                  and (new.order_key > new.lowest_key or exists (select 1 from build b
                  where b.release = r.id and b.order_key >= $6::bytea and b.order_key < new.order_key)) then 1 else 0 end,
                  new.key, $8::bigint
                from unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::bytea[], $7::bigint[])
                  as new (app, version, name, order_key, lowest_key, key)
                join release r on r.app = new.app and r.version = new.version
                order by 1, 2 on conflict (release, name) do nothing
                """, .integers(builds.map(\.release.app)), .texts(builds.map(\.release.version.text)),
                .texts(builds.map(\.name.text)), .byteArrays(orders.map(\.key)),
                .byteArrays(zip(builds, orders).map { lowestKeys[$0.release] ?? $1.key }),
                .bytes(VersionOrder.numberedLowerBound), .integers(newBuilds.map { Optional($0.key) }),
                .integer(now))
        }

        private mutating func writeLeaks(
            of aggregate: SubmissionAggregate, _ existing: inout ExistingRows,
            on connection: PostgreSQLConnection, now: Int64
        ) throws(StoreError) {
            isLeakNew = aggregate.leaks.map { existing.leaks[$0.identity.id] == nil }
            let missing = aggregate.leaks.indices.filter { isLeakNew[$0] }
            if !missing.isEmpty {
                let releases = missing.map { index in
                    self.releases[
                        aggregate.builds[aggregate.cells[aggregate.leaks[index].cells[0]].build].release]
                }
                let rows = try connection.run(
                    StoredLeak.insertions(
                        missing.map { aggregate.leaks[$0] },
                        apps: missing.map { apps[aggregate.leaks[$0].app].id }, releases: releases, now: now))
                if let inserted = rows.last {
                    existing.add(inserted, of: missing.map { aggregate.leaks[$0].identity.id })
                }
                for index in missing {
                    apps[aggregate.leaks[index].app].newLeaks += 1
                    apps[aggregate.leaks[index].app].newTextBytes +=
                        aggregate.leaks[index].identity.storedBytes
                }
            }
            leaks = aggregate.leaks.compactMap { existing.leaks[$0.identity.id] }
            guard leaks.count == aggregate.leaks.count else {
                throw .unreadable("a leak", in: connection.name)
            }
        }

        private static func requireAll(
            _ rows: [Int64?], _ connection: PostgreSQLConnection
        ) throws(StoreError) -> [Int64] {
            let existingRows = rows.compactMap { $0 }
            guard existingRows.count == rows.count else { throw .unreadable("a name", in: connection.name) }
            return existingRows
        }
    }
#endif
