#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The file `leaks.sqlite.marker`, which says that a database was made beside it, and whether a run found it damaged.
///
/// Without it, a database that was deleted or emptied would look like a first start.
enum DatabaseMarker {
    static let end = ".marker"
    private static let damageWord = "damaged: "
    private static let fileWord = "file: "
    private static let leaksLine = "The database has leaks."

    /// Rejects a database that is gone, empty or new although there was one.
    ///
    /// - Throws: ``StoreError/Reason/missing``.
    static func checkNotMissing(at path: String) throws(StoreError) {
        // First the marker: another process may be making the database, and the marker after it.
        let isMarked = unsafe access(path + end, F_OK) == 0
        if isMarked, DatabaseFile.size(of: path) == 0 || isEmptyDatabase(path) {
            throw missing(path, remains: path + end)
        }
        try checkNoOrphanedLog(at: path)
    }

    /// Rejects an empty database beside a log: SQLite deletes the log once it opens the database.
    ///
    /// A first start makes the database before its log, so the log is looked for first.
    ///
    /// - Throws: ``StoreError/Reason/missing``.
    static func checkNoOrphanedLog(at path: String) throws(StoreError) {
        guard DatabaseFile.size(of: path + "-wal") > 0, DatabaseFile.size(of: path) == 0 else { return }
        throw missing(path, remains: path + "-wal")
    }

    /// True for an SQLite file without a write-ahead log and without tables, or without leaks although it had some: merges delete
    /// leaks, but never the last one, so such a file belongs to another collector.
    private static func isEmptyDatabase(_ path: String) -> Bool {
        guard DatabaseFile.size(of: path + "-wal") == 0,
            let connection = try? SQLiteConnection(path: path, access: .readOnly),
            let tables = try? connection.number("select count(*) from sqlite_schema")
        else { return false }
        guard tables > 0 else { return true }
        return hasLeaks(path) && (try? connection.number("select exists (select 1 from leak)")) == 0
    }

    /// True if the marker says that the database has leaks.
    private static func hasLeaks(_ path: String) -> Bool {
        DatabaseFile.text(of: path + end)?.split(separator: "\n").contains { $0 == leaksLine } ?? false
    }

    /// Records that the database has leaks, for the next start.
    ///
    /// - Returns: `true` if the marker says so.
    static func recordLeaks(at path: String) -> Bool {
        guard !hasLeaks(path) else { return true }
        guard let text = DatabaseFile.text(of: path + end) else { return false }
        return (try? DatabaseFile.write(text + leaksLine + "\n", to: path + end)) != nil
    }

    private static func missing(_ path: String, remains: String) -> StoreError {
        let state = unsafe access(path, F_OK) == 0 ? "is empty or has no leaks" : "is gone"
        return StoreError(
            .missing,
            "database \(path): it \(state), but \(remains) says that it had reports; put the file or a backup of it back, or "
                + "delete \(remains) to start again without data")
    }

    /// Writes the marker where there is none; the database is on disk by now.
    static func write(beside path: String) throws(StoreError) {
        guard unsafe access(path + end, F_OK) != 0 else { return }
        try replace(at: path, with: "")
    }

    /// Records the damage for the next start. A failure to write is ignored: the damage is in the log as well.
    ///
    /// - Parameter isConfirmed: true if it counts until another file takes the place of this one.
    static func recordDamage(of path: String, _ problem: String, isConfirmed: Bool) {
        var note = "\(damageWord)\(problem.split(whereSeparator: \.isNewline).joined(separator: " "))\n"
        if isConfirmed, let state = fileState(of: path) { note += "\(fileWord)\(state)\n" }
        let text = DatabaseFile.text(of: path + end)
        // A folder that was emptied has no marker and no database.
        guard text != nil || DatabaseFile.size(of: path) > 0, text?.hasSuffix(note) != true else { return }
        try? replace(at: path, with: note)
    }

    /// Returns values that change when another file takes the place of a database, or when anything is written to it.
    private static func fileState(of path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let changed = status.st_mtimespec
        #else
            let changed = status.st_mtim
        #endif
        return "\(status.st_ino) \(status.st_size) \(changed.tv_sec).\(changed.tv_nsec)"
    }

    /// Returns true if the database is still the one whose damage was confirmed: a log that was damaged may look empty at the
    /// next start, so that a check finds nothing.
    static func isUnchangedSinceDamage(_ path: String) -> Bool {
        guard let state = fileState(of: path) else { return false }
        let lines = DatabaseFile.text(of: path + end)?.split(separator: "\n") ?? []
        return lines.contains { $0 == fileWord + state }
    }

    /// Returns the damage that an earlier run has found; `nil` if there is none.
    static func damage(of path: String) -> String? {
        let lines = DatabaseFile.text(of: path + end)?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix(damageWord) }.map { String($0.dropFirst(damageWord.count)) }
    }

    /// Removes the damage from the marker, because the current database is sound.
    static func clearDamage(of path: String) throws(StoreError) {
        if damage(of: path) != nil { try replace(at: path, with: "") }
    }

    private static func replace(at path: String, with damage: String) throws(StoreError) {
        let text = """
            The database \(DatabaseFile.name(of: path)) is kept in this folder.
            Delete this file together with the database to start again without data.
            \(hasLeaks(path) ? leaksLine + "\n" : "")\(damage)
            """
        let isNew = unsafe access(path + end, F_OK) != 0
        try DatabaseFile.write(text, to: path + end)
        if isNew { try DatabaseFile.sync(DatabaseFile.folder(of: path)) }
    }
}
