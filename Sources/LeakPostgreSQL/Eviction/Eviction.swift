#if PostgreSQL
    internal import LeakStore

    /// The progress of the eviction of names in all apps, step by step: ``EvictionRule``.
    ///
    /// Each step leaves all totals right, so a process may end after any step. Nothing else is stored about the progress: the
    /// next call begins again with the least used name, which is the one that the last step has partly merged.
    struct Eviction {
        /// The time of the system clock.
        let now: Int64
        /// `nil` until the first step has read the clock.
        fileprivate var times: EvictionRule.Times?
        /// Row ID of the last app without a name to evict.
        fileprivate var lastApp: Int64 = 0
        /// Releases that were reported between two steps. They are left alone until the next call, so that this call ends.
        fileprivate var busyReleases: Set<Int64> = []
        /// The last release whose leaks were all moved. If it has leaks again, it was reported meanwhile and is busy.
        fileprivate var emptiedRelease: Int64?

        /// Number of steps so far.
        fileprivate var stepCount = 0
        /// Maximum number of steps of one call, which delays other maintenance. The next call goes on.
        fileprivate static let maxSteps = 500

        init(now: Int64) { self.now = now }
    }

    extension Writer {
        /// Maximum number of leaks that one step merges: a merge takes about 10 ms.
        private static let maxJoinedLeaks = 4
        /// Maximum number of leaks that one step moves to another release.
        private static let maxMovedLeaks = 20

        /// SQL for the condition that a leak `l` is the leak `other` of its app: ``LeakIdentity/isOverLimit``.
        static let isOtherLeakSQL = "l.key < '00000000-0000-0001-0000-000000000000'::uuid"

        /// Merges some names of an app into `other`, in a transaction of its own that locks the app, as a merge of leaks does.
        ///
        /// - Returns: `true` if another step is needed.
        func runStep(of eviction: inout Eviction) throws(StoreError) -> Bool {
            guard eviction.stepCount < Eviction.maxSteps else { return false }
            var next = eviction
            next.stepCount += 1
            let times: EvictionRule.Times
            if let known = eviction.times {
                times = known
            } else {
                times = EvictionRule.Times(now: try writeClock(at: eviction.now).expiryTime)
                next.times = times
            }
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let answers = try connection.run([
                    Migration.sharedLockQuery, Migration.versionQuery, fullAppQuery(after: next.lastApp),
                ])
                try Migration.requireKnownVersion(answers[1], connection)
                guard let found = answers[2].first else {
                    try connection.run(Query("commit"))
                    return false
                }
                let row = found.int64(0)
                let locked = try connection.run([
                    Query("select id from app where id = $1::bigint for no key update", .integer(row)),
                    // Read after the lock, so that the app does not change any more.
                    fullAppQuery(after: row - 1),
                ])[1]
                var isChanged = false
                if let app = locked.first, app.int64(0) == row {
                    isChanged = try evict(from: app, times, &next, on: connection)
                }
                _ = try connection.run(
                    (isChanged ? [InstallErasure.deletionMark, InstallErasure.cacheInvalidation] : [])
                        + [Query("commit")])
                eviction = next
                return true
            } catch {
                connector.reset()
                throw error
            }
        }

        /// A query for the first app, after a row ID, that uses more than ``EvictionRule/threshold(_:)`` of a limit. The last
        /// three columns are the number of leaks above the threshold, `true` if the bytes of texts are above theirs, and `true`
        /// if the number of releases is.
        private func fullAppQuery(after app: Int64) -> Query {
            Query(
                """
                select id, name, environment, leaks - $2::bigint, text_bytes > $3::bigint, releases > $4::bigint from (
                  select id, name, environment, leaks, text_bytes,
                    (select count(*) from release where app = a.id) as releases from app a where id > $1::bigint) as counted
                where leaks > $2::bigint or text_bytes > $3::bigint or releases > $4::bigint order by id limit 1
                """, .integer(app), .integer(EvictionRule.threshold(limits.leaksPerApp)),
                .integer(EvictionRule.threshold(limits.leakTextBytesPerApp)),
                .integer(EvictionRule.threshold(limits.releasesPerApp)))
        }

        /// Evicts some names of an app, which is locked.
        ///
        /// - Parameter app: a row of ``fullAppQuery(after:)``.
        /// - Returns: `true` if anything was changed.
        private func evict(
            from app: Row, _ times: EvictionRule.Times, _ eviction: inout Eviction,
            on connection: PostgreSQLConnection
        ) throws(StoreError) -> Bool {
            let (row, key) = (app.int64(0), AppKey(app.text(1), environment: app.text(2)))
            if app.bool(5),
                let release = try connection.run(Self.releasesQuery(of: row, times))
                    .first(where: { !eviction.busyReleases.contains($0.int64(0)) })?.int64(0)
            {
                let leaks = try connection.run(
                    Query(
                        "select leak from leak_release where release = $1::bigint order by leak limit $2::bigint",
                        .integer(release), .integer(Self.maxMovedLeaks))
                ).map { $0.int64(0) }
                let join = try JoinRelease(release, of: row, on: connection)
                if !leaks.isEmpty {
                    // A release that was emptied by an earlier step and has leaks again is in use.
                    guard eviction.emptiedRelease != release else {
                        eviction.busyReleases.insert(release)
                        return false
                    }
                    try join.move(leaks)
                    if leaks.count < Self.maxMovedLeaks { eviction.emptiedRelease = release }
                } else if try join.moveChecks(maxClasses: limits.checkClassesPerBuild) {
                    try join.finish()
                    try connection.run(.overLimitIncrement(1, of: .evictedReleases, app: row))
                }
                return true
            }
            let excess = max(app.int(3), app.bool(4) ? 1 : 0)
            if excess > 0 {
                let leaks = try connection.run(
                    Query(
                        """
                        select l.id, l.sightings, l.key from leak l where l.app = $1::bigint and
                          \(EvictionRule.leakCondition(isOther: Self.isOtherLeakSQL, unseenBefore: "$2::bigint"))
                        order by \(EvictionRule.installsSQL("l")), l.last_seen, l.id limit $3::bigint
                        """, .integer(row), .integer(times.unseenBefore),
                        .integer(min(excess, Self.maxJoinedLeaks))))
                if leaks.count > 0 {
                    try join(leaks, with: .overLimit(app: key, rowID: row), of: row, on: connection)
                    return true
                }
            }
            eviction.lastApp = row
            return false
        }

        /// A query for the row IDs of the releases that may be evicted, least used first.
        private static func releasesQuery(of app: Int64, _ times: EvictionRule.Times) -> Query {
            Query(
                """
                select r.id from app a join release r on r.app = a.id where a.id = $1::bigint and
                  \(EvictionRule.releaseCondition(app: "$1::bigint", unseenBefore: "$2::bigint", lastDay: "$3::bigint"))
                order by \(EvictionRule.installsSQL("r")), r.last_seen, r.id
                """, .integer(app), .integer(times.unseenBefore), .integer(times.lastDay))
        }

        /// Merges leaks into the leak `other` of the app. If the app has no such leak, the first of the leaks is renamed to it.
        /// Old ids do not redirect to `other`: a leak that is reported again is new again.
        ///
        /// - Parameter leaks: row IDs, numbers of reports received, and ids.
        private func join(
            _ leaks: Rows, with other: LeakIdentity, of app: Int64, on connection: PostgreSQLConnection
        ) throws(StoreError) {
            let rowIDs = Parameter.integers(leaks.map { $0.int64(0) })
            let answers = try connection.run([
                Query("delete from merged_leak where leak = any($1::bigint[])", rowIDs),
                Query("select id, sightings from leak where key = any($1::uuid[])", .uuids([other.id])),
            ])
            var target = answers[1].first.map { (row: $0.int64(0), sightings: $0.int(1)) }
            for leak in leaks {
                let (row, sightings) = (leak.int64(0), leak.int(1))
                guard let into = target else {
                    _ = try connection.run(Self.renamingQueries(row, to: other))
                    target = (row, sightings)
                    continue
                }
                try LeakMerger(
                    source: row, target: into.row,
                    seed: reservoir.seed ^ (LeakID(blob: leak.bytes(2))?.low ?? 0),
                    sourceReceivedReports: sightings, targetReceivedReports: into.sightings
                ).merge(on: connection)
                target?.sightings.addBounded(sightings)
            }
            _ = try connection.run([
                Query(
                    "update app set text_bytes = greatest(0, text_bytes) where id = $1::bigint", .integer(app)
                ), .overLimitIncrement(leaks.count, of: .evictedLeaks, app: app),
            ])
        }
    }

    extension Query {
        /// Returns the query that adds a number to an ``OverLimitCount`` of an app.
        static func overLimitIncrement(
            _ count: Int, of limit: OverLimitCount.Name, app: Int64
        ) -> Query {
            Query(
                """
                insert into over_limit as known (app, name, count) values ($1::bigint, $2::text, $3::bigint)
                on conflict (app, name) do update set count = least(known.count + excluded.count, LARGEST_TOTAL)
                """, .integer(app), .text(limit.rawValue), .integer(count))
        }
    }
#endif
