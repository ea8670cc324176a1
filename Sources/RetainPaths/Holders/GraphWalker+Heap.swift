extension GraphWalker {
    /// Finds the holder of an object by searching the memory of the process for the object's address, then for the address of its
    /// holder, and so on.
    ///
    /// - Parameter sources: dispatch sources that the object holds. If the farthest holder is a block and the memory of a source
    ///   refers to it, the path begins with that source. Only blocks are tried, because Dispatch keeps other objects near a source
    ///   too.
    /// - Returns: edges of ``graph``, which the search replaces, from the farthest holder that was found, and the address of the
    ///   variable that the path begins with, or 0.
    mutating func pathFromHeap(
        to target: UInt, sources: [UInt] = [], budget: Budget
    ) -> (edges: [Int32], variable: UInt)? {
        var search = HeapSearch(target: target)
        let end = ContinuousClock.now + budget.searchTime
        begin(budget)
        let generation = reader.generation
        for _ in 0..<HeapSearch.roundLimit where !search.isDone {
            // The pages of a round are stale in the next round.
            begin(budget)
            // If a library was loaded or unloaded, the layouts of the holders found so far were dropped.
            guard reader.generation == generation else { return nil }
            search.scan(excluding: reader.memory.ownRanges, until: end)
            // An unfinished round may have missed a more certain holder.
            if ContinuousClock.now >= end { break }
            for hit in search.takeHits() { addHolder(hit, to: &search) }
            search.finishRound()
        }
        var path = search.path
        if !sources.isEmpty, let handler = path.first, handler.layoutIndex == reader.layouts.blockIndex {
            begin(budget)
            guard reader.generation == generation else { return nil }
            let source = sources.first { reader.isHandler(handler.holder, of: $0) }
            if let source, let layout = reader.layoutIndex(at: source) {
                path.insert(
                    .init(
                        holder: source, layoutIndex: layout, target: handler.holder, label: 0,
                        flags: [.suspected, .closure], function: 0, variable: 0), at: 0)
            }
        }
        return replaceGraph(with: path)
    }

    /// Adds the object that contains a word as a holder, if one of its references leads to the target.
    private mutating func addHolder(_ hit: HeapSearch.Hit, to search: inout HeapSearch) {
        if reader.images.contains(hit.address) {
            search.add(
                .init(
                    holder: 0, layoutIndex: -1, target: hit.target, label: 0, flags: [], function: 0,
                    variable: hit.address))
            return
        }
        guard let holder = reader.objectAround(hit.address), search.isNew(holder.address) else { return }
        graph.removeAll()
        _ = graph.addNode(holder.address, layoutIndex: holder.layoutIndex)
        expandFirst()
        // A reference that keeps nothing alive does not become an edge.
        let edge = graph.edges.first { graph.nodes[Int($0.to)].address == hit.target }
        guard let edge else { return }
        let kind = reader.layouts.layout(holder.layoutIndex).kind
        let isSuspected = edge.flags.contains(.suspected)
        let certainty: HeapSearch.Certainty = kind == .taskFrames || kind == .task ? .frame : .unknownWord
        search.add(
            .init(
                holder: holder.address, layoutIndex: holder.layoutIndex, target: hit.target,
                label: edge.label,
                flags: edge.flags, function: edge.function, variable: 0, isTask: kind == .task,
                certainty: isSuspected ? certainty : .proven))
    }

    /// Replaces the graph by a graph that consists of a path.
    private mutating func replaceGraph(with path: [HeapSearch.Step]) -> (edges: [Int32], variable: UInt)? {
        guard let first = path.first, let last = path.last else { return nil }
        graph.removeAll()
        _ = graph.addNode(first.holder == 0 ? 1 : first.holder, layoutIndex: first.layoutIndex)
        for (index, step) in path.enumerated() {
            let layout =
                step.target == last.target ? reader.layoutIndex(at: step.target) : path[index + 1].layoutIndex
            guard let layout else { return nil }
            _ = graph.addNode(step.target, layoutIndex: layout)
            graph.edges.append(
                ObjectGraph.Edge(
                    from: Int32(index), to: Int32(index + 1), label: step.label, flags: step.flags,
                    function: step.function))
        }
        return (graph.edges.indices.map(Int32.init), first.variable)
    }
}

extension ObjectReader {
    /// The maximum offset of a word in an object, in bytes: an array of 8,000 references.
    private static let maxOffsetInObject: UInt = 64 * 1024

    /// Returns the object whose allocation contains a word; `nil` if there is none.
    mutating func objectAround(_ address: UInt) -> (address: UInt, layoutIndex: Int32)? {
        // Allocations are multiples of 16 apart.
        var start = address & ~15
        let end = start - min(start, Self.maxOffsetInObject)
        while start > end {
            if let layout = layoutIndex(at: start), let bytes = chunkBytes(at: start) {
                // If the allocation ends before the word, the word is in another allocation, and no earlier object can contain it either.
                return start &+ UInt(bytes) > address ? (start, layout) : nil
            }
            start -= 16
        }
        return nil
    }
}
