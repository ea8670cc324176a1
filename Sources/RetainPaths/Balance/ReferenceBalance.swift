/// The balance of an object: the reference count in its header compared with the references found.
///
/// strong count − references of the caller − references found = unexplained references. For an object whose holders are all known,
/// this is 0.
struct ReferenceBalance {
    /// The strong count of the object that was asked about, read before its references were followed; `nil` for an immortal
    /// object, and if the count cannot be read.
    let strongCount: Int?
    /// The number of strong references to the object that were not found: suspected references do not count as found. Below 0
    /// if the graph changed during the walk; 0 without a ``strongCount``.
    let unexplainedCount: Int

    /// Computes the balance. Rejects a suspected reference if proven references already explain the whole strong count of its
    /// target.
    init(_ walker: inout GraphWalker, callerReferences: Int) {
        let nodeCount = walker.graph.nodes.count
        var proven = [Int32](repeating: 0, count: nodeCount)
        var suspected: [Int] = []
        for (index, edge) in walker.graph.edges.enumerated() {
            if edge.isProven {
                proven[Int(edge.to)] += 1
            } else {
                suspected.append(index)
            }
        }
        for index in suspected {
            let target = Int(walker.graph.edges[index].to)
            guard let count = walker.reader.strongCount(at: walker.graph.nodes[target].address) else {
                continue
            }
            if count - Int(proven[target]) - (target == 0 ? callerReferences : 0) <= 0 {
                walker.graph.edges[index].flags.insert(.rejected)
            }
        }
        strongCount = walker.strongCount
        unexplainedCount = strongCount.map { $0 - callerReferences - Int(proven[0]) } ?? 0
    }
}
