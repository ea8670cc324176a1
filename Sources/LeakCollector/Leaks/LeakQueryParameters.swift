internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

extension LeakQuery {
    /// Maximum number of rows of a page.
    static let largestLimit = 200
    /// Maximum bytes of a search text. No name of a class is longer.
    static let longestSearch = 256

    /// Parses the parameters of a list from a request's query. An empty parameter counts as missing, because forms
    /// send empty ones.
    ///
    /// - Throws: ``Problem`` 400 that names the parameter and its valid values.
    static func read(from request: borrowing Request) throws(Problem) -> LeakQuery {
        var query = LeakQuery()
        query.app = value("app", request)
        query.version = value("version", request)
        query.className = value("class", request)
        if let kind = value("kind", request) {
            guard LeakReport.Kind(rawValue: kind) != nil else {
                throw Problem(
                    .badRequest, "kind must be one of \(list(LeakReport.Kind.allCases.map(\.rawValue)))")
            }
            query.kind = kind
        }
        query.period = try period(of: request)
        query.search = value("q", request)
        query.cursor = value("cursor", request)
        if let search = query.search, search.utf8.count > longestSearch {
            throw Problem(.badRequest, "q is \(search.utf8.count) bytes, at most \(longestSearch)")
        }
        if let text = value("state", request) {
            guard let state = StateFilter(rawValue: text) else {
                throw Problem(
                    .badRequest, "state must be one of \(list(StateFilter.allCases.map(\.rawValue)))")
            }
            query.state = state
        }
        if let text = value("sort", request) {
            guard let sort = Sort(rawValue: text) else {
                throw Problem(.badRequest, "sort must be one of \(list(Sort.allCases.map(\.rawValue)))")
            }
            query.sort = sort
        }
        if let text = value("limit", request) {
            guard let limit = Int(decimalDigits: text), (1...largestLimit).contains(limit) else {
                throw Problem(.badRequest, "limit must be a number from 1 to \(largestLimit)")
            }
            query.limit = limit
        }
        return query
    }

    /// Parses only the parameter `period`, for addresses that have no other parameter of a list; `nil` if it is
    /// missing.
    ///
    /// - Throws: ``Problem`` 400 with the valid periods.
    static func period(of request: borrowing Request) throws(Problem) -> Period? {
        guard let text = value("period", request) else { return nil }
        guard let period = Period(rawValue: text) else {
            throw Problem(
                .badRequest,
                "period must be one of \(list(Period.allCases.map(\.rawValue))), or left out for all time")
        }
        return period
    }

    private static func value(_ name: String, _ request: borrowing Request) -> String? {
        guard let value = request.query(name), !value.isEmpty else { return nil }
        return value
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
