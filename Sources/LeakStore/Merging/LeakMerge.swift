/// The result of merging leaks into one leak.
public struct LeakMerge: Hashable, Sendable {
    /// A leak that was merged into another and does not exist any more.
    public struct Source: Hashable, Sendable {
        public var id: LeakID
        /// Number of reports that the leak had.
        public var reports: Int

        public init(id: LeakID, reports: Int) {
            self.id = id
            self.reports = reports
        }
    }

    /// The decision in force of the merged leak: the most recent decision about any of the leaks, the target included.
    public struct DecisionInForce: Hashable, Sendable {
        public var decision: PastDecision
        /// The leak that the decision was about before the merge.
        public var leak: LeakID

        public init(decision: PastDecision, leak: LeakID) {
            self.decision = decision
            self.leak = leak
        }
    }

    /// The leaks that were merged into the target.
    public var sources: [Source]
    /// `true` if no leak had the target's id. The source with the most reports then got this id, and the class and path of the
    /// target.
    public var isNew: Bool
    /// `nil` if there was no decision about any of the leaks.
    public var decisionInForce: DecisionInForce?
    /// Number of leaks with a decision before the merge, the target included.
    public var decidedLeakCount: Int

    public init(sources: [Source], isNew: Bool, decisionInForce: DecisionInForce?, decidedLeakCount: Int) {
        self.sources = sources
        self.isNew = isNew
        self.decisionInForce = decisionInForce
        self.decidedLeakCount = decidedLeakCount
    }
}

extension PastDecision {
    /// `true` for a decision that sets the state of a leak; `false` for a note.
    public var setsState: Bool { action != .noted }
}

/// A leak that takes part in a merge, as it was stored: the target or one of the sources.
package struct MergePart: Sendable {
    /// A decision that sets the state.
    package struct StateDecision: Sendable {
        package var rowID: Int64
        package var decision: PastDecision

        package init(rowID: Int64, decision: PastDecision) {
            self.rowID = rowID
            self.decision = decision
        }
    }

    /// The row ID in `leak`.
    package var leakRowID: Int64
    package var id: LeakID
    package var reports: Int
    /// Number of reports of type `leak` received, each counted once.
    package var sightings: Int
    /// The most recent decision that sets the state.
    package var lastDecision: StateDecision?

    package init(leakRowID: Int64, id: LeakID, reports: Int, sightings: Int, lastDecision: StateDecision?) {
        self.leakRowID = leakRowID
        self.id = id
        self.reports = reports
        self.sightings = sightings
        self.lastDecision = lastDecision
    }
}

extension [MergePart] {
    /// The part whose decision is used for the merged leak: the part with the most recent decision. Of two decisions with the
    /// same time, the one with the higher row ID counts as more recent.
    package var partWithDecisionInForce: MergePart? {
        filter { $0.lastDecision != nil }.max { one, other in
            guard let one = one.lastDecision, let other = other.lastDecision else { return false }
            return (one.decision.at, one.rowID) < (other.decision.at, other.rowID)
        }
    }

    /// Returns the result of a merge of these leaks, which include the target if it exists.
    ///
    /// - Parameter sources: these leaks without the target.
    package func mergeResult(sources: [MergePart], isTargetNew: Bool) -> LeakMerge {
        LeakMerge(
            sources: sources.map { LeakMerge.Source(id: $0.id, reports: $0.reports) }, isNew: isTargetNew,
            decisionInForce: partWithDecisionInForce.flatMap { part in
                part.lastDecision.map { LeakMerge.DecisionInForce(decision: $0.decision, leak: part.id) }
            }, decidedLeakCount: count { $0.lastDecision != nil })
    }
}
