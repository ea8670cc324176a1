#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The data folder: the identity of its database file, and the free bytes of its disk.
struct DataFolder: Sendable {
    /// Free disk bytes below which no reports are accepted: a transaction, its log and the response must still fit on the disk.
    static let minFreeBytes: UInt64 = 64 * 1024 * 1024

    let path: String
    /// Identity of the database file at the start, which distinguishes it from another file with the same path; `nil` if
    /// there was no file.
    private let identity: Identity?

    /// Device and inode numbers of a file.
    private struct Identity: Hashable {
        let device: UInt64
        let file: UInt64
    }

    init(path: String) {
        self.path = path
        identity = Self.identity(of: path)
    }

    /// `true` if the database file is still the file that was there at the start.
    var hasSameDatabase: Bool { Self.identity(of: path) == identity }

    /// Bytes that may still be written to the disk; `nil` if the system does not report them.
    var freeBytes: UInt64? {
        var disk = statvfs()
        guard unsafe statvfs(path, &disk) == 0 else { return nil }
        // Some network file systems report more bytes than a 64-bit number can hold.
        let (product, isHuge) = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
        return isHuge ? .max : product
    }

    private static func identity(of folder: String) -> Identity? {
        var status = stat()
        guard unsafe stat(Collector.databasePath(in: folder), &status) == 0 else { return nil }
        return Identity(device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(status.st_ino))
    }
}
