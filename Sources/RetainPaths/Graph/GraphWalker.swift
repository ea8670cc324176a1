/// A walker that visits the objects reachable from one object, breadth first, so that a small budget misses only the farthest
/// objects.
///
/// It retains nothing, runs no code of the program, and reads instances only through ``PageSnapshot``.
struct GraphWalker: ~Copyable {
    /// The number of references that a walk may follow for each object of its budget, on average. ``Budget/thorough`` allows a
    /// million objects, and so 16 million references: enough for an array of a million references to one object.
    private static let edgesPerBudgetedObject = 16

    var reader = ObjectReader()
    var graph = ObjectGraph()
    /// The strong count of the first object; `nil` for an immortal object, and if the count cannot be read.
    private(set) var strongCount: Int?
    private var budget = Budget.release
    private var edgeLimit = 0
    /// The number of container elements that may still be read: elements without a reference take time too.
    private var elementsLeft = 0
    private var current: Int32 = 0
    /// Memory for copies of enum values: they are projected in place, so each level of nesting needs a copy.
    let scratch = ScratchMemory()

    init() {}

    /// Walks from one object.
    ///
    /// - Returns: `false` if no object is at the address.
    mutating func walk(from address: UInt, budget: Budget) -> Bool {
        begin(budget)
        guard let layout = reader.layoutIndex(at: address) else { return false }
        _ = graph.addNode(address, layoutIndex: layout)
        // The count is read now, because the pages of the budget may be used up later.
        strongCount = reader.strongCount(at: address)
        expandAll()
        return true
    }

    /// Starts a walk: drops the graph and the pages of the previous walk.
    mutating func begin(_ budget: Budget) {
        self.budget = budget.limited
        current = 0
        edgeLimit = self.budget.objects * Self.edgesPerBudgetedObject
        elementsLeft = edgeLimit
        reader.reset(pageBytes: budget.pageBytes)
        graph.removeAll()
    }

    /// Frees most of the memory of a walk.
    mutating func reset() {
        reader.memory.reset(byteLimit: 0)
        graph.removeAll()
    }

    /// Visits the nodes from `start` on, including those that the visits add, until `isDone` is `true`.
    mutating func expandAll(
        from start: Int = 0, until isDone: (borrowing ObjectGraph) -> Bool = { _ in false }
    ) {
        var index = start
        while index < graph.nodes.count {
            current = Int32(index)
            graph.nodes[index].firstEdge = Int32(graph.edges.count)
            expand(index)
            graph.nodes[index].edgeCount = Int32(graph.edges.count) - graph.nodes[index].firstEdge
            index += 1
            if isDone(graph) { break }
        }
        if reader.memory.isExhausted { graph.isTruncated = true }
    }

    /// Visits the first node alone.
    mutating func expandFirst() {
        current = 0
        expand(0)
    }

    /// Counts an element of a container against the budget.
    ///
    /// - Returns: `false` if the budget is used up.
    mutating func mayReadElement() -> Bool {
        guard elementsLeft > 0, !isFull else {
            graph.isTruncated = true
            return false
        }
        elementsLeft -= 1
        return true
    }

    private var isFull: Bool { graph.nodes.count >= budget.objects || graph.edges.count >= edgeLimit }

    /// Adds a reference from the current object, if the target is an object and the budget allows. Adds the target too, if it
    /// is new.
    @inline(__always)
    mutating func addEdge(
        to address: UInt, label: Int32, flags: ObjectGraph.EdgeFlags, function: UInt = 0
    ) {
        guard ObjectReader.isAddress(address) else { return }
        let target: Int32
        if let known = graph.index(of: address) {
            target = known
        } else {
            guard let layout = reader.layoutIndex(at: address) else { return }
            guard graph.nodes.count < budget.objects else {
                graph.isTruncated = true
                return
            }
            target = graph.addNode(address, layoutIndex: layout)
        }
        guard graph.edges.count < edgeLimit else {
            graph.isTruncated = true
            return
        }
        graph.edges.append(
            ObjectGraph.Edge(from: current, to: target, label: label, flags: flags, function: function))
    }

    @inline(__always)
    private mutating func addBuffer(_ address: UInt) {
        guard ObjectReader.isAddress(address), !reader.images.contains(address) else { return }
        guard graph.bufferEdges.count < budget.buffers else {
            graph.isTruncated = true
            return
        }
        graph.bufferEdges.append(ObjectGraph.BufferEdge(from: current, address: address))
    }

    private mutating func expand(_ index: Int) {
        let address = graph.nodes[index].address
        let layout = reader.layouts.layout(graph.nodes[index].layoutIndex)
        if layout.elements != .none { expandElements(of: address, layout) }
        var size = layout.size
        if let start = layout.scanStart {
            size = extent(of: address, layout)
            search(address, from: start, to: size)
        }
        if let start = layout.tailStart, let end = reader.allocationSize(at: address) {
            search(address, from: start, to: min(end, PageSnapshot.maxBytesPerRead))
        }
        guard !layout.referenceFields.isEmpty, size > 0,
            let bytes = unsafe reader.memory.bytes(address, count: size)
        else {
            return
        }
        unsafe follow(layout.referenceFields, in: bytes, size: size)
    }

    /// Returns the size in bytes of an object whose layout does not contain it.
    private mutating func extent(of address: UInt, _ layout: ObjectLayout) -> Int {
        switch layout.kind {
        case .block: return reader.blockSize(at: address) ?? 0
        case .taskFrames: return reader.taskSlabSize(at: address) ?? 0
        default:
            if layout.size > 0 { return layout.size }
            let size = reader.allocationSize(at: address)
            if size == nil, layout.kind == .task { return HeapLayout.taskBytes }
            return min(size ?? 0, PageSnapshot.maxBytesPerRead)
        }
    }

    /// Adds a suspected reference for each word that is the address of an object.
    private mutating func search(_ address: UInt, from start: Int, to end: Int) {
        var offset = start.aligned(to: 8)
        while offset + 8 <= end, mayReadElement() {
            if let word = reader.memory.word(address &+ UInt(offset)) {
                addSuspected(word, label: 0, flags: [])
            }
            offset += 8
        }
    }

    private mutating func addSuspected(_ word: UInt, label: Int32, flags: ObjectGraph.EdgeFlags) {
        guard ObjectReader.isAddress(word), !reader.images.contains(word) else { return }
        addEdge(to: word, label: label, flags: flags.union(.suspected))
    }

    /// Adds the references in a value.
    ///
    /// - Parameters:
    ///   - value: a copy of the value.
    ///   - size: the bytes of the value; reference fields beyond it are left out.
    ///   - label: the number of the property that has the value, in ``Labels``; 0 if there is none.
    ///   - nesting: the number of enum values and existential containers around the value.
    mutating func follow(
        _ range: ReferenceFieldRange, in value: UnsafeRawPointer, size: Int, label: Int32 = 0,
        flags: ObjectGraph.EdgeFlags = [], nesting: Int = 0
    ) {
        for index in range.indices {
            let reference = reader.layouts.types.referenceFields[index]
            let offset = Int(reference.offset)
            guard offset >= 0, offset &+ 8 <= size || reference.kind == .enumeration else { continue }
            let joined =
                label == 0 ? reference.label : reader.layouts.types.labels.join(label, reference.label)
            switch reference.kind {
            case .strong:
                let word = unsafe value.loadUnaligned(fromByteOffset: offset, as: UInt.self)
                addEdge(to: word & HeapLayout.addressMask, label: joined, flags: flags)
            case .storage:
                addBuffer(
                    unsafe value.loadUnaligned(fromByteOffset: offset, as: UInt.self) & HeapLayout.addressMask
                )
            case .string:
                guard offset + 16 <= size else { continue }
                let object = unsafe value.loadUnaligned(
                    fromByteOffset: offset + HeapLayout.StringValue.object, as: UInt.self)
                if object & HeapLayout.StringValue.discriminatorMask == 0 { addBuffer(object) }
            case .function:
                guard offset + 16 <= size else { continue }
                let function = unsafe value.loadUnaligned(fromByteOffset: offset, as: UInt.self)
                let context = unsafe value.loadUnaligned(fromByteOffset: offset + 8, as: UInt.self)
                if function != 0 {
                    addEdge(to: context, label: joined, flags: flags.union(.closure), function: function)
                }
            case .block:
                let block = unsafe value.loadUnaligned(fromByteOffset: offset, as: UInt.self)
                if let function = reader.memory.word(block &+ HeapLayout.Block.invoke) {
                    addEdge(to: block, label: joined, flags: flags.union(.closure), function: function)
                }
            case .unknownWords:
                var position = offset.aligned(to: 8)
                while position + 8 <= min(size, offset + Int(reference.detail)) {
                    let word = unsafe value.loadUnaligned(fromByteOffset: position, as: UInt.self)
                    addSuspected(word, label: joined, flags: flags)
                    position += 8
                }
            case .existential:
                guard offset + 32 <= size else { continue }
                unsafe followExistential(value + offset, label: joined, flags: flags, nesting: nesting)
            case .enumeration:
                unsafe followEnum(
                    Int(reference.detail), value + offset, available: size - offset, label: joined,
                    flags: flags,
                    nesting: nesting)
            }
        }
    }

    private mutating func followExistential(
        _ container: UnsafeRawPointer, label: Int32, flags: ObjectGraph.EdgeFlags, nesting: Int
    ) {
        let type = unsafe container.loadUnaligned(
            fromByteOffset: MetadataLayout.Existential.containedType, as: UInt.self)
        guard type != 0, reader.isType(type) else { return }
        let first = unsafe container.loadUnaligned(as: UInt.self)
        let value = reader.layouts.types.layout(of: Metadata(type))
        // A large value without references still has a box, which counts towards the memory that is kept.
        if value.isClass || !value.isInline { return addEdge(to: first, label: label, flags: flags) }
        guard nesting < ScratchMemory.levelCount else { return }
        unsafe follow(
            value.referenceFields, in: container, size: MetadataLayout.Existential.containedType,
            label: label,
            flags: flags,
            nesting: nesting + 1)
    }

    private mutating func followEnum(
        _ number: Int, _ value: UnsafeRawPointer, available: Int, label: Int32, flags: ObjectGraph.EdgeFlags,
        nesting: Int
    ) {
        let layout = reader.layouts.types.enums[number]
        guard layout.size <= available, let copy = unsafe scratch.level(nesting, count: layout.size) else {
            return
        }
        unsafe copy.copyMemory(from: value, byteCount: layout.size)
        let tag = unsafe Int(Reflection.enumTag(copy, layout))
        // A value that is garbage may give any tag.
        guard tag < layout.cases.count, !layout.cases[tag].isEmpty else { return }
        unsafe Reflection.projectEnumData(copy, layout)
        unsafe follow(
            layout.cases[tag], in: UnsafeRawPointer(copy), size: layout.size, label: label, flags: flags,
            nesting: nesting + 1)
    }
}
