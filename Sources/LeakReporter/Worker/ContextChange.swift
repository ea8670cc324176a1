import LeakMessage
internal import LeakPlatform

/// A change of custom values and of the user id. Later changes can be merged into it.
struct ContextChange: Hashable, Sendable {
    struct Key: Hashable, Sendable {
        let name: String
        /// The new value; `nil` removes it.
        var value: CustomKey.Value?

        fileprivate var bytes: Int {
            guard case .string(let text)? = value else { return name.utf8.count + 64 }
            return name.utf8.count + text.utf8.count + 64
        }
    }

    /// The changed keys, in the order in which they were first set.
    private(set) var keys: [Key] = []
    /// The new user id; `nil` leaves it unchanged, and `.some(nil)` removes it.
    private(set) var user: String??

    init(keys: [Key]) { self.keys = keys }

    init(user: String??) { self.user = user }

    /// The maximum number of names in one change.
    private static let keysLimit = WireLimits.keysCount * 2

    /// The bytes that the change counts toward the limit of the entry queue.
    var bytes: Int { keys.reduce(0) { $0 + $1.bytes } }

    /// Adds a change that follows this change.
    ///
    /// - Returns: the growth in bytes; `nil` if it exceeds `freeBytes`, or if there are too many names; nothing is added then.
    mutating func add(_ later: ContextChange, _ freeBytes: Int) -> Int? {
        var mergedKeys = keys
        for key in later.keys {
            if let index = mergedKeys.firstIndex(where: { $0.name == key.name }) {
                mergedKeys[index].value = key.value
            } else {
                mergedKeys.append(key)
            }
        }
        let growth = mergedKeys.reduce(0) { $0 + $1.bytes } - bytes
        guard growth <= freeBytes, mergedKeys.count <= max(Self.keysLimit, keys.count) else { return nil }
        keys = mergedKeys
        if let user = later.user { self.user = user }
        return growth
    }

    /// The values in the form in which the entry queue compares them. Sightings of different users are never merged.
    var settings: [QueueSetting] {
        let keys = keys.map { key in
            QueueSetting(
                name: Self.hash(kind: 1, name: key.name),
                value: Self.hash(kind: 2, name: key.name, value: key.value),
                isCoarse: false)
        }
        guard let user else { return keys }
        return keys + [
            QueueSetting(
                name: Self.hash(kind: 3, name: ""), value: Self.hash(kind: 4, name: "", value: user),
                isCoarse: true)
        ]
    }

    /// Returns a keyed hash of 128 bits, as in ``ReportMergeKey``.
    private static func hash(kind: UInt8, name: String, value: (some Hashable)? = String?.none)
        -> MergeKey
    {
        func half(_ first: UInt8) -> Int {
            var hasher = Hasher()
            hasher.combine(first)
            hasher.combine(kind)
            hasher.combine(name)
            hasher.combine(value)
            return hasher.finalize()
        }
        return MergeKey(half(0), half(1))
    }
}
