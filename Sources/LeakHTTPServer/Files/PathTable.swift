/// A table of values by path. Lookups compare bytes without creating a string. Paths that `String` treats as equal but that differ
/// in bytes are different keys, as they are on disk.
struct PathTable<Value: Sendable>: Sendable {
    /// Entries by the hash of their path.
    private var entriesByHash: [Int: [(path: [UInt8], value: Value)]] = [:]

    var paths: [String] { entriesByHash.values.joined().map { String(decoding: $0.path, as: UTF8.self) } }

    func value(at path: borrowing Span<UInt8>) -> Value? {
        for (candidate, value) in entriesByHash[Self.hash(path)] ?? [] where candidate.count == path.count {
            if candidate.indices.allSatisfy({ candidate[$0] == path[$0] }) { return value }
        }
        return nil
    }

    /// Adds a path. The path must not be in the table yet.
    mutating func add(_ path: String, _ value: Value) {
        let bytes = Array(path.utf8)
        entriesByHash[Self.hash(bytes.span), default: []].append((bytes, value))
    }

    private static func hash(_ path: borrowing Span<UInt8>) -> Int {
        var hasher = Hasher()
        unsafe path.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
