internal import LeakMessage

/// The last `limit` elements of all that were appended. Stores at most twice as many.
struct LastElements<Element> {
    private let limit: Int
    private var kept: [Element] = []

    init(_ limit: Int) { self.limit = limit }

    /// The last elements, in the order in which they were appended.
    var elements: ArraySlice<Element> { kept.suffix(limit) }

    mutating func append(_ element: Element) {
        if kept.count == 2 * limit { kept.removeFirst(limit) }
        kept.append(element)
    }
}

/// The first pairs of a name and a value that were added, up to ``limit``. If a name is added twice, its first value is kept.
struct FirstValues<Value> {
    /// Maximum number of pairs: one more than a report has custom keys, because the tag with the kind of the leak may be left
    /// out later.
    private static var limit: Int { WireLimits.keysCount + 1 }

    private(set) var pairs: [(name: String, value: Value)] = []
    private var names: Set<String> = []

    mutating func add(_ name: String, _ value: Value) {
        guard pairs.count < Self.limit, names.insert(name).inserted else { return }
        pairs.append((name, value))
    }
}
