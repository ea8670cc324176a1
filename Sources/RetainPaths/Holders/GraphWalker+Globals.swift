extension GraphWalker {
    private static let blockBytes = 64 * 1024

    /// Finds the shortest path from a global variable of the program to an object.
    ///
    /// - Returns: edges of ``graph``, which the search replaces, and the variable's address.
    mutating func pathFromGlobals(to target: UInt, budget: Budget) -> (edges: [Int32], variable: UInt)? {
        begin(budget)
        // The first node represents all variables; it is not an object.
        _ = graph.addNode(1, layoutIndex: -1)
        var variables: [UInt] = []
        for image in reader.images.images where image.isProgram {
            for segment in image.writableRanges { addGlobals(in: segment, &variables) }
        }
        graph.nodes[0].edgeCount = Int32(graph.edges.count)
        expandAll(from: 1) { $0.index(of: target) != nil }
        guard let found = graph.index(of: target), found != 0 else { return nil }
        let edges = pathToNode(found)
        guard let first = edges.first, variables.indices.contains(Int(first)) else { return nil }
        return (edges, variables[Int(first)])
    }

    /// Adds a reference for each word of a segment that is the address of an object.
    private mutating func addGlobals(in segment: Range<UInt>, _ variables: inout [UInt]) {
        let block = UnsafeMutableRawPointer.allocate(byteCount: Self.blockBytes, alignment: 16)
        defer { unsafe block.deallocate() }
        var address = (segment.lowerBound &+ 7) & ~7
        while address &+ 8 <= segment.upperBound {
            let count = min(Self.blockBytes, Int(segment.upperBound - address)) & ~7
            if unsafe CheckedMemory.read(address, count: count, into: block) {
                for offset in stride(from: 0, to: count, by: 8) {
                    let word = unsafe block.load(fromByteOffset: offset, as: UInt.self)
                    guard ObjectReader.isAddress(word), !reader.images.contains(word) else { continue }
                    let before = graph.edges.count
                    addEdge(to: word, label: 0, flags: [])
                    if graph.edges.count > before { variables.append(address &+ UInt(offset)) }
                }
            }
            address &+= UInt(count)
        }
    }

    /// Returns the edges through which a walk first reached a node.
    private func pathToNode(_ node: Int32) -> [Int32] {
        var incoming = [Int32](repeating: -1, count: graph.nodes.count)
        for (index, edge) in graph.edges.enumerated() where incoming[Int(edge.to)] < 0 {
            incoming[Int(edge.to)] = Int32(index)
        }
        var edges: [Int32] = []
        var current = node
        while current != 0, edges.count < graph.nodes.count {
            let edge = incoming[Int(current)]
            guard edge >= 0 else { return [] }
            edges.append(edge)
            current = graph.edges[Int(edge)].from
        }
        return edges.reversed()
    }
}
