package import LeakStore

#if PostgreSQL
    internal import LeakPostgreSQL
#endif

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Collector {
    /// Copies the contents of the data folder into the PostgreSQL database that the settings name.
    ///
    /// - Parameter progress: called several times a second.
    /// - Returns: all tables, each with its number of rows and the sums of its counts, which are equal in both databases.
    /// - Throws: ``StoreError``, for example if a collector runs on the folder, the database already has data, or
    ///   this build has no PostgreSQL. Nothing is copied then.
    package static func copy(
        _ settings: Settings, progress: (CopyProgress) -> Void
    ) throws(StoreError) -> [CopiedTable] {
        #if PostgreSQL
            guard let url = settings.databaseURL else {
                throw StoreError(
                    .invalidArgument,
                    "copy needs an empty PostgreSQL database: give its address with --database-url or COLLECTOR_DATABASE_URL"
                )
            }
            let path = try requireDatabase(in: settings.dataFolder)
            // The database is locked, because no collector may serve the folder during the copy.
            let source = try SQLiteStore(path: path, exclusive: true)
            return try PostgreSQLStore.copy(
                from: source, to: DatabaseAddress(url), now: WallClock.milliseconds(), progress: progress)
        #else
            throw StoreError(
                .invalidArgument,
                "`collector copy` writes to PostgreSQL, which this build does not support: build with make build "
                    + "TRAITS=PostgreSQL")
        #endif
    }
}
