internal import LeakHTTPServer
internal import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a collector serves and applies out of files: style, icon, error pages, and known leaks.
///
/// Read before the database is opened, so that a mistake in it changes nothing there.
public struct PublicFolder: Sendable {
    let path: String
    let files: StaticFiles
    let known: KnownLeaks
    /// Files of ours that pages lead to, in the folder.
    let names: [String]
    /// `false` in a folder that somebody made for an earlier version.
    let hasKnownLeaks: Bool

    private static let required = ["style.css", "icon.svg", "openapi.json"]

    /// - Parameter knownLeaks: a file of the operator's own, if there is one.
    /// - Throws: ``SettingError`` naming what is missing or where the mistake is.
    public init(_ path: String, knownLeaks: String?) throws(SettingError) {
        // Looked for first: a wrong folder may be large, or hold what nobody should see.
        if let missing = Self.required.first(where: { unsafe access("\(path)/\($0)", R_OK) != 0 }) {
            throw SettingError(
                source: "--public",
                problem: "names \(path), which has no \(missing): it is not the Public folder")
        }
        let shipped = KnownLeakFile.shipped(in: path)
        hasKnownLeaks = unsafe access(shipped, F_OK) == 0 || errno != ENOENT
        names = Self.required + (hasKnownLeaks ? [KnownLeakFile.name] : [])
        known = try KnownLeakFile.load(shipped: hasKnownLeaks ? shipped : nil, own: knownLeaks)
        do {
            files = try StaticFiles(folder: path)
        } catch {
            throw SettingError(source: "--public", problem: "cannot be used: \(error)")
        }
        self.path = path
    }

    /// What an operator should know of it; `nil` when there is nothing.
    var warning: String? {
        hasKnownLeaks
            ? nil
            : "\(path) has no \(KnownLeakFile.name): of the system's leaks only those of --known-leaks are told apart; "
                + "copy the file from the Public folder of this version"
    }
}
