/// A migration from one schema to the next. A migration cannot be undone.
struct Migration: Sendable {
    /// The value of `user_version` after the migration.
    let version: Int
    let script: String
    /// Converts rows that the script cannot convert; runs after it.
    var convert: (@Sendable (SQLiteConnection) throws(StoreError) -> Void)?

    /// All migrations in order; the version of the last migration is the schema that this code reads and writes.
    static let all = [
        schema1, schema2, schema3, schema4, schema5, schema6, schema7, schema8, schema9, schema10,
        schema11, schema12, schema13, schema14, schema15, schema16, schema17, schema18, schema19,
        schema20, schema21, schema22, schema23, schema24, schema25, schema26, schema27,
        schema28, schema29, schema30,
    ]

    static let newestVersion = all.map(\.version).max() ?? 0

    /// Brings a database to ``newestVersion``, in one transaction.
    ///
    /// - Throws: ``StoreError/Reason/notADatabase`` for a database of another program, and
    ///   ``StoreError/Reason/newerSchema(found:known:)`` for a database of a later collector, which are not changed;
    ///   ``StoreError/Reason/corrupt`` for a database of a collector that lacks a table, an index or a column.
    static func run(on connection: SQLiteConnection) throws(StoreError) {
        if try isNeeded(on: connection) { try migrate(connection) }
        try requireTablesAndIndexes(in: connection)
    }

    private static func migrate(_ connection: SQLiteConnection) throws(StoreError) {
        // A migration may replace a table that other tables refer to.
        try connection.execute("pragma foreign_keys = off")
        do throws(StoreError) {
            try runScripts(on: connection)
        } catch {
            try? connection.execute("pragma foreign_keys = on")
            throw error
        }
        try connection.execute("pragma foreign_keys = on")
    }

    private static func runScripts(on connection: SQLiteConnection) throws(StoreError) {
        try connection.transaction(.immediate) { () throws(StoreError) in
            // Another process may have migrated the database while this process waited for the lock.
            guard try isNeeded(on: connection) else { return }
            let version = Int(try connection.number("pragma user_version") ?? 0)
            for migration in all where migration.version > version {
                try connection.execute(migration.script)
                try migration.convert?(connection)
                try connection.execute("pragma user_version = \(migration.version)")
            }
            try connection.execute("pragma application_id = \(SQLiteConnection.applicationID)")
        }
    }

    /// Returns `true` if a database has to be migrated to ``newestVersion``.
    ///
    /// - Throws: ``StoreError`` for a database that this code must not read or write.
    static func isNeeded(on connection: SQLiteConnection) throws(StoreError) -> Bool {
        let (version, isMarked) = try schemaVersion(of: connection)
        guard version <= newestVersion else { throw .newerSchema(version, in: connection.path) }
        return version < newestVersion || !isMarked
    }

    /// Returns the schema version of a database, which may be newer than ``newestVersion``.
    ///
    /// - Throws: ``StoreError`` for an empty file, for a file of another program, and for a file of a collector that lacks a
    ///   table, an index or a column.
    static func schema(of connection: SQLiteConnection) throws(StoreError) -> Int {
        let version = try schemaVersion(of: connection).version
        guard version > 0 else {
            throw StoreError(
                .notADatabase, "database \(connection.path): it is empty: no collector wrote it")
        }
        if version <= newestVersion { try requireTablesAndIndexes(in: connection, schema: version) }
        return version
    }

    /// Reads `user_version`, which is 0 for an empty database, and checks that ``SQLiteConnection/applicationID`` marks the
    /// file.
    ///
    /// Uses only one statement, so that all values are of the same state: another process may be creating the database.
    private static func schemaVersion(
        of connection: SQLiteConnection
    ) throws(StoreError) -> (version: Int, isMarked: Bool) {
        let select = try connection.statement(
            """
            select (select count(*) from sqlite_master), (select application_id from pragma_application_id),
              (select user_version from pragma_user_version)
            """)
        defer { select.reset() }
        guard try select.step() else { return (0, false) }
        let (tables, application, version) = (select.int(0), select.int64(1), Int(select.int64(2)))
        guard application == SQLiteConnection.applicationID || (application == 0 && tables == 0) else {
            throw StoreError(
                .notADatabase,
                "database \(connection.path): it belongs to another program; choose another file")
        }
        guard version > 0 || (version == 0 && tables == 0) else {
            throw StoreError(
                .corrupt,
                "database \(connection.path): its schema has the number \(version), which no collector wrote; restore it "
                    + "from a backup")
        }
        return (version, application == SQLiteConnection.applicationID)
    }

    /// Throws if a table, an index or a column is missing. Without this check, the first statement that needs the missing part
    /// would fail with an obscure error.
    private static func requireTablesAndIndexes(
        in connection: SQLiteConnection, schema: Int = newestVersion
    ) throws(StoreError) {
        let model = try SQLiteConnection(path: ":memory:", access: .readWrite)
        for migration in all where migration.version <= schema { try model.execute(migration.script) }
        let existingParts = Set(try parts(of: connection))
        for part in try parts(of: model) where !existingParts.contains(part) {
            throw StoreError(
                .corrupt, "database \(connection.path): the \(part) is missing; restore it from a backup")
        }
    }

    /// Returns tables with their columns, and indexes: `table leak.key`, `index leak_of_class`.
    private static func parts(of connection: SQLiteConnection) throws(StoreError) -> [String] {
        let select = try connection.statement(
            """
            select 'table ' || m.name || '.' || p.name from sqlite_master m join pragma_table_info(m.name) p
            where m.type = 'table' and m.name not like 'sqlite%'
            union all select 'index ' || name from sqlite_master where type = 'index' and name not like 'sqlite%'
            """)
        defer { select.reset() }
        var parts: [String] = []
        while try select.step() { parts.append(select.text(0)) }
        return parts
    }
}

extension StoreError {
    static func newerSchema(_ found: Int, in path: String) -> StoreError {
        StoreError(
            .newerSchema(found: found, known: Migration.newestVersion),
            "database \(path): written by a later collector (schema \(found), this one knows "
                + "\(Migration.newestVersion)); start that version or a newer one")
    }
}
