#if PostgreSQL
    internal import LeakStore

    // The deletion of releases and apps whose leaks are deleted.
    extension LeakDeletion {
        /// Deletes releases, whose leaks were deleted before, together with their builds, sessions and checks.
        mutating func delete(releases: [Int64]) throws(StoreError) {
            let rowIDs = Parameter.integers(releases.map(Optional.some))
            if !keepsEvents { try connection.deleteEvents(ofReleases: releases) }
            _ = try connection.run([
                Query("delete from install_set where scope = 3 and owner = any($1::bigint[])", rowIDs),
                Query(
                    "delete from build_check where build in (select id from build where release = any($1::bigint[]))",
                    rowIDs),
                Query("delete from build where release = any($1::bigint[])", rowIDs),
                Query(
                    "delete from release_hour where app = $2::bigint and release = any($1::bigint[])", rowIDs,
                    .integer(app)),
                Query("delete from release where id = any($1::bigint[])", rowIDs),
                Query(
                    """
                    update app set
                      pinned_by = case when pinned_release = any($1::bigint[]) then null else pinned_by end,
                      pinned_at = case when pinned_release = any($1::bigint[]) then null else pinned_at end,
                      pinned_release = case when pinned_release = any($1::bigint[]) then null else pinned_release end,
                      newest_release = case when newest_release = any($1::bigint[]) then null else newest_release end
                    where id = $2::bigint
                    """, rowIDs, .integer(app)),
            ])
            changedReleases.subtract(releases)
            counts.versions += releases.count
        }

        /// Deletes the app, whose leaks and releases were deleted before.
        mutating func deleteApp() throws(StoreError) {
            try connection.deleteEvents(ofApp: app)
            let tables = [
                "app_slot", "app_day", "app_last_hour", "dropped", "over_limit", "leak_element",
                "release_hour", "discarded_leak",
            ]
            var queries = [
                Query("delete from install_set where scope in (4, 5) and owner = $1::bigint", .integer(app))
            ]
            for table in tables {
                queries.append(Query("delete from \(table) where app = $1::bigint", .integer(app)))
            }
            // The rules belong to all environments of the app.
            queries.append(
                Query(
                    """
                    delete from app_rules where app = (select name from app a where a.id = $1::bigint
                      and not exists (select 1 from app where name = a.name and id <> $1::bigint))
                    """, .integer(app)))
            queries.append(Query("delete from app where id = $1::bigint", .integer(app)))
            _ = try connection.run(queries)
            counts.environments += 1
            isAppDeleted = true
        }

        /// Updates the app and the releases of the deleted rows.
        func finish() throws(StoreError) {
            guard !isAppDeleted else { return }
            if keepsReleases, !changedReleases.isEmpty { try rebuildInstalls(of: changedReleases.sorted()) }
            try subtractReports()
            _ = try connection.run([
                Query(
                    "delete from release_hour where app = $1::bigint and sessions = 0 and reports = 0",
                    .integer(app)), CurrentRelease.choiceQuery(for: [app]),
            ])
        }

        /// Computes the sets of installs of releases from the sets of their leaks.
        private func rebuildInstalls(of releases: [Int64]) throws(StoreError) {
            for release in releases {
                let sets = try unions(
                    connection.run(
                        Query(
                            """
                            select c.release, i.members from leak_release c
                            join install_set i on i.scope = 2 and i.owner = c.leak and i.part = c.release
                            where c.release = $1::bigint
                            """, .integer(release))))
                let set = sets[release] ?? InstallSet()
                _ = try connection.run([
                    Query(
                        "delete from install_set where scope = 3 and owner = $1::bigint", .integer(release)),
                    .setsUpsert(
                        set == InstallSet()
                            ? [] : [(row: InstallScope.release(rowID: release).row, members: set.bytes)]),
                    Query(
                        "update release set installs = $2::bigint where id = $1::bigint", .integer(release),
                        .integer(set.count)),
                ])
            }
        }

        /// Subtracts the deleted reports from the ten-minute slots and days of the app, and deletes slots and days without
        /// remaining reports.
        private func subtractReports() throws(StoreError) {
            guard !reports.days.isEmpty else { return }
            let answers = try connection.run([
                Query("select slot, reports from app_slot where app = $1::bigint", .integer(app)),
                Query("select day, reports from app_day where app = $1::bigint", .integer(app)),
            ])
            func counts(_ rows: Rows) -> [Int: Int] {
                Dictionary(uniqueKeysWithValues: rows.map { ($0.int(0), $0.int(1)) })
            }
            let changed = reports.subtracted(fromSlots: counts(answers[0]), days: counts(answers[1]))
            _ = try connection.run(
                queries(changed.slots, table: "app_slot", column: "slot", scope: 4)
                    + queries(changed.days, table: "app_day", column: "day", scope: 5))
        }

        /// Returns queries that store changed counts, and delete those that are 0 with their sets of installs.
        private func queries(_ counts: [Int: Int], table: String, column: String, scope: Int) -> [Query] {
            let rows = counts.sorted { $0.key < $1.key }
            guard !rows.isEmpty else { return [] }
            let empty = Parameter.integers(rows.filter { $0.value == 0 }.map { $0.key })
            return [
                Query(
                    """
                    update \(table) t set reports = d.reports from unnest($2::bigint[], $3::bigint[]) as d (number, reports)
                    where t.app = $1::bigint and t.\(column) = d.number
                    """, .integer(app), .integers(rows.map { $0.key }), .integers(rows.map { $0.value })),
                Query(
                    "delete from \(table) where app = $1::bigint and \(column) = any($2::bigint[])",
                    .integer(app),
                    empty),
                Query(
                    """
                    delete from install_set where scope = $3::bigint and owner = $1::bigint and part = any($2::bigint[])
                    """, .integer(app), empty, .integer(scope)),
            ]
        }
    }
#endif
