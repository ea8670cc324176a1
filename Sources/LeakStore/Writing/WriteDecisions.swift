extension Writer {
    /// Stores a decision about a leak in one or several environments: ``Store/decide(_:about:audit:now:)``.
    func decide(
        _ decision: Decision, about leaks: [LeakID], audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> PastDecision? {
        let decision = try decision.validated(now: now)
        do throws(StoreError) {
            return try connection.transaction(.immediate) { () throws(StoreError) in
                try clearCachesIfOthersWrote()
                // The statements below read the counts of releases, so all counts must be in their tables.
                try readLogs()
                try flushCountLog()
                try reindexIfTooManyUnindexed()
                guard let first = leaks.first, let target = try findDecisionTarget(first) else { return nil }
                let action = try store(decision, about: target, now: now)
                for leak in Set(leaks).subtracting([first]).sorted() {
                    guard var other = try findDecisionTarget(leak) else { continue }
                    // "Now" and "next" refer to the current version of one of the two environments: the higher version.
                    other.current = ReleaseBuild.later(other.current, target.current)
                    _ = try store(decision, about: other, now: now)
                }
                try record(entry)
                return PastDecision(action, note: decision.note, by: decision.by, at: now)
            }
        } catch {
            clearCaches()
            throw error
        }
    }

    /// A leak that a decision is about, with the values that the decision needs.
    private struct DecisionTarget {
        var leakRowID: Int64
        /// The row ID of the decision that is in force; 0 if there is none.
        var decisionInForceRowID: Int64
        var reports: Int
        /// The version that ``Decision/Fix/newestVersion`` and ``Decision/Fix/nextVersion`` refer to, with its newest build:
        /// ``CurrentRelease/referenceReleaseSQL``.
        var current: ReleaseBuild
    }

    private func findDecisionTarget(_ leak: LeakID) throws(StoreError) -> DecisionTarget? {
        let select = try connection.statement(
            composed: """
                select l.id, l.state, l.reports, r.version, (\(CurrentRelease.newestBuildSQL))
                from leak l join app a on a.id = l.app
                join release r on r.id = (\(CurrentRelease.referenceReleaseSQL)) where l.key = ?
                """)
        defer { select.reset() }
        try select.bind(leak.bytes)
        guard try select.step() else { return nil }
        return DecisionTarget(
            leakRowID: select.int64(0), decisionInForceRowID: select.int64(1), reports: select.int(2),
            current: ReleaseBuild(current: select.text(3), newestBuild: select.optionalText(4)))
    }

    private func store(
        _ decision: Decision, about leak: DecisionTarget, now: Int64
    ) throws(StoreError) -> PastDecision.Action {
        let (action, rowID) = try insert(decision, about: leak, now: now)
        if decision.action != .note {
            try connection.run("delete from decision_release where decision = ?", leak.decisionInForceRowID)
            try connection.run(
                "update leak set state = ? where id = ?", decision.action == .reopen ? 0 : rowID,
                leak.leakRowID)
        }
        try deleteOldDecisions(about: leak.leakRowID)
        return action
    }

    private func insert(
        _ decision: Decision, about leak: DecisionTarget, now: Int64
    ) throws(StoreError) -> (PastDecision.Action, rowID: Int64) {
        let kind = decision.action.kind.rawValue
        switch decision.action {
        case .resolve(let fix):
            let bound = fix.bound(current: leak.current)
            try connection.run(
                """
                insert into decision (leak, at, by, kind, note, version, is_after, fix_from, build, build_from,
                  reports_then, known_release, known_build)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (select max(id) from release), (select max(id) from build))
                """, leak.leakRowID, now, decision.by, kind, decision.note, bound.version,
                bound.isAfter ? 1 : 0,
                bound.lowestVersionKey, bound.build, bound.lowestBuildKey, leak.reports)
            let rowID = connection.lastInsertedRowID
            try connection.statement(
                composed: """
                    insert into decision_release (decision, release, reports, hour_reports)
                    select d.id, c.release, \(ContradictingReports.reportsSQL),
                      \(ContradictingReports.hourReportsSQL)
                    from decision d join leak_release c on c.leak = d.leak join release r on r.id = c.release
                    where d.id = ? and c.reports > 0 and r.order_key >= d.fix_from
                    """
            ).run(rowID)
            return (bound.action, rowID)
        case .ignore(let limit):
            var (end, count): (Int64?, Int?)
            switch limit {
            case .until(let date): end = date
            case .nextReports(let reports): count = reports
            case nil: break
            }
            try connection.run(
                """
                insert into decision (leak, at, by, kind, note, reports_then, until_at, until_reports, known_build)
                values (?, ?, ?, ?, ?, ?, ?, ?, (select max(id) from build))
                """, leak.leakRowID, now, decision.by, kind, decision.note, leak.reports, end, count)
            return (.ignored(limit), connection.lastInsertedRowID)
        case .reopen, .note:
            try connection.run(
                """
                insert into decision (leak, at, by, kind, note, known_build)
                values (?, ?, ?, ?, ?, (select max(id) from build))
                """, leak.leakRowID, now, decision.by, kind, decision.note)
            return (decision.action == .reopen ? .reopened : .noted, connection.lastInsertedRowID)
        }
    }

    /// Deletes the oldest decisions beyond ``Decision/maxPerLeak``, except the decision in force.
    func deleteOldDecisions(about leak: Int64) throws(StoreError) {
        try connection.run(
            """
            delete from decision where id in (
              select d.id from decision d join leak l on l.id = d.leak where d.leak = ?1 and d.id <> l.state
              order by d.id limit max(0, (select count(*) from decision where leak = ?1) - ?2))
            """, leak, Decision.maxPerLeak)
    }
}
