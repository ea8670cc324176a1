internal import LeakMessage
public import LeakStore

/// Parameters of a check before a release: `GET /api/v1/check` and `collector check`.
public struct ReleaseCheckRequest: Hashable, Sendable {
    public var app: String
    public var version: String
    /// Version to compare with; `nil` for the version before.
    public var baseline: String?

    public init(app: String, version: String, baseline: String? = nil) {
        self.app = app
        self.version = version
        self.baseline = baseline
    }

    /// Path and query that are appended to the address of a collector.
    public var path: String {
        "/api/v1/check?app=\(Percent.encode(app))&version=\(Percent.encode(version))"
            + (baseline.map { "&baseline=\(Percent.encode($0))" } ?? "")
    }

    /// Returns the result from the database, as the JSON that a server would send. Blocks on the store.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Throws: ``UnknownVersionError`` if nothing was reported of the version or of the baseline, or
    ///   ``StoreError``, with reason `invalidArgument` for a baseline that is not older.
    public func answer(from store: any Store, known: PublicFolder, now: Int64) throws -> [UInt8] {
        let check = try check(store.makeReader(known: known.known), now: now)
        var writer = JSONWriter()
        writer.object { $0.fields(of: check) }
        return writer.bytes
    }

    func check(_ reader: any StoreReader, now: Int64) throws -> ReleaseCheck {
        guard let check = try reader.check(app: app, version: version, baseline: baseline, now: now) else {
            throw try nothing(of: version, isBaseline: false, among: reader.versions(app: app), reader)
        }
        guard let baseline else { return check }
        let versions = try reader.versions(app: app)
        // A misspelt baseline would make every leak new, or none.
        guard versions.contains(where: { VersionOrder($0).ranks(as: baseline) }) else {
            throw try nothing(of: baseline, isBaseline: true, among: versions, reader)
        }
        return check
    }

    private func nothing(
        of version: String, isBaseline: Bool, among versions: [String], _ reader: any StoreReader
    ) throws(StoreError) -> UnknownVersionError {
        UnknownVersionError(
            app: app, version: version, isBaseline: isBaseline, versions: versions,
            apps: versions.isEmpty ? try reader.apps() : [])
    }
}

/// Error for a version of which nothing was ever reported. An unknown version must not pass the check.
struct UnknownVersionError: Error, CustomStringConvertible {
    let app: String
    let version: String
    /// True if the version is the baseline.
    let isBaseline: Bool
    /// Versions of the app, newest first; empty for an app that was never seen.
    let versions: [String]
    let apps: [String]

    private static let named = 5

    var description: String {
        if !versions.isEmpty {
            let remedy =
                isBaseline
                ? "compare with a version that has reports"
                : "run it once with a reporter that counts sessions, or name another version"
            return
                "there are no reports of version \(version) of \(app): \(remedy); "
                + "its versions are \(Self.list(versions))"
        }
        return "there is no app \(app)"
            + (apps.isEmpty ? "; there are no reports yet" : "; the apps are \(Self.list(apps))")
    }

    private static func list(_ names: [String]) -> String {
        let more = names.count - named
        return names.prefix(named).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}
