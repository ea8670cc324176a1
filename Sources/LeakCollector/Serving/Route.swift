internal import HTTPServer
internal import LeakStore

/// What a path stands for. Paths are parsed once, here; what is not a case is 404.
enum Route: Hashable {
    case reports
    case leaks, leak(LeakID), leakReports(LeakID), leakTrend(LeakID)
    case releases, summary, apps
    case healthz, readyz
    case signIn, signOut
    /// The install's id.
    case install(String)
    case summaryPage, leakPage(LeakID), reportsPage(LeakID), releasesPage
    case file

    /// Who may come in.
    enum Access: Hashable {
        case anyone
        /// With an ingest key.
        case writers
        /// With an access token or signed in; refused in JSON.
        case readers
        /// The same; sent to the sign-in page.
        case people
    }

    /// - Parameters:
    ///   - path: decoded, starting with a slash.
    ///   - files: the paths of `Public`.
    /// - Returns: `nil` when nothing is there.
    init?(path: String, files: Set<String>) {
        switch path {
        case "/": self = .summaryPage
        case "/api/v1/reports": self = .reports
        case "/api/v1/leaks": self = .leaks
        case "/api/v1/releases": self = .releases
        case "/api/v1/summary": self = .summary
        case "/api/v1/apps": self = .apps
        case "/healthz": self = .healthz
        case "/readyz": self = .readyz
        case "/releases": self = .releasesPage
        case "/sign-in": self = .signIn
        case "/sign-out": self = .signOut
        default:
            if let route = Self.leak(at: path) {
                self = route
            } else if path.hasPrefix(Self.installs), path.utf8.count > Self.installs.utf8.count {
                self = .install(String(path.dropFirst(Self.installs.count)))
            } else if files.contains(path) {
                self = .file
            } else {
                return nil
            }
        }
    }

    private static let installs = "/api/v1/installs/"

    private static func leak(at path: String) -> Route? {
        let isJSON = path.hasPrefix("/api/v1/leaks/")
        guard isJSON || path.hasPrefix("/leaks/") else { return nil }
        let rest = path.dropFirst(isJSON ? "/api/v1/leaks/".utf8.count : "/leaks/".utf8.count)
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let id = LeakID(parts[0]) else { return nil }
        switch (isJSON, parts.count == 1 ? nil : parts[1]) {
        case (true, nil): return .leak(id)
        case (true, "reports"): return .leakReports(id)
        case (true, "trend"): return .leakTrend(id)
        case (false, nil): return .leakPage(id)
        case (false, "reports"): return .reportsPage(id)
        default: return nil
        }
    }

    var access: Access {
        switch self {
        case .reports: .writers
        case .leaks, .leak, .leakReports, .leakTrend, .releases, .summary, .apps, .install: .readers
        case .summaryPage, .leakPage, .reportsPage, .releasesPage: .people
        case .healthz, .readyz, .signIn, .signOut, .file: .anyone
        }
    }

    /// Besides `HEAD` where there is `GET`, and `OPTIONS`.
    var methods: [Method] {
        switch self {
        case .reports, .signOut: [.post]
        case .signIn: [.get, .post]
        case .install: [.delete]
        default: [.get]
        }
    }

    /// The value of `Allow`. RFC 9110 §10.2.1
    var allow: String {
        var names: [String] = []
        if methods.contains(.get) { names += ["GET", "HEAD"] }
        if methods.contains(.post) { names.append("POST") }
        if methods.contains(.delete) { names.append("DELETE") }
        return (names + ["OPTIONS"]).joined(separator: ", ")
    }

    /// Bytes of body that make sense; the server's own limit holds besides. A form is a token and a name.
    var bodyBytes: Int {
        switch self {
        case .reports: .max
        case .signIn: 4096
        default: 0
        }
    }
}
