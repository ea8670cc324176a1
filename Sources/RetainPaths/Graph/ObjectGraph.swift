/// The objects that a walk has reached and the strong references between them.
struct ObjectGraph {
    struct Node {
        var address: UInt
        /// The index of the layout in ``ObjectLayouts``; -1 for the node of all global variables.
        var layoutIndex: Int32
        var firstEdge: Int32 = 0
        var edgeCount: Int32 = 0

        var edges: Range<Int> { Int(firstEdge)..<Int(firstEdge + edgeCount) }
    }

    struct EdgeFlags: OptionSet {
        let rawValue: UInt8
        /// The reference of a function value to its context, or a reference to a block.
        static let closure = EdgeFlags(rawValue: 1)
        /// A word that was found by searching, so it may turn out not to be a reference.
        static let suspected = EdgeFlags(rawValue: 2)
        static let element = EdgeFlags(rawValue: 4)
        static let key = EdgeFlags(rawValue: 8)
        /// A suspected reference that turns out not to be a reference, as the strong count of its target shows.
        static let rejected = EdgeFlags(rawValue: 16)
    }

    /// A strong reference between two nodes, given by their indices.
    struct Edge {
        var from: Int32
        var to: Int32
        /// The number of the property in ``Labels``.
        var label: Int32
        var flags: EdgeFlags
        /// The address of the code of a closure or block, or 0.
        var function: UInt

        /// `true` if type metadata shows that this is a strong reference; `false` if a search of memory found a word that may
        /// be a reference.
        var isProven: Bool { !flags.contains(.suspected) }
    }

    /// A reference to a buffer that holds no references itself.
    struct BufferEdge {
        /// The index of the node that holds the reference.
        var from: Int32
        var address: UInt
    }

    /// The objects. The first is the object to explain; in a search for a holder, it may stand for the variables, or be the
    /// farthest holder.
    var nodes: [Node] = []
    var edges: [Edge] = []
    var bufferEdges: [BufferEdge] = []
    /// `true` if a limit of the budget was reached.
    var isTruncated = false
    private(set) var indices = AddressTable()

    /// Removes all objects. Some hundred kilobytes of memory stay for the next walk: as much as a walk within ``Budget/release``
    /// needs.
    mutating func removeAll() {
        nodes.removeAll(keepingCapacity: nodes.capacity <= 1 << 12)
        edges.removeAll(keepingCapacity: edges.capacity <= 1 << 13)
        bufferEdges.removeAll(keepingCapacity: bufferEdges.capacity <= 1 << 13)
        indices.removeAll()
        isTruncated = false
    }

    @inline(__always)
    func index(of address: UInt) -> Int32? { indices.value(for: address) }

    mutating func addNode(_ address: UInt, layoutIndex: Int32) -> Int32 {
        let index = Int32(nodes.count)
        nodes.append(Node(address: address, layoutIndex: layoutIndex))
        indices.set(index, for: address)
        return index
    }
}
