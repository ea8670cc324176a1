internal import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A folder that an export fills. A list in the folder records the files that the export writes. A later export overwrites
/// these files, removes those that are no longer part of it, and touches nothing else.
///
/// Neither the folder nor anything in it that an export reads or writes may be a link, because the owner of a link would choose
/// which file is written. Links above the folder are followed, since many systems have such links (`/tmp` of macOS) and the
/// caller has named them. A folder that is not empty must be from an earlier export.
public struct ExportFolder {
    /// Error for a file that could not be read or written, with what to do if that is known.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        init(path: String, doing: String, code: Int32) {
            description = "cannot \(doing) \(path): \(unsafe String(cString: strerror(code)))"
        }

        private init(_ description: String) { self.description = description }

        /// The error for a file or folder that no export has written.
        static func foreign(_ path: String) -> Failure {
            Failure("\(path) is not from an export; name an empty folder")
        }

        static func hardLink(_ path: String) -> Failure {
            Failure(
                "\(path) has a second name (a hard link); replace it with a copy, or name an empty folder"
            )
        }

        static func link(_ path: String) -> Failure {
            Failure("\(path) is a link, which an export does not follow; remove it or name an empty folder")
        }
    }

    /// Name of the list of exported files, one per line; sorted once the export is complete.
    static let manifestName = ".collector-export"
    /// Name of a file while it is being written.
    private static let partialFileName = ".collector-export.part"

    private let path: String
    /// Files of earlier exports.
    private let earlierFiles: Set<String>
    private(set) var writtenFiles: Set<String> = []
    private var folders: Set<String> = []

    init(_ path: String) throws(Failure) {
        self.path = path
        try Self.makeFolder(Self.folderItself(path))
        try Self.requireFolder(Self.folderItself(path))
        let manifestPath = "\(path)/\(Self.manifestName)"
        if let kind = try Self.kind(of: manifestPath) {
            guard kind == S_IFLNK || kind == S_IFREG else { throw .foreign(manifestPath) }
            if try Self.hasOtherNames(manifestPath) { throw .hardLink(manifestPath) }
            earlierFiles = Self.names(in: try Self.contents(of: manifestPath, followsLinks: false))
            return
        }
        earlierFiles = []
        guard let foreign = try Self.findFirstEntry(in: path) else { return }
        let entry = "\(path)/\(foreign)"
        throw try Self.kind(of: entry) == S_IFLNK ? .link(entry) : .foreign(entry)
    }

    /// Returns the path without a slash or `/.` at its end. With such an end, the path of a link to a folder would mean
    /// that folder, and the link would not be noticed.
    private static func folderItself(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path = path.dropLast() }
        return String(path)
    }

    /// Returns `true` if a file has another name too. Writing to such a file could change a file outside the export.
    private static func hasOtherNames(_ path: String) throws(Failure) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            throw Failure(path: path, doing: "inspect", code: errno)
        }
        return status.st_nlink > 1
    }

    /// Returns the first name in a folder, in sorted order, except the names of an export's own files; `nil` if there is no
    /// other name.
    private static func findFirstEntry(in folder: String) throws(Failure) -> String? {
        guard let directory = unsafe opendir(folder) else {
            throw Failure(path: folder, doing: "list", code: errno)
        }
        defer { unsafe closedir(directory) }
        var first: String?
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard ![".", "..", manifestName, partialFileName].contains(name) else { continue }
            first = first.map { min($0, name) } ?? name
        }
        return first
    }

    /// Checks that none of the files exists, except files that an export wrote. An export calls this before it writes its first
    /// file, so that a folder of another program stays as it is.
    ///
    /// - Throws: ``Failure`` with the first of the named files that exists and that no export wrote.
    func validate(names: [String]) throws(Failure) {
        for name in names where !earlierFiles.contains(name) && !writtenFiles.contains(name) {
            let path = "\(path)/\(name)"
            if try Self.kind(of: path) != nil { throw .foreign(path) }
        }
    }

    /// Writes a file atomically: a program that sees the file sees all of it.
    mutating func put(_ bytes: [UInt8], to name: String) throws(Failure) {
        if let slash = name.lastIndex(of: "/"), folders.insert(String(name[..<slash])).inserted {
            let folder = "\(path)/\(name[..<slash])"
            try Self.makeFolder(folder)
            try Self.requireFolder(folder)
        }
        try validate(names: [name])
        // The list is written first, so that an interrupted export leaves no file that later exports do not
        // know. A line end precedes the name, because a full disk may have left half a line.
        if writtenFiles.insert(name).inserted, !earlierFiles.contains(name) {
            try Self.write(Array("\n\(name)\n".utf8), to: "\(path)/\(Self.manifestName)", O_APPEND)
        }
        try replace(name, by: bytes)
    }

    /// Removes the files that earlier exports wrote and this export did not.
    ///
    /// - Returns: the number of removed files.
    func finish() throws(Failure) -> Int {
        var removedCount = 0
        let earlierFolders = Set(
            earlierFiles.compactMap { $0.contains("/") ? $0.split(separator: "/").first : nil })
        for name in earlierFolders { try Self.requireFolder("\(path)/\(name)") }
        for name in earlierFiles.subtracting(writtenFiles).sorted() {
            if unsafe unlink("\(path)/\(name)") == 0 {
                removedCount += 1
            } else if errno != ENOENT {
                throw Failure(path: "\(path)/\(name)", doing: "remove", code: errno)
            }
        }
        for name in earlierFolders {
            // `rmdir` fails if the folder holds other files. The folder then stays.
            _ = unsafe rmdir("\(path)/\(name)")
        }
        try replace(Self.manifestName, by: Array(writtenFiles.sorted().map { "\($0)\n" }.joined().utf8))
        return removedCount
    }

    private func replace(_ name: String, by bytes: [UInt8]) throws(Failure) {
        let partialPath = "\(path)/\(Self.partialFileName)"
        guard unsafe unlink(partialPath) == 0 || errno == ENOENT else {
            throw Failure(path: partialPath, doing: "remove", code: errno)
        }
        try Self.write(bytes, to: partialPath, O_EXCL)
        guard unsafe rename(partialPath, "\(path)/\(name)") == 0 else {
            throw Failure(path: "\(path)/\(name)", doing: "write", code: errno)
        }
    }

    /// Returns the names in a list of exported files. Names that no export can have written are skipped, so that nothing
    /// outside the folder is removed, even if another program wrote the list.
    static func names(in manifest: [UInt8]) -> Set<String> {
        var names: Set<String> = []
        for line in manifest.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard parts.count <= 2, parts.allSatisfy(isName) else { continue }
            names.insert(String(decoding: line, as: UTF8.self))
        }
        return names
    }

    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first != UInt8(ascii: ".") else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "="),
                UInt8(ascii: "A")...UInt8(ascii: "F"):
                true
            default: false
            }
        }
    }

    private static func write(_ bytes: [UInt8], to path: String, _ mode: Int32) throws(Failure) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | mode, 0o644)
        guard file >= 0 else {
            throw errno == ELOOP ? .link(path) : Failure(path: path, doing: "write", code: errno)
        }
        defer { close(file) }
        guard writeAll(bytes, to: file) == bytes.count else {
            throw Failure(path: path, doing: "write", code: errno)
        }
    }

    private static func makeFolder(_ path: String) throws(Failure) {
        guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw Failure(path: path, doing: "create", code: errno)
        }
    }

    /// Returns the type of the file at a path, as in `st_mode`, without following a link; `nil` if there is no file.
    private static func kind(of path: String) throws(Failure) -> mode_t? {
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else { return status.st_mode & S_IFMT }
        guard errno == ENOENT else { throw Failure(path: path, doing: "inspect", code: errno) }
        return nil
    }

    /// Throws if there is something other than a folder at the path, such as a link.
    private static func requireFolder(_ folder: String) throws(Failure) {
        switch try kind(of: folder) {
        case nil, S_IFDIR: return
        case S_IFLNK: throw .link(folder)
        default: throw .foreign(folder)
        }
    }

    static func contents(of path: String, followsLinks: Bool = true) throws(Failure) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW))
        guard file >= 0 else {
            throw errno == ELOOP && !followsLinks
                ? .link(path) : Failure(path: path, doing: "read", code: errno)
        }
        defer { close(file) }
        var contents: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe read(file, &block, block.count)
            guard count >= 0 else { throw Failure(path: path, doing: "read", code: errno) }
            guard count > 0 else { return contents }
            contents += block[..<count]
        }
    }
}
