/// How often objects of each type were checked.
struct CheckCounts {
    private var byType: [ObjectIdentifier: (type: AnyClass, count: Int)] = [:]

    /// - Parameter limit: how many types there may be. Of others nothing is counted.
    mutating func add(_ type: AnyClass, _ count: Int, limit: Int) {
        let key = ObjectIdentifier(type)
        let before = byType[key]?.count
        guard before != nil || byType.count < limit else { return }
        byType[key] = (type, (before ?? 0) + count)
    }

    mutating func take() -> [(type: AnyClass, count: Int)] {
        defer { byType = [:] }
        return Array(byType.values)
    }
}
