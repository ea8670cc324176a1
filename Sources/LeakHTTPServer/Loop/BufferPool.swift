/// Reusable buffers of one loop, so that reading a body causes no page faults.
///
/// The pool has two bounds: it keeps at most ``keptPerSize`` buffers of each size, and ``trim()`` releases the buffers that were
/// not needed since the previous call.
struct BufferPool {
    /// Sizes of buffers in bytes: a small body, a full read, a large batch, and the largest body.
    private static let sizes = [16 << 10, 64 << 10, 256 << 10, 1 << 20]
    /// The most buffers of each size that the pool keeps.
    private static let keptPerSize = [64, 32, 32, 64]
    private var kept: [[Buffer]] = [[], [], [], []]
    /// The number of buffers of each size that have been idle since the last call of ``trim()``.
    private var idleCounts = [0, 0, 0, 0]

    var isEmpty: Bool { kept.allSatisfy(\.isEmpty) }

    /// - Parameter capacity: the bytes that the buffer must hold before it grows.
    mutating func take(_ capacity: Int) -> Buffer {
        for (index, size) in Self.sizes.enumerated() where size >= capacity {
            return takeKept(index) ?? Buffer(capacity: size)
        }
        return Buffer(capacity: capacity)
    }

    /// Takes the most recently released buffer that no response refers to any more.
    private mutating func takeKept(_ index: Int) -> Buffer? {
        for at in kept[index].indices.reversed() where isKnownUniquelyReferenced(&kept[index][at]) {
            let buffer = kept[index].remove(at: at)
            idleCounts[index] = min(idleCounts[index], kept[index].count)
            buffer.recycle()
            return buffer
        }
        return nil
    }

    /// Gives a buffer back to the pool. A response may still refer to its bytes; the buffer is reused after the last reference is
    /// gone.
    mutating func release(_ buffer: Buffer) {
        guard let index = Self.sizes.lastIndex(where: { $0 <= buffer.capacity }) else { return }
        // A buffer that has grown to more than twice its size is not kept.
        guard buffer.capacity <= 2 * Self.sizes[index], kept[index].count < Self.keptPerSize[index] else {
            return
        }
        kept[index].append(buffer)
    }

    /// Releases the buffers that were not needed since the last call.
    mutating func trim() {
        for index in kept.indices {
            kept[index].removeFirst(idleCounts[index])
            idleCounts[index] = kept[index].count
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
