#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A file that is being written under a temporary name: the final name, `.partial-` and a random number.
enum PartialFile {
    /// A partial file that was last written more than this number of seconds ago counts as left by a killed process. Writing
    /// and checking the largest copy takes less time.
    static let secondsUntilAbandoned = 6 * 3_600

    /// Returns a path that other users with write access to the folder cannot guess.
    static func path(for file: String) -> String {
        "\(file).partial-\(String(UInt64.random(in: 0...(.max)), radix: 16))"
    }

    /// Deletes abandoned partial files of earlier copies to the same path. Ignores files that cannot be deleted.
    static func removeAbandoned(of file: String, now: Int = time(nil)) {
        let folder = DatabaseFile.folder(of: file)
        guard let directory = unsafe opendir(folder) else { return }
        defer { unsafe closedir(directory) }
        let prefix = DatabaseFile.name(of: file) + ".partial-"
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(prefix), isPartialSuffix(name.dropFirst(prefix.count)) else { continue }
            let path = "\(folder)/\(name)"
            var status = stat()
            guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                now - lastWrite(status) > secondsUntilAbandoned
            else { continue }
            unsafe unlink(path)
        }
    }

    private static func lastWrite(_ status: stat) -> Int {
        #if canImport(Darwin)
            status.st_mtimespec.tv_sec
        #else
            status.st_mtim.tv_sec
        #endif
    }

    /// Returns `true` if the text is a number as ``path(for:)`` writes it, alone or followed by the ending of one of SQLite's
    /// files.
    private static func isPartialSuffix(_ suffix: Substring) -> Bool {
        let digits = suffix.prefix { "0123456789abcdef".contains($0) }
        return (1...16).contains(digits.count)
            && DatabaseFile.fileSuffixes.contains(String(suffix[digits.endIndex...]))
    }
}
