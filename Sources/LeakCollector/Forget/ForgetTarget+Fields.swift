internal import LeakHTTPServer
internal import LeakMessage
internal import LeakPlatform
public import LeakStore

extension ForgetTarget {
    /// Reads the parameters of a query or the fields of a form. Parameters that the kind does not need are ignored, because one
    /// form offers all kinds.
    ///
    /// - Throws: ``Problem`` 400 if a parameter is missing or invalid.
    init(_ parameters: [String: String]) throws(Problem) {
        func required(_ name: String) throws(Problem) -> String {
            guard let value = parameters[name], !value.isEmpty else {
                throw Problem.invalidParameter("the parameter “\(name)” is missing")
            }
            return value
        }
        let word = try required("what")
        guard let kind = Kind(rawValue: word) else {
            throw Problem.invalidParameter(
                "the parameter “what” is “\(word)”, must be leak, version, environment, app or key")
        }
        guard kind != .key else {
            let number = try required("key")
            guard let key = Int64(decimalDigits: number), key > 0 else {
                throw Problem.invalidParameter(
                    "the parameter “key” must be the ID of a key, as /api/v1/keys lists it")
            }
            self = .key(key, since: try Self.since(parameters["since"]))
            return
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
        case .app, .leak, .key: self = .app(name)
        }
    }

    private static func since(_ text: String?) throws(Problem) -> Int64? {
        guard let text, !text.isEmpty else { return nil }
        guard let time = sinceTime(text) else {
            throw Problem.invalidParameter(
                "the parameter “since” must be a time or a day, such as 2026-11-20T12:00:00Z or 2026-11-20")
        }
        return time
    }

    /// Parses the time of ``ForgetTarget/key(_:since:)``: a time as in RFC 3339, or a day, which begins at midnight UTC. Rounds
    /// down to a full second, because links name no milliseconds.
    public static func sinceTime(_ text: String) -> Int64? {
        (WallClock.milliseconds(rfc3339: text) ?? WallClock.milliseconds(rfc3339: text + "T00:00:00Z"))
            .map { $0 / 1000 * 1000 }
    }

    /// The app of the target, for the navigation of pages.
    var scope: AppScope {
        switch self {
        case .leak, .key: AppScope(nil)
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
        case .key(let key, let since):
            "key \(key)" + (since.map { " since \(CivilTime(milliseconds: $0).rfc3339)" } ?? "")
        }
    }

    /// The entry for the audit log about the deletion.
    public func auditEntry(by origin: ChangeOrigin, at time: Int64) -> AuditEntry {
        var action = AuditEntry.Action.delete
        if case .key = self { action = .undoKey }
        return AuditEntry(action, of: auditObject, by: origin, at: time)
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
        case .key: Problem(.notFound, "\(missingKeyText)")
        }
    }
}

extension ForgetTarget {
    /// The text for a key that made nothing; empty for other targets.
    public var missingKeyText: String {
        guard case .key(let key, let since) = self else { return "" }
        return "key \(key) made no app, version or leak that is stored"
            + (since == nil ? "" : " since this time")
            + "; data that is older than the collector's records of keys cannot be found by its key"
    }

    /// Sentences that say what stays in place if the data of an ingest key is deleted.
    public static let undoLimits = [
        "Reports, sessions and checks of the key stay if they count in apps, versions and leaks that another key made, because they cannot be told apart from those of other keys. Data that is older than the collector's records of keys stays too.",
        "If real installs use the key too, their new leaks and versions are deleted as well, and come back as new with their next report.",
    ]
}

extension JSONWriter {
    /// Writes the numbers of data that is deleted.
    mutating func fields(of counts: ForgetCounts) {
        field("environments", counts.environments)
        field("versions", counts.versions)
        field("builds", counts.builds)
        field("leaks", counts.leaks)
        field("reports", counts.reports)
        field("samples", counts.samples)
        field("decisions", counts.decisions)
        field("merges", counts.merges)
        if counts.kept != ForgetCounts.Kept() {
            object("kept") { writer in
                writer.field("environments", counts.kept.environments)
                writer.field("versions", counts.kept.versions)
                writer.field("leaks", counts.kept.leaks)
            }
        }
    }
}

extension ForgetCounts.Kept {
    /// The numbers that are not 0, each with its noun.
    public var descriptions: [String] {
        [
            (environments, "environment", "environments"), (versions, "version", "versions"),
            (leaks, "leak", "leaks"),
        ].filter { $0.0 > 0 }.map { Count($0.0).text(noun: $0.1, plural: $0.2) }
    }
}

extension ForgetCounts {
    /// The numbers that are not 0, each with its noun.
    public var descriptions: [String] {
        [
            (environments, "environment", "environments"), (versions, "version", "versions"),
            (builds, "build", "builds"), (leaks, "leak", "leaks"), (reports, "report", "reports"),
            (samples, "sample report", "sample reports"),
            (decisions, "decision or note", "decisions and notes"),
            (merges, "merge by hand, which is undone first", "merges by hand, which are undone first"),
        ].filter { $0.0 > 0 }.map { Count($0.0).text(noun: $0.1, plural: $0.2) }
    }
}
