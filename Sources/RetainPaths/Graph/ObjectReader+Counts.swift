extension ObjectReader {
    /// The number of strong references to an object, read from its header without a call of the runtime.
    ///
    /// - Returns: `nil` for immortal objects, whose references are not counted, and where it cannot be read.
    mutating func strongCount(at address: UInt) -> Int? {
        typealias Count = HeapLayout.ReferenceCount
        guard let word = memory.word(address &+ Count.word) else { return nil }
        var bits = UInt64(word)
        if bits & Count.sideTableMark == Count.sideTableMark {
            let table = UInt((bits & Count.sideTableMask) << Count.sideTableShift)
            guard let count = memory.word(table &+ Count.sideTableCount) else { return nil }
            bits = UInt64(count)
        }
        guard bits & Count.slowBit == 0 else { return nil }
        return Int(bits >> Count.strongShift & Count.strongMask) + 1
    }

    /// Returns whether an object has a side table: it has weak references, or had some.
    mutating func hasSideTable(at address: UInt) -> Bool {
        typealias Count = HeapLayout.ReferenceCount
        guard let word = memory.word(address &+ Count.word) else { return false }
        return UInt64(word) & Count.sideTableMark == Count.sideTableMark
    }

    /// Bytes of the allocator's chunk that starts with an object, the allocator's own bytes included.
    ///
    /// Only right for an address that malloc returned.
    /// - Returns: `nil` where the word before the object cannot be a chunk's size.
    mutating func chunkBytes(at address: UInt) -> Int? {
        typealias Chunk = HeapLayout.Chunk
        guard Allocator.hasChunkHeaders, let word = memory.word(address &- Chunk.size), word < Chunk.sizeLimit
        else {
            return nil
        }
        let bytes = Int(word & ~Chunk.flagsMask)
        return bytes >= 32 ? bytes : nil
    }

    /// Bytes that a program can use of the allocation that starts with an object; `nil` where it is not known.
    mutating func allocationSize(at address: UInt) -> Int? {
        typealias Chunk = HeapLayout.Chunk
        guard chunkBytes(at: address) != nil else { return nil }
        return memory.word(address &- Chunk.size).flatMap(Allocator.usableBytes)
    }
}
