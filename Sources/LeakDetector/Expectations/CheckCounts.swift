/// Counts of checked objects, by type.
struct CheckCounts {
    /// Checks of one type.
    struct OfType {
        let type: AnyClass
        /// The number of objects that were checked.
        var checked = 0
        /// The number of objects that were expected to be deallocated, but never checked, because too many waited.
        var unseen = 0
    }

    private var byType: [ObjectIdentifier: OfType] = [:]
    /// The sum of ``OfType/unseen`` over the types beyond the limit.
    private var unseenOfOtherTypes = 0

    /// - Parameter limit: the number of types that may be counted. Objects of other types are not counted.
    mutating func add(_ type: AnyClass, _ count: Int, limit: Int) {
        change(type, limit: limit) { $0.checked += count }
    }

    /// - Parameter limit: the number of types that may be counted separately. Objects of other types are counted together.
    mutating func add(unseen count: Int, of type: AnyClass, limit: Int) {
        if !change(type, limit: limit, { $0.unseen += count }) { unseenOfOtherTypes += count }
    }

    /// Returns the counts since the last call, and resets them.
    mutating func take() -> [OfType] {
        defer { byType = [:] }
        return Array(byType.values)
    }

    /// Returns the number of unseen objects of types beyond the limit since the last call, and resets it.
    mutating func takeUnseenOfOtherTypes() -> Int {
        defer { unseenOfOtherTypes = 0 }
        return unseenOfOtherTypes
    }

    @discardableResult
    private mutating func change(_ type: AnyClass, limit: Int, _ change: (inout OfType) -> Void) -> Bool {
        let key = ObjectIdentifier(type)
        guard byType[key] != nil || byType.count < limit else { return false }
        change(&byType[key, default: OfType(type: type)])
        return true
    }
}
