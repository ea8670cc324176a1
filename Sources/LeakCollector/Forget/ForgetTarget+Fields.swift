internal import LeakHTTPServer
internal import LeakMessage
public import LeakStore

extension ForgetTarget {
    /// Reads the parameters of a query or the fields of a form. Parameters that the kind does not need are ignored, because one
    /// form offers all kinds.
    ///
    /// - Throws: ``Problem`` 400 if a parameter is missing or invalid.
    init(_ parameters: [String: String]) throws(Problem) {
        func required(_ name: String) throws(Problem) -> String {
            guard let value = parameters[name], !value.isEmpty else {
                throw Problem(.badRequest, "the parameter “\(name)” is missing")
            }
            return value
        }
        let word = try required("what")
        guard let kind = Kind(rawValue: word) else {
            throw Problem(
                .badRequest, "the parameter “what” is “\(word)”, must be leak, version, environment or app")
        }
        guard kind != .leak else {
            guard let id = LeakID(try required("leak")) else { throw .noLeak }
            self = .leak(id)
            return
        }
        let name = try required("app")
        let environment = parameters["environment"].flatMap { $0.isEmpty ? nil : $0 } ?? AppKey.production
        let app = AppKey(name, environment: AppKey.environment(named: environment))
        switch kind {
        case .version: self = .version(try required("version"), of: app)
        case .environment: self = .environment(app)
        case .app, .leak: self = .app(name)
        }
    }

    /// The app of the target, for the navigation of pages.
    var scope: AppScope {
        switch self {
        case .leak: AppScope(nil)
        case .version(_, let app), .environment(let app): app.scope
        case .app(let name): AppScope(name)
        }
    }

    /// The target as the audit log names it.
    public var auditObject: String {
        switch self {
        case .leak(let id): "leak \(id)"
        case .version(let version, let app): "version \(version) of \(app)"
        case .environment(let app): "\(app)"
        case .app(let name): "\(name) in all environments"
        }
    }

    /// The problem of a target that does not exist.
    var missingProblem: Problem {
        switch self {
        case .leak: .noLeak
        case .version(let version, let app):
            Problem(.notFound, "\(app) has no version \(version); /api/v1/releases lists its versions")
        case .environment(let app):
            Problem(.notFound, "there is no app \(app); /api/v1/apps lists all of them")
        case .app(let name): Problem(.notFound, "there is no app \(name); /api/v1/apps lists all of them")
        }
    }
}

extension JSONWriter {
    /// Writes the numbers of data that is deleted.
    mutating func fields(of counts: ForgetCounts) {
        field("environments", counts.environments)
        field("versions", counts.versions)
        field("leaks", counts.leaks)
        field("reports", counts.reports)
        field("samples", counts.samples)
        field("decisions", counts.decisions)
    }
}

extension ForgetCounts {
    /// The numbers that are not 0, each with its noun.
    public var descriptions: [String] {
        [
            (environments, "environment", "environments"), (versions, "version", "versions"),
            (leaks, "leak", "leaks"), (reports, "report", "reports"),
            (samples, "sample report", "sample reports"),
            (decisions, "decision or note", "decisions and notes"),
        ].filter { $0.0 > 0 }.map { Count($0.0).text(noun: $0.1, plural: $0.2) }
    }
}
