#if PostgreSQL
    internal import LeakStore

    /// A leak as the database has it when a transaction begins to change it.
    struct StoredLeak {
        var id: Int64
        /// The lowest version in which the leak was seen.
        var lowestRelease: OrderedRelease
        /// The highest version in which the leak was seen.
        var highestRelease: OrderedRelease
        /// The lowest build of ``lowestRelease`` in which the leak was seen; `nil` for a leak without builds yet.
        var lowestBuild: OrderedBuild?
        /// Number of builds that the leak is counted in.
        var builds: Int
        var module: String?
        var samples = SampleChoice()

        /// A release, with the key that orders it. For a leak whose first version was evicted, the release is
        /// ``StoreLimits/other``, and the key is that of the evicted version.
        struct OrderedRelease {
            var release: Int64
            var order: [UInt8]
        }

        /// A build, with its release and the key that orders it.
        struct OrderedBuild {
            var build: Int64
            var release: Int64
            var order: [UInt8]
        }

        private static let columns = """
            asked.index, l.id, f.id, coalesce(l.first_order, f.order_key), n.id, n.order_key, l.sightings,
            l.first_sample, l.newest_sample, l.newest_kept, l.builds, (select module from leak_text where leak = l.id), b.id, b.release, b.order_key
            """

        static func query(for leaks: [LeakID]) -> Query {
            Query(
                """
                select \(columns)
                from unnest($1::uuid[]) with ordinality as asked (key, index) join leak l on l.key = asked.key
                join release f on f.id = l.first_release join release n on n.id = l.last_release
                left join build b on b.id = l.first_build
                """, .uuids(leaks))
        }

        init(_ row: Row) {
            id = row.int64(1)
            lowestRelease = OrderedRelease(release: row.int64(2), order: row.bytes(3))
            highestRelease = OrderedRelease(release: row.int64(4), order: row.bytes(5))
            samples.sightings = row.int(6)
            samples.firstReportedAt = row.optionalInt64(7)
            samples.newestReportedAt = row.optionalInt64(8)
            samples.newestWrittenAt = row.optionalInt64(9)
            builds = row.int(10)
            module = row.optionalText(11)
            lowestBuild = row.optionalInt64(12).map {
                OrderedBuild(build: $0, release: row.int64(13), order: row.bytes(14))
            }
        }

        /// Sets ``lowestBuild`` if a build in which the leak was seen is lower. Must follow ``widen(to:)`` for all releases.
        ///
        /// - Parameter name: the name of the build.
        mutating func add(build: Int64, named name: String, of release: Int64) {
            guard release == lowestRelease.release, build != lowestBuild?.build else { return }
            let order = VersionOrder(name).key
            if let lowestBuild, lowestBuild.release == release,
                !order.lexicographicallyPrecedes(lowestBuild.order)
            {
                return
            }
            lowestBuild = OrderedBuild(build: build, release: release, order: order)
        }

        /// Widens the range from ``lowestRelease`` to ``highestRelease``, if needed, to include a release in which the leak was
        /// seen.
        mutating func widen(to release: OrderedRelease) {
            if VersionOrder.isFirst(release.order, before: lowestRelease.order) { lowestRelease = release }
            if highestRelease.order.lexicographicallyPrecedes(release.order) { highestRelease = release }
        }

        /// Returns the query that inserts the elements of grouping keys, for leaks that already have a row.
        static func elementsInsertion(of identities: [LeakIdentity]) -> Query {
            let rows = identities.flatMap { leak in
                GroupingKeyElements.hashes(of: leak.groupingKey).map { (leak.id, $0) }
            }
            return Query(
                """
                insert into leak_element (app, element, leak)
                select l.app, new.element, l.id from unnest($1::uuid[], $2::bigint[]) as new (key, element)
                join leak l on l.key = new.key order by 1, 2, 3 on conflict do nothing
                """, .uuids(rows.map { $0.0 }), .integers(rows.map { $0.1 }))
        }

        /// Returns queries that insert leaks without their counts. The last query is ``query(for:)``, which reads the new rows.
        ///
        /// - Parameter now: the time at which the leaks are made, by the collector's clock.
        static func insertions(
            _ leaks: [SubmissionAggregate.Leak], apps: [Int64], releases: [Int64], now: Int64
        ) -> [Query] {
            let identities = leaks.map(\.identity)
            let keys = identities.map(\.id)
            return [
                Query(
                    """
                    insert into leak (key, app, kind, class, quality, first_seen, last_seen, first_release, last_release,
                      made_by, made_at)
                    select key, app, kind, class, quality, first_seen, last_seen, release, release, ingest_key, $10::bigint
                    from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[],
                      $7::bigint[], $8::bigint[], $9::bigint[])
                      as new (key, app, kind, class, quality, first_seen, last_seen, release, ingest_key)
                    order by key
                    """, .uuids(keys), .integers(apps.map { $0 }), .texts(identities.map(\.kind)),
                    .texts(identities.map(\.className)), .texts(identities.map(\.quality.rawValue)),
                    .integers(leaks.map { $0.span?.first }), .integers(leaks.map { $0.span?.last }),
                    .integers(releases.map { $0 }), .integers(leaks.map { Optional($0.key) }), .integer(now)),
                Query(
                    """
                    insert into leak_text (leak, title, module, stack, children, cycle, grouped_version, grouped_class,
                      grouped_stack, search)
                    select l.id, new.title, new.module, new.stack, new.children, new.cycle, new.grouped_version,
                      new.grouped_class, new.grouped_stack, new.search
                    from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::bytea[], $6::bytea[],
                      $7::bigint[], $8::text[], $9::bytea[], $10::text[])
                      as new (key, title, module, stack, children, cycle, grouped_version, grouped_class, grouped_stack,
                      search)
                    join leak l on l.key = new.key order by l.id
                    """, .uuids(keys), .texts(identities.map(\.title)),
                    .texts(leaks.map { $0.claimedModule ?? $0.identity.module }),
                    .byteArrays(identities.map { PackedWriter.pack($0.stack) }),
                    .byteArrays(identities.map { PackedWriter.pack($0.children) }),
                    .byteArrays(identities.map { PackedWriter.pack($0.cycle) }),
                    .integers(identities.map { $0.groupingKey.version }),
                    .texts(identities.map { $0.groupingKey.className }),
                    .byteArrays(identities.map(\.packedGroupedStack)),
                    .texts(identities.map { SearchText.of($0) })),
                elementsInsertion(of: identities),
                query(for: keys),
            ]
        }
    }
#endif
