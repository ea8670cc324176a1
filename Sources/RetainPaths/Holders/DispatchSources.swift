/// Finds the handlers of dispatch sources. They are in memory of Dispatch for which there is no description.
extension GraphWalker {
    private static let className = "Dispatch.DispatchSource"

    /// The dispatch sources that the last walk has reached.
    var dispatchSources: [UInt] {
        let layouts = Set(graph.nodes.map(\.layout)).filter { index in
            guard index >= 0 else { return false }
            let layout = reader.layouts.layout(index)
            return layout.kind == .object
                && MetadataName.qualified(Metadata(layout.metadata)) == Self.className
        }
        return graph.nodes.filter { layouts.contains($0.layout) }.map(\.address)
    }
}

extension ObjectReader {
    /// References from the object of Dispatch that a source wraps to a handler: to its description of the timer or file, to an
    /// item of a queue, to the block. swift-corelibs-libdispatch: src/source.c
    private static let handlerDistance = 4
    /// Pieces of memory that are looked at, and bytes of each. Those of Dispatch have 128 bytes or less, sources 256.
    private static let pieceLimit = 64
    private static let pieceBytes = 256

    /// Returns whether the memory of a dispatch source refers to a block, within a few references.
    ///
    /// Each word that can be an address is followed, so that no layout of Dispatch has to be known.
    mutating func isHandler(_ block: UInt, of source: UInt) -> Bool {
        // The object of Dispatch is the only property.
        guard let wrapped = memory.word(source &+ UInt(HeapLayout.headerBytes)) else { return false }
        var pieces = [wrapped]
        var start = 0
        for _ in 0..<Self.handlerDistance {
            let end = pieces.count
            for piece in pieces[start..<end] {
                let bytes = min(allocationSize(at: piece) ?? Self.pieceBytes, Self.pieceBytes)
                for offset in stride(from: 0, to: bytes - 7, by: 8) {
                    guard let word = memory.word(piece &+ UInt(offset)) else { break }
                    if word == block { return true }
                    let isNew = Self.isAddress(word) && !images.contains(word) && !pieces.contains(word)
                    if isNew, pieces.count < Self.pieceLimit { pieces.append(word) }
                }
            }
            start = end
        }
        return false
    }
}
