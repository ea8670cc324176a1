#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        /// Returns the states that result from known leaks, decisions, and reports of freed objects, for the leaks of an app or
        /// of all apps.
        func leakStates(
            app: AppScope, now: Int64, on connection: PostgreSQLConnection
        ) throws(StoreError) -> LeakStates {
            let slow = try connection.run(
                Query(
                    """
                    select l.id, l.reports from leak l join app a on a.id = l.app
                    where \(LeakRow.isSlowSQL) and a.environment = $2::text
                      and ($1::text is null or a.name = $1::text)
                    """, .text(app.app), .text(app.environment)))
            return LeakStates(
                known: try knownRows(app: app, on: connection),
                decided: try decidedLeaks(app: app, on: connection),
                slow: slow.map { ($0.int64(0), $0.int(1)) }, now: now)
        }

        /// Returns the leaks with a decision. A separate index finds them, so the time depends only on the number of such
        /// leaks, however many other leaks there are.
        func decidedLeaks(app: AppScope, on connection: PostgreSQLConnection) throws(StoreError)
            -> [DecidedLeak]
        {
            let decidedRows = try connection.run(
                Query(
                    """
                    select l.id, l.state, l.reports from app a join leak l on l.app = a.id and l.state <> 0
                    where a.environment = $2::text and ($1::text is null or a.name = $1::text)
                    """, .text(app.app), .text(app.environment)))
            return try decidedLeaks(decidedRows, on: connection)
        }

        /// Returns the given leaks that have a decision.
        func decidedLeaks(
            among leaks: [Int64], on connection: PostgreSQLConnection
        ) throws(StoreError) -> [DecidedLeak] {
            let decidedRows = try connection.run(
                Query(
                    "select id, state, reports from leak where id = any($1::bigint[]) and state <> 0",
                    .integers(leaks.map { $0 })))
            return try decidedLeaks(decidedRows, on: connection)
        }

        /// - Parameter leaks: rows with `id`, `state` and `reports`.
        private func decidedLeaks(
            _ leaks: Rows, on connection: PostgreSQLConnection
        ) throws(StoreError) -> [DecidedLeak] {
            var decisionStatuses: [Int64: DecisionStatus] = [:]
            var uncachedDecisions: [Int64] = []
            var expiringRows: Set<Int64> = []
            for leak in leaks {
                let (row, decision) = (leak.int64(0), leak.int64(1))
                decisionStatuses[row] = decisionCache.decisionStatus(
                    of: row, decision: decision, reports: leak.int(2))
                if decisionStatuses[row] == nil { uncachedDecisions.append(decision) }
            }
            if !uncachedDecisions.isEmpty {
                for row in try connection.run(Self.decisionStatuses(uncachedDecisions)) {
                    decisionStatuses[row.int64(0)] = try Self.decisionStatus(row, connection)
                    if row.bool(3 + PastDecision.Column.count) { expiringRows.insert(row.int64(0)) }
                }
            }
            var decidedLeaks: [DecidedLeak] = []
            for leak in leaks {
                let (row, reports) = (leak.int64(0), leak.int(2))
                guard let decisionStatus = decisionStatuses[row] else {
                    throw .unreadable("a decision", in: connection.name)
                }
                decisionCache.keep(
                    decisionStatus, of: row, decision: leak.int64(1), reports: reports,
                    mayExpire: expiringRows.contains(row))
                decidedLeaks.append(
                    DecidedLeak(leakRowID: row, reports: reports, decisionStatus: decisionStatus))
            }
            return decidedLeaks
        }

        private static let contradictingReportsSQL = ContradictingReports.sql(smallest: "least")

        private static func decisionStatuses(_ decisions: [Int64]) -> Query {
            Query(
                """
                select d.leak, \(PastDecision.Column.columnsSQL), coalesce(since.reports, greatest(l.reports - d.reports_then, 0)), since.back_in,
                  coalesce(since.may_expire, false),
                  (select \(ContradictingReports.buildSQL(smallest: "least"))
                    from leak_release c join release r on r.id = c.release
                    \(ContradictingReports.joinSQL) where c.leak = d.leak and c.release = since.back_in_release)
                from decision d join leak l on l.id = d.leak
                left join lateral (
                  select least(coalesce(sum(c.reports), 0), LARGEST_TOTAL)::bigint as reports,
                    (array_agg(c.version order by c.rank, c.build_key, c.order_key))[1] as back_in,
                    (array_agg(c.release order by c.rank, c.build_key, c.order_key))[1] as back_in_release,
                    bool_or(c.is_known) as may_expire
                  from (
                    select c.release, r.version, \(contradictingReportsSQL) as reports, r.id <= d.known_release as is_known,
                      \(ContradictingReports.orderColumnsSQL(smallest: "least"))
                    from leak_release c join release r on r.id = c.release and r.order_key >= d.fix_from
                    \(ContradictingReports.joinSQL)
                    where c.leak = d.leak) c
                  where c.reports > 0
                ) since on d.fix_from is not null
                where d.id = any($1::bigint[])
                """, .integers(decisions.map { $0 }))
        }

        private static func decisionStatus(_ row: Row, _ connection: PostgreSQLConnection) throws(StoreError)
            -> DecisionStatus
        {
            let decision = try PastDecision(row, from: 1, in: connection.name)
            let nextColumn = 1 + PastDecision.Column.count
            return DecisionStatus(
                decision: decision, reportsSince: row.int(nextColumn),
                regressedIn: row.optionalText(nextColumn + 1),
                regressedInBuild: row.optionalText(nextColumn + 3))
        }

        /// Selects each regressed leak with each release in which a report contradicts its fix.
        ///
        /// - Parameters:
        ///   - regressed: row IDs in `leak`.
        ///   - release: the only release to select; `nil` for all.
        ///   - build: the only build of `release` to select; `nil` for all.
        static func regressions(
            of regressed: [Int64], in release: Int64? = nil, build: Int64? = nil
        ) -> Query {
            Query(
                """
                select c.leak, c.release from leak l join decision d on d.id = l.state
                join leak_release c on c.leak = l.id\(release == nil ? "" : " and c.release = $2::bigint")
                join release r on r.id = c.release and r.order_key >= d.fix_from
                \(ContradictingReports.joinSQL)
                where l.id = any($1::bigint[]) and \(contradictingReportsSQL) > 0
                """
                    + (build == nil
                        ? ""
                        : " and \(ContradictingReports.mayBeSQL(ofBuild: "$3::bigint", smallest: "least"))"),
                [.integers(regressed.map { $0 })]
                    + [release, build].compactMap { $0 }.map { Parameter.integer($0) })
        }

        /// Adds the evidence for the fixes of the resolved leaks among the rows.
        ///
        /// - Parameter rowIDs: the row IDs of the same leaks, in the same order.
        static func addFixes(
            to rows: inout [LeakRow], rowIDs: [Int64], on connection: PostgreSQLConnection
        ) throws(StoreError) {
            let resolved = zip(rows, rowIDs).filter { $0.0.hasFix }.map(\.1)
            guard !resolved.isEmpty else { return }
            let histories = try fixHistories(.current, of: resolved, on: connection)
            for (index, number) in rowIDs.enumerated() { rows[index].addFix(histories[number]?.current) }
        }

        private static func fixHistories(
            _ decisions: FixHistory.Decisions, of leaks: [Int64], on connection: PostgreSQLConnection
        ) throws(StoreError) -> [Int64: FixHistory] {
            let parts = FixHistory.Part.parts(of: decisions)
            let answers = try connection.run(
                parts.map { part in
                    Query(
                        FixHistory.selectSQL(
                            part, of: decisions, from: "(select * from leak where id = any($1::bigint[])) l",
                            smallest: "least"), .integers(leaks.map { $0 }))
                })
            var histories: [Int64: FixHistory] = [:]
            for (part, rows) in zip(parts, answers) {
                for row in rows {
                    try histories[row.int64(0), default: FixHistory()]
                        .add(row, of: part, in: connection.name) { BucketCountsNumeric.counts($0) }
                }
            }
            return histories
        }

        static func history(of leak: Int64) -> Query {
            Query(
                "select \(PastDecision.Column.columnsSQL), d.id from decision d where d.leak = $1::bigint order by d.id desc limit $2::bigint",
                .integer(leak), .integer(Decision.maxPerLeak))
        }

        /// Adds the decisions about a leak and the evidence for their fixes.
        ///
        /// - Parameter rows: the answer to ``history(of:)``.
        static func addHistory(
            _ rows: Rows, to detail: inout LeakDetail, of leak: Int64, on connection: PostgreSQLConnection
        ) throws(StoreError) {
            var decisions: [Int64] = []
            for row in rows {
                detail.history.append(try PastDecision(row, in: connection.name))
                decisions.append(row.int64(PastDecision.Column.count))
            }
            let past =
                detail.hasPastFix ? try fixHistories(.past, of: [leak], on: connection)[leak]?.past : nil
            detail.addFixes(decisions, past ?? [:])
        }
    }

    extension LeakStates {
        /// Row IDs of the regressed leaks.
        var regressed: [Int64] { decisionStatuses.filter { $0.value.isRegressed }.keys.sorted() }
    }
#endif
