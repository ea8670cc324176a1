internal import LeakHTTPServer
internal import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Files that a collector serves and applies: style, script, icons, error pages, the description of the API, and known leaks.
///
/// The files are read before the database is opened, so that a mistake in a file does not change the database.
public struct PublicFolder: Sendable {
    let path: String
    let files: StaticFiles
    let knownLeaks: KnownLeaks
    /// Names of the files that an export copies from the folder.
    let names: [String]
    /// False if the file of known leaks is missing, because the folder belongs to an earlier version.
    let hasKnownLeaks: Bool

    private static let requiredNames = ["style.css", "icon.svg", "openapi.json"]

    /// Reads the files of the folder.
    ///
    /// - Parameter knownLeaks: the path of the operator's own file of known leaks; `nil` if there is none.
    /// - Throws: ``SettingError`` with the missing file or the position of the mistake.
    public init(_ path: String, knownLeaks: String?) throws(SettingError) {
        // The names are checked before any file is read, because a wrong folder may be large or contain private files.
        if let missing = Self.requiredNames.first(where: { unsafe access("\(path)/\($0)", R_OK) != 0 }) {
            throw SettingError(
                source: "--public",
                problem: "names \(path), which has no \(missing): it is not the Public folder")
        }
        let shippedPath = KnownLeakFile.shippedPath(in: path)
        hasKnownLeaks = unsafe access(shippedPath, F_OK) == 0 || errno != ENOENT
        names = Self.requiredNames + (hasKnownLeaks ? [KnownLeakFile.name] : [])
        self.knownLeaks = try KnownLeakFile.load(shipped: hasKnownLeaks ? shippedPath : nil, own: knownLeaks)
        do {
            files = try StaticFiles(folder: path)
        } catch {
            throw SettingError(source: "--public", problem: "cannot be used: \(error)")
        }
        self.path = path
    }

    /// Warning about the folder for the operator; `nil` if there is none.
    var warning: String? {
        hasKnownLeaks
            ? nil
            : "\(path) has no \(KnownLeakFile.name), so only the known leaks of --known-leaks are listed apart; "
                + "copy the file from the Public folder of this version"
    }
}
