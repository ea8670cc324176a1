#if PostgreSQL
    internal import LeakStore

    /// A migration from one schema to the next; there is no way back.
    struct Migration: Sendable {
        /// The value of `schema_version` after the migration.
        let version: Int
        /// SQL statements, in order.
        let statements: [String]
        /// Converts rows that the statements cannot convert; runs after them.
        var convert: (@Sendable (PostgreSQLConnection) throws(StoreError) -> Void)?

        /// All migrations in order; the version of the last migration is the schema that this code reads and writes.
        static let all = [
            schema1, schema2, schema3, schema4, schema5, schema6, schema7, schema8, schema9, schema10,
            schema11,
            schema12,
            schema13, schema14, schema15, schema16, schema17, schema18, schema19, schema20, schema21,
            schema22, schema23, schema24, schema25, schema26, schema27, schema28, schema29,
            schema30, schema31, schema32,
        ]

        static let newestVersion = all.map(\.version).max() ?? 0

        /// A query that takes the lock that excludes all other migrations and writes. The first number of the lock spells
        /// `LEAK` in ASCII.
        static let exclusiveLockQuery = Query(
            "select pg_advisory_xact_lock(1279607115, hashtext(current_schema()))")
        /// A query that takes the same lock in shared mode, so that other transactions may write at the same time, but no
        /// migration can run.
        static let sharedLockQuery = Query(
            "select pg_advisory_xact_lock_shared(1279607115, hashtext(current_schema()))")
        static let versionQuery = Query("select version from schema_version")

        /// Migrates a database to ``newestVersion``, in one transaction. Several collectors may start at the same time.
        ///
        /// - Throws: ``StoreError/Reason/newerSchema(found:known:)``, with the database untouched.
        static func run(on connection: PostgreSQLConnection) throws(StoreError) {
            connection.begin("begin")
            do throws(StoreError) {
                // Another collector that starts may hold the lock while it creates the tables on a busy server.
                try connection.run(Query("set local lock_timeout = '60s'"))
                try connection.run(Query("set local statement_timeout = '60s'"))
                _ = try connection.run([exclusiveLockQuery], within: .seconds(70))
                let tableExists = try connection.run(
                    Query("select to_regclass(current_schema() || '.schema_version') is not null")
                ).first?.bool(0)
                var currentVersion = 0
                if tableExists == true {
                    currentVersion = try Self.requireKnownVersion(connection.run(versionQuery), connection)
                }
                // The migration of a large database may take longer than other statements; writers wait meanwhile, or time out.
                if currentVersion < newestVersion {
                    try connection.run(Query("set local statement_timeout = 0"))
                }
                for migration in all where migration.version > currentVersion {
                    for statement in migration.statements {
                        _ = try connection.run([Query(statement)], within: Timeouts.longRunning.answer)
                    }
                    try migration.convert?(connection)
                    try connection.run(Query("delete from schema_version"))
                    try connection.run(
                        Query(
                            "insert into schema_version (version) values ($1::bigint)",
                            .integer(migration.version)))
                }
                try connection.run(Query("commit"))
            } catch {
                _ = connection.rollBack()
                throw error
            }
        }

        /// Throws if a later collector has migrated the database meanwhile.
        static func requireKnownSchema(on connection: PostgreSQLConnection) throws(StoreError) {
            _ = try requireKnownVersion(connection.run(versionQuery), connection)
        }

        /// Returns the version of the database's schema. Throws if this code does not know the version.
        ///
        /// - Parameter rows: the answer to ``versionQuery``.
        @discardableResult
        static func requireKnownVersion(_ rows: Rows, _ connection: PostgreSQLConnection) throws(StoreError)
            -> Int
        {
            let currentVersion = rows.first?.int(0) ?? 0
            guard currentVersion <= newestVersion else {
                throw StoreError(
                    .newerSchema(found: currentVersion, known: newestVersion),
                    "database \(connection.name): written by a later collector (schema \(currentVersion), this one knows "
                        + "\(newestVersion)); start that version or a newer one")
            }
            return currentVersion
        }
    }
#endif
