internal import LeakMessage

extension GraphWalker {
    /// Walks once and explains the result. Walks a second time if references stay unexplained.
    mutating func explanation(
        _ address: UInt, callerReferences: Int, budget: Budget, search: HolderSearch = []
    ) -> RetainExplanation {
        var explanation = RetainExplanation()
        let budget = budget.limited
        guard walk(from: address, budget: budget) else { return explanation }
        var balance = ReferenceBalance(&self, callerReferences: callerReferences)
        if balance.unexplainedCount != 0 {
            // A thread that loads a weak reference to the object retains it for a moment.
            guard walk(from: address, budget: budget) else { return explanation }
            balance = ReferenceBalance(&self, callerReferences: callerReferences)
        }
        explanation.unexplainedReferences = max(0, balance.unexplainedCount)
        let cycles = CycleSearch(graph).cycles(limit: budget.cycles, longest: budget.cycleLength)
        let deletion = TrialDeletion(&self)
        explanation.cost = .init(
            bytes: deletion.byteCount, objects: deletion.objectCount,
            isAtLeast: graph.isTruncated || reader.memory.isExhausted)
        let renderer = PathRenderer(self)
        explanation.type = renderer.typeName(0)
        let paths = cycles.map { cycle in
            (cycle: cycle, path: renderer.path(cycle.edges, isCycle: true, length: cycle.length))
        }
        .sorted { first, second in
            // Proven paths come first. The order of equally long paths does not depend on the hashes of keys.
            if first.path.isSuspected != second.path.isSuspected { return second.path.isSuspected }
            if first.cycle.length != second.cycle.length { return first.cycle.length < second.cycle.length }
            return first.path.description < second.path.description
        }
        if let shortest = paths.first {
            explanation.path = shortest.path
            explanation.furtherCycles = paths.dropFirst().map(\.path)
            explanation.closureSites = renderer.closureSites(shortest.cycle.edges)
            // A cycle that was cut may have suspected references in the part that is missing.
            let isWhole = !shortest.path.isSuspected && shortest.path.fullLength == nil
            // A reference from outside to any object of the cycle keeps this object too, through the cycle.
            let isExplained =
                balance.strongCount != nil && balance.unexplainedCount == 0 && !deletion.isHeldFromOutside
            explanation.confidence = isWhole && isExplained ? .proven : .suspected
        }
        let isSuspected = explanation.path?.isSuspected ?? true
        if !search.isEmpty, isSuspected, balance.unexplainedCount > 0 || explanation.path != nil {
            addHolder(of: address, to: &explanation, budget: budget, search: search)
        }
        return explanation
    }

    /// Searches for the holder of an object that proven references do not explain.
    ///
    /// A found holder replaces a suspected cycle only if at most one reference is unexplained and no reference of the holder's path
    /// is suspected.
    private mutating func addHolder(
        of address: UInt, to explanation: inout RetainExplanation, budget: Budget, search: HolderSearch
    ) {
        let sources = search.contains(.heap) ? dispatchSources : []
        var found = search.contains(.globals) ? pathFromGlobals(to: address, budget: budget) : nil
        if found == nil, search.contains(.heap) {
            found = pathFromHeap(to: address, sources: sources, budget: budget)
        }
        guard let found else { return }
        let renderer = PathRenderer(self)
        let path = renderer.path(found.edges, isCycle: false, length: found.edges.count)
        if explanation.path != nil, path.isSuspected || explanation.unexplainedReferences > 1 { return }
        explanation.path = path
        explanation.furtherCycles = []
        explanation.closureSites = renderer.closureSites(found.edges)
        explanation.holder = .init(path)
        explanation.global = found.variable == 0 ? nil : reader.images.offset(of: found.variable)
        // The type of a variable is not known: it may be a reference that keeps nothing alive.
        explanation.confidence = .suspected
    }
}
