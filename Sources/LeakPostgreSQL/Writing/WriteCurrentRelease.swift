#if PostgreSQL
    internal import LeakStore

    extension CurrentRelease {
        /// Returns the query that chooses the current releases of apps again. If an app gets another current release, the impact of
        /// each of its leaks becomes the number of its recent installs in that release. The query runs after all counting.
        ///
        /// - Parameter apps: row IDs in `app`. The caller has locked these rows or the whole table.
        static func choiceQuery(for apps: [Int64]) -> Query {
            Query(
                """
                with changed as (
                  update app a set newest_release = (\(rowIDSQL))
                  where a.id = any($1::bigint[]) and a.newest_release is distinct from (\(rowIDSQL))
                  returning a.id, a.newest_release)
                update leak l set impact = i.installs
                from (select l.id as leak, coalesce(c.installs, 0) as installs
                  from changed a join leak l on l.app = a.id
                  left join recent_install_set c on c.leak = l.id and c.release = a.newest_release) i
                where i.leak = l.id and l.impact <> i.installs
                """, .integers(apps.map { $0 }))
        }
    }

    extension WriteBatch {
        /// Returns queries that count sessions and reports by release and hour, and then choose the current release of each counted
        /// app again.
        func currentReleaseQueries() -> [Query] {
            guard !aggregate.releases.isEmpty else { return [] }
            let apps = Set(aggregate.releases.map { rowIDs.apps[$0.app].id }).sorted()
            let uses = aggregate.releases.indices.flatMap { index in
                SubmissionAggregate.HourUse.counted(aggregate.releases[index].hours, now: hour).map {
                    (
                        app: rowIDs.apps[aggregate.releases[index].app].id, release: rowIDs.releases[index],
                        use: $0
                    )
                }
            }
            guard !uses.isEmpty else { return [CurrentRelease.choiceQuery(for: apps)] }
            return [
                Query(
                    """
                    insert into release_hour as known (app, hour, release, sessions, reports, bucket)
                    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
                    order by 1, 2, 3
                    on conflict (app, hour, release) do update set
                      sessions = least(known.sessions + excluded.sessions, LARGEST_TOTAL),
                      reports = least(known.reports + excluded.reports, LARGEST_TOTAL),
                      bucket = case when known.bucket = excluded.bucket then known.bucket else -1 end
                    """, .integers(uses.map(\.app)), .integers(uses.map(\.use.hour)),
                    .integers(uses.map(\.release)), .integers(uses.map(\.use.sessions)),
                    .integers(uses.map(\.use.reports)), .integers(uses.map(\.use.bucket))),
                // Deletes the hours that do not count any more, and the hours that a collector wrote before its clock was set
                // back.
                Query(
                    """
                    with kept as materialized (
                      select app, (select min(hour) from (select distinct hour from release_hour h
                        where h.app = counted.app and hour > $2::bigint and hour <= $3::bigint
                        order by hour desc limit \(CurrentRelease.maxHours)) as newest) as first
                      from unnest($1::bigint[]) as counted (app))
                    delete from release_hour h using kept
                    where h.app = kept.app and (h.hour < kept.first or h.hour > $3::bigint)
                    """, .integers(Set(uses.map(\.app)).sorted()),
                    .integer(hour - CurrentRelease.keptHours), .integer(hour + CurrentRelease.leadHours)),
                CurrentRelease.choiceQuery(for: apps),
            ]
        }
    }

    extension Writer {
        /// Pins the current release of an app, or chooses it by its use again, see ``Store/pin(_:of:by:audit:now:)``.
        func pin(
            _ version: String?, of app: AppKey, by author: String, audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> Bool {
            let found = try run(
                Query(
                    """
                    select a.id, r.id from app a left join release r on r.app = a.id and r.version = $1::text
                    where a.name = $2::text and a.environment = $3::text
                    """, .text(version), .text(app.name), .text(app.environment))
            ).first
            guard let found else { return false }
            let (rowID, release) = (found.int64(0), found.optionalInt64(1))
            guard release != nil || version == nil else { return false }
            return try run(
                [
                    // The version may be deleted until the app is locked.
                    Query("select id from app where id = $1::bigint for no key update", .integer(rowID)),
                    // Removes the stored release, because a stored release stays the current release with a smaller share than
                    // another release needs to become it.
                    AuditEntry.query(
                        """
                        update app set pinned_release = $1::bigint, pinned_by = $3::text, pinned_at = $4::bigint,
                          newest_release = case when exists (select 1 from release_hour h where h.app = app.id) then null
                            else newest_release end
                        where id = $2::bigint
                          and ($1::bigint is null or exists (select 1 from release where id = $1::bigint))
                        returning id
                        """,
                        [
                            .integer(release), .integer(rowID), .text(version.map { _ in author }),
                            .integer(version.map { _ in now }),
                        ], audit: entry),
                    CurrentRelease.choiceQuery(for: [rowID]),
                ])[1].first != nil
        }
    }
#endif
