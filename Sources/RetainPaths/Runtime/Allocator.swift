#if canImport(Glibc)
    internal import CLeakLinux
    internal import Glibc
#endif

/// The allocator that the program runs with.
enum Allocator {
    /// `true` if the word before an allocation is glibc's chunk size.
    ///
    /// Programs can be started with another allocator (jemalloc, address sanitizer). Allocations of several sizes are compared with
    /// `malloc_usable_size` once; if one differs, sizes come from layouts instead.
    static let hasChunkHeaders: Bool = {
        #if canImport(Glibc)
            [24, 40, 100, 1_000, 20_000, 300_000].allSatisfy { count in
                guard let memory = unsafe malloc(count) else { return false }
                defer { unsafe free(memory) }
                var word: UInt = 0
                let address = UInt(bitPattern: memory) &- HeapLayout.Chunk.size
                let isRead = unsafe withUnsafeMutableBytes(of: &word) { bytes in
                    guard let base = bytes.baseAddress else { return false }
                    return unsafe CheckedMemory.read(address, count: 8, into: base)
                }
                return unsafe isRead && usableBytes(ofChunk: word) == malloc_usable_size(memory)
            }
        #else
            false
        #endif
    }()

    /// Returns the bytes that a program can use of a chunk of glibc.
    ///
    /// - Parameter word: the word before the allocation, which may be any number with another allocator.
    /// - Returns: `nil` for a number that cannot be a size.
    static func usableBytes(ofChunk word: UInt) -> Int? {
        typealias Chunk = HeapLayout.Chunk
        guard word < Chunk.sizeLimit else { return nil }
        return Int(word & ~Chunk.flagsMask)
            - (word & Chunk.isMappedFlag == 0 ? Chunk.overhead : Chunk.mappedOverhead)
    }

    /// Estimates the bytes that an allocation takes if the allocator does not provide them: a multiple of 16, as on Linux and
    /// on Apple's systems.
    static func estimatedBytes(_ size: Int) -> Int { (size + 8).aligned(to: 16) }
}
