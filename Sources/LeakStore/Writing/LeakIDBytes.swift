extension LeakID {
    /// 16 bytes, big-endian.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for half in [high, low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: half >> UInt64(shift)))
            }
        }
        return bytes
    }

    /// Reads ``bytes`` back; `nil` for another count of bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        let halves = (bytes[..<8], bytes[8...])
        self.init(
            high: halves.0.reduce(0) { $0 << 8 | UInt64($1) },
            low: halves.1.reduce(0) { $0 << 8 | UInt64($1) })
    }
}
