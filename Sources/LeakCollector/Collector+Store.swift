public import LeakStore

#if PostgreSQL
    internal import LeakPostgreSQL
#endif

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Collector {
    /// Opens the database that the settings name.
    ///
    /// - Parameter isServer: `true` creates a missing data folder or database in it, and locks the database against a
    ///   second server. `false`, for commands, requires an existing database. With PostgreSQL the value makes no
    ///   difference.
    /// - Parameter limits: limits of the store. ``Settings/databaseBytes``, if set, replaces their limit of the database
    ///   file.
    /// - Throws: ``StoreError`` with one line for the operator.
    public static func openStore(
        _ settings: Settings, isServer: Bool, limits: StoreLimits = StoreLimits()
    ) throws(StoreError) -> any Store {
        #if PostgreSQL
            if let url = settings.databaseURL {
                return try PostgreSQLStore(
                    address: DatabaseAddress(url), seed: UInt64(bitPattern: WallClock.milliseconds()),
                    limits: limits, retention: settings.retention, redact: SampleRedaction.redact)
            }
        #endif
        var limits = limits
        if let bytes = settings.databaseBytes { limits.databaseBytes = bytes }
        return try openStore(
            folder: settings.dataFolder, isServer: isServer, limits: limits, retention: settings.retention)
    }

    /// Opens the database in the data folder.
    static func openStore(
        folder: String, isServer: Bool, limits: StoreLimits = StoreLimits(),
        retention: RetentionRule = RetentionRule()
    ) throws(StoreError) -> any Store {
        if isServer { try makeFolder(folder) }
        return try SQLiteStore(
            path: isServer ? databasePath(in: folder) : requireDatabase(in: folder), exclusive: isServer,
            seed: UInt64(bitPattern: WallClock.milliseconds()), limits: limits,
            retention: retention, redact: SampleRedaction.redact)
    }

    /// Returns the name of the database for messages to the operator, without user and password.
    public static func databaseName(in settings: Settings) -> String {
        #if PostgreSQL
            if let url = settings.databaseURL, let address = try? DatabaseAddress(url) {
                return "database \(address)"
            }
        #endif
        return databasePath(in: settings.dataFolder)
    }

    /// Returns the path of the database in a data folder.
    public static func databasePath(in folder: String) -> String { "\(folder)/leaks.sqlite" }

    /// Returns the path of the database that a server created in the folder.
    ///
    /// - Throws: ``StoreError`` if the folder has no database.
    public static func requireDatabase(in folder: String) throws(StoreError) -> String {
        let path = databasePath(in: folder)
        guard unsafe access(path, F_OK) == 0 else {
            throw StoreError(
                .other,
                "\(folder) has no database of a collector; name its data folder with --data or COLLECTOR_DATA"
            )
        }
        return path
    }

    /// Creates a folder and its missing parent folders. Only the user who runs the collector may access them.
    ///
    /// - Parameters:
    ///   - noun: the kind of the folder, for errors.
    ///   - settings: the settings that name the folder, for errors.
    static func makeFolder(
        _ path: String, noun: String = "data folder", settings: String = "--data or COLLECTOR_DATA"
    ) throws(StoreError) {
        var createdPath = path.hasPrefix("/") ? "/" : ""
        var errorNumber: Int32 = 0
        for part in path.split(separator: "/") {
            let parent = createdPath.isEmpty ? "." : createdPath
            createdPath += createdPath.isEmpty || createdPath == "/" ? part : "/\(part)"
            // A parent folder may exist without being accessible to us. Only the result for the last folder counts.
            if unsafe mkdir(createdPath, 0o700) == 0 {
                errorNumber = 0
                flushEntries(in: parent)
            } else {
                errorNumber = errno == EEXIST ? 0 : errno
            }
        }
        var status = stat()
        if errorNumber == 0, unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
            errorNumber = ENOTDIR
        }
        guard errorNumber != 0 else { return }
        if errorNumber == EACCES || errorNumber == EPERM {
            throw StoreError(
                .readOnly,
                "cannot make the \(noun) \(path): \(FilePermissions.denial(of: path)), or name another with \(settings)"
            )
        }
        throw StoreError(
            .readOnly,
            "cannot make the \(noun) \(path): \(unsafe String(cString: strerror(errorNumber))); "
                + "name another with \(settings)")
    }

    /// Flushes the entries of a folder to disk. Without this, a power cut could remove a new data folder with
    /// everything in it. Failures are ignored, because some systems cannot flush folders.
    private static func flushEntries(in folder: String) {
        let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
