/// One step from one schema to the next; never back.
struct Migration: Sendable {
    /// `user_version` afterwards.
    let version: Int
    let script: String

    /// In order; the last one's version is the schema that this code reads and writes.
    static let all = [schema1, schema2]

    static let newestVersion = all.map(\.version).max() ?? 0

    /// Marks a file as ours: the letters `LEAK`. https://www.sqlite.org/pragma.html#pragma_application_id
    static let applicationID: Int64 = 0x4C45_414B

    /// Brings a database to ``newestVersion``, in one transaction.
    ///
    /// - Throws: ``StoreError/Reason/notADatabase`` for a database of another program, untouched;
    ///   ``StoreError/Reason/newerSchema(found:known:)``, untouched.
    static func run(on connection: Connection) throws(StoreError) {
        guard try isNeeded(on: connection) else { return }
        try connection.transaction(.immediate) { () throws(StoreError) in
            // Another process may have done it while this one waited for the lock.
            guard try isNeeded(on: connection) else { return }
            let found = Int(try connection.number("pragma user_version") ?? 0)
            for migration in all where migration.version > found {
                try connection.execute(migration.script)
                try connection.execute("pragma user_version = \(migration.version)")
            }
            try connection.execute("pragma application_id = \(applicationID)")
        }
    }

    /// Refuses what is not ours to read or write.
    static func isNeeded(on connection: Connection) throws(StoreError) -> Bool {
        let application = try connection.number("pragma application_id") ?? 0
        let tables = try connection.number("select count(*) from sqlite_master") ?? 0
        guard application == applicationID || (application == 0 && tables == 0) else {
            throw StoreError(
                .notADatabase,
                "database \(connection.path): it belongs to another program; choose another file")
        }
        let found = Int(try connection.number("pragma user_version") ?? 0)
        guard found <= newestVersion else {
            throw StoreError(
                .newerSchema(found: found, known: newestVersion),
                "database \(connection.path): written by a later collector (schema \(found), this one knows "
                    + "\(newestVersion)); start that version or a newer one")
        }
        return found < newestVersion || application != applicationID
    }
}
