#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A reader of all files of one folder. No other type of this module reads files.
struct FolderReader {
    struct File {
        /// The path relative to the folder, such as `/css/style.css`.
        let path: String
        let bytes: [UInt8]
    }

    /// The real path of the folder, with symbolic links resolved.
    private let root: String
    private let limit: Int
    private var bytesRead = 0
    private var files: [File] = []

    /// Returns all regular files below `folder`, except files with a path component that begins with a dot or that no request
    /// can contain, symbolic links to folders, and symbolic links that lead out of `folder`.
    ///
    /// - Parameter limit: the most bytes of all files together.
    static func read(_ folder: String, limit: Int) throws(StaticFilesError) -> [File] {
        guard let root = realPath(folder) else {
            throw .unreadable(path: folder, reason: SystemError.current.message)
        }
        var reader = FolderReader(root: root == "/" ? "" : root, limit: limit)
        try reader.read(below: "")
        return reader.files.sorted { $0.path < $1.path }
    }

    private init(root: String, limit: Int) {
        self.root = root
        self.limit = limit
    }

    private mutating func read(below path: String) throws(StaticFilesError) {
        guard let directory = unsafe opendir("\(root)\(path)/") else {
            throw .unreadable(path: root + path, reason: SystemError.current.message)
        }
        defer { unsafe _ = closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // No request can name a file whose name is not UTF-8 or contains characters that the server rejects in a path.
            guard let name, name.utf8.first != UInt8(ascii: "."),
                name.unicodeScalars.allSatisfy(Self.isAllowedInPath)
            else {
                continue
            }
            let entryPath = "\(path)/\(name)"
            guard let target = Self.realPath(root + entryPath), isInside(target) else { continue }
            let isLink = !target.utf8.elementsEqual((root + entryPath).utf8)
            switch Self.kind(of: target) {
            // A link to a folder could form a cycle.
            case .folder where !isLink: try read(below: entryPath)
            case .file: try readFile(entryPath, at: target)
            default: continue
            }
        }
    }

    /// Returns `true` if the target of a link is inside the folder and no component of its path begins with a dot. The
    /// comparison is by bytes, because two names that `String` treats as equal can be different names on disk.
    private func isInside(_ target: String) -> Bool {
        let relativePath = target.utf8.dropFirst(root.utf8.count)
        return target.utf8.starts(with: root.utf8) && relativePath.first == UInt8(ascii: "/")
            && !zip(relativePath, relativePath.dropFirst()).contains {
                $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".")
            }
    }

    /// Returns `false` for control characters and the backslash, which ``TargetParser`` rejects.
    private static func isAllowedInPath(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value) && scalar != "\\"
    }

    private enum Kind { case file, folder, other }

    private static func kind(of path: String) -> Kind {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return .other }
        return kind(of: status)
    }

    private static func kind(of status: stat) -> Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        default: .other
        }
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    private mutating func readFile(_ path: String, at target: String) throws(StaticFilesError) {
        do throws(SystemError) {
            // If a pipe has replaced the file in the meantime, opening it must not block.
            let file = Descriptor(
                adopting: try retryingOnInterrupt {
                    unsafe open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
                })
            var status = stat()
            _ = try retryingOnInterrupt { unsafe fstat(file.number, &status) }
            guard Self.kind(of: status) == .file else { return }
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            while bytesRead <= limit {
                let count = try retryingOnInterrupt { Self.read(file.number, &chunk) }
                guard count > 0 else {
                    files.append(File(path: path, bytes: bytes))
                    return
                }
                bytes += chunk[..<count]
                bytesRead += count
            }
        } catch {
            throw .unreadable(path: target, reason: error.message)
        }
        throw .tooLarge(folder: root, limit: limit)
    }

    private static func read(_ number: Int32, _ buffer: inout [UInt8]) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.read(number, &buffer, buffer.count)
        #else
            unsafe Glibc.read(number, &buffer, buffer.count)
        #endif
    }
}
