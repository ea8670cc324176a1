/// Buffers of one loop that are used again, so that a body costs no page faults. Bounded: what is more than
/// ``keptPerSize`` of a size goes back to the system.
struct BufferPool {
    /// A small body, a full read, and the largest body.
    private static let sizes = [16 << 10, 64 << 10, 1 << 20]
    private static let keptPerSize = [32, 16, 8]
    private var kept: [[Buffer]] = [[], [], []]

    /// - Parameter capacity: bytes it must hold before it grows.
    mutating func take(_ capacity: Int) -> Buffer {
        for (index, size) in Self.sizes.enumerated() where size >= capacity {
            return takeKept(index) ?? Buffer(capacity: size)
        }
        return Buffer(capacity: capacity)
    }

    /// The last one given back that no answer holds any more.
    private mutating func takeKept(_ index: Int) -> Buffer? {
        for at in kept[index].indices.reversed() where isKnownUniquelyReferenced(&kept[index][at]) {
            let buffer = kept[index].remove(at: at)
            buffer.recycle()
            return buffer
        }
        return nil
    }

    /// Takes a buffer back. An answer may still hold its bytes; it is used again when the last one lets go.
    mutating func give(_ buffer: Buffer) {
        guard let index = Self.sizes.lastIndex(where: { $0 <= buffer.capacity }) else { return }
        // One that has grown far beyond its size would be kept for nothing.
        guard buffer.capacity <= 2 * Self.sizes[index], kept[index].count < Self.keptPerSize[index] else {
            return
        }
        kept[index].append(buffer)
    }

    /// Moves what `buffer` holds to one with room for `capacity` bytes.
    mutating func exchange(_ buffer: Buffer, for capacity: Int) -> Buffer {
        let larger = take(capacity)
        unsafe larger.append(buffer.bytes)
        give(buffer)
        return larger
    }
}
