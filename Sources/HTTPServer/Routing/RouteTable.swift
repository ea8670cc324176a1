/// The half of a router that does not depend on what its endpoints are, which are numbers here. Kept apart so that
/// it is compiled once and not, through generics, looked up anew in every module.
struct RouteTable: Sendable {
    enum Outcome {
        /// The endpoint's number, and where in the path the values of `names` stand.
        case found(Int, names: [String], values: [Range<Int>])
        case notFound
        case notAllowed(allow: String)
    }

    /// One pattern: what it answers for each method.
    private struct Resource: Sendable {
        let names: [String]
        var endpoints: [(method: Method, number: Int)] = []
        /// The value of `Allow`, RFC 9110 §10.2.1: in the order of ``Method/allCases``.
        var allow = ""

        /// `GET` answers `HEAD`, unless that has an endpoint of its own.
        func number(for method: Method) -> Int? {
            for endpoint in endpoints where endpoint.method == method { return endpoint.number }
            return method == .head ? number(for: .get) : nil
        }

        mutating func add(_ method: Method, _ number: Int) {
            endpoints.append((method, number))
            allow = Method.allCases.filter { $0 == .options || self.number(for: $0) != nil }
                .map { "\($0.name)" }.joined(separator: ", ")
        }
    }

    /// What may follow the segments that lead here. Its depth says which segment of a path it is for.
    private struct Node: Sendable {
        var literals: [(segment: [UInt8], node: Int)] = []
        var parameter: Int?
        var resource: Resource?
    }

    /// The first is the root.
    private var nodes = [Node()]

    /// Makes endpoint `number` what `method` on `pattern` stands for.
    mutating func add(_ method: Method, _ pattern: Pattern, _ number: Int) {
        var at = 0
        for segment in pattern.segments {
            if let next = self.next(at, segment) {
                at = next
                continue
            }
            nodes.append(Node())
            switch segment {
            case .parameter: nodes[at].parameter = nodes.count - 1
            case .literal(let bytes): nodes[at].literals.append((bytes, nodes.count - 1))
            }
            at = nodes.count - 1
        }
        var resource = nodes[at].resource ?? Resource(names: pattern.names)
        precondition(
            resource.names == pattern.names, "\(pattern) is there with other names: \(resource.names)")
        precondition(
            !resource.endpoints.contains { $0.method == method }, "\(method.name) \(pattern) is there already"
        )
        resource.add(method, number)
        nodes[at].resource = resource
    }

    private func next(_ at: Int, _ segment: Pattern.Segment) -> Int? {
        switch segment {
        case .parameter: nodes[at].parameter
        case .literal(let bytes): nodes[at].literals.first { $0.segment == bytes }?.node
        }
    }

    /// - Parameter path: percent-decoded.
    func find(_ method: Method, _ path: borrowing Span<UInt8>) -> Outcome {
        guard path.count > 0, path[0] == UInt8(ascii: "/") else { return .notFound }
        var values: [Range<Int>] = []
        guard let at = find(path, from: 1, at: 0, &values), let resource = nodes[at].resource else {
            return .notFound
        }
        guard let number = resource.number(for: method) else { return .notAllowed(allow: resource.allow) }
        return .found(number, names: resource.names, values: values)
    }

    /// Looks at the segment of `path` that starts at `start`. From the left, a literal wins; what it leads to may
    /// still fit nothing, and then the parameter gets its turn. Each node is looked at once at most.
    ///
    /// - Returns: the node of a resource.
    private func find(
        _ path: borrowing Span<UInt8>, from start: Int, at node: Int, _ values: inout [Range<Int>]
    ) -> Int? {
        var end = start
        while end < path.count && path[end] != UInt8(ascii: "/") { end += 1 }
        for index in nodes[node].literals.indices
        where Self.isEqual(path, start, end, nodes[node].literals[index].segment) {
            let next = nodes[node].literals[index].node
            if let found = follow(path, end, to: next, &values) { return found }
        }
        guard let next = nodes[node].parameter, end > start else { return nil }
        values.append(start..<end)
        if let found = follow(path, end, to: next, &values) { return found }
        values.removeLast()
        return nil
    }

    private func follow(
        _ path: borrowing Span<UInt8>, _ end: Int, to node: Int, _ values: inout [Range<Int>]
    ) -> Int? {
        guard end == path.count else { return find(path, from: end + 1, at: node, &values) }
        return nodes[node].resource == nil ? nil : node
    }

    @inline(__always)
    private static func isEqual(
        _ path: borrowing Span<UInt8>, _ start: Int, _ end: Int, _ segment: [UInt8]
    ) -> Bool {
        guard end &- start == segment.count else { return false }
        for index in segment.indices where path[start &+ index] != segment[index] { return false }
        return true
    }
}
