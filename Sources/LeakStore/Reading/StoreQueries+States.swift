// The states of leaks: known leaks, decisions and slow leaks. A reader caches them. If a change of the database is found without
// a query to a server, whole results are cached too.

extension QueryReader {
    /// Returns the states that result from known leaks, decisions, and reports of freed objects, for the leaks of an app or of
    /// all apps.
    package func leakStates(
        app: AppScope, now: Int64, on connection: Connection
    ) throws(StoreError) -> LeakStates {
        let changeCounter = try cachedChangeCounter()
        if let changeCounter,
            let cachedStates = decisionCache.leakStates(app: app, changeCounter: changeCounter, now: now)
        {
            return cachedStates
        }
        let known = try knownRows(app: app, on: connection)
        let decided = try decidedLeaks(app: app, on: connection)
        let (slow, others) = try connection.readAll(
            StoreQueries.slowLeaks(app), StoreQueries.otherLeaks(app))
        let leakStates = LeakStates(known: known, decided: decided, slow: slow, others: others, now: now)
        if changeCounter != nil { decisionCache.keep(leakStates, app: app) }
        return leakStates
    }

    /// Returns the leaks with a decision. A partial index finds them, so the time depends only on the number of these leaks.
    package func decidedLeaks(
        app: AppScope, on connection: Connection
    ) throws(StoreError) -> [DecidedLeak] {
        let changeCounter = try cachedChangeCounter()
        if let changeCounter, let leaks = decisionCache.leaks(app: app, changeCounter: changeCounter) {
            return leaks
        }
        let leaks = try decidedLeaks(connection.read(StoreQueries.decidedLeaks(app)), on: connection)
        if let changeCounter { decisionCache.keep(leaks, app: app, changeCounter: changeCounter) }
        return leaks
    }

    /// Returns the given leaks that have a decision.
    package func decidedLeaks(
        among leaks: [Int64], on connection: Connection
    ) throws(StoreError) -> [DecidedLeak] {
        guard !leaks.isEmpty else { return [] }
        return try decidedLeaks(connection.read(StoreQueries.decidedLeaks(among: leaks)), on: connection)
    }

    private func decidedLeaks(
        _ leaks: [StoreQueries.LeakWithDecision], on connection: Connection
    ) throws(StoreError) -> [DecidedLeak] {
        var statuses: [Int64: DecisionStatus] = [:]
        var uncachedLeaks: [Int64] = []
        for leak in leaks {
            statuses[leak.leakRowID] = decisionCache.decisionStatus(
                of: leak.leakRowID, decision: leak.decision, reports: leak.reports)
            if statuses[leak.leakRowID] == nil { uncachedLeaks.append(leak.leakRowID) }
        }
        var expiring: Set<Int64> = []
        if !uncachedLeaks.isEmpty {
            for found in try connection.read(Connection.decisionStatuses(of: uncachedLeaks)) {
                statuses[found.leakRowID] = found.status
                if found.mayExpire { expiring.insert(found.leakRowID) }
            }
        }
        var decidedLeaks: [DecidedLeak] = []
        for leak in leaks {
            guard let status = statuses[leak.leakRowID] else {
                throw .unreadable("a decision", in: connection.database)
            }
            decisionCache.keep(
                status, of: leak.leakRowID, decision: leak.decision, reports: leak.reports,
                mayExpire: expiring.contains(leak.leakRowID))
            decidedLeaks.append(
                DecidedLeak(leakRowID: leak.leakRowID, reports: leak.reports, decisionStatus: status))
        }
        return decidedLeaks
    }

    /// Returns the leaks of an app, or of all apps, that ``KnownLeaks`` describes. An index finds them by class, so the time
    /// depends only on the number of leaks of these classes.
    package func knownRows(app: AppScope, on connection: Connection) throws(StoreError) -> KnownLeakRows {
        guard !knownLeaks.entries.isEmpty else { return KnownLeakRows() }
        let changeCounter = try cachedChangeCounter()
        if let changeCounter, let rows = knownCache.rows(app: app, changeCounter: changeCounter) {
            return rows
        }
        var rows = KnownLeakRows()
        var uncachedLeaks: [Int64: ObservedLeak] = [:]
        let ranges = knownLeaks.classRanges
        for (rowID, leak) in try connection.read(
            StoreQueries.leaks(inClassRanges: ranges, app, Connection.leaksInClassRangesSQL))
        {
            let cacheEntry = knownCache.cached(on: rowID, reports: leak.reports)
            guard cacheEntry.isCached else {
                uncachedLeaks[rowID] = leak
                continue
            }
            if let match = cacheEntry.match { rows.add(match, reports: leak.reports, of: rowID) }
        }
        try connection.addStacksAndSystems(to: &uncachedLeaks)
        // Adds the leaks in the order of their row IDs, because later queries are fastest in this order.
        for (rowID, leak) in uncachedLeaks.sorted(by: { $0.key < $1.key }) {
            let match = knownLeaks.match(leak)
            knownCache.keep(match, reports: leak.reports, on: rowID)
            if let match { rows.add(match, reports: leak.reports, of: rowID) }
        }
        if let changeCounter { knownCache.keep(rows, app: app, changeCounter: changeCounter) }
        return rows
    }

    /// Returns ``StoreReader/changeCounter()``, and clears outdated caches; `nil` if a server would have to be asked.
    private func cachedChangeCounter() throws(StoreError) -> Int64? {
        try clearOutdatedCaches()
        return hasLocalChangeCounter ? try changeCounter() : nil
    }
}

extension StoreQueries {
    /// The status of the decision in force about a leak.
    package typealias LeakStatus = (leakRowID: Int64, status: DecisionStatus, mayExpire: Bool)

    /// - Parameter sql: selects the columns of the status, then those of ``PastDecision``. `$1` is the row IDs of the leaks.
    package static func decisionStatuses(_ sql: String, of leaks: [Int64]) -> StoreRead<[LeakStatus]> {
        enum Column: Int32, QueryColumn {
            case leak, reportsSince, regressedIn, regressedInBuild, mayExpire
        }
        return StoreRead(.composed(sql), .integers(leaks)) {
            (row: NamedRow<Column>) throws(StoreError) in
            let status = DecisionStatus(
                decision: try PastDecision(row.following()), reportsSince: row.int(.reportsSince),
                regressedIn: row.optionalText(.regressedIn),
                regressedInBuild: row.optionalText(.regressedInBuild))
            return (row.int64(.leak), status, row.bool(.mayExpire))
        }
    }

    /// Reads leaks by class. Their stacks and systems are read later.
    ///
    /// - Parameter sql: selects the leaks whose class is in the range from a text in `$3` to the text at the same place in `$4`.
    fileprivate static func leaks(
        inClassRanges ranges: [(first: String, last: String)], _ app: AppScope, _ sql: String
    ) -> StoreRead<[(rowID: Int64, leak: ObservedLeak)]> {
        enum Column: Int32, QueryColumn { case id, `class`, kind, reports }
        return StoreRead(
            .composed(sql), .text(app.app), .text(app.environment), .texts(ranges.map(\.first)),
            .texts(ranges.map(\.last))
        ) { (row: NamedRow<Column>) in
            let leak = ObservedLeak(
                className: row.text(.class), kind: row.text(.kind), stack: [], reports: row.int(.reports),
                systems: [])
            return (row.int64(.id), leak)
        }
    }
}

extension LeakStates {
    /// Row IDs of the regressed leaks.
    package var regressed: [Int64] {
        decisionStatuses.filter { $0.value.isRegressed }.keys.sorted()
    }
}

extension DecisionStatus {
    /// `true` if the leak was seen in a version that contradicts the fix.
    package var isRegressed: Bool { regressedIn != nil }
}
