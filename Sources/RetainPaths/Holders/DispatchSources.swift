/// A search for the handlers of dispatch sources, which are in memory of Dispatch whose layout is not described.
extension GraphWalker {
    private static let className = "Dispatch.DispatchSource"

    /// The dispatch sources that the last walk has reached.
    var dispatchSources: [UInt] {
        let layouts = Set(graph.nodes.map(\.layoutIndex)).filter { index in
            guard index >= 0 else { return false }
            let layout = reader.layouts.layout(index)
            return layout.kind == .object
                && MetadataName.qualified(Metadata(layout.metadata)) == Self.className
        }
        return graph.nodes.filter { layouts.contains($0.layoutIndex) }.map(\.address)
    }
}

extension ObjectReader {
    /// The maximum number of references on the way from the Dispatch object, which a source wraps, to the handler: to the
    /// description of the timer or file, to an item of a queue, to the block. swift-corelibs-libdispatch: src/source.c
    private static let maxHandlerDistance = 4
    /// The maximum number of allocations that are read.
    private static let allocationLimit = 64
    /// The maximum number of bytes that are read of one allocation. Sources of Dispatch have 256 bytes, its other objects at most
    /// 128.
    private static let maxBytesPerAllocation = 256

    /// Returns `true` if the memory of a dispatch source refers to a block, within ``maxHandlerDistance`` references.
    ///
    /// Each word that can be an address is followed, so that no layout of Dispatch has to be known.
    mutating func isHandler(_ block: UInt, of source: UInt) -> Bool {
        // The Dispatch object is the only property of the source.
        guard let wrapped = memory.word(source &+ UInt(HeapLayout.headerBytes)) else { return false }
        var allocations = [wrapped]
        var start = 0
        for _ in 0..<Self.maxHandlerDistance {
            let end = allocations.count
            for allocation in allocations[start..<end] {
                let bytes = min(
                    allocationSize(at: allocation) ?? Self.maxBytesPerAllocation, Self.maxBytesPerAllocation)
                for offset in stride(from: 0, to: bytes - 7, by: 8) {
                    guard let word = memory.word(allocation &+ UInt(offset)) else { break }
                    if word == block { return true }
                    let isNew = Self.isAddress(word) && !images.contains(word) && !allocations.contains(word)
                    if isNew, allocations.count < Self.allocationLimit { allocations.append(word) }
                }
            }
            start = end
        }
        return false
    }
}
