/// Finds what a path stands for, and whether it may be asked that way.
///
/// A pattern is a path whose segments are literal or, in braces, parameters: `/books/{id}/pages`. A parameter
/// takes one segment that is not empty. Paths are compared byte by byte once they are percent-decoded; `/books`
/// and `/books/` are two paths, and an encoded `/` never comes this far, since the server refuses it.
///
/// The order of adding does not matter: from the left, a literal segment wins over a parameter. The path alone
/// decides which pattern it is; only then the method is looked at. A value without locks or clocks: fill it, then
/// share it.
///
/// ```swift
/// let router = Router<Books>([
///     (.get, "/books", .list),
///     (.get, "/books/{id}", .book),
/// ])
/// ```
public struct Router<Endpoint: Sendable>: Sendable {
    /// What came of a request.
    public enum Match {
        /// The endpoint of its path and method, with what stands in place of the parameters.
        case found(Endpoint, Parameters)
        /// No pattern fits the path: 404.
        case notFound
        /// The path is known, the method is not: 405 with this value of `Allow`.
        case methodNotAllowed(allow: String)
        /// `OPTIONS` where no endpoint took it on: 204 with this value of `Allow`.
        case options(allow: String)

        /// The answer to what was not found here, in the server's own words; `nil` for ``found(_:_:)``.
        public var refusal: Response? {
            switch self {
            case .found: nil
            case .notFound: .problem(.notFound, "Nothing is at this address.")
            case .methodNotAllowed(let allow): .methodNotAllowed(allow: allow)
            case .options(let allow): .options(allow: allow)
            }
        }
    }

    // Inlinable where the endpoint's type matters: generic code of another module is slow.
    @usableFromInline var table = RouteTable()
    @usableFromInline var endpoints: [Endpoint] = []

    /// A router that knows no path.
    public init() {}

    /// A router of these routes; see ``add(_:_:_:)``.
    public init(_ routes: [(method: Method, pattern: String, endpoint: Endpoint)]) {
        for route in routes { add(route.method, route.pattern, route.endpoint) }
    }

    /// Makes `endpoint` what `method` on `pattern` stands for. `GET` answers `HEAD` too, unless that has an
    /// endpoint of its own.
    ///
    /// A mistake in the pattern stops the program: it does not start with `/`, it has an empty segment before its
    /// last or braces anywhere but around a whole segment, or it is there already, be it under other names.
    public mutating func add(_ method: Method, _ pattern: String, _ endpoint: Endpoint) {
        table.add(method, Pattern(pattern), endpoints.count)
        endpoints.append(endpoint)
    }

    /// What `request` asks for. Makes no string and, where nothing is percent-encoded and no parameter is taken,
    /// nothing else either.
    @inlinable
    public func match(_ request: borrowing Request) -> Match {
        let method = request.method
        return request.withPath { match(method, path: $0) }
    }

    /// The methods that the address of `request` answers, as a value of `Allow`; `nil` if nothing is there.
    public func allowedMethods(of request: borrowing Request) -> String? {
        request.withPath { table.allow(at: $0) }
    }

    /// What `method` on `path` asks for.
    ///
    /// - Parameters:
    ///   - method: where it is `HEAD` and there is no endpoint for that, `GET` counts.
    ///   - path: percent-decoded, in UTF-8.
    @inlinable
    public func match(_ method: Method, path: borrowing Span<UInt8>) -> Match {
        switch table.find(method, path) {
        case .found(let number, let names, let values):
            .found(endpoints[number], Parameters(names, values, of: path))
        case .notFound: .notFound
        case .notAllowed(let allow):
            method == .options ? .options(allow: allow) : .methodNotAllowed(allow: allow)
        }
    }
}

extension Response {
    /// The path is known, the method is not. RFC 9110 §15.5.6.
    static func methodNotAllowed(allow: String) -> Response {
        var response = Response.problem(.methodNotAllowed, "This address does not answer this method.")
        response.fields.append(("Allow", allow))
        return response
    }

    /// RFC 9110 §9.3.7.
    static func options(allow: String) -> Response {
        var response = Response(.noContent)
        response.fields.append(("Allow", allow))
        return response
    }
}

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

/// What stands in a path in place of a pattern's parameters, percent-decoded.
public struct Parameters: Hashable, Sendable {
    private var names: [String] = []
    private var values: [String] = []

    @usableFromInline
    init(_ names: [String], _ values: [Range<Int>], of path: borrowing Span<UInt8>) {
        guard !values.isEmpty else { return }
        self.names = names
        for range in values {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(range.count)
            for index in range { bytes.append(path[index]) }
            self.values.append(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The value of the parameter `name`, never empty; `nil` when the pattern has none of that name.
    public subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}
