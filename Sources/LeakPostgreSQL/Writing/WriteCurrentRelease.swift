#if PostgreSQL
    internal import LeakStore

    extension CurrentRelease {
        /// Chooses the current releases of apps again. If an app gets another one, the impact of each of its leaks becomes the
        /// number of installs in that release. Runs after all counting.
        ///
        /// - Parameter apps: rows of `app`. They are locked, or the whole table is.
        static func choose(for apps: [Int64]) -> Query {
            Query(
                """
                with changed as (
                  update app a set newest_release = (\(row))
                  where a.id = any($1::bigint[]) and a.newest_release is distinct from (\(row))
                  returning a.id, a.newest_release)
                update leak l set impact = i.installs
                from (select l.id as leak, coalesce(c.installs, 0) as installs
                  from changed a join leak l on l.app = a.id
                  left join leak_release c on c.leak = l.id and c.release = a.newest_release) i
                where i.leak = l.id and l.impact <> i.installs
                """, .integers(apps.map { $0 }))
        }
    }

    extension WriteBatch {
        /// Returns queries that count the sessions and reports of this hour by release, and then choose the current release of each
        /// counted app again.
        func chooseCurrentReleases() -> [Query] {
            guard !aggregate.releases.isEmpty else { return [] }
            let apps = Set(aggregate.releases.map { rowIDs.apps[$0.app].id }).sorted()
            let releases = aggregate.releases.indices.filter {
                aggregate.releases[$0].sessions > 0 || aggregate.releases[$0].allReports > 0
            }
            return [
                Query(
                    """
                    insert into release_hour as known (app, hour, release, sessions, reports)
                    select app, $2::bigint, release, sessions, reports
                    from unnest($1::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) as d (app, release, sessions, reports)
                    order by 1, 3
                    on conflict (app, hour, release) do update set
                      sessions = least(known.sessions + excluded.sessions, LARGEST_TOTAL),
                      reports = least(known.reports + excluded.reports, LARGEST_TOTAL)
                    """, .integers(releases.map { rowIDs.apps[aggregate.releases[$0].app].id }),
                    .integer(hour),
                    .integers(releases.map { rowIDs.releases[$0] }),
                    .integers(releases.map { aggregate.releases[$0].sessions }),
                    .integers(releases.map { aggregate.releases[$0].allReports })),
                // Later hours are of a clock that has been set back since.
                Query(
                    """
                    delete from release_hour where app = any($1::bigint[]) and (hour < $2::bigint or hour > $3::bigint)
                    """, .integers(apps.map { $0 }), .integer(CurrentRelease.firstHour(now: hour)),
                    .integer(hour)),
                CurrentRelease.choose(for: apps),
            ]
        }
    }

    extension Writer {
        /// Pins the current release of an app, or chooses it by its adoption again.
        ///
        /// - Parameter version: `nil` removes the pin.
        /// - Returns: `false` if there is no such app or version.
        func pin(_ version: String?, of app: AppKey) throws(StoreError) -> Bool {
            let found = try run(
                Query(
                    """
                    select a.id, r.id from app a left join release r on r.app = a.id and r.version = $1::text
                    where a.name = $2::text and a.environment = $3::text
                    """, .text(version), .text(app.name), .text(app.environment))
            ).first
            guard let found else { return false }
            let (row, release) = (found.int64(0), found.optionalInt64(1))
            guard release != nil || version == nil else { return false }
            _ = try run([
                // Locks the app first, so that no report is counted until its current release is written.
                Query(
                    "update app set pinned_release = $1::bigint where id = $2::bigint", .integer(release),
                    .integer(row)),
                CurrentRelease.choose(for: [row]),
            ])
            return true
        }
    }
#endif
