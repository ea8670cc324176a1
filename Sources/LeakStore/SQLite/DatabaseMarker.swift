#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The file `leaks.sqlite.marker`, which records that a database was created beside it, and damage that was found.
///
/// Without this file, a start after the database was deleted or emptied would look like a first start.
enum DatabaseMarker {
    static let suffix = ".marker"
    private static let damageWord = "damaged: "
    private static let fileWord = "file: "
    private static let leaksLine = "The database has leaks."

    /// Rejects a database that is missing, empty or new although there was a database before.
    ///
    /// - Throws: ``StoreError/Reason/missing``.
    static func requireExistingDatabase(at path: String) throws(StoreError) {
        // Checks the marker first, because another process may be creating the database. It creates the marker after the
        // database.
        let isMarked = unsafe access(path + suffix, F_OK) == 0
        if isMarked, DatabaseFile.size(of: path) == 0 || isEmptyDatabase(path) {
            throw missingDatabaseError(path: path, evidence: path + suffix)
        }
        try requireNoOrphanedLog(at: path)
    }

    /// Rejects an empty database with a write-ahead log, because SQLite would delete the log when it opens the database.
    ///
    /// Checks the log first, because another process at its first start creates the database before the log.
    ///
    /// - Throws: ``StoreError/Reason/missing``.
    static func requireNoOrphanedLog(at path: String) throws(StoreError) {
        guard DatabaseFile.size(of: path + "-wal") > 0, DatabaseFile.size(of: path) == 0 else { return }
        throw missingDatabaseError(path: path, evidence: path + "-wal")
    }

    /// Returns `true` for an SQLite file without a write-ahead log, if it has no tables, or if it has no leaks although the
    /// marker says that the database has leaks, and records no merge or deletion of leaks. Such a file is not the recorded
    /// database.
    private static func isEmptyDatabase(_ path: String) -> Bool {
        guard DatabaseFile.size(of: path + "-wal") == 0,
            let connection = try? SQLiteConnection(path: path, access: .readOnly),
            let tables = try? connection.number("select count(*) from sqlite_schema")
        else { return false }
        guard tables > 0 else { return true }
        // The sequence of `merged_leak` is ``Writer/lastMerge()``.
        return hasLeaks(path)
            && (try? connection.number(
                """
                select exists (select 1 from leak) or exists (select 1 from sqlite_sequence where name = 'merged_leak')
                """)) == 0
    }

    /// Returns `true` if the marker says that the database has leaks.
    private static func hasLeaks(_ path: String) -> Bool {
        DatabaseFile.text(of: path + suffix)?.split(separator: "\n").contains { $0 == leaksLine } ?? false
    }

    /// Records that the database has leaks, for the next start.
    ///
    /// - Returns: `false` if the marker does not exist or could not be written.
    static func recordLeaks(at path: String) -> Bool {
        guard !hasLeaks(path) else { return true }
        guard let text = DatabaseFile.text(of: path + suffix) else { return false }
        return (try? DatabaseFile.replaceContents(of: path + suffix, with: text + leaksLine + "\n")) != nil
    }

    private static func missingDatabaseError(path: String, evidence: String) -> StoreError {
        let state = unsafe access(path, F_OK) == 0 ? "is empty or has no leaks" : "is gone"
        return StoreError(
            .missing,
            "database \(path): it \(state), but \(evidence) says that it had reports; put the file or a backup of it back, or "
                + "delete \(evidence) to start again without data")
    }

    /// Writes the marker if it does not exist. Called after the database is on disk.
    static func write(beside path: String) throws(StoreError) {
        guard unsafe access(path + suffix, F_OK) != 0 else { return }
        try replace(at: path, with: "")
    }

    /// Records the damage for the next start. A failure to write is ignored, because the log of the collector names the damage
    /// as well.
    ///
    /// - Parameter isConfirmed: `true` if the damage counts until the file is replaced.
    static func recordDamage(of path: String, _ problem: String, isConfirmed: Bool) {
        var note = "\(damageWord)\(problem.split(whereSeparator: \.isNewline).joined(separator: " "))\n"
        if isConfirmed, let state = fileState(of: path) { note += "\(fileWord)\(state)\n" }
        let text = DatabaseFile.text(of: path + suffix)
        // Does not write a marker into a folder from which marker and database were deleted.
        guard text != nil || DatabaseFile.size(of: path) > 0, text?.hasSuffix(note) != true else { return }
        try? replace(at: path, with: note)
    }

    /// Returns a text that changes when the database file is replaced or written to; `nil` if it does not exist.
    private static func fileState(of path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        return "\(status.st_ino) \(status.st_size) \(modified.tv_sec).\(modified.tv_nsec)"
    }

    /// Returns `true` if the file was not replaced or written to since its damage was confirmed. A check at the next start may
    /// not find the damage again, because a damaged write-ahead log may look empty then.
    static func isUnchangedSinceDamage(_ path: String) -> Bool {
        guard let state = fileState(of: path) else { return false }
        let lines = DatabaseFile.text(of: path + suffix)?.split(separator: "\n") ?? []
        return lines.contains { $0 == fileWord + state }
    }

    /// Returns the damage that an earlier run has found; `nil` if there is none.
    static func damage(of path: String) -> String? {
        let lines = DatabaseFile.text(of: path + suffix)?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix(damageWord) }.map { String($0.dropFirst(damageWord.count)) }
    }

    /// Removes the damage from the marker, because the current database is sound.
    static func clearDamage(of path: String) throws(StoreError) {
        if damage(of: path) != nil { try replace(at: path, with: "") }
    }

    /// Writes the marker again with this damage. Keeps its line about leaks.
    private static func replace(at path: String, with damage: String) throws(StoreError) {
        let text = """
            The database \(DatabaseFile.name(of: path)) is kept in this folder.
            Delete this file together with the database to start again without data.
            \(hasLeaks(path) ? leaksLine + "\n" : "")\(damage)
            """
        try DatabaseFile.replaceContents(of: path + suffix, with: text)
    }
}
