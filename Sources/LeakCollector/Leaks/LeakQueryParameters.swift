internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

extension LeakQuery {
    /// Maximum number of rows of a page.
    static let maxLimit = 200
    /// Maximum bytes of a search text. A longer class name, of up to ``WireLimits/classBytes``, is found by a part of it.
    static let maxSearchBytes = 256
    /// The names of the query parameters of a list of leaks.
    static var parameterNames: [String] { LeakQuery().parameters.map(\.name) }

    /// Parses the parameters of a list of leaks from a request's query. An empty parameter counts as missing, because
    /// forms send empty parameters.
    ///
    /// - Throws: ``Problem`` 400 that names the parameter and its valid values.
    static func read(from request: borrowing Request) throws(Problem) -> LeakQuery {
        var query = LeakQuery()
        query.scope = request.queriedScope
        query.version = parameter("version", request)
        query.className = parameter("class", request)
        if let kind = parameter("kind", request) {
            guard LeakReport.Kind(rawValue: kind) != nil else {
                throw Problem.invalidParameter(
                    "the parameter “kind” must be one of \(joined(LeakReport.Kind.allCases.map(\.rawValue)))")
            }
            query.kind = kind
        }
        query.period = try period(of: request)
        query.search = parameter("q", request)
        query.cursor = parameter("cursor", request)
        if let search = query.search, search.utf8.count > maxSearchBytes {
            throw Problem.invalidParameter(
                "the parameter “q” is \(search.utf8.count) bytes, the limit is \(maxSearchBytes)"
            )
        }
        if let text = parameter("state", request) {
            guard let state = StateFilter(rawValue: text) else {
                throw Problem.invalidParameter(
                    "the parameter “state” must be one of \(joined(StateFilter.allCases.map(\.rawValue)))")
            }
            query.state = state
        }
        if let text = parameter("sort", request) {
            guard let sort = Sort(rawValue: text) else {
                throw Problem.invalidParameter(
                    "the parameter “sort” must be one of \(joined(Sort.allCases.map(\.rawValue)))")
            }
            query.sort = sort
        }
        if let text = parameter("order", request) {
            guard let order = Order(rawValue: text) else {
                throw Problem.invalidParameter(
                    "the parameter “order” must be one of \(joined(Order.allCases.map(\.rawValue)))")
            }
            query.order = order == query.sort.usualOrder ? nil : order
        }
        if let text = parameter("limit", request) {
            guard let limit = Int(decimalDigits: text), (1...maxLimit).contains(limit) else {
                throw Problem.invalidParameter("the parameter “limit” must be a number from 1 to \(maxLimit)")
            }
            query.limit = limit
        }
        return query
    }

    /// Parses only the parameter `period`, for resources that accept no other parameter of a list of leaks.
    ///
    /// - Parameter absence: the period that applies if the parameter is missing. The error message names it.
    /// - Returns: `nil` if the parameter is missing.
    /// - Throws: ``Problem`` 400 with the valid periods.
    static func period(
        of request: borrowing Request, ifAbsent absence: String = "all time"
    ) throws(Problem) -> Period? {
        guard let text = parameter("period", request) else { return nil }
        guard let period = Period(rawValue: text) else {
            throw Problem.invalidParameter(
                "the parameter “period” must be one of \(joined(Period.allCases.map(\.rawValue))), or left out for \(absence)"
            )
        }
        return period
    }

    private static func parameter(_ name: String, _ request: borrowing Request) -> String? {
        guard let value = request.query(name), !value.isEmpty else { return nil }
        return value
    }

    private static func joined(_ names: [String]) -> String { names.joined(separator: ", ") }
}
