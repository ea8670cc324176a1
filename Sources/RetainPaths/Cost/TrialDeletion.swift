/// The memory that would be freed with an object: the object, and all objects whose strong references all come from freed objects.
///
/// The counts in the headers show which objects are held from outside, so no other root is needed. The object itself counts as
/// released by its holder. Suspected references explain nothing: an object that no proven reference leads to is not counted.
/// "Trial deletion": Lins 1992; Bacon, Rajan: Concurrent Cycle Collection, 2001.
struct TrialDeletion {
    private(set) var byteCount = 0
    private(set) var objectCount = 0
    /// `true` if an object that is held from outside holds the object itself, so that breaking a cycle would not free it.
    private(set) var isHeldFromOutside = false

    init(_ walker: inout GraphWalker) {
        let nodeCount = walker.graph.nodes.count
        guard nodeCount > 0 else { return }
        var inside = [Int32](repeating: 0, count: nodeCount)
        for edge in walker.graph.edges where edge.isProven { inside[Int(edge.to)] += 1 }
        var isKept = [Bool](repeating: false, count: nodeCount)
        var pending: [Int32] = []
        for index in 1..<max(nodeCount, 1) {
            // Immortal objects are static: they are never freed.
            let count = walker.reader.strongCount(at: walker.graph.nodes[index].address)
            if count.map({ $0 > Int(inside[index]) }) ?? true {
                isKept[index] = true
                pending.append(Int32(index))
            }
        }
        while let node = pending.popLast() {
            for index in walker.graph.nodes[Int(node)].edges {
                let edge = walker.graph.edges[index]
                let target = Int(edge.to)
                if target == 0 { isHeldFromOutside = isHeldFromOutside || edge.isProven }
                if target != 0, edge.isProven, !isKept[target] {
                    isKept[target] = true
                    pending.append(Int32(target))
                }
            }
        }
        for index in 0..<nodeCount where !isKept[index] {
            let node = walker.graph.nodes[index]
            objectCount += 1
            byteCount &+= walker.reader.allocatedBytes(
                at: node.address, walker.reader.layouts.layout(node.layoutIndex))
        }
        addBuffers(&walker, isKept: isKept)
    }

    /// Adds the buffers, which hold no references: a buffer is freed if all its references come from freed objects.
    private mutating func addBuffers(_ walker: inout GraphWalker, isKept: [Bool]) {
        var table = AddressTable()
        var buffers: [(address: UInt, references: Int, isKept: Bool)] = []
        for edge in walker.graph.bufferEdges {
            let isHeld = isKept[Int(edge.from)]
            if let index = table.value(for: edge.address) {
                buffers[Int(index)].references += 1
                if isHeld { buffers[Int(index)].isKept = true }
            } else {
                table.set(Int32(buffers.count), for: edge.address)
                buffers.append((edge.address, 1, isHeld))
            }
        }
        for buffer in buffers where !buffer.isKept && walker.graph.index(of: buffer.address) == nil {
            guard let layout = walker.reader.layoutIndex(at: buffer.address),
                let count = walker.reader.strongCount(at: buffer.address), count <= buffer.references
            else { continue }
            objectCount += 1
            byteCount &+= walker.reader.allocatedBytes(
                at: buffer.address, walker.reader.layouts.layout(layout))
        }
    }
}

extension ObjectReader {
    /// Returns the bytes of an object, of its side table and of the raw memory that it owns.
    mutating func allocatedBytes(at address: UInt, _ layout: ObjectLayout) -> Int {
        var bytes = chunkBytes(at: address) ?? Allocator.estimatedBytes(estimatedSize(at: address, layout))
        if hasSideTable(at: address) { bytes &+= HeapLayout.ReferenceCount.sideTableChunkBytes }
        if layout.rawMemoryOffset != 0, let memory = memory.word(address &+ layout.rawMemoryOffset),
            let capacity = self.memory.word(address &+ layout.rawCapacityOffset), Self.isAddress(memory),
            capacity < HeapLayout.Chunk.sizeLimit
        {
            let chunk = chunkBytes(at: memory) ?? 0
            // Memory that was not allocated by malloc may have any word in front of it.
            let isOwn = chunk >= Int(capacity) && chunk < Int(capacity) + 64 * 1024
            bytes &+= isOwn ? chunk : Allocator.estimatedBytes(Int(capacity))
        }
        return bytes
    }

    /// Estimates the bytes of an object from its layout and the capacity of its storage.
    private mutating func estimatedSize(at address: UInt, _ layout: ObjectLayout) -> Int {
        typealias Storage = HeapLayout.ArrayStorage
        let size = max(layout.size, HeapLayout.headerBytes)
        guard layout.metadata != 0 else { return size }
        let type = Metadata(layout.metadata)
        if layout.kind == .object, MetadataName.unqualified(type) == "__StringStorage" {
            let capacity =
                (memory.word(address &+ HeapLayout.StringValue.capacity) ?? 0)
                & HeapLayout.StringValue.capacityMask
            return HeapLayout.StringValue.text + Int(min(capacity, HeapLayout.Chunk.sizeLimit))
        }
        guard layout.kind == .storage else { return size }
        if type.descriptor == layouts.types.standard.arrayStorageDescriptor,
            let element = type.genericArgument(0),
            let capacity = memory.word(address &+ Storage.capacityAndFlags),
            capacity >> 1 < Storage.countLimit
        {
            return size &+ Int(capacity >> 1) &* layouts.types.layout(of: element).stride
        }
        if layout.scaleOffset != 0, let capacity = memory.word(address &+ HeapLayout.HashStorage.capacity),
            capacity < 1 << UInt(HeapLayout.HashStorage.scaleLimit)
        {
            // Buckets are a power of two with a quarter of them free. HashTable.swift: maxLoadFactor
            var stride = 0
            for index in 0..<2 {
                if index == 1, type.descriptor == layouts.types.standard.setStorageDescriptor { break }
                if let argument = type.genericArgument(index) {
                    stride &+= layouts.types.layout(of: argument).stride
                }
            }
            return size &+ Int(capacity) &* 4 / 3 &* stride
        }
        return size
    }
}
