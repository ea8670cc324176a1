/// The reports in one release that the merged leaks already had when the decision in force was made. They do not contradict the
/// decision.
package struct ReportsAtDecision: Sendable {
    package private(set) var reports = 0
    /// The number of these reports that were made on the day of the decision, in its hour or later.
    package private(set) var hourReports = 0

    package init() {}

    package mutating func add(reports: Int, hourReports: Int) {
        self.reports.addBounded(reports)
        self.hourReports.addBounded(hourReports)
    }
}

// The decision in force of merged leaks.
extension Writer {
    /// Returns the number of reports that all parts already had when the decision in force was made, by row ID in `release`.
    ///
    /// For a leak that the decision was not about, the store knows only how many reports were made in each hour. Reports of the
    /// hour of the decision count as earlier than the decision. So do reports of the day of the decision that arrived more than
    /// two days late, because they count in the first hour of that day: ``Calendar/countedHour(of:arrival:)``.
    ///
    /// If the decision names a build, only reports of builds with the fix count. The number of earlier reports of such builds is
    /// not stored, so the smallest possible number is used, which never hides that a leak came back.
    func countReportsAtDecision(of parts: [MergePart]) throws(StoreError) -> [Int64: ReportsAtDecision] {
        guard let decidedPart = parts.partWithDecisionInForce, let decided = decidedPart.lastDecision else {
            return [:]
        }
        var reportsByRelease: [Int64: ReportsAtDecision] = [:]
        for part in parts {
            let select =
                part.leakRowID == decidedPart.leakRowID
                ? try connection.statement(
                    "select release, reports, hour_reports from decision_release where decision = ?")
                : try connection.statement(
                    composed: """
                        select g.release,
                          max(0, g.reports - \(ContradictingReports.reportsWithoutFixSQL)), g.hour_reports
                        from (select release, cast(min(total(reports), LARGEST_TOTAL) as integer) as reports,
                          cast(min(total(hour_reports), LARGEST_TOTAL) as integer) as hour_reports from (
                          select release, reports, 0 as hour_reports from leak_day where leak = ?1 and day < ?2 / 24
                          union all
                          select release, reports, case hour when ?2 then reports else 0 end from leak_hour
                          where leak = ?1 and hour between ?2 / 24 * 24 and ?2
                          union all
                          select release, reports, 0 from leak_day where leak = ?1 and day = ?2 / 24 and not exists (
                            select 1 from leak_hour where leak = ?1 and hour between ?2 / 24 * 24 and ?2 / 24 * 24 + 23))
                        group by release) g
                        join leak_release c on c.leak = ?1 and c.release = g.release
                        join release r on r.id = c.release join decision d on d.id = ?3
                        """)
            defer { select.reset() }
            if part.leakRowID == decidedPart.leakRowID {
                try select.bind(decided.rowID)
            } else {
                try select.bind(part.leakRowID, Calendar.hour(of: decided.decision.at), decided.rowID)
            }
            while try select.step() {
                reportsByRelease[select.int64(0), default: ReportsAtDecision()]
                    .add(reports: select.int(1), hourReports: select.int(2))
            }
        }
        return reportsByRelease
    }

    /// Applies the most recent decision about any part to the merged leak.
    ///
    /// - Parameter reportsAtDecision: the result of ``countReportsAtDecision(of:)`` before the merge.
    func setDecision(
        of parts: [MergePart], _ reportsAtDecision: [Int64: ReportsAtDecision], in rowID: Int64
    ) throws(StoreError) {
        for part in parts {
            guard let decided = part.lastDecision else { continue }
            try connection.run("delete from decision_release where decision = ?", decided.rowID)
        }
        guard let decidedPart = parts.partWithDecisionInForce, let decided = decidedPart.lastDecision else {
            return
        }
        switch decided.decision.action {
        case .resolved:
            // The number of reports that the other parts had in older versions at the time of the decision is not known.
            try connection.run("update decision set reports_then = null where id = ?", decided.rowID)
            for (release, held) in reportsAtDecision.sorted(by: { $0.key < $1.key }) {
                try connection.statement(
                    composed: """
                        insert into decision_release (decision, release, reports, hour_reports)
                        select d.id, c.release, min(?3, \(ContradictingReports.reportsSQL)),
                          min(?4, c.reports) from decision d
                        join leak_release c on c.leak = d.leak and c.release = ?2 and c.reports > 0
                        join release r on r.id = c.release and r.order_key >= d.fix_from
                        where d.id = ?1
                        """
                ).run(decided.rowID, release, held.reports, held.hourReports)
            }
        case .ignored:
            var otherReports = 0
            for held in reportsAtDecision.values { otherReports.addBounded(held.reports) }
            try connection.run(
                """
                update decision set reports_then = min(reports_then + ?2, (select reports from leak where id = decision.leak))
                where id = ?1
                """, decided.rowID, otherReports)
        case .reopened, .noted: break
        }
        let state: Int64 = decided.decision.action == .reopened ? 0 : decided.rowID
        try connection.run("update leak set state = ? where id = ?", state, rowID)
    }
}
