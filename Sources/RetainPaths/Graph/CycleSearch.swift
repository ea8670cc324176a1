internal import LeakMessage

/// A search for the cycles that lead from the first node of a graph back to it, the shortest first.
struct CycleSearch {
    /// The maximum number of edges that are tried. Reached only in graphs where many cycles share objects.
    private static let stepLimit = 20_000

    /// The edges of a cycle in order.
    struct Cycle {
        var edges: [Int32]
        /// The number of references; more than `edges` contains if the cycle was cut.
        var length: Int
    }

    private let graph: ObjectGraph
    /// The smallest number of references from each node back to the first node; `.max` for a node without a path back.
    private var distances: [Int32]

    init(_ graph: ObjectGraph) {
        self.graph = graph
        distances = Array(repeating: .max, count: graph.nodes.count)
        computeDistances()
    }

    /// Finds the shortest cycles. Cycles whose references have the same types, properties and kinds count as one.
    func cycles(limit: Int, longest: Int) -> [Cycle] {
        guard let shortest = shortestLength else { return [] }
        if shortest > longest { return [findShortestCycle(length: shortest, keeping: longest)] }
        var found: [Cycle] = []
        var seen: Set<UInt64> = []
        var steps = 0
        var length = shortest
        while length <= longest, found.count < limit, steps < Self.stepLimit {
            search(length: length, limit: limit, steps: &steps, seen: &seen, found: &found)
            length += 1
        }
        return found
    }

    private func isUsable(_ edge: ObjectGraph.Edge) -> Bool { !edge.flags.contains(.rejected) }

    private var shortestLength: Int? {
        var shortest: Int?
        for index in graph.nodes[0].edges where isUsable(graph.edges[index]) {
            let distance = distances[Int(graph.edges[index].to)]
            if distance != .max { shortest = min(shortest ?? .max, Int(distance) + 1) }
        }
        return shortest
    }

    /// Computes ``distances``, breadth first against the direction of references.
    private mutating func computeDistances() {
        // Edges sorted by their target, as offsets into one array.
        var starts = [Int32](repeating: 0, count: graph.nodes.count + 1)
        for edge in graph.edges where isUsable(edge) { starts[Int(edge.to) + 1] += 1 }
        for index in 1..<starts.count { starts[index] += starts[index - 1] }
        var sources = [Int32](repeating: 0, count: Int(starts[graph.nodes.count]))
        var next = starts
        for edge in graph.edges where isUsable(edge) {
            sources[Int(next[Int(edge.to)])] = edge.from
            next[Int(edge.to)] += 1
        }
        distances[0] = 0
        var queue: [Int32] = [0]
        var position = 0
        while position < queue.count {
            let node = Int(queue[position])
            position += 1
            for index in Int(starts[node])..<Int(starts[node + 1]) {
                let source = Int(sources[index])
                if distances[source] == .max {
                    distances[source] = distances[node] + 1
                    queue.append(Int32(source))
                }
            }
        }
    }

    /// Finds the cycles of exactly `length` objects, depth first, with arrays instead of recursion.
    private func search(
        length: Int, limit: Int, steps: inout Int, seen: inout Set<UInt64>, found: inout [Cycle]
    ) {
        var path: [Int32] = []
        var visited: [Int32] = [0]
        var nextEdge = [graph.nodes[0].edges.lowerBound]
        while let node = visited.last, steps < Self.stepLimit, found.count < limit {
            let index = nextEdge[nextEdge.count - 1]
            guard index < graph.nodes[Int(node)].edges.upperBound else {
                visited.removeLast()
                nextEdge.removeLast()
                if !path.isEmpty { path.removeLast() }
                continue
            }
            nextEdge[nextEdge.count - 1] = index + 1
            steps += 1
            let edge = graph.edges[index]
            guard isUsable(edge) else { continue }
            if edge.to == 0 {
                guard path.count + 1 == length, seen.insert(signature(path + [Int32(index)])).inserted else {
                    continue
                }
                found.append(Cycle(edges: path + [Int32(index)], length: length))
            } else if distances[Int(edge.to)] != .max,
                path.count + 1 + Int(distances[Int(edge.to)]) <= length,
                !visited.contains(edge.to)
            {
                path.append(Int32(index))
                visited.append(edge.to)
                nextEdge.append(graph.nodes[Int(edge.to)].edges.lowerBound)
            }
        }
    }

    /// Returns one of the shortest cycles, cut after `count` references.
    private func findShortestCycle(length: Int, keeping count: Int) -> Cycle {
        var edges: [Int32] = []
        var node = 0
        while edges.count < count {
            let remaining = length - edges.count - 1
            let next = graph.nodes[node].edges.first { index in
                let edge = graph.edges[index]
                guard isUsable(edge) else { return false }
                return edge.to == 0 ? remaining == 0 : Int(distances[Int(edge.to)]) == remaining
            }
            guard let next else { break }
            edges.append(Int32(next))
            node = Int(graph.edges[next].to)
            if node == 0 { break }
        }
        return Cycle(edges: edges, length: length)
    }

    /// Returns a hash that distinguishes cycles: of layouts, labels and kinds of references.
    private func signature(_ edges: [Int32]) -> UInt64 {
        var hash = FNV1a()
        for index in edges {
            let edge = graph.edges[Int(index)]
            hash.add(UInt64(UInt32(bitPattern: graph.nodes[Int(edge.from)].layoutIndex)))
            hash.add(UInt64(UInt32(bitPattern: edge.label)) << 8 | UInt64(edge.flags.rawValue))
        }
        return hash.value
    }
}
