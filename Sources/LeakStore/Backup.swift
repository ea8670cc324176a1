#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A completed copy of a database.
public struct Backup: Hashable, Sendable {
    /// Size of the copy in bytes.
    public var bytes: Int
    /// Totals of the copy that are not the sums of their parts, one line each. The database has the same problems.
    public var inconsistentTotals: [String]
    /// The schema version of the copy.
    public var schema: Int
    /// `true` if this version of the collector knows the schema, so that the totals of the copy were checked.
    public var areTotalsChecked: Bool
}

extension SQLiteStore {
    /// Copies a database of any schema into a new file with a temporary name, checks the copy, and then renames it.
    ///
    /// Does not block writers. The copy contains the data that was committed when copying began, including hashes of keys and
    /// samples of reports. Only the owner of the copy can read it.
    ///
    /// - Parameters:
    ///   - path: path of the database.
    ///   - file: path of the copy. The copy gets this name only when it is complete.
    ///   - overwrites: `true` if a file of that name may be replaced; a file of the database itself, or a file with a
    ///     write-ahead log, journal or shared-memory file beside it, is never replaced.
    /// - Throws: ``StoreError``, in particular if the structure of the database is damaged; no file is left behind.
    public static func backUp(
        path: String, to file: String, overwrites: Bool
    ) throws(StoreError) -> Backup {
        guard !DatabaseFile.belongs(file, to: path) else {
            throw StoreError(
                .invalidArgument,
                "backup \(file): this is the database itself, or a file beside it; choose another file")
        }
        let existsError = StoreError(
            .invalidArgument, "backup \(file): the file exists already; --overwrite replaces it")
        guard unsafe overwrites || access(file, F_OK) != 0 else { throw existsError }
        try requireNoForeignLog(beside: file)
        PartialFile.removeAbandoned(of: file)
        let partial = PartialFile.path(for: file)
        try DatabaseFile.createNew(at: partial)
        defer { for suffix in DatabaseFile.fileSuffixes { unsafe unlink(partial + suffix) } }
        do {
            let source = try SQLiteConnection(path: path, access: .readOnly)
            let copy = try SQLiteConnection(path: partial, access: .readWrite)
            try source.copy(to: copy)
            // Makes the copy one file without a write-ahead log.
            try copy.execute("pragma journal_mode = delete")
            // The flush below frees pages that contain bodies of reports. Without `secure_delete`, the bodies would stay in the
            // free pages, where a later erasure of an install does not find them.
            try copy.execute("pragma secure_delete = on")
            let schema = Int(try copy.number("pragma user_version") ?? 0)
            // Earlier schemas lack columns that the flush writes. Errors are ignored here, because the check below reports
            // them.
            if schema == Migration.newestVersion, (try? copy.canFlushCounts()) == true {
                try? copy.transaction(.immediate) { () throws(StoreError) in
                    try copy.flush(copy.loadCountLog())
                }
            }
        }
        let verification = try verify(path: partial)
        if let damage = verification.damage.first {
            throw StoreError(
                .corrupt,
                "backup \(file): the database is damaged, so the copy was deleted (\(damage)); run "
                    + "collector verify")
        }
        let folder = DatabaseFile.folder(of: file)
        try DatabaseFile.sync(partial)
        try DatabaseFile.sync(folder)
        try requireNoForeignLog(beside: file)
        // `link` fails if another process has created a file with this name meanwhile.
        let isRenamed = overwrites ? unsafe rename(partial, file) == 0 : unsafe link(partial, file) == 0
        guard isRenamed else { throw errno == EEXIST ? existsError : DatabaseFile.openError(of: file, errno) }
        try DatabaseFile.sync(folder)
        return Backup(
            bytes: DatabaseFile.size(of: file), inconsistentTotals: verification.inconsistentTotals,
            schema: verification.schema,
            areTotalsChecked: verification.isOfKnownSchema)
    }

    /// Throws if there is a log, journal or shared-memory file of an earlier database with the name of the copy: SQLite would
    /// use it for the copy.
    private static func requireNoForeignLog(beside file: String) throws(StoreError) {
        for log in DatabaseFile.fileSuffixes.dropFirst().map({ file + $0 })
        where unsafe access(log, F_OK) == 0 {
            throw StoreError(
                .invalidArgument,
                "backup \(file): \(log) belongs to another database with this name, which is in use or was not closed; "
                    + "choose another file, or delete both if they are not needed")
        }
    }
}
