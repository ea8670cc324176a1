internal import LeakMessage

/// The last of many elements. Only these are kept, twice as many at most, however many come.
struct LastElements<Element> {
    private let limit: Int
    private var kept: [Element] = []

    init(_ limit: Int) { self.limit = limit }

    /// In the order in which they came.
    var elements: ArraySlice<Element> { kept.suffix(limit) }

    mutating func append(_ element: Element) {
        if kept.count == 2 * limit { kept.removeFirst(limit) }
        kept.append(element)
    }
}

/// Names and values, of a name given twice the first: as many as a report has room for.
struct FirstValues<Value> {
    /// One more than a report takes, since one of them may turn out not to be for it.
    private static var limit: Int { WireLimits.keysCount + 1 }

    private(set) var pairs: [(name: String, value: Value)] = []
    private var names: Set<String> = []

    mutating func add(_ name: String, _ value: Value) {
        guard pairs.count < Self.limit, names.insert(name).inserted else { return }
        pairs.append((name, value))
    }
}
