#if PostgreSQL
    internal import LeakStore

    extension Writer {
        /// Merges leaks into another leak of the same app, in a transaction that locks the app. Returns `nil` if none of
        /// `sources` exists.
        func merge(
            _ sources: [LeakID], into target: LeakIdentity, by author: String, audit auditEntry: AuditEntry?,
            now: Int64,
            note: @Sendable (LeakMerge) -> String
        ) throws(StoreError) -> LeakMerge? {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let answers = try connection.run([
                    Migration.sharedLockQuery, Migration.versionQuery,
                    target.appKey.lockQuery,
                ])
                try Migration.requireKnownVersion(answers[1], connection)
                // Read after the lock, so that the leaks do not change any more.
                let leakIDs = try CachedLeakIDs(on: connection)
                guard leakIDs.discards.id(of: target) == nil else {
                    try connection.run(Query("commit"))
                    return nil
                }
                // The leak that has the reports of the target, if the target was merged by hand.
                let target = leakIDs.merges.target(of: target.id) ?? target
                let ids = Set(sources).subtracting([target.id]).sorted()
                var (parts, existingTarget) = try Self.parts(
                    connection.run(Self.partsQuery(ids + [target.id])), of: target.id, app: target.appKey,
                    on: connection)
                guard !parts.isEmpty else {
                    try connection.run(Query("commit"))
                    return nil
                }
                parts.sort { ($1.reports, $0.leakRowID) < ($0.reports, $1.leakRowID) }
                let allParts = parts + [existingTarget].compactMap(\.self)
                let summary = allParts.mergeResult(sources: parts, isTargetNew: existingTarget == nil)
                let entry = try Decision(.note, note: note(summary), by: author).validated(now: now)

                let reportsByRelease = try Self.reportsAtDecision(of: allParts, on: connection)
                let rowID = existingTarget?.leakRowID ?? parts[0].leakRowID
                _ = try connection.run(
                    Self.mergedPartsQueries(parts, in: rowID, at: now)
                        + (existingTarget == nil ? Self.renamingQueries(rowID, to: target) : []))
                let hasMerges = try connection.redirectMerges(of: parts.map(\.leakRowID), to: rowID)
                var sightings = (existingTarget ?? parts[0]).sightings
                for part in parts where part.leakRowID != rowID {
                    try LeakMerger(
                        source: part.leakRowID, target: rowID, seed: reservoir.seed ^ part.id.low,
                        sourceReceivedReports: part.sightings, targetReceivedReports: sightings
                    ).merge(on: connection)
                    sightings.addBounded(part.sightings)
                }
                _ = try connection.run(
                    Self.decisionQueries(of: allParts, reportsByRelease, in: rowID) + [
                        Query(
                            """
                            insert into decision (leak, at, by, kind, note)
                            values ($1::bigint, $2::bigint, $3::text, 'note', $4::text)
                            """, .integer(rowID), .integer(now), .text(entry.by), .text(entry.note)),
                        Self.oldDecisionsDeletion(about: rowID),
                    ] + (hasMerges ? [InstallErasure.cacheInvalidation] : [])
                        + (auditEntry?.queries ?? []) + [Query("commit")])
                return summary
            } catch {
                connector.reset()
                throw error
            }
        }

        // MARK: Parts

        static func partsQuery(_ ids: [LeakID]) -> Query {
            Query(
                """
                select l.key, l.id, l.reports, l.sightings, a.name, d.id, d.kind, d.version, d.is_after, d.until_at,
                  d.until_reports, d.note, d.by, d.at, a.environment, d.build
                from leak l join app a on a.id = l.app
                left join decision d on d.id = (select max(id) from decision where leak = l.id and kind <> 'note')
                where l.key = any($1::uuid[])
                """, .uuids(ids))
        }

        /// - Returns: the sources, and the target if it exists.
        static func parts(
            _ rows: Rows, of target: LeakID, app: AppKey, on connection: PostgreSQLConnection
        ) throws(StoreError) -> (sources: [MergePart], target: MergePart?) {
            var sources: [MergePart] = []
            var existingTarget: MergePart?
            for row in rows {
                guard let id = LeakID(blob: row.bytes(0)) else {
                    throw .unreadable("a leak", in: connection.name)
                }
                guard AppKey(row.text(4), environment: row.text(14)) == app else {
                    throw StoreError(
                        .invalidArgument,
                        "leaks of different apps or environments cannot be merged: \(id) belongs to another one"
                    )
                }
                var part = MergePart(
                    leakRowID: row.int64(1), id: id, reports: row.int(2), sightings: row.int(3),
                    lastDecision: nil)
                if let decisionRowID = row.optionalInt64(5) {
                    guard
                        let action = PastDecision.Action(
                            kind: row.text(6), version: row.optionalText(7),
                            build: row.optionalText(15), isAfter: row.bool(8),
                            untilAt: row.optionalInt64(9), untilReports: row.optionalInt(10))
                    else { throw .unreadable("a decision", in: connection.name) }
                    part.lastDecision = MergePart.StateDecision(
                        rowID: decisionRowID,
                        decision: PastDecision(
                            action, note: row.optionalText(11), by: row.text(12), at: row.int64(13)))
                }
                if id == target { existingTarget = part } else { sources.append(part) }
            }
            return (sources, existingTarget)
        }

        /// Returns queries that make the old addresses of leaks lead to the leak that has their counts.
        static func mergedPartsQueries(_ parts: [MergePart], in rowID: Int64, at now: Int64)
            -> [Query]
        {
            let keys = Parameter.uuids(parts.map(\.id))
            return [
                Query(
                    "update merged_leak set leak = $1::bigint where leak = any($2::bigint[])",
                    .integer(rowID),
                    .integers(parts.map { $0.leakRowID })),
                Query("delete from merged_leak where key = any($1::uuid[])", keys),
                Query(
                    """
                    insert into merged_leak (key, leak, at)
                    select key, $2::bigint, $3::bigint from unnest($1::uuid[]) as merged (key)
                    """, keys, .integer(rowID), .integer(now)),
            ]
        }

        /// Returns queries that give a leak another id, with the class and the path that belong to it.
        static func renamingQueries(_ rowID: Int64, to identity: LeakIdentity) -> [Query] {
            [
                Query(
                    """
                    delete from leak_element where app = (select app from leak where id = $1::bigint)
                      and leak = $1::bigint
                    """, .integer(rowID)),
                LeakMerger.textBytesUpdate(of: rowID, sign: -1),
                Query("delete from merged_leak where key = any($1::uuid[])", .uuids([identity.id])),
                Query(
                    """
                    update leak set key = ($2::uuid[])[1], kind = $3::text, class = $4::text, quality = $5::text
                    where id = $1::bigint
                    """, .integer(rowID), .uuids([identity.id]), .text(identity.kind),
                    .text(identity.className), .text(identity.quality.rawValue)),
                Query(
                    """
                    update leak_text set title = $2::text, module = $3::text, stack = $4::bytea, children = $5::bytea,
                      cycle = $6::bytea, grouped_version = $7::bigint, grouped_class = $8::text,
                      grouped_stack = $9::bytea, search = $10::text
                    where leak = $1::bigint
                    """, .integer(rowID), .text(identity.title), .text(identity.module),
                    .bytes(PackedWriter.pack(identity.stack)), .bytes(PackedWriter.pack(identity.children)),
                    .bytes(PackedWriter.pack(identity.cycle)), .integer(identity.groupingKey.version),
                    .text(identity.groupingKey.className), .bytes(identity.packedGroupedStack),
                    .text(SearchText.of(identity))),
                LeakMerger.textBytesUpdate(of: rowID, sign: 1), StoredLeak.elementsInsertion(of: [identity]),
            ]
        }

        // MARK: Decisions

        /// Returns how many reports the leaks had when the decision that stays in force was made, by row ID in `release`.
        ///
        /// For a leak that this decision is not about, the store knows only how many reports were made in each hour. Reports of the
        /// hour of the decision count as earlier than the decision. So do reports of the day of the decision that arrived more than
        /// two days late, because they count in the first hour of that day: ``Calendar/countedHour(of:arrival:)``.
        static func reportsAtDecision(
            of parts: [MergePart], on connection: PostgreSQLConnection
        ) throws(StoreError) -> [Int64: ReportsAtDecision] {
            guard let decidedPart = parts.partWithDecisionInForce,
                let decisionInForce = decidedPart.lastDecision
            else { return [:] }
            let otherRowIDs = parts.filter { $0.leakRowID != decidedPart.leakRowID }.map { $0.leakRowID }
            let answers = try connection.run([
                Query(
                    "select release, reports, hour_reports from decision_release where decision = $1::bigint",
                    .integer(decisionInForce.rowID)),
                Query(
                    """
                    select g.release,
                      greatest(0, g.reports - \(ContradictingReports.reportsWithoutFixSQL)), g.hour_reports
                    from (select leak, release, least(sum(reports), LARGEST_TOTAL)::bigint as reports,
                      least(sum(hour_reports), LARGEST_TOTAL)::bigint as hour_reports from (
                      select leak, release, reports, 0::bigint as hour_reports from leak_day
                      where leak = any($1::bigint[]) and day < $2::bigint / 24
                      union all
                      select leak, release, reports, case hour when $2::bigint then reports else 0 end from leak_hour
                      where leak = any($1::bigint[]) and hour between $2::bigint / 24 * 24 and $2::bigint
                      union all
                      select leak, release, reports, 0::bigint from leak_day d
                      where leak = any($1::bigint[]) and day = $2::bigint / 24 and not exists (
                        select 1 from leak_hour h where h.leak = d.leak
                          and h.hour between $2::bigint / 24 * 24 and $2::bigint / 24 * 24 + 23)) as before
                      group by leak, release) g
                    join leak_release c on c.leak = g.leak and c.release = g.release
                    join release r on r.id = c.release join decision d on d.id = $3::bigint
                    """, .integers(otherRowIDs), .integer(Calendar.hour(of: decisionInForce.decision.at)),
                    .integer(decisionInForce.rowID)),
            ])
            var reportsByRelease: [Int64: ReportsAtDecision] = [:]
            for rows in answers {
                for row in rows {
                    reportsByRelease[row.int64(0), default: ReportsAtDecision()]
                        .add(reports: row.int(1), hourReports: row.int(2))
                }
            }
            return reportsByRelease
        }

        /// Returns queries that give the merged leak the decision that stays in force, with its counts, and delete the counts
        /// of the other decisions.
        ///
        /// - Parameter reportsByRelease: the result of ``reportsAtDecision(of:on:)`` before anything was merged.
        static func decisionQueries(
            of parts: [MergePart], _ reportsByRelease: [Int64: ReportsAtDecision], in rowID: Int64
        ) -> [Query] {
            var queries = [
                Query(
                    "delete from decision_release where decision = any($1::bigint[])",
                    .integers(parts.compactMap { $0.lastDecision?.rowID }))
            ]
            guard let decisionInForce = parts.partWithDecisionInForce?.lastDecision else { return queries }
            switch decisionInForce.decision.action {
            case .resolved:
                // It is not known how many reports the other leaks had in older versions when the decision was made.
                queries.append(
                    Query(
                        "update decision set reports_then = null where id = $1::bigint",
                        .integer(decisionInForce.rowID)))
                let counts = reportsByRelease.sorted { $0.key < $1.key }
                queries.append(
                    Query(
                        """
                        insert into decision_release (decision, release, reports, hour_reports)
                        select d.id, c.release, least(held.reports, \(ContradictingReports.reportsSQL)),
                          least(held.hour_reports, c.reports)
                        from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as held (release, reports, hour_reports)
                        join decision d on d.id = $1::bigint
                        join leak_release c on c.leak = d.leak and c.release = held.release and c.reports > 0
                        join release r on r.id = c.release and r.order_key >= d.fix_from
                        """, .integer(decisionInForce.rowID), .integers(counts.map { $0.key }),
                        .integers(counts.map { $0.value.reports }),
                        .integers(counts.map { $0.value.hourReports })))
            case .ignored:
                var otherReports = 0
                for held in reportsByRelease.values { otherReports.addBounded(held.reports) }
                queries.append(
                    Query(
                        """
                        update decision d set reports_then = least(d.reports_then + $2::bigint, l.reports)
                        from leak l where d.id = $1::bigint and l.id = d.leak
                        """, .integer(decisionInForce.rowID), .integer(otherReports)))
            case .reopened, .noted: break
            }
            queries.append(
                Query(
                    "update leak set state = $2::bigint where id = $1::bigint", .integer(rowID),
                    .integer(decisionInForce.decision.action == .reopened ? 0 : decisionInForce.rowID)))
            return queries
        }
    }
#endif
