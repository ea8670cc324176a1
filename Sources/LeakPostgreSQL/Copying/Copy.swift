#if PostgreSQL
    internal import LeakPlatform
    package import LeakStore

    extension PostgreSQLStore {
        /// Fills an empty database with everything that an SQLite store keeps.
        ///
        /// Runs in one transaction, and compares both sides at its end. If anything fails, the database stays empty. Collectors on
        /// the database wait meanwhile, and answer 503.
        ///
        /// - Parameters:
        ///   - source: the store to copy; no other process writes to it meanwhile.
        ///   - progress: called between two batches of rows.
        /// - Returns: the number of rows and the sums of every table, which are the same on both sides.
        /// - Throws: ``StoreError`` if the database is not empty (it stays as it is), and if the sides differ.
        package static func copy(
            from source: SQLiteStore, to address: DatabaseAddress, now: Int64,
            progress: (CopyProgress) -> Void
        ) throws(StoreError) -> [CopiedTable] {
            let connection = try PostgreSQLConnection(to: address.with(.longRunning))
            // Runs before anything is changed: not even the schema of a database that is in use may change.
            try Target.requireEmptyDatabase(on: connection)
            try Migration.run(on: connection)
            return try source.withPortableTables(now: now) { contents throws(StoreError) in
                connection.begin("begin")
                do throws(StoreError) {
                    try Target.lockOutCollectors(on: connection)
                    try Target.requireEmptyDatabase(on: connection)
                    let copiedTables = try fill(connection, with: contents, progress)
                    let counts =
                        RunningCounts.all.flatMap(\.rebuildStatements) + PeriodColumns.rebuildStatements()
                    for statement in counts + LastHours.rebuildStatements + Query.allMessagesUpdateStatements
                    {
                        try connection.run(Query(statement))
                    }
                    let problems = try self.problems(on: connection)
                    guard problems.isEmpty else {
                        throw StoreError(
                            .corrupt,
                            "the copy is not sound, so it was deleted (\(problems[0])); run collector verify on "
                                + "the data folder")
                    }
                    try connection.run(Query("commit"))
                    return copiedTables
                } catch {
                    _ = connection.rollBack()
                    throw error
                }
            }
        }

        private static func fill(
            _ connection: PostgreSQLConnection, with contents: PortableTableReader,
            _ progress: (CopyProgress) -> Void
        ) throws(StoreError) -> [CopiedTable] {
            var progressSoFar = CopyProgress(table: "", rows: 0, allRows: 0)
            for table in PortableTable.all { progressSoFar.allRows += try contents.count(of: table) }
            var copiedTables: [CopiedTable] = []
            for table in PortableTable.all {
                progressSoFar.table = table.name
                var load = TableLoad(of: table, into: connection)
                try contents.forEachRow(of: table) { row throws(StoreError) in
                    guard try load.add(row) else { return }
                    progress(
                        CopyProgress(
                            table: table.name, rows: progressSoFar.rows + load.sentTable.rows,
                            allRows: progressSoFar.allRows))
                }
                copiedTables.append(try load.finish(highestID: contents.highestID(of: table)))
                progressSoFar.rows += load.sentTable.rows
                progress(progressSoFar)
            }
            return copiedTables
        }
    }

    /// The database that a copy fills.
    private enum Target {
        /// A row in any of these tables means that the database is in use.
        private static let tables = ["app", "credential", "idempotency"]

        static func requireEmptyDatabase(on connection: PostgreSQLConnection) throws(StoreError) {
            for table in tables {
                let tableExists = try connection.run(
                    Query("select to_regclass(current_schema() || '.\(table)') is not null")
                ).first?.bool(0)
                guard tableExists == true else { continue }
                let count = try connection.run(Query("select count(*) from \(table)")).first?.int(0) ?? 0
                guard count == 0 else {
                    throw StoreError(
                        .invalidArgument,
                        "database \(connection.name): it is not empty (\(countText(count, of: "row")) in \(table)); name an empty "
                            + "database that no collector has used (createdb NAME)")
                }
            }
        }

        /// Locks collectors out until the transaction ends, however long it takes.
        static func lockOutCollectors(on connection: PostgreSQLConnection) throws(StoreError) {
            _ = try connection.run([
                Query("set local statement_timeout = 0"),
                Query("set local idle_in_transaction_session_timeout = 0"),
                Migration.exclusiveLockQuery,
                Query("lock table app, credential, idempotency in exclusive mode"),
            ])
        }
    }
#endif
