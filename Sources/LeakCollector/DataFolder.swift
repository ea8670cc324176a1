#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The folder of the database, as the system sees it.
struct DataFolder: Sendable {
    /// Below this much free disk nothing is taken: a transaction, its log and the answer must still fit.
    static let leastFreeBytes: UInt64 = 64 * 1024 * 1024

    let path: String
    /// What tells the database's file from another that may be put in its place.
    private let identity: Identity?

    private struct Identity: Hashable {
        let device: UInt64
        let file: UInt64
    }

    init(path: String) {
        self.path = path
        identity = Self.identity(of: path)
    }

    /// Whether the file that was there at the start still is.
    var hasItsFile: Bool { Self.identity(of: path) == identity }

    /// Bytes that may still be written; `nil` when the system does not say.
    var freeBytes: UInt64? {
        var disk = statvfs()
        guard unsafe statvfs(path, &disk) == 0 else { return nil }
        // Some network file systems say they have more than can be counted.
        let (product, isHuge) = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
        return isHuge ? .max : product
    }

    private static func identity(of folder: String) -> Identity? {
        var status = stat()
        guard unsafe stat(Collector.databasePath(in: folder), &status) == 0 else { return nil }
        return Identity(device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(status.st_ino))
    }
}
