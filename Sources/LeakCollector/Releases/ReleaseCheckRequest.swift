internal import LeakMessage
internal import LeakStatistics
public import LeakStore

/// The request for a release check: `GET /api/v1/check` and `collector check`.
public struct ReleaseCheckRequest: Hashable, Sendable {
    public let query: ReleaseCheckQuery

    public init(_ query: ReleaseCheckQuery) { self.query = query }

    /// A limit of the release check that a request can set. The raw value is its name in a query; its flag has hyphens in place
    /// of underscores.
    public enum Limit: String, CaseIterable, Sendable {
        case devices = "min_devices"
        case reports = "min_reports"
        case rate = "max_rate"

        /// Description of the valid texts, for error messages.
        public var validValues: String {
            switch self {
            case .devices, .reports: "a number from 0 to 1000000"
            case .rate: "a share between 0 and 1, such as 0.05"
            }
        }

        /// Sets the limit in a query.
        ///
        /// - Returns: `false` if the text is not valid; the query is then unchanged.
        public func set(_ text: String, in query: inout ReleaseCheckQuery) -> Bool {
            switch self {
            case .devices, .reports:
                guard let number = Int(text), (0...1_000_000).contains(number) else { return false }
                if self == .devices { query.limits.devices = number } else { query.limits.reports = number }
            case .rate:
                guard let rate = Double(text), rate > 0, rate < 1 else { return false }
                query.limits.rate = rate
            }
            return true
        }

        fileprivate func text(in query: ReleaseCheckQuery) -> String {
            switch self {
            case .devices: "\(query.limits.devices)"
            case .reports: "\(query.limits.reports)"
            case .rate: "\(query.limits.rate)"
            }
        }
    }

    /// Path and query that are appended to the address of a collector.
    public var path: String {
        var parameters: [(String, String)] = []
        for (name, value) in query.scope.parameters + [
            ("version", query.version),
            ("build", query.build), ("baseline", query.baseline), ("baseline_build", query.baselineBuild),
        ] {
            if let value { parameters.append((name, value)) }
        }
        let defaults = ReleaseCheckQuery(app: "", version: "")
        for limit in Limit.allCases where limit.text(in: query) != limit.text(in: defaults) {
            parameters.append((limit.rawValue, limit.text(in: query)))
        }
        return "/api/v1/check?"
            + parameters.map { "\($0)=\(PercentEncoder.encode($1))" }.joined(separator: "&")
    }

    /// Checks the release in the database, and returns the JSON that a server would send. Blocks the calling thread while it
    /// reads.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Throws: ``UnknownVersionError`` if nothing was reported of the version, of its build or of the baseline, or
    ///   ``StoreError``, with reason `invalidArgument` for a baseline that is not older than the version, and for a build of
    ///   the baseline without reports.
    public func responseJSON(from store: any Store, publicFolder: PublicFolder, now: Int64) throws -> [UInt8]
    {
        let check = try run(on: store.makeReader(known: publicFolder.knownLeaks), now: now)
        var writer = JSONWriter()
        writer.object { $0.fields(of: check) }
        return writer.bytes
    }

    /// Runs the release check.
    ///
    /// - Throws: as ``responseJSON(from:publicFolder:now:)``.
    func run(on reader: any StoreReader, now: Int64) throws -> ReleaseCheck {
        guard let check = try reader.releaseCheck(query, now: now) else {
            let versions = try reader.versions(app: query.scope)
            let isKnown = versions.contains { $0 == query.version }
            throw try unknownVersionError(
                of: query.version, build: isKnown ? query.build : nil, among: versions, reader, now: now)
        }
        guard let baseline = query.baseline else { return check }
        let versions = try reader.versions(app: query.scope)
        // Without this check, a misspelt baseline would make every leak new, or none.
        guard versions.contains(where: { VersionOrder($0).hasSameRank(as: baseline) }) else {
            throw try unknownVersionError(of: baseline, isBaseline: true, among: versions, reader, now: now)
        }
        return check
    }

    private func unknownVersionError(
        of version: String, build: String? = nil, isBaseline: Bool = false, among versions: [String],
        _ reader: any StoreReader, now: Int64
    ) throws(StoreError) -> UnknownVersionError {
        UnknownVersionError(
            app: query.scope, version: version, build: build, isBaseline: isBaseline, versions: versions,
            apps: versions.isEmpty ? try reader.apps(in: query.environment) : [],
            environments: versions.isEmpty
                ? try reader.environments(app: query.app).filter { $0 != query.environment } : [],
            isAppLimitReached: versions.isEmpty
                ? try reader.reachedAppLimit(hiding: query.scope, now: now) != nil : false)
    }
}

/// Error for a version, or a build of it, of which nothing was ever reported. An unknown version must not pass the release
/// check.
struct UnknownVersionError: Error, CustomStringConvertible {
    let app: AppScope
    let version: String
    /// The build of which nothing was reported; `nil` if nothing was reported of the version either.
    let build: String?
    /// True if the version is the baseline.
    let isBaseline: Bool
    /// Versions of the app, newest first; empty for an app that was never seen.
    let versions: [String]
    /// Apps of the environment; empty if there is none, or if the app is known; `nil` if the message must not name them.
    var apps: [String]?
    /// Environments in which the app was seen; empty if it was seen in the environment of the release check, or in no
    /// environment.
    let environments: [String]
    /// True if reports of the app may count as ``StoreLimits/other``, because an ingest key has reached its limit of apps.
    var isAppLimitReached = false

    private static let maxListedNames = 5

    private var name: String {
        app.key?.description ?? ""
    }

    var description: String { TerminalText.text(sentence) }

    private var sentence: String {
        if let build {
            return
                "there are no reports of build \(build) of \(name) \(version): run it once with a reporter that counts "
                + "sessions, or name another build"
        }
        if !versions.isEmpty {
            let remedy =
                isBaseline
                ? "compare with a version that has reports"
                : "run it once with a reporter that counts sessions, or name another version"
            return
                "there are no reports of version \(version) of \(name): \(remedy); "
                + "its versions are \(Self.listText(of: versions))"
        }
        if !environments.isEmpty {
            return "there are no reports of \(name); its environments are \(Self.listText(of: environments))"
        }
        let limitNote =
            isAppLimitReached
            ? "; an ingest key has reached its limit of apps, so reports of new apps count as the app \(StoreLimits.other)"
            : ""
        guard let apps else { return "there is no app \(name)\(limitNote)" }
        return "there is no app \(name)\(limitNote)"
            + (apps.isEmpty ? "; there are no reports yet" : "; the apps are \(Self.listText(of: apps))")
    }

    /// The error for a client that may only know the app it names: a token for release checks may be on a build server of
    /// another team.
    var withoutOtherApps: UnknownVersionError {
        var error = self
        error.apps = nil
        return error
    }

    private static func listText(of names: [String]) -> String {
        let more = names.count - maxListedNames
        return names.prefix(maxListedNames).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}
