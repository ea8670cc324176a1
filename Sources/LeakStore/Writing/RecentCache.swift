/// Keeps what was used lately: at most twice `capacity` entries, without bookkeeping per use.
///
/// Entries move between two halves. When the young half is full it becomes the old one, and what was in the old
/// one and not used since is forgotten.
struct RecentCache<Key: Hashable, Value> {
    let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { young.count + old.count }

    mutating func value(of key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        insert(value, for: key)
        return value
    }

    /// - Parameter key: one that ``value(of:)`` did not know.
    mutating func insert(_ value: Value, for key: Key) {
        if young.count >= capacity {
            old = young
            young = [:]
        }
        young[key] = value
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
