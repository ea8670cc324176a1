internal import LeakPlatform

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The file of a database, before SQLite opens it.
enum DatabaseFile {
    /// Creates the file if it does not exist. Only its owner, or its group (``openOrCreate(_:)``), can read it, because it
    /// contains hashes of keys and data of apps.
    static func create(at path: String) throws(StoreError) {
        close(try openOrCreate(path))
    }

    /// Opens a file, and creates it if it does not exist. Only its owner can read and write it. If the group of the folder may
    /// write into the folder, the group can read and write the file too, because another user of the group may run the server
    /// later.
    ///
    /// - Returns: the file descriptor.
    static func openOrCreate(_ path: String) throws(StoreError) -> Int32 {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw openError(of: path, errno) }
        var (file, folder) = (stat(), stat())
        if unsafe fstat(descriptor, &file) == 0, unsafe stat(Self.folder(of: path), &folder) == 0,
            file.st_uid == geteuid(), file.st_gid == folder.st_gid,
            folder.st_mode & (S_IWGRP | S_ISVTX) == S_IWGRP,
            file.st_mode & 0o777 == 0o600
        {
            // Sets the mode here, because the umask of the process reduces the mode in `open`.
            fchmod(descriptor, 0o660)
        }
        return descriptor
    }

    /// Creates a new file that only its owner can read and write. Fails if the path exists, even as a link of another user.
    static func createNew(at path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw openError(of: path, errno) }
        close(descriptor)
    }

    /// Returns the folder of the file that a path names.
    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// Returns `true` if a path names one of the files of a database: the database itself, SQLite's other files, the lock file
    /// or the marker. The file need not exist.
    static func belongs(_ path: String, to database: String) -> Bool {
        (fileSuffixes + [".lock", DatabaseMarker.suffix]).contains { suffix in
            let ownFile = database + suffix
            if let file = identity(of: path), file == identity(of: ownFile) { return true }
            return name(of: path) == name(of: ownFile)
                && identity(of: folder(of: path)) == identity(of: folder(of: ownFile))
        }
    }

    /// The endings that SQLite adds to a database's name for its files; empty for the database itself.
    static let fileSuffixes = ["", "-wal", "-shm", "-journal"]

    static func name(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    }

    /// Returns the device and the inode number of a file, which identify it independently of its name; `nil` if it does not
    /// exist.
    private static func identity(of path: String) -> [UInt64]? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]
    }

    /// Replaces a file by one with other contents, and syncs it and its folder to disk; creates the file if it does not exist.
    ///
    /// The new contents are written to another file, which is then renamed. If the process or the system ends meanwhile, the file has
    /// either its old or its new contents, and the other file may be left. The owner and the mode of the file stay, if this process
    /// may set them.
    static func replaceContents(of path: String, with text: String) throws(StoreError) {
        let newPath = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let descriptor = try openOrCreate(newPath)
        var former = stat()
        if unsafe stat(path, &former) == 0 {
            _ = fchown(descriptor, former.st_uid, former.st_gid)
            _ = fchmod(descriptor, former.st_mode & 0o777)
        }
        let isWritten = writeAll(text.utf8, to: descriptor) == text.utf8.count && fsync(descriptor) == 0
        let isReplaced = unsafe isWritten && rename(newPath, path) == 0
        let reason = errno
        close(descriptor)
        guard isReplaced else {
            unsafe unlink(newPath)
            throw openError(of: path, reason)
        }
        try sync(folder(of: path))
    }

    /// Returns the first 64 KiB of a file; `nil` if it cannot be opened.
    static func text(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = unsafe max(0, read(descriptor, buffer.baseAddress, 65_536))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Syncs a file, or the entries of a folder, to disk.
    static func sync(_ path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw openError(of: path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw openError(of: path, errno) }
    }

    /// Throws if a path names a folder. SQLite's own error would say only that reading failed.
    static func requireNoFolder(at path: String) throws(StoreError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        throw openError(of: path, EISDIR)
    }

    /// Returns the size of a file in bytes; 0 if it is missing.
    static func size(of path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Returns the number of free bytes on the disk of a file; 0 if the system call fails.
    static func freeBytes(beside path: String) -> Int {
        var disk = statvfs()
        guard unsafe statvfs(folder(of: path), &disk) == 0 else { return 0 }
        return Int(clamping: UInt64(disk.f_bavail).multipliedFullWidth(by: UInt64(disk.f_frsize)).low)
    }

    /// Returns a one-line error for a file that the system did not open.
    static func openError(of path: String, _ number: Int32) -> StoreError {
        let directory = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        switch number {
        case ENOENT, ENOTDIR:
            return StoreError(
                .other, "database \(path): the folder \(directory) does not exist; create it first")
        case EISDIR:
            return StoreError(.notADatabase, "database \(path): this is a directory; name a file")
        case EACCES, EPERM:
            return StoreError(
                .readOnly, "database \(path): \(FilePermissions.denial(of: path))")
        case EROFS:
            return StoreError(
                .readOnly, "database \(path): the file system is read-only; choose another folder")
        case ENOSPC, EDQUOT:
            return StoreError(.diskFull, "database \(path): the disk is full; free some space")
        default:
            let reason = unsafe String(cString: strerror(number))
            return StoreError(.other, "database \(path): it cannot be opened: \(reason)")
        }
    }
}

/// The header of a database's file: its first 100 bytes. https://www.sqlite.org/fileformat2.html#the_database_header
struct DatabaseHeader {
    /// A counter of changes, which never decreases. While there is a write-ahead log, not every change increases it.
    let changeCounter: UInt32
    /// The size that the file should have, in bytes.
    let fileBytes: Int

    static let byteCount = 100
    private static let magic = Array("SQLite format 3\0".utf8)

    /// - Returns: `nil` for bytes that are not a header, and for a header of an old version of SQLite, which does not contain
    ///   the size.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        func number(at offset: Int) -> UInt32 {
            bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        changeCounter = number(at: 24)
        guard number(at: 92) == changeCounter else { return nil }
        // The largest page size, 64 KiB, is written as 1.
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        fileBytes = Int(number(at: 28)) * (size == 1 ? 65_536 : size)
    }
}
