extension SQLiteReader {
    /// Returns the states that result from known leaks, decisions, and reports of freed objects, for the leaks of an app or of
    /// all apps.
    func leakStates(app: AppScope, now: Int64) throws(StoreError) -> LeakStates {
        try forgetMergedLeaks()
        let changeCounter = try changeCounter()
        if let cachedStates = decisionCache.leakStates(app: app, changeCounter: changeCounter, now: now) {
            return cachedStates
        }
        let leakStates = LeakStates(
            known: try knownRows(app: app), decided: try decidedLeaks(app: app),
            slow: try readSlowLeaks(app: app),
            now: now)
        decisionCache.keep(leakStates, app: app)
        return leakStates
    }

    /// Returns the leaks that are ``LeakState/slow`` by their counts. Finds them in a partial index, as ``decidedLeaks(app:)``
    /// does.
    private func readSlowLeaks(app: AppScope) throws(StoreError) -> [(leakRowID: Int64, reports: Int)] {
        let select = try connection.statement(
            composed: """
                select l.id, l.reports from app a cross join leak l indexed by leak_slow
                  on l.app = a.id and \(LeakRow.isSlowSQL)
                where a.environment = ?2 and (?1 is null or a.name = ?1)
                """)
        defer { select.reset() }
        try select.bind(app.app, app.environment)
        var leaks: [(leakRowID: Int64, reports: Int)] = []
        while try select.step() { leaks.append((select.int64(0), select.int(1))) }
        return leaks
    }

    /// Returns the leaks with a decision. Finds them in a partial index, so the time depends only on the number of these leaks.
    func decidedLeaks(app: AppScope) throws(StoreError) -> [DecidedLeak] {
        try forgetMergedLeaks()
        let changeCounter = try changeCounter()
        if let cachedLeaks = decisionCache.leaks(app: app, changeCounter: changeCounter) {
            return cachedLeaks
        }
        let select = try connection.statement(
            """
            select l.id, l.state, l.reports from app a cross join leak l indexed by leak_decided
              on l.app = a.id and l.state <> 0
            where a.environment = ?2 and (?1 is null or a.name = ?1)
            """)
        defer { select.reset() }
        try select.bind(app.app, app.environment)
        var leaks: [DecidedLeak] = []
        var uncachedRows: [Int64] = []
        while try select.step() {
            let (row, reports) = (select.int64(0), select.int(2))
            if let decisionStatus = decisionCache.decisionStatus(
                of: row, decision: select.int64(1), reports: reports)
            {
                leaks.append(DecidedLeak(leakRowID: row, reports: reports, decisionStatus: decisionStatus))
            } else {
                uncachedRows.append(row)
            }
        }
        leaks += try findDecisionStatuses(of: uncachedRows)
        decisionCache.keep(leaks, app: app, changeCounter: changeCounter)
        return leaks
    }

    /// Returns the statuses of decisions by row ID in `leak`. A leak without a decision has no entry.
    func decisionStatuses(of leaks: [Int64]) throws(StoreError) -> [Int64: DecisionStatus] {
        Dictionary(try findDecisionStatuses(of: leaks).map { ($0.leakRowID, $0.decisionStatus) }) {
            first, _ in
            first
        }
    }

    /// Returns those of the leaks that have a decision.
    func findDecisionStatuses(of leaks: [Int64]) throws(StoreError) -> [DecidedLeak] {
        guard !leaks.isEmpty else { return [] }
        let contradicting = ContradictingReports.sql(smallest: "min")
        let select = try connection.statement(
            composed: """
                select \(PastDecision.Column.columnsSQL),
                  l.id, l.state, l.reports,
                  case d.kind when 'resolve' then
                    (select cast(min(total(max(\(contradicting), 0)), LARGEST_TOTAL) as integer)
                     from leak_release c join release r on r.id = c.release
                     \(ContradictingReports.joinSQL)
                     where c.leak = l.id and r.order_key >= d.fix_from)
                  else l.reports - d.reports_then end,
                  r.version, \(ContradictingReports.buildSQL(smallest: "min")),
                  exists (select 1 from leak_release c join release r on r.id = c.release
                    \(ContradictingReports.joinSQL)
                    where c.leak = l.id and r.order_key >= d.fix_from and r.id <= d.known_release
                      and \(contradicting) > 0)
                from json_each(?) j cross join leak l on l.id = j.value cross join decision d on d.id = l.state
                left join leak_release c on d.kind = 'resolve' and c.leak = l.id and c.release = (
                  select release from (
                    select c.release, \(ContradictingReports.orderColumnsSQL(smallest: "min"))
                    from leak_release c join release r on r.id = c.release \(ContradictingReports.joinSQL)
                    where c.leak = l.id and r.order_key >= d.fix_from and \(contradicting) > 0)
                  order by rank, build_key, order_key limit 1)
                left join release r on r.id = c.release
                \(ContradictingReports.joinSQL)
                """)
        defer { select.reset() }
        try select.bind(leaks.jsonArray)
        var decidedLeaks: [DecidedLeak] = []
        while try select.step() {
            let next = PastDecision.Column.count
            let decisionStatus = DecisionStatus(
                decision: try PastDecision(select, in: connection.path), reportsSince: select.int(next + 3),
                regressedIn: select.optionalText(next + 4), regressedInBuild: select.optionalText(next + 5))
            let (row, reports) = (select.int64(next), select.int(next + 2))
            decisionCache.keep(
                decisionStatus, of: row, decision: select.int64(next + 1), reports: reports,
                mayExpire: select.int(next + 6) != 0)
            decidedLeaks.append(DecidedLeak(leakRowID: row, reports: reports, decisionStatus: decisionStatus))
        }
        return decidedLeaks
    }

    /// Adds the evidence for the fixes of the resolved leaks among the rows.
    ///
    /// - Parameter rowIDs: the row IDs of the same leaks, in the same order.
    func addFixes(to rows: inout [LeakRow], rowIDs: [Int64]) throws(StoreError) {
        let resolved = zip(rows, rowIDs).filter { $0.0.hasFix }.map(\.1)
        guard !resolved.isEmpty else { return }
        let histories = try fixHistories(.current, of: resolved)
        for (index, number) in rowIDs.enumerated() { rows[index].addFix(histories[number]?.current) }
    }

    private func fixHistories(
        _ decisions: FixHistory.Decisions, of leaks: [Int64]
    ) throws(StoreError) -> [Int64: FixHistory] {
        var histories: [Int64: FixHistory] = [:]
        for part in FixHistory.Part.parts(of: decisions) {
            let select = try connection.statement(
                composed: FixHistory.selectSQL(
                    part, of: decisions, from: "json_each(?1) j cross join leak l on l.id = j.value",
                    smallest: "min"))
            defer { select.reset() }
            try select.bind(leaks.jsonArray)
            while try select.step() {
                try histories[select.int64(0), default: FixHistory()]
                    .add(select, of: part, in: connection.path) { BucketCounts(bytes: $0) }
            }
        }
        return histories
    }

    /// Adds the decisions about a leak, newest first, at most ``Decision/maxPerLeak``, and the evidence for their fixes.
    func addHistory(to detail: inout LeakDetail, of leak: Int64) throws(StoreError) {
        let select = try connection.statement(
            composed: """
                select \(PastDecision.Column.columnsSQL), d.id from decision d where d.leak = ? order by d.id desc limit ?
                """)
        defer { select.reset() }
        try select.bind(leak, Decision.maxPerLeak)
        var decisions: [Int64] = []
        while try select.step() {
            detail.history.append(try PastDecision(select, in: connection.path))
            decisions.append(select.int64(PastDecision.Column.count))
        }
        let past = detail.hasPastFix ? try fixHistories(.past, of: [leak])[leak]?.past : nil
        detail.addFixes(decisions, past ?? [:])
    }

    /// Returns the number of leaks that regressed in each release, by row ID in `release`.
    func countRegressedLeaks(app: AppKey) throws(StoreError) -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        try forEachRegression(app: app) { _, release in counts[release, default: 0] += 1 }
        return counts
    }

    /// Returns the row IDs of the leaks that regressed in a release, and may have regressed in a build of it.
    ///
    /// - Parameter build: the row ID of the build; `nil` for all builds.
    func readRegressedLeaks(
        app: AppKey, in release: Int64, build: Int64?
    ) throws(StoreError) -> Set<Int64> {
        var leaks: Set<Int64> = []
        try forEachRegression(app: app, in: release, build: build) { leak, _ in leaks.insert(leak) }
        return leaks
    }

    /// Calls `body` with each regressed leak and each release that contradicts its fix.
    ///
    /// - Parameters:
    ///   - release: the only release to read; `nil` for all.
    ///   - build: the only build of `release` to read; `nil` for all.
    private func forEachRegression(
        app: AppKey, in release: Int64? = nil, build: Int64? = nil,
        _ body: (_ leak: Int64, _ release: Int64) -> Void
    ) throws(StoreError) {
        let regressedRows = try decidedLeaks(app: app.scope).filter { $0.decisionStatus.isRegressed }.map(
            \.leakRowID)
        guard !regressedRows.isEmpty else { return }
        let contradicting = ContradictingReports.sql(smallest: "min")
        let select = try connection.statement(
            composed: """
                select c.leak, c.release from json_each(?1) j cross join leak l on l.id = j.value
                cross join decision d on d.id = l.state
                cross join leak_release c on c.leak = l.id\(release == nil ? "" : " and c.release = ?2")
                join release r on r.id = c.release and r.order_key >= d.fix_from
                \(ContradictingReports.joinSQL)
                where \(contradicting) > 0
                """
                    + (build == nil
                        ? "" : " and \(ContradictingReports.mayBeSQL(ofBuild: "?3", smallest: "min"))"))
        defer { select.reset() }
        try select.bind(regressedRows.jsonArray, at: 1)
        if let release { try select.bind(release, at: 2) }
        if let build { try select.bind(build, at: 3) }
        while try select.step() { body(select.int64(0), select.int64(1)) }
    }
}

extension DecisionStatus {
    /// `true` if the leak was seen in a version that contradicts the fix.
    package var isRegressed: Bool { regressedIn != nil }
}
