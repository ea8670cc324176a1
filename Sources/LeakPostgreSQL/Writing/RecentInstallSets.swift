#if PostgreSQL
    internal import LeakStore

    /// A row of `recent_install_set`: the installs that had a leak in a release in the last days.
    struct RecentInstallSet {
        struct Key: Hashable, Comparable {
            var leak: Int64
            var release: Int64

            /// A number that identifies the set in ``CountedInstalls``.
            var number: UInt64 { CountedInstalls.number(ofLeak: leak, release: release) }

            static func < (one: Self, other: Self) -> Bool {
                (one.leak, one.release) < (other.leak, other.release)
            }
        }

        let key: Key
        /// A set that was read is empty only if its stored bytes are damaged. New reports fill it again; after a week, it has
        /// all installs of the last days.
        var installs = RecentInstalls()
        /// The last of the days that the stored number of installs covers.
        var day = 0

        var count: Int { installs.count(on: day) }

        /// The columns that ``init(_:)`` reads.
        static let columns = "s.leak, s.release, s.day, s.members"

        init(key: Key) { self.key = key }

        init(_ row: Row) {
            key = Key(leak: row.int64(0), release: row.int64(1))
            // A damaged day would overflow.
            day = min(max(row.int(2), 0), Int(Int32.max))
            installs = RecentInstalls(bytes: row.bytes(3)) ?? RecentInstalls()
        }

        static func query(for keys: [Key]) -> Query {
            Query(
                """
                select \(columns) from unnest($1::bigint[], $2::bigint[]) as asked (leak, release)
                join recent_install_set s on s.leak = asked.leak and s.release = asked.release
                """, .integers(keys.map(\.leak)), .integers(keys.map(\.release)))
        }

        /// Returns queries that store sets, and delete the rows of empty sets.
        static func upsertQueries(of sets: some Collection<RecentInstallSet>) -> [Query] {
            let stored = sets.filter { !$0.installs.isEmpty }.sorted { $0.key < $1.key }
            let empty = sets.filter(\.installs.isEmpty)
            var queries: [Query] = []
            if !stored.isEmpty {
                queries.append(
                    Query(
                        """
                        insert into recent_install_set (leak, release, installs, day, members)
                        select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[])
                        order by 1, 2
                        on conflict (leak, release) do update set installs = excluded.installs, day = excluded.day,
                          members = excluded.members
                        """, .integers(stored.map(\.key.leak)), .integers(stored.map(\.key.release)),
                        .integers(stored.map(\.count)), .integers(stored.map(\.day)),
                        .byteArrays(stored.map(\.installs.bytes))))
            }
            if !empty.isEmpty {
                queries.append(
                    Query(
                        """
                        delete from recent_install_set s using unnest($1::bigint[], $2::bigint[]) as gone (leak, release)
                        where s.leak = gone.leak and s.release = gone.release
                        """, .integers(empty.map(\.key.leak)), .integers(empty.map(\.key.release))))
            }
            return queries
        }

        /// Returns a query that sets the impact of the leaks whose current release has a set.
        static func impactUpdate(_ sets: some Collection<RecentInstallSet>) -> Query {
            Query(
                """
                update leak l set impact = i.installs
                from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as i (leak, release, installs), app a
                where l.id = i.leak and a.id = l.app and a.newest_release = i.release and l.impact <> i.installs
                """, .integers(sets.map(\.key.leak)), .integers(sets.map(\.key.release)),
                .integers(sets.map(\.count)))
        }
    }

    extension Writer {
        /// Maximum number of sets that one step of an expiry or an erasure reads; each has up to 2.3 KiB.
        static let maxRecentSetsPerStep = 200

        /// Removes the installs that were not seen in the last days from some sets, and updates the impact of their leaks.
        ///
        /// - Parameter last: the sets up to this set have been searched.
        /// - Returns: the last set that was searched; `nil` if no set is left.
        func expireRecentInstalls(
            after last: RecentInstallSet.Key, _ clock: StoreClock
        ) throws(StoreError) -> RecentInstallSet.Key? {
            let today = Calendar.day(of: clock.expiryTime)
            var lastSearched: RecentInstallSet.Key?
            let isDone = try changeApps(
                of: Query(
                    """
                    select l.app, s.leak, s.release from recent_install_set s join leak l on l.id = s.leak
                    where (s.leak, s.release) > ($1::bigint, $2::bigint) and (s.day < $3::bigint or s.day >= $4::bigint)
                    order by s.leak, s.release limit $5::bigint
                    """, .integer(last.leak), .integer(last.release), .integer(today),
                    .integer(today + RecentInstalls.impossibleLeadDays), .integer(Self.maxRecentSetsPerStep))
            ) { rows, connection throws(StoreError) in
                // Reads the sets after the lock, so that they do not change any more.
                let keys = rows.map { RecentInstallSet.Key(leak: $0.int64(1), release: $0.int64(2)) }
                lastSearched = keys.last
                var sets: [RecentInstallSet] = []
                for row in try connection.run(RecentInstallSet.query(for: keys)) {
                    var set = RecentInstallSet(row)
                    guard RecentInstalls.laterDay(set.day, today: today) != set.day else { continue }
                    set.installs.removeInstalls(
                        notCountedOn: today, lastPossibleDay: RecentInstalls.lastPossibleDay(clock))
                    set.day = today
                    sets.append(set)
                }
                if !sets.isEmpty {
                    _ = try connection.run(
                        RecentInstallSet.upsertQueries(of: sets) + [RecentInstallSet.impactUpdate(sets)])
                }
                return rows.count < Self.maxRecentSetsPerStep
            }
            return isDone ? nil : lastSearched
        }
    }
#endif
