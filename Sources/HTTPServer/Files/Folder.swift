#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Reads a folder once. The only place that touches the file system.
enum Folder {
    struct File {
        /// From the folder on, such as `/css/style.css`.
        let path: String
        let bytes: [UInt8]
    }

    /// All regular files below `folder`, but those whose path has a part that begins with a dot, and those
    /// that a symbolic link finds outside of it.
    static func read(_ folder: String) throws(StaticFilesError) -> [File] {
        guard let root = realPath(folder) else { throw .unreadable(folder, SystemError.current.message) }
        var files: [File] = []
        try read(root: root, below: "", into: &files)
        return files.sorted { $0.path < $1.path }
    }

    private static func read(
        root: String, below path: String, into files: inout [File]
    ) throws(StaticFilesError) {
        guard let directory = unsafe opendir(root + path) else {
            throw .unreadable(root + path, SystemError.current.message)
        }
        defer { unsafe _ = closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !name.hasPrefix(".") else { continue }
            let inner = "\(path)/\(name)"
            guard let target = realPath(root + inner), target.hasPrefix(root + "/") else { continue }
            let isLink = target != root + inner
            switch kind(of: target) {
            // A link to a folder could lead in circles.
            case .folder where !isLink: try read(root: root, below: inner, into: &files)
            case .file:
                // What a link finds inside is served only where it would be by itself.
                guard !target.dropFirst(root.count).contains("/.") else { continue }
                files.append(File(path: inner, bytes: try content(of: target)))
            default: continue
            }
        }
    }

    private enum Kind { case file, folder, other }

    private static func kind(of path: String) -> Kind {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return .other }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    private static func content(of path: String) throws(StaticFilesError) -> [UInt8] {
        do throws(SystemError) {
            let file = Descriptor(
                adopting: try retryingOnInterrupt { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) })
            var result: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = try retryingOnInterrupt { Self.read(file.number, &piece) }
                guard count > 0 else { return result }
                result += piece[..<count]
            }
        } catch {
            throw .unreadable(path, error.message)
        }
    }

    private static func read(_ number: Int32, _ buffer: inout [UInt8]) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.read(number, &buffer, buffer.count)
        #else
            unsafe Glibc.read(number, &buffer, buffer.count)
        #endif
    }
}
