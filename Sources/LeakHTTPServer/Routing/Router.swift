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
