/// Reusable buffers of one loop, so that reading a body causes no page faults.
///
/// The pool has two bounds: it keeps at most ``maxBuffersPerSize`` buffers of each size, and ``trim()`` frees the buffers that
/// were not needed since the previous call.
struct BufferPool {
    /// Sizes of buffers in bytes: a small body, a full read, a large batch, and the largest body.
    private static let sizes = [16 << 10, 64 << 10, 256 << 10, 1 << 20]
    /// The most buffers of each size that the pool keeps.
    private static let maxBuffersPerSize = [64, 32, 32, 64]
    private var pooledBuffers: [[Buffer]] = [[], [], [], []]
    /// The number of buffers of each size that have been idle since the last call of ``trim()``.
    private var idleCounts = [0, 0, 0, 0]

    var isEmpty: Bool { pooledBuffers.allSatisfy(\.isEmpty) }

    /// - Parameter capacity: the bytes that the buffer must hold before it grows.
    mutating func take(_ capacity: Int) -> Buffer {
        for (index, size) in Self.sizes.enumerated() where size >= capacity {
            return takePooled(index) ?? Buffer(capacity: size)
        }
        return Buffer(capacity: capacity)
    }

    /// Takes the most recently released buffer that no response refers to any more.
    private mutating func takePooled(_ index: Int) -> Buffer? {
        for position in pooledBuffers[index].indices.reversed()
        where isKnownUniquelyReferenced(&pooledBuffers[index][position]) {
            let buffer = pooledBuffers[index].remove(at: position)
            idleCounts[index] = min(idleCounts[index], pooledBuffers[index].count)
            buffer.recycle()
            return buffer
        }
        return nil
    }

    /// Gives a buffer back to the pool. A response may still refer to its bytes; the buffer is reused after the last reference
    /// was released.
    mutating func release(_ buffer: Buffer) {
        guard let index = Self.sizes.lastIndex(where: { $0 <= buffer.capacity }) else { return }
        // A buffer of more than twice the pooled size is not kept, because it would waste memory.
        guard buffer.capacity <= 2 * Self.sizes[index],
            pooledBuffers[index].count < Self.maxBuffersPerSize[index]
        else {
            return
        }
        pooledBuffers[index].append(buffer)
    }

    /// Frees the buffers that were not needed since the last call.
    mutating func trim() {
        for index in pooledBuffers.indices {
            pooledBuffers[index].removeFirst(idleCounts[index])
            idleCounts[index] = pooledBuffers[index].count
        }
    }

    /// Returns a buffer with room for `capacity` bytes and the content of `buffer`, which goes back to the pool.
    mutating func exchange(_ buffer: Buffer, for capacity: Int) -> Buffer {
        let larger = take(capacity)
        unsafe larger.append(buffer.bytes)
        release(buffer)
        return larger
    }
}
