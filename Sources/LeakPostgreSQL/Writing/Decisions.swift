#if PostgreSQL
    internal import LeakStore

    extension Writer {
        func decide(
            _ decision: Decision, about leaks: [LeakID], audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> PastDecision? {
            let decision = try decision.validated(now: now)
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let targets = try DecisionTarget.lockAndRead(leaks, on: connection)
                guard let first = leaks.first.flatMap({ targets[$0] }) else {
                    try connection.run(Query("commit"))
                    return nil
                }
                var queries: [Query] = []
                var action: PastDecision.Action?
                let others = targets.values.filter { $0.leakRowID != first.leakRowID }.sorted {
                    $0.leakRowID < $1.leakRowID
                }
                for target in [first] + others {
                    let (storedAction, rowID) = try Self.insert(
                        decision, about: target, current: ReleaseBuild.later(first.current, target.current),
                        now: now,
                        on: connection)
                    action = action ?? storedAction
                    if decision.action != .note {
                        queries += target.stateUpdates(to: decision.action == .reopen ? 0 : rowID)
                    }
                    queries.append(Self.oldDecisionsDeletion(about: target.leakRowID))
                }
                _ = try connection.run(queries + (entry?.queries ?? []) + [Query("commit")])
                guard let action else { return nil }
                return PastDecision(action, note: decision.note, by: decision.by, at: now)
            } catch {
                connector.reset()
                throw error
            }
        }

        private static func insert(
            _ decision: Decision, about leak: DecisionTarget, current: ReleaseBuild, now: Int64,
            on connection: PostgreSQLConnection
        ) throws(StoreError) -> (PastDecision.Action, rowID: Int64) {
            var columns = DecisionColumns(decision, about: leak, now: now)
            switch decision.action {
            case .resolve(let fix):
                let bound = fix.bound(current: current)
                columns.bound = bound
                columns.reportsThen = leak.reports
                let rowID = try columns.insert(on: connection)
                try connection.run(
                    Query(
                        """
                        insert into decision_release (decision, release, reports, hour_reports)
                        select d.id, c.release, \(ContradictingReports.reportsSQL),
                          \(ContradictingReports.hourReportsSQL)
                        from decision d join leak_release c on c.leak = d.leak join release r on r.id = c.release
                        where d.id = $1::bigint and c.reports > 0 and r.order_key >= d.fix_from
                        """, .integer(rowID)))
                return (bound.action, rowID)
            case .ignore(let limit):
                columns.reportsThen = leak.reports
                switch limit {
                case .until(let date): columns.untilDate = date
                case .nextReports(let reports): columns.untilReports = reports
                case nil: break
                }
                return (.ignored(limit), try columns.insert(on: connection))
            case .reopen: return (.reopened, try columns.insert(on: connection))
            case .note: return (.noted, try columns.insert(on: connection))
            }
        }

        /// Returns the query that deletes the oldest decisions beyond the limit, except the decision in force.
        static func oldDecisionsDeletion(about leak: Int64) -> Query {
            Query(
                """
                delete from decision where id in (
                  select d.id from decision d join leak l on l.id = d.leak where l.id = $1::bigint and d.id <> l.state
                  order by d.id
                  limit greatest(0, (select count(*) from decision where leak = $1::bigint) - $2::bigint))
                """, .integer(leak), .integer(Decision.maxPerLeak))
        }
    }

    /// A leak whose app is locked, so that no report is counted until the decision is written.
    private struct DecisionTarget {
        let leakRowID: Int64
        /// The row ID of the decision that is in force; 0 if there is none.
        let decisionInForceRowID: Int64
        let reports: Int
        /// The version that ``Decision/Fix/newestVersion`` and ``Decision/Fix/nextVersion`` refer to, with its newest build,
        /// see ``CurrentRelease/referenceReleaseSQL``.
        let current: ReleaseBuild

        /// Locks the apps of leaks, in the order of their rows, and reads the leaks that exist.
        static func lockAndRead(
            _ leaks: [LeakID], on connection: PostgreSQLConnection
        ) throws(StoreError) -> [LeakID: DecisionTarget] {
            let answers = try connection.run([
                Migration.sharedLockQuery, Migration.versionQuery,
                Query(
                    """
                    select 1 from app where id in (select app from leak where key = any($1::uuid[])) order by id
                    for no key update
                    """, .uuids(leaks)),
                // Read after the lock, so that the values are current.
                Query(
                    """
                    select l.key, l.id, l.state, l.reports, r.version, (\(CurrentRelease.newestBuildSQL))
                    from leak l join app a on a.id = l.app
                    join release r on r.id = (\(CurrentRelease.referenceReleaseSQL)) where l.key = any($1::uuid[])
                    """, .uuids(leaks)),
            ])
            try Migration.requireKnownVersion(answers[1], connection)
            var targets: [LeakID: DecisionTarget] = [:]
            for leakRow in answers[3] {
                guard let id = LeakID(blob: leakRow.bytes(0)) else {
                    throw .unreadable("a leak", in: connection.name)
                }
                targets[id] = DecisionTarget(
                    leakRowID: leakRow.int64(1), decisionInForceRowID: leakRow.int64(2),
                    reports: leakRow.int(3),
                    current: ReleaseBuild(current: leakRow.text(4), newestBuild: leakRow.optionalText(5)))
            }
            return targets
        }

        /// Returns queries that put a decision in force, and delete the stored counts of the decision before it.
        ///
        /// - Parameter decision: the row ID of the decision; 0 reopens the leak.
        func stateUpdates(to decision: Int64) -> [Query] {
            [
                Query(
                    "delete from decision_release where decision = $1::bigint", .integer(decisionInForceRowID)
                ),
                Query(
                    "update leak set state = $1::bigint where id = $2::bigint", .integer(decision),
                    .integer(leakRowID)),
            ]
        }
    }

    /// A row of `decision`.
    private struct DecisionColumns {
        let leakRowID: Int64
        let decidedAt: Int64
        let author: String
        let kind: DecisionKind
        let note: String?
        /// `nil` if the decision does not resolve the leak.
        var bound: FixBound?
        var reportsThen: Int?
        var untilDate: Int64?
        var untilReports: Int?

        init(_ decision: Decision, about leak: DecisionTarget, now: Int64) {
            leakRowID = leak.leakRowID
            decidedAt = now
            author = decision.by
            kind = decision.action.kind
            note = decision.note
        }

        /// - Returns: the row ID.
        func insert(on connection: PostgreSQLConnection) throws(StoreError) -> Int64 {
            let rows = try connection.run(
                Query(
                    """
                    insert into decision (leak, at, by, kind, note, version, is_after, fix_from, reports_then, until_at,
                      until_reports, build, build_from, known_release, known_build)
                    values ($1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::bigint, $8::bytea,
                      $9::bigint, $10::bigint, $11::bigint, $12::text, $13::bytea, (select max(id) from release),
                      (select max(id) from build))
                    returning id
                    """, .integer(leakRowID), .integer(decidedAt), .text(author), .text(kind.rawValue),
                    .text(note), .text(bound?.version), .integer(bound.map { $0.isAfter ? 1 : 0 }),
                    .bytes(bound?.lowestVersionKey), .integer(reportsThen.map { Int64($0) }),
                    .integer(untilDate), .integer(untilReports.map { Int64($0) }), .text(bound?.build),
                    .bytes(bound?.lowestBuildKey)))
            return rows.first?.int64(0) ?? 0
        }
    }
#endif
