#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The file that a database lives in, before SQLite sees it.
enum DatabaseFile {
    /// Makes the file where there is none, for its owner alone: it holds hashes of keys and what apps sent.
    static func create(at path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw refusal(of: path, errno) }
        close(descriptor)
    }

    /// Puts a file, or the names in a folder, on disk.
    static func sync(_ path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal(of: path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw refusal(of: path, errno) }
    }

    /// Bytes of a file; 0 when it is missing.
    static func size(of path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// One line for a file that the system would not open.
    static func refusal(of path: String, _ number: Int32) -> StoreError {
        let directory = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        switch number {
        case ENOENT, ENOTDIR:
            return StoreError(
                .other, "database \(path): the directory \(directory) does not exist; make it first")
        case EISDIR:
            return StoreError(.notADatabase, "database \(path): this is a directory; name a file")
        case EACCES, EPERM:
            let advice = "check the owner and mode of the file and of its directory"
            return StoreError(.readOnly, "database \(path): it cannot be written; \(advice)")
        case EROFS:
            return StoreError(
                .readOnly, "database \(path): the file system is read-only; choose another place")
        case ENOSPC, EDQUOT:
            return StoreError(.diskFull, "database \(path): the disk is full; free some space")
        default:
            let reason = unsafe String(cString: strerror(number))
            return StoreError(.other, "database \(path): it cannot be opened: \(reason)")
        }
    }
}
