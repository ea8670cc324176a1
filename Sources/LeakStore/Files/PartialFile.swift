#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A file that is being made and has another's name, `.partial-` and a random number until it is complete.
enum PartialFile {
    /// One that has not been written to for so long was left by a process that was killed: longer than checking the
    /// largest copy takes.
    static let abandonedSeconds = 6 * 3_600

    /// Nobody guesses it, who may write into the folder as well.
    static func path(for file: String) -> String {
        "\(file).partial-\(String(UInt64.random(in: 0...(.max)), radix: 16))"
    }

    /// Deletes what was left of earlier copies to the same place. What cannot be deleted stays.
    static func removeAbandoned(of file: String, now: Int = time(nil)) {
        let folder = DatabaseFile.folder(of: file)
        guard let directory = unsafe opendir(folder) else { return }
        defer { unsafe closedir(directory) }
        let start = DatabaseFile.name(of: file) + ".partial-"
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(start), isRandom(name.dropFirst(start.count)) else { continue }
            let path = "\(folder)/\(name)"
            var status = stat()
            guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                now - lastWrite(status) > abandonedSeconds
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

    /// Whether it is a number as ``path(for:)`` writes it, or a file of SQLite's beside one.
    private static func isRandom(_ end: Substring) -> Bool {
        let digits = end.prefix { "0123456789abcdef".contains($0) }
        return (1...16).contains(digits.count)
            && DatabaseFile.sideEnds.contains(String(end[digits.endIndex...]))
    }
}
