/// A hash table from addresses to small numbers, which keeps its memory from one walk to the next.
///
/// Open addressing with linear probing. The address 0 cannot be a key.
struct AddressTable {
    private static let initialCapacity = 1024

    private var keys: [UInt]
    private var values: [Int32]
    private var shift: UInt
    private(set) var count = 0

    init() {
        keys = Array(repeating: 0, count: Self.initialCapacity)
        values = Array(repeating: 0, count: Self.initialCapacity)
        shift = UInt(UInt.bitWidth - Self.initialCapacity.trailingZeroBitCount)
    }

    @inline(__always)
    private func slot(of key: UInt) -> Int {
        var slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> shift)
        while keys[slot] != 0, keys[slot] != key { slot = (slot &+ 1) & (keys.count &- 1) }
        return slot
    }

    @inline(__always)
    func value(for key: UInt) -> Int32? {
        let slot = slot(of: key)
        return keys[slot] == key && key != 0 ? values[slot] : nil
    }

    /// Sets the value of a key that is not 0.
    @inline(__always)
    mutating func set(_ value: Int32, for key: UInt) {
        var slot = slot(of: key)
        if keys[slot] == 0 {
            if count * 2 >= keys.count {
                grow()
                slot = self.slot(of: key)
            }
            keys[slot] = key
            count += 1
        }
        values[slot] = value
    }

    mutating func removeAll() {
        guard count > 0 else { return }
        if keys.count > 16 * Self.initialCapacity {
            self = AddressTable()
        } else {
            for slot in keys.indices { keys[slot] = 0 }
            count = 0
        }
    }

    private mutating func grow() {
        let (oldKeys, oldValues) = (keys, values)
        keys = Array(repeating: 0, count: oldKeys.count * 2)
        values = Array(repeating: 0, count: oldKeys.count * 2)
        shift -= 1
        for (key, value) in zip(oldKeys, oldValues) where key != 0 {
            let slot = slot(of: key)
            keys[slot] = key
            values[slot] = value
        }
    }
}
