/// A leak with a decision, and the effect of the decision.
package struct DecidedLeak: Sendable {
    /// Row ID in `leak`.
    package var leakRowID: Int64
    package var reports: Int
    package var decisionStatus: DecisionStatus

    package init(leakRowID: Int64, reports: Int, decisionStatus: DecisionStatus) {
        self.leakRowID = leakRowID
        self.reports = reports
        self.decisionStatus = decisionStatus
    }
}

/// The part of a list that a query reads.
package enum LeakListPart: Sendable {
    /// All leaks that match the filters.
    case all
    /// The leaks without those that count all others of their app.
    case named
    /// The leaks that count all others of their app, which are the last rows of every list.
    case others
}

/// The states of leaks that are known leaks of the system, have a decision, or are nearly always freed later. All other leaks
/// are ``LeakState/open``.
package struct LeakStates: Sendable {
    package let known: KnownLeakRows
    /// The decision about each leak and its effect, by row ID in `leak`.
    package let decisionStatuses: [Int64: DecisionStatus]
    /// States by row ID in `leak`. Leaks without an entry are open.
    package private(set) var states: [Int64: LeakState] = [:]
    /// Row IDs of the leaks that count all others of their app: ``LeakIdentity/isOverLimit``. They are the last rows of every
    /// list, and never new.
    package let others: Set<Int64>
    private var totals: [LeakState: LeakTotals] = [:]
    /// The range of times for which these states are valid, in milliseconds since 1970: a leak may be ignored until a date.
    package private(set) var span = Int64.min..<Int64.max

    /// - Parameters:
    ///   - slow: rows and reports of the leaks that are ``LeakState/slow`` by their counts.
    ///   - now: milliseconds since 1970.
    package init(
        known: KnownLeakRows, decided: [DecidedLeak], slow: [(leakRowID: Int64, reports: Int)] = [],
        others: [Int64] = [], now: Int64
    ) {
        self.known = known
        self.others = Set(others)
        decisionStatuses = Dictionary(decided.map { ($0.leakRowID, $0.decisionStatus) }) { first, _ in first }
        totals[.known] = known.totals
        for rowID in known.rowIDs { states[rowID] = .known }
        for leak in decided {
            if case .ignored(.until(let end)) = leak.decisionStatus.decision.action {
                narrowSpan(at: end, now)
            }
            guard let state = leak.decisionStatus.state(now: now) else { continue }
            if states.updateValue(state, forKey: leak.leakRowID) == .known {
                totals[.known]?.leaks -= 1
                totals[.known]?.reports -= leak.reports
            }
            totals[state, default: LeakTotals()].leaks += 1
            totals[state, default: LeakTotals()].reports.addBounded(leak.reports)
        }
        for leak in slow where states[leak.leakRowID] == nil {
            states[leak.leakRowID] = .slow
            totals[.slow, default: LeakTotals()].leaks += 1
            totals[.slow, default: LeakTotals()].reports.addBounded(leak.reports)
        }
        if let reports = totals[.known]?.reports { totals[.known]?.reports = max(reports, 0) }
    }

    /// Limits ``span`` at the time `end`, at which a leak stops being ignored.
    private mutating func narrowSpan(at end: Int64, _ now: Int64) {
        span =
            now < end
            ? span.lowerBound..<min(span.upperBound, end) : max(span.lowerBound, end)..<span.upperBound
    }

    package func totals(_ state: LeakState) -> LeakTotals { totals[state] ?? LeakTotals() }

    /// Returns the totals of these states together.
    package func totals(of selectedStates: Set<LeakState>) -> LeakTotals {
        selectedStates.reduce(into: LeakTotals()) { sum, state in
            sum.leaks += totals(state).leaks
            sum.reports.addBounded(totals(state).reports)
        }
    }

    /// Returns the row IDs of the leaks in these states, ascending.
    package func rowIDs(_ selectedStates: Set<LeakState>) -> [Int64] {
        states.filter { selectedStates.contains($0.value) }.keys.sorted()
    }

    /// Returns the row IDs of the leaks that a part of a list leaves out.
    package func rowIDs(excludedFrom part: LeakListPart, of filter: LeakQuery.StateFilter) -> [Int64] {
        let excluded = rowIDs(filter.excluded)
        guard part == .named, !others.isEmpty else { return excluded }
        return Set(excluded).union(others).sorted()
    }

    /// Returns SQL for a number by which a list of leaks is sorted by state.
    ///
    /// - Parameters:
    ///   - isNewSQL: SQL for the condition that the leak was first seen in the current release.
    ///   - isOneOf: returns SQL for the condition that the leak has one of these row IDs.
    package func sortKeySQL(isNewSQL: String, isOneOf: ([Int64]) -> String) -> String {
        let states: [(state: LeakState, key: Int)] = [
            (.regressed, 6), (.slow, 3), (.resolved, 2), (.ignored, 1), (.known, 0),
        ]
        let conditions = states.compactMap { state, key -> String? in
            let rowIDs = rowIDs([state])
            return rowIDs.isEmpty ? nil : "when \(isOneOf(rowIDs)) then \(key) "
        }
        return "case \(conditions.joined())when \(isNewSQL) then 5 else 4 end"
    }

    package func isSetAside(_ rowID: Int64) -> Bool {
        states[rowID].map { LeakState.setAside.contains($0) } ?? false
    }

    /// Sets the state of a row.
    ///
    /// - Parameter rowID: the row ID of the leak.
    package func mark(_ row: inout LeakRow, _ rowID: Int64, now: Int64) {
        row.mark(known.matches[rowID], decisionStatuses[rowID], now: now)
    }
}

extension LeakState {
    /// States of leaks that are set aside: they need no fix, or are freed anyway, and are not in the list of leaks to fix.
    package static let setAside: Set<LeakState> = [.known, .resolved, .ignored, .slow]
    /// States that result from a known leak or a decision, and not from the counts of the leak.
    package static let assigned: Set<LeakState> = [.known, .resolved, .ignored, .regressed]
}

extension LeakQuery.StateFilter {
    /// The state of all leaks in the list, if it results from a known leak or a decision; otherwise `nil`.
    package var assigned: LeakState? {
        switch self {
        case .regressed: .regressed
        case .resolved: .resolved
        case .ignored: .ignored
        case .known: .known
        case .toFix, .new, .open, .slow, .any: nil
        }
    }

    /// The state of all leaks in the list, if lists of leaks to fix leave them out; otherwise `nil`.
    package var setAside: LeakState? {
        self == .slow ? .slow : assigned.flatMap { LeakState.setAside.contains($0) ? $0 : nil }
    }

    /// The states that the filter excludes in addition to its conditions on counts.
    package var excluded: Set<LeakState> {
        switch self {
        case .toFix, .new: LeakState.setAside
        case .open, .slow: LeakState.assigned
        case .any, .regressed, .resolved, .ignored, .known: []
        }
    }
}

extension LeakRow {
    /// Sets the state. A decision that is in force takes precedence over a known leak.
    package mutating func mark(_ match: KnownMatch?, _ decisionStatus: DecisionStatus?, now: Int64) {
        mark(match)
        self.decisionStatus = decisionStatus
        if let state = decisionStatus?.state(now: now) { self.state = state }
    }
}
