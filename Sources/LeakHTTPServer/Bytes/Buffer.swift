/// A growable byte buffer; bytes are appended at the end.
@safe
final class Buffer {
    private var base: UnsafeMutablePointer<UInt8>
    private(set) var capacity: Int
    private(set) var count = 0
    /// `true` if ``SharedBytes`` refer to this buffer. Its bytes must not change while it is shared.
    private(set) var isShared = false

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        unsafe base = .allocate(capacity: self.capacity)
    }

    deinit { unsafe base.deallocate() }

    /// The bytes in the buffer, valid until the next change.
    var bytes: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: base, count: count)
    }

    /// The free space after the bytes. Call ``addWritten(_:)`` after writing to it.
    var freeSpace: UnsafeMutableBufferPointer<UInt8> {
        unsafe UnsafeMutableBufferPointer(start: base + count, count: capacity - count)
    }

    /// Adds `written` bytes to the count, after they were written to ``freeSpace``.
    func addWritten(_ written: Int) { count = min(count + max(written, 0), capacity) }

    func clear() { count = 0 }

    func share() { isShared = true }

    /// Empties the buffer for reuse. No other object may still use its bytes.
    func recycle() {
        count = 0
        isShared = false
    }

    /// Shortens the buffer to `count` bytes.
    func truncate(to count: Int) { self.count = min(self.count, max(count, 0)) }

    /// Reserves space for `additionalCount` bytes after the existing bytes.
    @inline(__always)
    func reserve(_ additionalCount: Int) {
        if capacity - count < additionalCount { enlarge(additionalCount) }
    }

    @inline(never)
    private func enlarge(_ additionalCount: Int) {
        let newCapacity = max(capacity * 2, count + additionalCount)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: newCapacity)
        unsafe larger.update(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = unsafe larger
        capacity = newCapacity
    }

    @inline(__always)
    func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        unsafe (base + count).update(from: start, count: bytes.count)
        count += bytes.count
    }

    /// Appends a literal. Inlined, so that copying a short literal takes only a few instructions.
    @inline(__always)
    func append(_ text: StaticString) {
        unsafe append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
    }

    /// Appends a string. The label keeps string literals from choosing this method instead of `append(_: StaticString)`.
    func append(string text: String) {
        unsafe ASCII.bytes(of: text) { unsafe append($0) }
    }

    @inline(__always)
    func append(_ byte: UInt8) {
        reserve(1)
        unsafe base[count] = byte
        count += 1
    }

    /// Appends `number` in decimal digits; a negative number is written as 0.
    func append(decimal number: Int) {
        var digits = 1
        var remaining = UInt(max(number, 0))
        var powerOfTen: UInt = 10
        while digits < 19 && remaining >= powerOfTen {
            digits += 1
            powerOfTen *= 10
        }
        reserve(digits)
        var index = count + digits
        count = index
        repeat {
            index -= 1
            unsafe base[index] = UInt8(truncatingIfNeeded: remaining % 10) + 0x30
            remaining /= 10
        } while remaining > 0
    }

    /// Drops the first `removedCount` bytes.
    func removeFirst(_ removedCount: Int) {
        let remaining = max(count - removedCount, 0)
        if remaining > 0 { unsafe base.update(from: base + removedCount, count: remaining) }
        count = remaining
    }
}
