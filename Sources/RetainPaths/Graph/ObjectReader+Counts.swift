extension ObjectReader {
    /// Returns the number of strong references to an object, read from its header without a call of the runtime.
    ///
    /// - Returns: `nil` for immortal objects, whose references are not counted, and if the count cannot be read.
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

    /// Returns `true` if an object has a side table, because it has or had weak references.
    mutating func hasSideTable(at address: UInt) -> Bool {
        typealias Count = HeapLayout.ReferenceCount
        guard let word = memory.word(address &+ Count.word) else { return false }
        return UInt64(word) & Count.sideTableMark == Count.sideTableMark
    }

    /// Returns the bytes of the allocator's chunk that starts with an object, including the allocator's own bytes.
    ///
    /// The result is correct only for an address that malloc returned.
    /// - Returns: `nil` if the allocator writes no sizes, or if the word before the object cannot be a chunk's size.
    mutating func chunkBytes(at address: UInt) -> Int? {
        typealias Chunk = HeapLayout.Chunk
        guard Allocator.hasChunkHeaders, let word = memory.word(address &- Chunk.size), word < Chunk.sizeLimit
        else {
            return nil
        }
        let bytes = Int(word & ~Chunk.flagsMask)
        return bytes >= 32 ? bytes : nil
    }

    /// Returns the bytes that a program can use of the allocation that starts with an object; `nil` if they are not known.
    mutating func allocationSize(at address: UInt) -> Int? {
        typealias Chunk = HeapLayout.Chunk
        guard chunkBytes(at: address) != nil else { return nil }
        return memory.word(address &- Chunk.size).flatMap(Allocator.usableBytes)
    }
}
