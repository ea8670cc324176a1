/// A table that maps the path and method of a request to an endpoint.
///
/// A pattern is a path whose segments are literals or, in braces, parameters: `/books/{id}/pages`. A parameter matches one
/// non-empty segment. Paths are compared by bytes after percent-decoding; `/books` and `/books/` are different paths. An encoded
/// `/` never reaches the router, because the server rejects it.
///
/// The order of adding routes does not matter: from the left, a literal segment takes precedence over a parameter. The pattern is
/// selected by the path alone, and the method is checked afterwards. The router is a value without locks or clocks: add the routes,
/// then share it.
///
/// ```swift
/// let router = Router<Books>([
///     (.get, "/books", .list),
///     (.get, "/books/{id}", .book),
/// ])
/// ```
public struct Router<Endpoint: Sendable>: Sendable {
    /// The result of matching a request.
    public enum Match {
        /// The endpoint for the path and method, with the values of the parameters.
        case found(Endpoint, Parameters)
        /// No pattern matches the path: 404.
        case notFound
        /// The path matches, but the method does not: 405 with this value of `Allow`.
        case methodNotAllowed(allow: String)
        /// `OPTIONS` without an endpoint of its own: 204 with this value of `Allow`.
        case options(allow: String)

        /// The server's standard response for a request without an endpoint; `nil` for ``found(_:_:)``.
        public var refusal: Response? {
            switch self {
            case .found: nil
            case .notFound: .problem(.notFound, "There is nothing at this address.")
            case .methodNotAllowed(let allow): .methodNotAllowed(allow: allow)
            case .options(let allow): .options(allow: allow)
            }
        }
    }

    // Inlinable where the type of the endpoint matters: generic code from another module is slow if it is not specialized.
    @usableFromInline var table = RouteTable()
    @usableFromInline var endpoints: [Endpoint] = []

    /// Creates a router without routes.
    public init() {}

    /// Creates a router with these routes; see ``add(_:_:endpoint:)``.
    public init(_ routes: [(method: Method, pattern: String, endpoint: Endpoint)]) {
        for route in routes { add(route.method, route.pattern, endpoint: route.endpoint) }
    }

    /// Adds `endpoint` for `method` and `pattern`. An endpoint of `GET` also handles `HEAD`, unless `HEAD` has its own.
    ///
    /// An invalid pattern stops the program. A pattern is invalid if it does not start with `/`, if a segment other than the
    /// last is empty, if it has braces other than around a whole segment, if it names a parameter twice, if the route already
    /// exists, or if the same pattern exists with other parameter names, even for another method.
    public mutating func add(_ method: Method, _ pattern: String, endpoint: Endpoint) {
        table.add(method, Pattern(pattern), endpoint: endpoints.count)
        endpoints.append(endpoint)
    }

    /// Returns the match for `request`. It creates no string, and it allocates nothing if the path has no percent-encoding and the
    /// pattern has no parameters.
    @inlinable
    public func match(_ request: borrowing Request) -> Match {
        let method = request.method
        return request.withPath { match(method, path: $0) }
    }

    /// Returns the methods allowed for the path of `request`, as the value of `Allow`; `nil` if no pattern matches.
    public func allowedMethods(of request: borrowing Request) -> String? {
        request.withPath { table.allowValue(at: $0) }
    }

    /// Returns the match for `method` and `path`.
    ///
    /// - Parameters:
    ///   - method: the method; `HEAD` without an endpoint is treated as `GET`.
    ///   - path: the path, percent-decoded, in UTF-8.
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
    /// Returns the response for a known path with a method that is not allowed. RFC 9110 §15.5.6.
    static func methodNotAllowed(allow: String) -> Response {
        var response = Response.problem(
            .methodNotAllowed,
            "This address does not accept this method; Allow names the methods that it accepts.")
        response.fields.append(("Allow", allow))
        return response
    }

    /// Returns the response to `OPTIONS`. RFC 9110 §9.3.7.
    static func options(allow: String) -> Response {
        var response = Response(.noContent)
        response.fields.append(("Allow", allow))
        return response
    }
}

/// The part of a router that does not depend on the type of its endpoints, which are numbers here. It is a tree of segments in
/// flat arrays of plain numbers, so that a lookup causes no reference counting.
@usableFromInline
struct RouteTable: Sendable {
    @usableFromInline
    enum Outcome {
        /// The number of the endpoint, and the ranges of the path that contain the values of `names`.
        case found(Int, names: [String], values: [Range<Int>])
        case notFound
        case notAllowed(allow: String)
    }

    /// A node of the tree: the segments that may follow the path to this node. The depth of a node is the index of the segment.
    private struct Node: Sendable {
        /// The index in ``literals`` of the first literal that may follow, or ``none``.
        var firstLiteral = none
        /// The index of the node for a parameter, or ``none``.
        var parameterNode = none
        /// The number of the pattern that ends at this node, or ``none``.
        var resource = none
    }

    /// A literal segment of a node: a range of bytes in ``literalBytes``.
    private struct Literal: Sendable {
        let start: Int
        let count: Int
        let node: Int
        /// The next literal of the same node.
        let next: Int
    }

    private static let none = -1
    /// The number of methods; the raw values of ``Method`` are indices into a table.
    private static let methodCount = Method.allCases.count

    /// All nodes; the first node is the root.
    private var nodes = [Node()]
    private var literals: [Literal] = []
    private var literalBytes: [UInt8] = []
    /// The numbers of the endpoints, one entry per resource and method. A resource is one pattern; ``names`` and
    /// ``allowValues`` have one entry per resource.
    private var endpointNumbers: [Int] = []
    private var names: [[String]] = []
    /// The value of `Allow` per resource, RFC 9110 §10.2.1, in the order of ``Method/allCases``.
    private var allowValues: [String] = []
    /// The resources whose endpoint of `HEAD` is taken from `GET`.
    private var resourcesWithHeadOfGet: Set<Int> = []

    @usableFromInline init() {}

    /// Adds the endpoint with this number for `method` and `pattern`.
    mutating func add(_ method: Method, _ pattern: Pattern, endpoint number: Int) {
        let resource = findOrAddResource(of: pattern)
        let firstEndpoint = resource * Self.methodCount
        precondition(
            names[resource] == pattern.names,
            "\(pattern) exists with other parameter names: \(names[resource])")
        precondition(
            endpointNumbers[firstEndpoint + method.rawValue] == Self.none
                || (method == .head && resourcesWithHeadOfGet.contains(resource)),
            "\(method.name) \(pattern) exists already")
        endpointNumbers[firstEndpoint + method.rawValue] = number
        if method == .head { resourcesWithHeadOfGet.remove(resource) }
        if method == .get && endpointNumbers[firstEndpoint + Method.head.rawValue] == Self.none {
            endpointNumbers[firstEndpoint + Method.head.rawValue] = number
            resourcesWithHeadOfGet.insert(resource)
        }
        allowValues[resource] = Method.allCases.filter {
            $0 == .options || endpointNumbers[firstEndpoint + $0.rawValue] != Self.none
        }
        .map { "\($0.name)" }.joined(separator: ", ")
    }

    /// Returns the resource of `pattern`, and creates it if it does not exist.
    private mutating func findOrAddResource(of pattern: Pattern) -> Int {
        var node = 0
        for segment in pattern.segments {
            switch segment {
            case .parameter:
                if nodes[node].parameterNode == Self.none {
                    nodes[node].parameterNode = nodes.count
                    nodes.append(Node())
                }
                node = nodes[node].parameterNode
            case .literal(let bytes): node = findOrAddLiteral(bytes, of: node)
            }
        }
        if nodes[node].resource == Self.none {
            nodes[node].resource = names.count
            names.append(pattern.names)
            allowValues.append("")
            endpointNumbers += [Int](repeating: Self.none, count: Self.methodCount)
        }
        return nodes[node].resource
    }

    /// Returns the node for the literal `bytes` after node `node`, and creates it if it does not exist.
    private mutating func findOrAddLiteral(_ bytes: [UInt8], of node: Int) -> Int {
        var next = nodes[node].firstLiteral
        while next != Self.none {
            let literal = literals[next]
            if literalBytes[literal.start..<literal.start + literal.count].elementsEqual(bytes) {
                return literal.node
            }
            next = literal.next
        }
        literals.append(
            Literal(
                start: literalBytes.count, count: bytes.count, node: nodes.count,
                next: nodes[node].firstLiteral
            ))
        literalBytes += bytes
        nodes[node].firstLiteral = literals.count - 1
        nodes.append(Node())
        return nodes.count - 1
    }

    /// - Parameter path: the path, percent-decoded.
    @usableFromInline
    func find(_ method: Method, _ path: borrowing Span<UInt8>) -> Outcome {
        guard path.count > 0, path[0] == UInt8(ascii: "/") else { return .notFound }
        var values: [Range<Int>] = []
        let resource = find(path, from: 1, at: 0, &values)
        guard resource != Self.none else { return .notFound }
        let number = endpointNumbers[resource * Self.methodCount + method.rawValue]
        guard number != Self.none else { return .notAllowed(allow: allowValues[resource]) }
        return .found(number, names: names[resource], values: values)
    }

    /// Returns the value of `Allow` for a path, or `nil` if no pattern matches.
    ///
    /// - Parameter path: the path, percent-decoded.
    func allowValue(at path: borrowing Span<UInt8>) -> String? {
        guard path.count > 0, path[0] == UInt8(ascii: "/") else { return nil }
        var values: [Range<Int>] = []
        let resource = find(path, from: 1, at: 0, &values)
        return resource == Self.none ? nil : allowValues[resource]
    }

    /// Searches from the segment of `path` that starts at `start`. A literal takes precedence; if no pattern below it matches, the
    /// parameter is tried. Each node is visited at most once.
    ///
    /// - Returns: the resource, or ``none``.
    private func find(
        _ path: borrowing Span<UInt8>, from start: Int, at node: Int, _ values: inout [Range<Int>]
    ) -> Int {
        var end = start
        while end < path.count && path[end] != UInt8(ascii: "/") { end += 1 }
        var next = nodes[node].firstLiteral
        while next != Self.none {
            let literal = literals[next]
            if literal.count == end - start, isEqual(path, from: start, to: literal) {
                let resource = follow(path, from: end, to: literal.node, &values)
                if resource != Self.none { return resource }
                break
            }
            next = literal.next
        }
        let parameter = nodes[node].parameterNode
        guard parameter != Self.none, end > start else { return Self.none }
        values.append(start..<end)
        let resource = follow(path, from: end, to: parameter, &values)
        if resource == Self.none { values.removeLast() }
        return resource
    }

    @inline(__always)
    private func follow(
        _ path: borrowing Span<UInt8>, from end: Int, to node: Int, _ values: inout [Range<Int>]
    ) -> Int {
        end == path.count ? nodes[node].resource : find(path, from: end + 1, at: node, &values)
    }

    @inline(__always)
    private func isEqual(_ path: borrowing Span<UInt8>, from start: Int, to literal: Literal) -> Bool {
        for index in 0..<literal.count where path[start &+ index] != literalBytes[literal.start &+ index] {
            return false
        }
        return true
    }
}

/// The values of a pattern's parameters in a path, percent-decoded.
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

    /// The value of the parameter `name`, never empty; `nil` if the pattern has no parameter of that name.
    public subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}
