extension StoreConnection {
    /// Adds the states and trends, which are not columns of ``LeakRow/selectSQL``.
    ///
    /// - Parameter rowIDs: the row IDs of the same leaks, in the same order.
    package func addStatesAndTrends(
        to rows: inout [LeakRow], rowIDs: [Int64], leakStates: LeakStates, now: Int64
    ) throws(StoreError) {
        let firstDay = Calendar.day(of: now) - LeakRow.trendDays + 1
        let trends = try read(StoreQueries.trends(of: rowIDs, from: firstDay))
        for (index, rowID) in rowIDs.enumerated() {
            leakStates.mark(&rows[index], rowID, now: now)
            rows[index].trendFrom = firstDay
            rows[index].trend = trends[rowID] ?? [Int](repeating: 0, count: LeakRow.trendDays)
        }
        try addFixes(to: &rows, rowIDs: rowIDs)
    }

    /// Adds the evidence for the fixes of the resolved leaks among the rows.
    ///
    /// - Parameter rowIDs: the row IDs of the same leaks, in the same order.
    package func addFixes(to rows: inout [LeakRow], rowIDs: [Int64]) throws(StoreError) {
        let resolved = zip(rows, rowIDs).filter { $0.0.hasFix }.map(\.1)
        guard !resolved.isEmpty else { return }
        let builder = FixHistory.Builder(.current, of: resolved)
        _ = try readAll(builder.fixes, builder.earlierReports, builder.builds, builder.days)
        for (index, rowID) in rowIDs.enumerated() { rows[index].addFix(builder.histories[rowID]?.current) }
    }

    /// Adds the decisions about a leak, newest first, and the evidence for their fixes.
    ///
    /// - Parameter history: the result of ``StoreQueries/history(of:)``.
    package func add(
        _ history: [StoreQueries.HistoryEntry], to detail: inout LeakDetail, of leak: Int64
    ) throws(StoreError) {
        detail.history = history.map(\.decision)
        var past: [Int64: FixCounts]?
        if detail.hasPastFix {
            let builder = FixHistory.Builder(.past, of: [leak])
            _ = try readAll(builder.fixes, builder.builds, builder.days)
            past = builder.histories[leak]?.past
        }
        detail.addFixes(history.map(\.rowID), past ?? [:])
    }
}

extension StoreQueries {
    package typealias HistoryEntry = (decision: PastDecision, rowID: Int64)

    /// Reads the decisions about a leak, newest first, at most ``Decision/maxPerLeak``.
    package static func history(of leak: Int64) -> StoreRead<[HistoryEntry]> {
        StoreRead(
            .composed(
                """
                select \(PastDecision.Column.columnsSQL) from decision d
                where d.leak = $1::bigint order by d.id desc limit $2::bigint
                """), .integer(leak), .int(Decision.maxPerLeak)
        ) { (row: NamedRow<PastDecision.Column>) throws(StoreError) in
            (try PastDecision(row), row.int64(.row))
        }
    }

    /// Reads the leaks that are ``LeakState/slow`` by their counts. A partial index finds them.
    package static func slowLeaks(_ app: AppScope) -> StoreRead<[(leakRowID: Int64, reports: Int)]> {
        enum Column: Int32, QueryColumn { case id, reports }
        return StoreRead(
            .composed(
                """
                select l.id, l.reports from app a /*! cross */ join leak l /*! indexed by leak_slow */
                  on l.app = a.id and \(LeakRow.isSlowSQL)
                where \(isInScopeSQL)
                """), .text(app.app), .text(app.environment)
        ) { (row: NamedRow<Column>) in (row.int64(.id), row.int(.reports)) }
    }

    /// A leak with the row ID of the decision in force.
    package typealias LeakWithDecision = (leakRowID: Int64, decision: Int64, reports: Int)

    private enum DecidedColumn: Int32, QueryColumn { case id, state, reports }

    /// Reads the leaks with a decision, and the row ID of the decision in force. A partial index finds them.
    package static func decidedLeaks(_ app: AppScope) -> StoreRead<[LeakWithDecision]> {
        StoreRead(
            .composed(
                """
                select l.id, l.state, l.reports from app a /*! cross */ join leak l /*! indexed by leak_decided */
                  on l.app = a.id and l.state <> 0
                where \(isInScopeSQL)
                """), .text(app.app), .text(app.environment)
        ) { (row: NamedRow<DecidedColumn>) in (row.int64(.id), row.int64(.state), row.int(.reports)) }
    }

    /// Reads the given leaks that have a decision.
    package static func decidedLeaks(among leaks: [Int64]) -> StoreRead<[LeakWithDecision]> {
        StoreRead(
            "select id, state, reports from leak where id = any($1::bigint[]) and state <> 0",
            .integers(leaks)
        ) { (row: NamedRow<DecidedColumn>) in (row.int64(.id), row.int64(.state), row.int(.reports)) }
    }

    /// Reads each regressed leak with each release in which a report contradicts its fix.
    ///
    /// - Parameters:
    ///   - regressed: row IDs in `leak`.
    ///   - release: the only release to read; `nil` for all.
    ///   - build: the only build of `release` to read; `nil` for all.
    package static func regressions(
        of regressed: [Int64], in release: Int64? = nil, build: Int64? = nil
    ) -> StoreRead<[(leak: Int64, release: Int64)]> {
        enum Column: Int32, QueryColumn { case leak, release }
        let ofRelease = release == nil ? "" : " and c.release = $2::bigint"
        let ofBuild =
            build == nil ? "" : " and \(ContradictingReports.mayContradictSQL(build: "$3::bigint"))"
        return StoreRead(
            .composed(
                """
                select c.leak, c.release from unnest($1::bigint[]) as j (value)
                /*! cross */ join leak l on l.id = j.value
                /*! cross */ join decision d on d.id = l.state
                /*! cross */ join leak_release c on c.leak = l.id\(ofRelease)
                join release r on r.id = c.release and r.order_key >= d.fix_from
                \(ContradictingReports.joinSQL)
                where \(ContradictingReports.sql) > 0\(ofBuild)
                """),
            [.integers(regressed)] + [release, build].compactMap(\.self).map { StoreValue.integer($0) },
            into: []
        ) { (row: NamedRow<Column>, regressions) in
            regressions.append((row.int64(.leak), row.int64(.release)))
        }
    }

    /// Reads the reports per day of ``LeakRow/trendDays`` days, by row ID in `leak`.
    fileprivate static func trends(of leaks: [Int64], from first: Int) -> StoreRead<[Int64: [Int]]> {
        enum Column: Int32, QueryColumn { case leak, day, reports }
        let zeros = [Int](repeating: 0, count: LeakRow.trendDays)
        return StoreRead(
            .composed(
                """
                select d.leak, d.day, d.reports from \(listedSQL) leak_day d
                  on d.leak = j.value and d.day between $2::bigint and $3::bigint
                """), [.integers(leaks), .int(first), .int(first + LeakRow.trendDays - 1)], into: [:]
        ) { (row: NamedRow<Column>, trends) throws(StoreError) in
            let day = try row.bucket(.day, from: first, count: LeakRow.trendDays)
            trends[row.int64(.leak), default: zeros][day].addBounded(row.int(.reports))
        }
    }
}
