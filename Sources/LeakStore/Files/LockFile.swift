#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A lock that keeps a second server from opening the same database, for as long as this object exists.
///
/// The system releases the lock when the process ends for any reason. The file is not deleted: otherwise two processes could
/// lock two files of the same name.
final class LockFile: Sendable {
    private let descriptor: Int32

    /// - Parameter database: the path of the database; the lock file has the same path with `.lock` at its end.
    init(beside database: String) throws(StoreError) {
        let path = database + ".lock"
        descriptor = try DatabaseFile.openOrCreate(path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // `deinit` closes the descriptor: it runs after this error too, because every property is set.
            let number = errno
            guard number == EWOULDBLOCK else { throw DatabaseFile.openError(of: path, number) }
            throw StoreError(
                .locked,
                "database \(database): another collector serves it; stop that one or choose another data folder"
            )
        }
    }

    deinit { close(descriptor) }
}
