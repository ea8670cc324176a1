#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Error texts about files that this process has no permission to write.
public enum FilePermissions {
    /// Returns a sentence that names the user of this process, the file or folder that the process cannot write, its owner and
    /// mode, and the remedy.
    ///
    /// - Parameter path: the file that could not be opened or created.
    public static func denial(of path: String) -> String {
        var status = stat()
        var (kind, existingPath) = ("file", path)
        while unsafe stat(existingPath, &status) != 0
            || (kind == "folder" && status.st_mode & S_IFMT != S_IFDIR)
        {
            guard existingPath != "/", existingPath != "." else { break }
            kind = "folder"
            existingPath = parent(of: existingPath)
        }
        if kind == "file", status.st_mode & S_IFMT == S_IFDIR { kind = "folder" }
        let digits = String(status.st_mode & 0o7777, radix: 8)
        let mode = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return
            "uid \(geteuid()), gid \(getegid()) cannot write the \(kind) \(existingPath) (uid \(status.st_uid), gid "
            + "\(status.st_gid), mode \(mode)); change its owner or mode, or run as its owner"
    }

    private static func parent(of path: String) -> String {
        let trimmed = path.count > 1 && path.hasSuffix("/") ? path.dropLast() : path[...]
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }
}
