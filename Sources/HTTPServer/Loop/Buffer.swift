/// Bytes at a fixed address that grow at the end.
@safe
final class Buffer {
    private var base: UnsafeMutablePointer<UInt8>
    private(set) var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        unsafe base = .allocate(capacity: self.capacity)
    }

    deinit { unsafe base.deallocate() }

    /// What it holds; lent until the next change.
    var bytes: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: base, count: count)
    }

    /// The free space behind what it holds; what is written there is taken over by ``grow(by:)``.
    var free: UnsafeMutableBufferPointer<UInt8> {
        unsafe UnsafeMutableBufferPointer(start: base + count, count: capacity - count)
    }

    func grow(by written: Int) { count = min(count + max(written, 0), capacity) }

    func clear() { count = 0 }

    /// Makes room for `more` bytes behind those it holds.
    func reserve(_ more: Int) {
        guard capacity - count < more else { return }
        let wanted = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
        unsafe larger.update(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = unsafe larger
        capacity = wanted
    }

    func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        unsafe (base + count).update(from: start, count: bytes.count)
        count += bytes.count
    }

    func append(_ text: StaticString) {
        unsafe append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
    }

    func append(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append($0) }
    }

    func append(_ byte: UInt8) {
        reserve(1)
        unsafe base[count] = byte
        count += 1
    }

    /// Appends `number` in decimal digits.
    func append(decimal number: Int) {
        var rest = UInt(max(number, 0))
        var place: UInt = 1
        while rest / place > 9 { place *= 10 }
        while place > 0 {
            append(UInt8(truncatingIfNeeded: rest / place) + 0x30)
            rest %= place
            place /= 10
        }
    }

    /// Drops the first `taken` bytes.
    func removeFirst(_ taken: Int) {
        let rest = max(count - taken, 0)
        if rest > 0 { unsafe base.update(from: base + taken, count: rest) }
        count = rest
    }
}

/// Buffers of one loop that are used again, so that a body costs no page faults. Bounded: what is more than
/// ``keptPerSize`` of a size goes back to the system.
struct BufferPool {
    /// A small body, a full read, and the largest body.
    private static let sizes = [16 << 10, 64 << 10, 1 << 20]
    private static let keptPerSize = [32, 16, 4]
    private var kept: [[Buffer]] = [[], [], []]

    /// - Parameter capacity: bytes it must hold before it grows.
    mutating func take(_ capacity: Int) -> Buffer {
        for (index, size) in Self.sizes.enumerated() where size >= capacity {
            return kept[index].popLast() ?? Buffer(capacity: size)
        }
        return Buffer(capacity: capacity)
    }

    mutating func give(_ buffer: Buffer) {
        buffer.clear()
        guard let index = Self.sizes.lastIndex(where: { $0 <= buffer.capacity }) else { return }
        // One that has grown far beyond its size would be kept for nothing.
        guard buffer.capacity <= 2 * Self.sizes[index], kept[index].count < Self.keptPerSize[index] else {
            return
        }
        kept[index].append(buffer)
    }
}
