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
    private func index(of key: UInt) -> Int {
        var index = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> shift)
        while keys[index] != 0, keys[index] != key { index = (index &+ 1) & (keys.count &- 1) }
        return index
    }

    @inline(__always)
    func value(for key: UInt) -> Int32? {
        let index = index(of: key)
        return keys[index] == key && key != 0 ? values[index] : nil
    }

    /// Sets the value of a key that is not 0.
    @inline(__always)
    mutating func set(_ value: Int32, for key: UInt) {
        var index = index(of: key)
        if keys[index] == 0 {
            if count * 2 >= keys.count {
                grow()
                index = self.index(of: key)
            }
            keys[index] = key
            count += 1
        }
        values[index] = value
    }

    mutating func removeAll() {
        guard count > 0 else { return }
        if keys.count > 16 * Self.initialCapacity {
            self = AddressTable()
        } else {
            for index in keys.indices { keys[index] = 0 }
            count = 0
        }
    }

    private mutating func grow() {
        let (oldKeys, oldValues) = (keys, values)
        keys = Array(repeating: 0, count: oldKeys.count * 2)
        values = Array(repeating: 0, count: oldKeys.count * 2)
        shift -= 1
        for (key, value) in zip(oldKeys, oldValues) where key != 0 {
            let index = index(of: key)
            keys[index] = key
            values[index] = value
        }
    }
}
