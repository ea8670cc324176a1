/// A cache of recently used entries: at most twice `capacity` entries.
///
/// A used entry moves to the young half. When the young half is full, it becomes the old half, and the entries that are still
/// in the previous old half are dropped.
package struct RecentCache<Key: Hashable, Value> {
    package let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    package init(capacity: Int) { self.capacity = capacity }

    package var count: Int { young.count + old.count }

    package mutating func value(of key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        insert(value, for: key)
        return value
    }

    /// - Parameter key: a key that ``value(of:)`` did not find.
    package mutating func insert(_ value: Value, for key: Key) {
        if young.count >= capacity {
            old = young
            young = [:]
        }
        young[key] = value
    }

    package mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    package mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
