#if PostgreSQL
    internal import LeakStore

    /// A merge of two leaks of one app. It adds all data of ``source`` to ``target``, and deletes ``source``. The caller has
    /// locked the row of the app.
    struct LeakMerger {
        /// The row ID of the leak whose data is added to ``target``, and which is then deleted.
        let source: Int64
        /// The row ID of the leak that gets the data.
        let target: Int64
        /// The seed of the random choice of the samples that stay.
        let seed: UInt64
        /// Number of reports of type `leak` received for ``source``, each counted once.
        let sourceReceivedReports: Int
        /// Number of reports of type `leak` received for ``target``, each counted once.
        let targetReceivedReports: Int

        private var bothLeaks: Parameter { .integers([Optional(source), target]) }
        private var sourceAndTarget: [Parameter] { [.integer(source), .integer(target)] }

        func merge(on connection: PostgreSQLConnection) throws(StoreError) {
            let answers = try connection.run([
                Query(
                    """
                    select leak, slot, ordinal, at from sample where leak = any($1::bigint[]) order by leak, slot
                    """, bothLeaks),
                Query(
                    "select leak, kind, value, reports from leak_value where leak = any($1::bigint[])",
                    bothLeaks),
                Query("select leak, histogram from leak_lived where leak = any($1::bigint[])", bothLeaks),
                Query(
                    """
                    select scope, part, members from install_set
                    where scope between 0 and 2 and owner = any($1::bigint[]) order by scope, part
                    """, bothLeaks),
                // Finds the last day whose hours are incomplete for one of the leaks, because some have expired. The merged
                // leak keeps only later hours.
                Query(
                    """
                    select max(incomplete.day) from unnest($1::bigint[]) as merged (leak)
                    cross join lateral (select day from leak_day d where d.leak = merged.leak group by day
                      having sum(reports) > (
                        select coalesce(sum(reports), 0) from leak_hour h
                        where h.leak = merged.leak and h.hour between d.day * 24 and d.day * 24 + 23)
                      order by day desc limit 1) incomplete
                    """, bothLeaks),
                Query(
                    """
                    select \(RecentInstallSet.columns) from recent_install_set s where leak = any($1::bigint[])
                    """, bothLeaks),
            ])
            let samples = mergedSamples(answers[0])
            var queries = [LastHours.countQuery(bothLeaks, sign: -1)]
            queries += timesMergeQueries(lastIncompleteDay: answers[4].first?.optionalInt(0))
            queries += sampleMoveQueries(samples)
            queries += valuesMergeQueries(answers[1])
            queries += try lifetimesMergeQueries(answers[2], connection)
            queries += countQueries
            queries += try installsMergeQueries(answers[3], connection)
            queries += recentInstallsMergeQueries(answers[5])
            queries += rowMergeQueries(samples)
            queries += RunningCounts.rebuildQueries(target, without: source)
            queries += [
                LastHours.countQuery(.integers([Optional(target)]), sign: 1),
                Query("update decision set leak = $2::bigint where leak = $1::bigint", sourceAndTarget),
                Self.textBytesUpdate(of: source, sign: -1),
                Query(
                    "update app set leaks = leaks - 1 where id = (select app from leak where id = $1::bigint)",
                    .integer(source)),
                Query(
                    """
                    delete from leak_element where app = (select app from leak where id = $1::bigint)
                      and leak = $1::bigint
                    """, .integer(source)),
                Query("delete from leak_text where leak = $1::bigint", .integer(source)),
                Query("delete from leak where id = $1::bigint", .integer(source)),
            ]
            _ = try connection.run(queries)
        }

        /// Returns a query that changes the sum of text bytes of an app by the texts of a leak.
        ///
        /// - Parameter sign: 1 adds the bytes of the leak's texts, -1 subtracts them.
        static func textBytesUpdate(of leak: Int64, sign: Int) -> Query {
            Query(
                """
                update app a set text_bytes = a.text_bytes + $2::bigint * (
                    octet_length(t.title) + octet_length(t.stack) + octet_length(t.children) + octet_length(t.cycle)
                    + octet_length(t.grouped_class) + octet_length(t.grouped_stack) + octet_length(t.search))
                from leak l join leak_text t on t.leak = l.id where l.id = $1::bigint and a.id = l.app
                """, .integer(leak), .integer(sign))
        }

        // MARK: Times

        private func timesMergeQueries(lastIncompleteDay: Int?) -> [Query] {
            var queries: [Query] = []
            for (table, time) in [("leak_hour", "hour"), ("leak_day", "day")] {
                queries += [
                    Query(
                        """
                        insert into \(table) as known (leak, \(time), release, reports)
                        select $2::bigint, \(time), release, reports from \(table) where leak = $1::bigint
                        on conflict (leak, \(time), release) do update set
                          reports = least(known.reports + excluded.reports, LARGEST_TOTAL)
                        """, sourceAndTarget),
                    Query("delete from \(table) where leak = $1::bigint", .integer(source)),
                ]
            }
            if let lastIncompleteDay {
                queries.append(
                    Query(
                        "delete from leak_hour where leak = $1::bigint and hour < $2::bigint",
                        .integer(target),
                        .integer((lastIncompleteDay + 1) * 24)))
            }
            return queries
        }

        // MARK: Samples

        private func mergedSamples(_ rows: Rows) -> SampleMerge {
            func keptSamples(_ leak: Int64) -> [SampleMerge.KeptSample] {
                rows.filter { $0.int64(0) == leak }.map { row in
                    SampleMerge.KeptSample(slot: row.int(1), ordinal: row.int(2), reportedAt: row.int64(3))
                }
            }
            return SampleMerge(
                target: keptSamples(target), targetReceivedReports: targetReceivedReports,
                source: keptSamples(source),
                sourceReceivedReports: sourceReceivedReports, seed: seed)
        }

        /// Returns queries that move the samples to their new sample slots. The first query moves them to unused slots, because
        /// a sample may get the slot of another sample.
        private func sampleMoveQueries(_ samples: SampleMerge) -> [Query] {
            let temporaryOffset = (target: 100, source: 200)
            let moves = samples.moves
            return [
                Query(
                    """
                    update sample set leak = $2::bigint,
                      slot = slot + case leak when $1::bigint then $3::bigint else $4::bigint end
                    where leak = $1::bigint or leak = $2::bigint
                    """,
                    sourceAndTarget + [.integer(temporaryOffset.source), .integer(temporaryOffset.target)]),
                Query(
                    """
                    update sample s set slot = m.slot, ordinal = m.ordinal
                    from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as m (former_slot, slot, ordinal)
                    where s.leak = $1::bigint and s.slot = m.former_slot
                    """, .integer(target),
                    .integers(
                        moves.map {
                            $0.from + ($0.isSource ? temporaryOffset.source : temporaryOffset.target)
                        }),
                    .integers(moves.map { $0.slot }), .integers(moves.map { $0.ordinal })),
                Query(
                    "delete from sample where leak = $1::bigint and slot >= $2::bigint", .integer(target),
                    .integer(temporaryOffset.target)),
                .messageUpdate(of: target),
            ]
        }

        // MARK: Values

        private func valuesMergeQueries(_ rows: Rows) -> [Query] {
            func values(_ kind: ValueKind, of leak: Int64) -> [(value: String, reports: Int)] {
                rows.filter { $0.int64(0) == leak && $0.int(1) == kind.rawValue }
                    .map { ($0.text(2), $0.int(3)) }
            }
            var mergedValues: [(kind: Int, value: String, reports: Int)] = []
            for kind in ValueKind.allCases {
                mergedValues += ValueMerge.merged(values(kind, of: target), values(kind, of: source))
                    .map { (kind.rawValue, $0.value, $0.reports) }
            }
            return [
                Query("delete from leak_value where leak = any($1::bigint[])", bothLeaks),
                Query(
                    """
                    insert into leak_value (leak, kind, value, reports)
                    select $1::bigint, kind, value, reports
                    from unnest($2::bigint[], $3::text[], $4::bigint[]) as merged (kind, value, reports)
                    """, .integer(target), .integers(mergedValues.map { $0.kind }),
                    .texts(mergedValues.map { $0.value }),
                    .integers(mergedValues.map { $0.reports })),
                Query.retainedBytesUpdate(of: [target]),
            ]
        }

        private func lifetimesMergeQueries(_ rows: Rows, _ connection: PostgreSQLConnection)
            throws(StoreError)
            -> [Query]
        {
            guard rows.count > 0 else { return [] }
            var mergedHistogram = DurationHistogram()
            for row in rows {
                guard let histogram = DurationHistogram(bytes: row.bytes(1)) else {
                    throw .unreadable("a histogram", in: connection.name)
                }
                mergedHistogram.merge(histogram)
            }
            return [
                Query("delete from leak_lived where leak = any($1::bigint[])", bothLeaks),
                Query(
                    "insert into leak_lived (leak, histogram) values ($1::bigint, $2::bytea)",
                    .integer(target),
                    .bytes(mergedHistogram.bytes)),
            ]
        }

        // MARK: Counts

        /// Queries that merge the counts by build and by release. ``installsMergeQueries(_:_:)`` returns those for their installs.
        private var countQueries: [Query] {
            var queries = [
                Query(
                    """
                    update app set cells = greatest(0, cells - (select count(*) from leak_build s
                      join leak_build t on t.build = s.build and t.leak = $2::bigint where s.leak = $1::bigint))
                    where id = (select app from leak where id = $1::bigint)
                    """, sourceAndTarget),
                Query(
                    """
                    update release r set leaks = r.leaks - 1
                    from leak_release s join leak_release t on t.release = s.release and t.leak = $2::bigint
                    where s.leak = $1::bigint and r.id = s.release
                    """, sourceAndTarget),
            ]
            let bucketSum = BucketCountsNumeric.sumSQL(
                "known.buckets", "excluded.buckets", totalSQL: "known.reports + excluded.reports")
            let buckets = (column: ", buckets", sum: ", buckets = \(bucketSum)")
            for (table, part, buckets) in [
                ("leak_build", "build", buckets), ("leak_release", "release", (column: "", sum: "")),
            ] {
                queries += [
                    Query(
                        """
                        insert into \(table) as known (leak, \(part), reports, freed, installs\(buckets.column))
                        select $2::bigint, \(part), reports, freed, installs\(buckets.column) from \(table) where leak = $1::bigint
                        on conflict (leak, \(part)) do update set
                          reports = least(known.reports + excluded.reports, LARGEST_TOTAL),
                          freed = least(known.freed + excluded.freed, LARGEST_TOTAL)\(buckets.sum)
                        """, sourceAndTarget),
                    Query("delete from \(table) where leak = $1::bigint", .integer(source)),
                ]
            }
            return queries
        }

        private func installsMergeQueries(_ rows: Rows, _ connection: PostgreSQLConnection) throws(StoreError)
            -> [Query]
        {
            struct SetKey: Hashable {
                var scope: Int64
                var part: Int64
            }
            var sets: [SetKey: InstallSet] = [:]
            for row in rows {
                guard let set = InstallSet(bytes: row.bytes(2)) else {
                    throw .unreadable("a set of installs", in: connection.name)
                }
                sets[SetKey(scope: row.int64(0), part: row.int64(1)), default: InstallSet()].merge(set)
            }
            var queries = [
                Query(
                    "delete from install_set where scope between 0 and 2 and owner = $1::bigint",
                    .integer(source)),
                .setsUpsert(
                    sets.map { key, set in
                        (row: (scope: key.scope, owner: target, part: key.part), members: set.bytes)
                    }),
            ]
            for scope in 0...Int64(2) {
                guard let countedTable = InstallScope.countTable(ofScope: scope) else { continue }
                let scopeSets = sets.filter { $0.key.scope == scope }.sorted { $0.key.part < $1.key.part }
                guard !scopeSets.isEmpty else { continue }
                queries.append(
                    Query(
                        """
                        update \(countedTable.table) t set installs = i.installs
                        from (select $1::bigint as owner, part, installs
                          from unnest($2::bigint[], $3::bigint[]) as i (part, installs)) as i
                        where \(countedTable.rowCondition)
                        """, .integer(target), .integers(scopeSets.map { $0.key.part }),
                        .integers(scopeSets.map { $0.value.count })))
            }
            return queries
        }

        private func recentInstallsMergeQueries(_ rows: Rows) -> [Query] {
            var sets: [Int64: RecentInstallSet] = [:]
            for row in rows {
                let set = RecentInstallSet(row)
                let release = set.key.release
                var merged = sets[release] ?? RecentInstallSet(key: .init(leak: target, release: release))
                merged.installs.merge(set.installs)
                merged.day = max(merged.day, set.day)
                sets[release] = merged
            }
            return [Query("delete from recent_install_set where leak = $1::bigint", .integer(source))]
                + RecentInstallSet.upsertQueries(of: sets.values)
        }

        /// - Parameter samples: the merged samples. The row gets the times of the first and of the newest sample.
        private func rowMergeQueries(_ samples: SampleMerge) -> [Query] {
            func reportedAt(inSlot slot: Int) -> Int64? {
                samples.moves.first { $0.slot == slot }?.reportedAt
            }
            return [
                Query(
                    """
                    update release r set new_leaks = r.new_leaks - l.leaks
                    from (select first_release, count(*) as leaks from leak where id = any($1::bigint[])
                      group by first_release) as l
                    where r.id = l.first_release
                    """, bothLeaks),
                Query(
                    """
                    update leak l set
                      reports = least(l.reports + s.reports, LARGEST_TOTAL),
                      freed = least(l.freed + s.freed, LARGEST_TOTAL),
                      sightings = least(l.sightings + s.sightings, LARGEST_TOTAL),
                      builds = (select count(*) from leak_build where leak = l.id),
                      alive_at_most = greatest(l.alive_at_most, s.alive_at_most),
                      first_seen = least(l.first_seen, s.first_seen), last_seen = greatest(l.last_seen, s.last_seen),
                      is_shared = case when l.made_by is not distinct from s.made_by
                        then greatest(l.is_shared, s.is_shared) else 1 end,
                      made_at = least(l.made_at, s.made_at),
                      last_hour = greatest(l.last_hour, s.last_hour),
                      (first_release, first_order) = (
                        select f.first_release, f.first_order from leak f join release r on r.id = f.first_release
                        where f.id in ($1::bigint, $2::bigint)
                        order by coalesce(f.first_order, r.order_key), f.first_order is not null limit 1),
                      last_release = (select id from release where id in (l.last_release, s.last_release)
                        order by order_key desc limit 1),
                      impact = coalesce((select i.installs from recent_install_set i
                        where i.leak = l.id and i.release = a.newest_release), 0),
                      first_sample = coalesce($3::bigint,
                        case when l.sightings + s.sightings > 0 then least(l.first_seen, s.first_seen) end),
                      newest_sample = $4::bigint,
                      newest_kept = greatest(l.newest_kept, s.newest_kept)
                    from leak s join app a on a.id = s.app where s.id = $1::bigint and l.id = $2::bigint
                    """,
                    sourceAndTarget + [
                        .integer(reportedAt(inSlot: SampleSlot.first)),
                        .integer(reportedAt(inSlot: SampleSlot.newest)),
                    ]),
                DerivedColumns.firstBuild.update(of: [target]),
                Query(
                    """
                    update release set new_leaks = new_leaks + 1
                    where id = (select first_release from leak where id = $1::bigint)
                    """, .integer(target)),
            ]
        }
    }
#endif
