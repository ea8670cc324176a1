internal import LeakPlatform
internal import LeakStore

extension ForgetTarget {
    /// The kinds of targets, as the parameter `what` names them.
    enum Kind: String, CaseIterable {
        case leak, version, environment, app, key
    }

    static let parameterNames = ["what", "leak", "app", "environment", "version", "key", "since"]

    /// The parameters of the address of the page that shows what is deleted.
    var parameters: [(name: String, value: String?)] {
        switch self {
        case .leak(let id): [("what", Kind.leak.rawValue), ("leak", id.description)]
        case .version(let version, let app):
            [
                ("what", Kind.version.rawValue), ("app", app.name), ("environment", app.environment),
                ("version", version),
            ]
        case .environment(let app):
            [("what", Kind.environment.rawValue), ("app", app.name), ("environment", app.environment)]
        case .app(let name): [("what", Kind.app.rawValue), ("app", name)]
        case .key(let key, let since):
            [
                ("what", Kind.key.rawValue), ("key", "\(key)"),
                ("since", since.map { CivilTime(milliseconds: $0).rfc3339 }),
            ]
        }
    }
}
