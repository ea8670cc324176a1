/// Buffers of one loop that are used again, so that a body costs no page faults.
///
/// Bounded twice: what is more than ``keptPerSize`` of a size goes back to the system at once, and what was not needed
/// between two calls of ``trim()`` goes back then.
struct BufferPool {
    /// A small body, a full read, a large batch, and the largest body.
    private static let sizes = [16 << 10, 64 << 10, 256 << 10, 1 << 20]
    private static let keptPerSize = [64, 32, 32, 64]
    private var kept: [[Buffer]] = [[], [], [], []]
    /// How many of each size have lain idle since the last call of ``trim()``.
    private var idle = [0, 0, 0, 0]

    var isEmpty: Bool { kept.allSatisfy(\.isEmpty) }

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
            idle[index] = min(idle[index], kept[index].count)
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

    /// Gives back what was not needed since the last call.
    mutating func trim() {
        for index in kept.indices {
            kept[index].removeFirst(idle[index])
            idle[index] = kept[index].count
        }
    }

    /// Moves what `buffer` holds to one with room for `capacity` bytes.
    mutating func exchange(_ buffer: Buffer, for capacity: Int) -> Buffer {
        let larger = take(capacity)
        unsafe larger.append(buffer.bytes)
        give(buffer)
        return larger
    }
}
