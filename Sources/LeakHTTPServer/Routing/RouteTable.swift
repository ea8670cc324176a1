/// The half of a router that does not depend on what its endpoints are, which are numbers here. A tree of segments in
/// flat arrays of plain numbers, so that finding a path counts no references.
@usableFromInline
struct RouteTable: Sendable {
    @usableFromInline
    enum Outcome {
        /// The endpoint's number, and where in the path the values of `names` stand.
        case found(Int, names: [String], values: [Range<Int>])
        case notFound
        case notAllowed(allow: String)
    }

    /// What may follow the segments that lead here. Its depth says which segment of a path it is for.
    private struct Node: Sendable {
        /// The first of its literals.
        var literal = none
        /// Where a parameter leads.
        var parameter = none
        var resource = none
    }

    /// A literal segment of a node: bytes of ``letters``.
    private struct Literal: Sendable {
        let start: Int
        let count: Int
        let node: Int
        /// The next literal of the same node.
        let next: Int
    }

    private static let none = -1
    /// How many there are; the numbers of ``Method`` are places in a table.
    private static let methods = Method.allCases.count

    /// The first is the root.
    private var nodes = [Node()]
    private var literals: [Literal] = []
    private var letters: [UInt8] = []
    /// Of each resource, one pattern: the endpoint of each method, then what only some answers need.
    private var numbers: [Int] = []
    private var names: [[String]] = []
    /// The value of `Allow`, RFC 9110 §10.2.1: in the order of ``Method/allCases``.
    private var allow: [String] = []
    /// Which endpoints of `HEAD` were not given but follow from `GET`.
    private var followsGet: Set<Int> = []

    @usableFromInline init() {}

    /// Makes endpoint `number` what `method` on `pattern` stands for.
    mutating func add(_ method: Method, _ pattern: Pattern, _ number: Int) {
        let resource = resource(of: pattern)
        let at = resource * Self.methods
        precondition(
            names[resource] == pattern.names, "\(pattern) is there with other names: \(names[resource])")
        precondition(
            numbers[at + method.rawValue] == Self.none || (method == .head && followsGet.contains(resource)),
            "\(method.name) \(pattern) is there already")
        numbers[at + method.rawValue] = number
        if method == .head { followsGet.remove(resource) }
        if method == .get && numbers[at + Method.head.rawValue] == Self.none {
            numbers[at + Method.head.rawValue] = number
            followsGet.insert(resource)
        }
        allow[resource] = Method.allCases.filter { $0 == .options || numbers[at + $0.rawValue] != Self.none }
            .map { "\($0.name)" }.joined(separator: ", ")
    }

    /// The resource of `pattern`, made where there is none.
    private mutating func resource(of pattern: Pattern) -> Int {
        var at = 0
        for segment in pattern.segments {
            switch segment {
            case .parameter:
                if nodes[at].parameter == Self.none {
                    nodes[at].parameter = nodes.count
                    nodes.append(Node())
                }
                at = nodes[at].parameter
            case .literal(let bytes): at = literal(bytes, of: at)
            }
        }
        if nodes[at].resource == Self.none {
            nodes[at].resource = names.count
            names.append(pattern.names)
            allow.append("")
            numbers += [Int](repeating: Self.none, count: Self.methods)
        }
        return nodes[at].resource
    }

    /// The node that `bytes` lead to from node `at`, made where there is none.
    private mutating func literal(_ bytes: [UInt8], of at: Int) -> Int {
        var next = nodes[at].literal
        while next != Self.none {
            let literal = literals[next]
            if letters[literal.start..<literal.start + literal.count].elementsEqual(bytes) {
                return literal.node
            }
            next = literal.next
        }
        literals.append(
            Literal(start: letters.count, count: bytes.count, node: nodes.count, next: nodes[at].literal))
        letters += bytes
        nodes[at].literal = literals.count - 1
        nodes.append(Node())
        return nodes.count - 1
    }

    /// - Parameter path: percent-decoded.
    @usableFromInline
    func find(_ method: Method, _ path: borrowing Span<UInt8>) -> Outcome {
        guard path.count > 0, path[0] == UInt8(ascii: "/") else { return .notFound }
        var values: [Range<Int>] = []
        let resource = find(path, from: 1, at: 0, &values)
        guard resource != Self.none else { return .notFound }
        let number = numbers[resource * Self.methods + method.rawValue]
        guard number != Self.none else { return .notAllowed(allow: allow[resource]) }
        return .found(number, names: names[resource], values: values)
    }

    /// The value of `Allow` for a path, or `nil` if nothing is there.
    ///
    /// - Parameter path: percent-decoded.
    func allow(at path: borrowing Span<UInt8>) -> String? {
        guard path.count > 0, path[0] == UInt8(ascii: "/") else { return nil }
        var values: [Range<Int>] = []
        let resource = find(path, from: 1, at: 0, &values)
        return resource == Self.none ? nil : allow[resource]
    }

    /// Looks at the segment of `path` that starts at `start`. From the left, a literal wins; what it leads to may
    /// still fit nothing, and then the parameter gets its turn. Each node is looked at once at most.
    ///
    /// - Returns: the resource, or ``none``.
    private func find(
        _ path: borrowing Span<UInt8>, from start: Int, at node: Int, _ values: inout [Range<Int>]
    ) -> Int {
        var end = start
        while end < path.count && path[end] != UInt8(ascii: "/") { end += 1 }
        var next = nodes[node].literal
        while next != Self.none {
            let literal = literals[next]
            if literal.count == end - start, isEqual(path, start, literal) {
                let found = follow(path, end, to: literal.node, &values)
                if found != Self.none { return found }
                break
            }
            next = literal.next
        }
        let parameter = nodes[node].parameter
        guard parameter != Self.none, end > start else { return Self.none }
        values.append(start..<end)
        let found = follow(path, end, to: parameter, &values)
        if found == Self.none { values.removeLast() }
        return found
    }

    @inline(__always)
    private func follow(
        _ path: borrowing Span<UInt8>, _ end: Int, to node: Int, _ values: inout [Range<Int>]
    ) -> Int {
        end == path.count ? nodes[node].resource : find(path, from: end + 1, at: node, &values)
    }

    @inline(__always)
    private func isEqual(_ path: borrowing Span<UInt8>, _ start: Int, _ literal: Literal) -> Bool {
        for index in 0..<literal.count where path[start &+ index] != letters[literal.start &+ index] {
            return false
        }
        return true
    }
}
