#if PostgreSQL
    internal import LeakStore

    /// The deletion of leaks of one app in one transaction, which has locked the app: what has been deleted, and what is left to
    /// compute from the remaining rows.
    struct LeakDeletion {
        let app: Int64
        let connection: PostgreSQLConnection
        var counts = ForgetCounts()
        /// `true` if the releases of the deleted leaks stay, so that their sets of installs must be computed again.
        var keepsReleases = false
        /// `true` if leaks keep the times when they were first and last seen, although the counts of these times may be deleted.
        /// This is the case for versions that are deleted by their age.
        var keepsTimes = false
        /// `true` if events stay, because no person deletes the leaks and releases that they are about.
        var keepsEvents = false
        /// The deleted reports of the app.
        var reports = ForgottenReports()
        /// Row IDs of the releases whose set of installs may have lost members.
        var changedReleases: Set<Int64> = []
        var isAppDeleted = false

        init(app: Int64, connection: PostgreSQLConnection) { (self.app, self.connection) = (app, connection) }

        /// SQL for the condition that no total of a row has reached ``Total/largest``, so that counts can be subtracted.
        private static let areTotalsExactSQL = "greatest(reports, freed) < LARGEST_TOTAL"
        private static let areTotalsCappedSQL = "greatest(reports, freed) >= LARGEST_TOTAL"

        // MARK: Leaks

        /// Reads the counts of leaks, in one release or in all, and subtracts them from the releases and the app. Totals that have
        /// reached ``Total/largest`` are computed by ``recomputeQueries(_:)`` later.
        ///
        /// - Parameter release: the row ID of the release; `nil` for all releases.
        /// - Returns: the row IDs of the releases.
        private mutating func subtractCounts(of leaks: [Int64], in release: Int64?) throws(StoreError)
            -> [Int64]
        {
            let values: [Parameter] = [.integers(leaks.map(Optional.some)), .integer(release)]
            let condition = "leak = any($1::bigint[]) and ($2::bigint is null or release = $2::bigint)"
            let answers = try connection.run([
                Query(
                    """
                    select release, least(sum(reports), LARGEST_TOTAL)::bigint, least(sum(freed), LARGEST_TOTAL)::bigint,
                      count(*), least(sum(installs), LARGEST_TOTAL)::bigint
                    from leak_release where \(condition) group by release order by release
                    """, values),
                Query(
                    """
                    select hour, release, least(sum(reports), LARGEST_TOTAL)::bigint from leak_hour
                    where \(condition) group by hour, release
                    """, values),
                Query(
                    """
                    select day, least(sum(reports), LARGEST_TOTAL)::bigint from leak_day where \(condition) group by day
                    """, values),
                Query(
                    """
                    select count(*) from leak_build p join build b on b.id = p.build
                    where p.leak = any($1::bigint[]) and ($2::bigint is null or b.release = $2::bigint)
                    """, values),
            ])
            var (reportSum, freedSum) = (0, 0)
            for row in answers[0] {
                reportSum.addBounded(row.int(1))
                freedSum.addBounded(row.int(2))
                if row.int(4) > 0 { changedReleases.insert(row.int64(0)) }
            }
            counts.reports.addBounded(reportSum)
            for row in answers[1] { reports.add(row.int(2), hour: row.int(0)) }
            for row in answers[2] { reports.add(row.int(1), day: row.int(0)) }
            var queries = [
                LastHours.countQuery(.integers(leaks.map(Optional.some)), sign: -1),
                Query(
                    """
                    update release r set leaks = r.leaks - d.leaks,
                      reports = case when \(Self.areTotalsExactSQL.replacing("reports, freed", with: "r.reports, r.freed"))
                        then r.reports - d.reports else r.reports end,
                      freed = case when \(Self.areTotalsExactSQL.replacing("reports, freed", with: "r.reports, r.freed"))
                        then r.freed - d.freed else r.freed end
                    from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) as d (release, reports, freed, leaks)
                    where r.id = d.release
                    """, .integers(answers[0].map { $0.int64(0) }), .integers(answers[0].map { $0.int(1) }),
                    .integers(answers[0].map { $0.int(2) }), .integers(answers[0].map { $0.int(3) })),
                Query(
                    """
                    update app set cells = greatest(0, cells - $4::bigint),
                      reports = case when \(Self.areTotalsExactSQL) then reports - $2::bigint else reports end,
                      freed = case when \(Self.areTotalsExactSQL) then freed - $3::bigint else freed end
                    where id = $1::bigint
                    """, .integer(app), .integer(reportSum), .integer(freedSum),
                    .integer(answers[3].first?.int(0) ?? 0)),
            ]
            if keepsReleases {
                queries.append(
                    Query(
                        """
                        update release_hour h set reports = greatest(0, h.reports - d.reports)
                        from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as d (hour, release, reports)
                        where h.app = $1::bigint and h.hour = d.hour and h.release = d.release
                        """, .integer(app), .integers(answers[1].map { $0.int64(0) }),
                        .integers(answers[1].map { $0.int64(1) }), .integers(answers[1].map { $0.int(2) })))
            }
            _ = try connection.run(queries)
            return answers[0].map { $0.int64(0) }
        }

        /// Returns queries that compute the totals of releases and of the app that have reached ``Total/largest``.
        private func recomputeQueries(_ releases: [Int64]) -> [Query] {
            [
                DerivedColumns.releaseTotals.update(of: releases, where: Self.areTotalsCappedSQL),
                DerivedColumns.appTotals.update(of: [app], where: Self.areTotalsCappedSQL),
            ]
        }

        /// Deletes leaks completely.
        mutating func delete(leaks: [Int64]) throws(StoreError) {
            guard !leaks.isEmpty else { return }
            try connection.deleteFromMerges(leaks: leaks, release: nil)
            if !keepsEvents { try connection.deleteEvents(ofLeaks: leaks) }
            let releases = try subtractCounts(of: leaks, in: nil)
            let rowIDs = Parameter.integers(leaks.map(Optional.some))
            let changes = try connection.run([
                Query("delete from sample where leak = any($1::bigint[])", rowIDs),
                Query(
                    "delete from decision_release where decision in (select id from decision where leak = any($1::bigint[]))",
                    rowIDs),
                Query("delete from decision where leak = any($1::bigint[])", rowIDs),
                Query(
                    """
                    update release r set new_leaks = r.new_leaks - l.leaks
                    from (select first_release, count(*) as leaks from leak where id = any($1::bigint[])
                      group by first_release) as l
                    where r.id = l.first_release
                    """, rowIDs),
                Query(
                    """
                    update app a set leaks = a.leaks - $3::bigint, text_bytes = greatest(0, a.text_bytes - (
                        select coalesce(sum(octet_length(t.title) + octet_length(t.stack) + octet_length(t.children)
                          + octet_length(t.cycle) + octet_length(t.grouped_class) + octet_length(t.grouped_stack)
                          + octet_length(t.search)), 0)
                        from leak_text t where t.leak = any($1::bigint[])))
                    where a.id = $2::bigint
                    """, rowIDs, .integer(app), .integer(leaks.count)),
                Query(
                    "delete from leak_element where app = $2::bigint and leak = any($1::bigint[])", rowIDs,
                    .integer(app)),
                Query(
                    "delete from install_set where scope between 0 and 2 and owner = any($1::bigint[])",
                    rowIDs),
            ])
            counts.samples += changes[0].changedRowCount
            counts.decisions += changes[2].changedRowCount
            counts.leaks += leaks.count
            let tables =
                [
                    "recent_install_set", "leak_release", "leak_build", "leak_hour", "leak_day", "leak_value",
                    "leak_lived", "merged_leak", "leak_text",
                ] + RunningCounts.all.map(\.table)
            var queries = tables.map { Query("delete from \($0) where leak = any($1::bigint[])", rowIDs) }
            queries.append(Query("delete from leak where id = any($1::bigint[])", rowIDs))
            _ = try connection.run(queries + recomputeQueries(releases))
        }

        /// Deletes leaks in one release. The leaks were also seen in other releases.
        mutating func delete(leaks: [Int64], in release: Int64) throws(StoreError) {
            guard !leaks.isEmpty else { return }
            let rowIDs = Parameter.integers(leaks.map(Optional.some))
            let values = [rowIDs, .integer(release)]
            let former = try connection.run([
                Query(
                    """
                    select id, reports, freed, sightings from leak where id = any($1::bigint[]) order by id
                    """, rowIDs),
                Query(
                    """
                    select leak, kind, value, reports from leak_value
                    where leak = any($1::bigint[]) and kind in (\(ValueKind.system.rawValue), \(ValueKind.model.rawValue))
                    order by leak, kind, value
                    """, rowIDs),
                Query("select leak, histogram from leak_lived where leak = any($1::bigint[])", rowIDs),
                Self.decisionsUpdate(values),
            ])
            try connection.deleteFromMerges(leaks: leaks, release: release)
            _ = try subtractCounts(of: leaks, in: release)
            let firstSeenLeaks = try leaksFirstSeen(in: release, of: rowIDs)
            var deletions = [
                Query(
                    """
                    update release set new_leaks = new_leaks
                      - (select count(*) from leak where id = any($1::bigint[]) and first_release = $2::bigint)
                    where id = $2::bigint
                    """, values),
                Query(
                    Writer.samplesDeletionSQL(
                        from: "sample s",
                        where: """
                            s.leak = any($1::bigint[]) and (
                              s.version = (select version from release where id = $2::bigint)
                              or exists (select 1 from release where id = $2::bigint and version = 'other')
                                and not exists (select 1 from release r where r.app = $3::bigint and r.version = s.version))
                            """), values + [.integer(app)]),
                Query(
                    """
                    delete from install_set where owner = any($1::bigint[]) and (scope = 2 and part = $2::bigint
                      or scope = 1 and part in (select id from build where release = $2::bigint))
                    """, values),
                Query(
                    """
                    delete from leak_build where leak = any($1::bigint[])
                      and build in (select id from build where release = $2::bigint)
                    """, values),
                Query(
                    """
                    delete from decision_release where release = $2::bigint
                      and decision in (select id from decision where leak = any($1::bigint[]))
                    """, values),
            ]
            for table in ["recent_install_set", "leak_release", "leak_hour", "leak_day"] {
                deletions.append(
                    Query(
                        "delete from \(table) where leak = any($1::bigint[]) and release = $2::bigint", values
                    ))
            }
            let updates = [
                DerivedColumns.leakTotals.update(of: leaks),
                DerivedColumns.leakBuilds.update(of: leaks),
                Self.leaksUpdate(rowIDs, keepsTimes: keepsTimes),
                DerivedColumns.firstBuild.update(of: leaks),
                DerivedColumns.impact.update(of: leaks),
                Query(
                    """
                    update release r set new_leaks = r.new_leaks + l.leaks
                    from (select first_release, count(*) as leaks from leak where id = any($1::bigint[])
                      and id = any($2::bigint[]) group by first_release) as l
                    where r.id = l.first_release
                    """, rowIDs, .integers(firstSeenLeaks.map(Optional.some))),
            ]
            let reads = [
                Query("select id, reports, freed from leak where id = any($1::bigint[]) order by id", rowIDs),
                Query(
                    """
                    select leak, max(ordinal) from sample where leak = any($1::bigint[]) group by leak
                    """, rowIDs),
                Query(
                    """
                    select owner, members from install_set where scope = 1 and owner = any($1::bigint[])
                    """, rowIDs),
            ]
            let answers = try connection.run(deletions + updates + recomputeQueries([release]) + reads)
            counts.samples += answers[1].first?.int(0) ?? 0
            let remaining = Array(answers[answers.count - 3])
            var reportCounts: [Int64: (former: Int, now: Int, formerFreed: Int, freed: Int)] = [:]
            var sightings: [Int64: Int] = [:]
            for (before, after) in zip(former[0], remaining) {
                reportCounts[before.int64(0)] = (before.int(1), after.int(1), before.int(2), after.int(2))
                sightings[before.int64(0)] = ForgottenReports.remaining(
                    before.int(3), reports: after.int(1), of: before.int(1))
            }
            for row in answers[answers.count - 2] {
                sightings[row.int64(0)] = max(sightings[row.int64(0)] ?? 0, row.int(1))
            }
            var queries = [
                Query(
                    """
                    update leak l set sightings = d.sightings from unnest($1::bigint[], $2::bigint[]) as d (id, sightings)
                    where l.id = d.id
                    """, .integers(sightings.keys.map(Optional.some)), .integers(sightings.values.map { $0 }))
            ]
            queries += Self.valueQueries(former[1], reportCounts)
            queries += try histogramQueries(former[2], reportCounts)
            queries += try installQueries(answers[answers.count - 1], of: leaks)
            for leak in leaks { queries += RunningCounts.rebuildQueries(leak, without: leak) }
            queries.append(LastHours.countQuery(rowIDs, sign: 1))
            _ = try connection.run(queries)
        }

        /// Returns the row IDs of those leaks that were first seen in a release.
        private func leaksFirstSeen(in release: Int64, of leaks: Parameter) throws(StoreError) -> [Int64] {
            try connection.run(
                Query(
                    "select id from leak where id = any($1::bigint[]) and first_release = $2::bigint", leaks,
                    .integer(release))
            ).map { $0.int64(0) }
        }

        /// Returns a query that subtracts from `reports_then` of each decision about the leaks the reports in a release from before
        /// the decision. Must run before the counts are deleted.
        ///
        /// - Parameter values: the row IDs of the leaks, and the row ID of the release.
        private static func decisionsUpdate(_ values: [Parameter]) -> Query {
            Query(
                """
                update decision d set reports_then = greatest(0, least(
                  d.reports_then
                    - (select coalesce(sum(reports), 0)::bigint from leak_day
                       where leak = d.leak and release = $2::bigint and day < d.at / 86400000)
                    - (select coalesce(sum(reports), 0)::bigint from leak_hour
                       where leak = d.leak and release = $2::bigint
                         and hour between d.at / 86400000 * 24 and d.at / 3600000),
                  (select l.reports - c.reports from leak l join leak_release c on c.leak = l.id
                   where l.id = d.leak and c.release = $2::bigint)))
                where d.leak = any($1::bigint[]) and d.reports_then is not null
                """, values)
        }

        /// Returns a query that computes the first and last release of leaks, and the times when they were seen, from their
        /// remaining counts.
        private static func leaksUpdate(_ leaks: Parameter, keepsTimes: Bool) -> Query {
            let times = """
                first_seen = greatest(l.first_seen, t.start),
                last_seen = greatest(l.first_seen, t.start, least(l.last_seen, t.until)),
                """
            return Query(
                """
                update leak l set \(keepsTimes ? "" : times)
                  first_order = case when exists (select 1 from leak_release c where c.leak = l.id and c.release = l.first_release)
                    then l.first_order end,
                  first_release = coalesce(
                    (select c.release from leak_release c where c.leak = l.id and c.release = l.first_release),
                    (select r.id from leak_release c join release r on r.id = c.release
                     where c.leak = l.id order by r.order_key, r.id limit 1)),
                  last_release = (select r.id from leak_release c join release r on r.id = c.release
                    where c.leak = l.id order by r.order_key desc, r.id limit 1),
                  last_hour = greatest((select max(hour) from leak_hour where leak = l.id and reports > 0),
                    (select max(day) * 24 from leak_day where leak = l.id and reports > 0))
                from (
                  select id,
                    coalesce((select min(hour) from leak_hour where leak = id and hour between first * 24 and first * 24 + 23),
                      first * 24) * \(Calendar.hourMilliseconds) as start,
                    coalesce((select max(hour) + 1 from leak_hour
                      where leak = id and hour between last * 24 and last * 24 + 23),
                      last * 24 + 24) * \(Calendar.hourMilliseconds) - 1 as until
                  from (select l.id, min(d.day) as first, max(d.day) as last
                    from unnest($1::bigint[]) as l (id) left join leak_day d on d.leak = l.id group by l.id) as days) as t
                where l.id = t.id
                """, leaks)
        }

        /// Returns queries that reduce the reports by system and by model in proportion to the reports of each leak.
        ///
        /// - Parameter rows: the former values, in the order of leaks and kinds.
        private static func valueQueries(
            _ rows: Rows, _ reportCounts: [Int64: (former: Int, now: Int, formerFreed: Int, freed: Int)]
        ) -> [Query] {
            struct Key: Hashable {
                var leak: Int64
                var kind: Int
            }
            var groups: [Key: [(value: String, reports: Int)]] = [:]
            for row in rows {
                groups[Key(leak: row.int64(0), kind: row.int(1)), default: []].append(
                    (row.text(2), row.int(3)))
            }
            var changed: [(key: Key, value: String, reports: Int)] = []
            for (key, values) in groups {
                guard let reports = reportCounts[key.leak] else { continue }
                let sum = values.reduce(into: 0) { $0.addBounded($1.reports) }
                let scaled = ForgottenReports.scaled(
                    values.map(\.reports),
                    toSum: min(
                        reports.now, ForgottenReports.remaining(sum, reports: reports.now, of: reports.former)
                    ))
                for (value, count) in zip(values, scaled) where count != value.reports {
                    changed.append((key, value.value, count))
                }
            }
            guard !changed.isEmpty else { return [] }
            return [
                Query(
                    """
                    update leak_value v set reports = d.reports
                    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[]) as d (leak, kind, value, reports)
                    where v.leak = d.leak and v.kind = d.kind and v.value = d.value
                    """, .integers(changed.map(\.key.leak)), .integers(changed.map(\.key.kind)),
                    .texts(changed.map(\.value)), .integers(changed.map(\.reports))),
                Query(
                    """
                    delete from leak_value where leak = any($1::bigint[]) and reports = 0
                      and kind in (\(ValueKind.system.rawValue), \(ValueKind.model.rawValue))
                    """, .integers(changed.map(\.key.leak))),
            ]
        }

        /// Returns queries that reduce the histograms of how long objects stayed in proportion to the freed objects of each leak.
        private func histogramQueries(
            _ rows: Rows, _ reportCounts: [Int64: (former: Int, now: Int, formerFreed: Int, freed: Int)]
        ) throws(StoreError) -> [Query] {
            var (changed, empty): ([(leak: Int64, histogram: DurationHistogram)], [Int64]) = ([], [])
            for row in rows {
                guard var histogram = DurationHistogram(bytes: row.bytes(1)) else {
                    throw .unreadable("a histogram", in: connection.name)
                }
                guard let counts = reportCounts[row.int64(0)] else { continue }
                histogram.scale(
                    to: ForgottenReports.remaining(
                        histogram.count, reports: counts.freed, of: counts.formerFreed))
                if histogram.isEmpty {
                    empty.append(row.int64(0))
                } else {
                    changed.append((row.int64(0), histogram))
                }
            }
            return [
                Query(
                    "delete from leak_lived where leak = any($1::bigint[])",
                    .integers(empty.map(Optional.some))),
                Query(
                    """
                    update leak_lived l set histogram = d.histogram
                    from unnest($1::bigint[], $2::bytea[]) as d (leak, histogram) where l.leak = d.leak
                    """, .integers(changed.map(\.leak)), .byteArrays(changed.map(\.histogram.bytes))),
            ]
        }

        /// Returns queries that compute the sets of installs of leaks from those of their builds.
        ///
        /// - Parameter rows: the sets of the builds, with the row ID of the leak in the first column.
        private func installQueries(_ rows: Rows, of leaks: [Int64]) throws(StoreError) -> [Query] {
            let sets = try unions(rows)
            let counted = leaks.map { (leak: $0, set: sets[$0] ?? InstallSet()) }
            return [
                Query(
                    "delete from install_set where scope = 0 and owner = any($1::bigint[])",
                    .integers(leaks.map(Optional.some))),
                .setsUpsert(
                    counted.filter { $0.set != InstallSet() }
                        .map { (row: InstallScope.leak(rowID: $0.leak).row, members: $0.set.bytes) }),
                Query(
                    """
                    update leak l set installs = d.installs from unnest($1::bigint[], $2::bigint[]) as d (id, installs)
                    where l.id = d.id
                    """, .integers(leaks.map(Optional.some)), .integers(counted.map(\.set.count))),
            ]
        }

        /// Returns the unions of sets of installs, by the row ID in the first column.
        func unions(_ rows: Rows) throws(StoreError) -> [Int64: InstallSet] {
            var sets: [Int64: InstallSet] = [:]
            for row in rows {
                guard let set = InstallSet(bytes: row.bytes(1)) else {
                    throw .unreadable("a set of installs", in: connection.name)
                }
                sets[row.int64(0), default: InstallSet()].merge(set)
            }
            return sets
        }
    }
#endif
