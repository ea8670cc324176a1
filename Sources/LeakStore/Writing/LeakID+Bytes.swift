extension LeakID {
    /// 16 bytes, big-endian.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for half in [high, low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: half >> UInt64(shift)))
            }
        }
        return bytes
    }

    /// Creates the id from ``bytes``; `nil` if there are not 16 bytes.
    package init?(blob: [UInt8]) {
        guard blob.count == 16 else { return nil }
        self.init(bytes: blob)
    }
}
