internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

extension LeakQuery {
    /// The rows of a page, at most.
    static let largestLimit = 200
    /// Bytes of a search text. Longer ones are no names of classes.
    static let longestSearch = 256

    /// Reads a list's parameters from a request's query; an empty one counts as absent, as forms send it.
    ///
    /// - Throws: ``Problem`` 400 that names the parameter and what it may be.
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

    /// Reads `period` alone, for what knows no other parameter of a list; `nil` without one.
    ///
    /// - Throws: ``Problem`` 400 with the periods there are.
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
