extension GraphWalker {
    /// One walk and its answer.
    mutating func explanation(_ address: UInt, callerReferences: Int, budget: Budget) -> RetainExplanation {
        var explanation = RetainExplanation()
        guard walk(from: address, budget: budget) else { return explanation }
        let balance = ReferenceBalance(&self, callerReferences: callerReferences)
        explanation.unexplainedReferences = max(0, balance.unexplained)
        let cycles = CycleSearch(graph).cycles(limit: budget.cycles, longest: budget.cycleLength)
        let deletion = TrialDeletion(&self)
        explanation.cost = .init(
            bytes: deletion.bytes, objects: deletion.objects,
            isAtLeast: graph.isTruncated || reader.memory.isExhausted)
        let renderer = PathRenderer(self)
        explanation.type = renderer.typeName(0)
        let paths = cycles.map { cycle in
            (cycle: cycle, path: renderer.path(cycle.edges, isCycle: true, length: cycle.length))
        }
        .sorted { first, second in
            // Proven ones first; the order of cycles of one length does not depend on the hashes of keys.
            if first.path.isSuspected != second.path.isSuspected { return second.path.isSuspected }
            if first.cycle.length != second.cycle.length { return first.cycle.length < second.cycle.length }
            return first.path.description < second.path.description
        }
        if let shortest = paths.first {
            explanation.path = shortest.path
            explanation.furtherCycles = paths.dropFirst().map(\.path)
            explanation.closureSites = renderer.closureSites(shortest.cycle.edges)
            explanation.confidence = !shortest.path.isSuspected && balance.unexplained == 0 ? .proven : .suspected
        }
        return explanation
    }
}
