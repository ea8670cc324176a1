internal import LeakPlatform
internal import LeakStore

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A folder with the backups that a collector makes by itself: `leaks-2026-11-30T09-42-00Z.sqlite`. Other files in the folder
/// are never changed.
struct BackupFolder: Sendable {
    private static let prefix = "leaks-"
    private static let suffix = ".sqlite"

    let path: String

    /// Returns the name of the backup of a time.
    static func name(of time: Int64) -> String {
        prefix + CivilTime(milliseconds: time).rfc3339.replacing(":", with: "-") + suffix
    }

    /// Returns the time of a backup by its name, in milliseconds since 1970; `nil` for the name of another file.
    static func time(of name: some StringProtocol) -> Int64? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        var text = Array(name.dropFirst(prefix.count).dropLast(suffix.count))
        // Year 10000 and later do not fit.
        guard text.count == 20, text[13] == "-", text[16] == "-" else { return nil }
        text[13] = ":"
        text[16] = ":"
        guard let time = WallClock.milliseconds(rfc3339: String(text)), Self.name(of: time) == name else {
            return nil
        }
        return time
    }

    func path(of time: Int64) -> String { "\(path)/\(Self.name(of: time))" }

    /// The path of the newest copy whose totals are inconsistent. Its file name has no time, so it does not count as a backup,
    /// and sound backups are not deleted for it.
    var inconsistentPath: String { "\(path)/\(Self.inconsistentName)" }
    private static let inconsistentName = "\(prefix)inconsistent\(suffix)"

    /// Returns the times of the backups, newest first; `nil` if the folder cannot be read.
    func times() -> [Int64]? { names()?.compactMap { Self.time(of: $0) }.sorted(by: >) }

    /// Deletes the oldest backups.
    ///
    /// - Parameters:
    ///   - count: number of backups that are kept.
    ///   - latest: milliseconds since 1970. Backups with a later time were made while the clock was wrong. They are not counted
    ///     and not deleted.
    func removeOldest(keeping count: Int, upTo latest: Int64) {
        let times = (times() ?? []).filter { $0 <= latest }
        for time in times.dropFirst(count) { unsafe unlink(path(of: time)) }
    }

    /// Deletes the unfinished files of backups that ended with their process. No other process may write backups to the folder.
    func removeUnfinished() {
        for name in names() ?? [] {
            guard let partial = name.firstRange(of: ".partial-"),
                name[..<partial.lowerBound] == Self.inconsistentName
                    || Self.time(of: name[..<partial.lowerBound]) != nil
            else { continue }
            unsafe unlink("\(path)/\(name)")
        }
    }

    private func names() -> [String]? {
        guard let directory = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}
