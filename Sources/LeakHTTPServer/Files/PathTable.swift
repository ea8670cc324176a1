/// Values by path, found by the path's bytes without making a string of them. Two paths that a `String` would take
/// for the same letters are two here, as they are to a disk.
struct PathTable<Value: Sendable>: Sendable {
    /// By the hash of the path.
    private var slots: [Int: [(path: [UInt8], value: Value)]] = [:]

    var paths: [String] { slots.values.joined().map { String(decoding: $0.path, as: UTF8.self) } }

    func value(at path: borrowing Span<UInt8>) -> Value? {
        for (candidate, value) in slots[Self.hash(path)] ?? [] where candidate.count == path.count {
            if candidate.indices.allSatisfy({ candidate[$0] == path[$0] }) { return value }
        }
        return nil
    }

    /// Adds a path that is not there yet.
    mutating func add(_ path: String, _ value: Value) {
        let bytes = Array(path.utf8)
        slots[Self.hash(bytes.span), default: []].append((bytes, value))
    }

    private static func hash(_ path: borrowing Span<UInt8>) -> Int {
        var hasher = Hasher()
        unsafe path.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
