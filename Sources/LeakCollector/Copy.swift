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
    /// Copies what the data folder has into the PostgreSQL database that the settings name.
    ///
    /// - Parameter progress: told several times a second.
    /// - Returns: every table with what both sides have.
    /// - Throws: ``StoreError``, and nothing was copied: a collector runs on the folder, the database has something
    ///   already, this build has no PostgreSQL.
    package static func copy(
        _ settings: Settings, progress: (CopyProgress) -> Void
    ) throws(StoreError) -> [CopiedTable] {
        #if PostgreSQL
            guard let url = settings.databaseURL else {
                throw StoreError(
                    .invalidArgument,
                    "copy needs an empty PostgreSQL database: name it with --database-url or COLLECTOR_DATABASE_URL"
                )
            }
            let path = try existingDatabase(in: settings.dataFolder)
            // Nobody serves it meanwhile.
            let source = try SQLiteStore(path: path, exclusive: true)
            return try PostgreSQLStore.copy(
                from: source, to: DatabaseAddress(url), now: WallClock.milliseconds(), progress: progress)
        #else
            throw StoreError(
                .invalidArgument,
                "copy fills a PostgreSQL database, which this build cannot use: build it with make build "
                    + "TRAITS=PostgreSQL")
        #endif
    }
}
