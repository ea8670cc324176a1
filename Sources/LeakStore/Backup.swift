#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A completed copy of a database.
public struct Backup: Hashable, Sendable {
    public var bytes: Int
    /// Totals of the copy, and so of the database, that are not the sums of their parts: one line each.
    public var wrongSums: [String]
    /// The schema version of the copy.
    public var schema: Int
    /// `true` if this code knows the sums of that schema.
    public var areSumsChecked: Bool
}

extension SQLiteStore {
    /// Copies a database, of whatever schema, into a new file, checks the copy, and only then gives it its name.
    ///
    /// Writers continue meanwhile: the copy has what was committed when it began. It contains what the database contains, such as
    /// hashes of keys and samples of reports, and only its owner can read it.
    ///
    /// - Parameters:
    ///   - path: path of the database.
    ///   - file: path of the copy, which is complete or does not exist.
    ///   - overwrites: `true` if a file of that name may be replaced; a file of the database itself, or one with a log beside it,
    ///     is never replaced.
    /// - Throws: ``StoreError``, in particular if the structure of the database is damaged; no file is left behind.
    public static func backUp(
        path: String, to file: String, overwrites: Bool
    ) throws(StoreError) -> Backup {
        guard !DatabaseFile.belongs(file, to: path) else {
            throw StoreError(
                .invalidArgument,
                "backup \(file): this is the database itself, or a file beside it; choose another file")
        }
        let exists = StoreError(
            .invalidArgument, "backup \(file): the file exists already; --overwrite replaces it")
        guard unsafe overwrites || access(file, F_OK) != 0 else { throw exists }
        try checkNoForeignLog(beside: file)
        PartialFile.removeAbandoned(of: file)
        let partial = PartialFile.path(for: file)
        try DatabaseFile.createNew(at: partial)
        defer { for end in DatabaseFile.fileSuffixes { unsafe unlink(partial + end) } }
        do {
            let source = try SQLiteConnection(path: path, access: .readOnly)
            let copy = try SQLiteConnection(path: partial, access: .readWrite)
            try source.copy(to: copy)
            // One file, without a log beside it.
            try copy.execute("pragma journal_mode = delete")
            // The log holds bodies of reports; an erasure of the restored database does not find those in free pages.
            try copy.execute("pragma secure_delete = on")
            let schema = Int(try copy.number("pragma user_version") ?? 0)
            // Errors are ignored here, because the check below reports them.
            if (12...Migration.newestVersion).contains(schema), (try? copy.canFlushCounts()) == true {
                try? copy.transaction(.immediate) { () throws(StoreError) in try copy.flush(copy.countLog()) }
            }
        }
        let found = try verify(path: partial)
        if let damage = found.damage.first {
            throw StoreError(
                .corrupt,
                "backup \(file): the database is damaged, so the copy was deleted (\(damage)); run "
                    + "collector verify")
        }
        let folder = DatabaseFile.folder(of: file)
        try DatabaseFile.sync(partial)
        try DatabaseFile.sync(folder)
        try checkNoForeignLog(beside: file)
        // `link` never replaces a file that another process has put there meanwhile.
        let isPlaced = overwrites ? unsafe rename(partial, file) == 0 : unsafe link(partial, file) == 0
        guard isPlaced else { throw errno == EEXIST ? exists : DatabaseFile.openError(of: file, errno) }
        try DatabaseFile.sync(folder)
        return Backup(
            bytes: DatabaseFile.size(of: file), wrongSums: found.wrongSums, schema: found.schema,
            areSumsChecked: found.isOfKnownSchema)
    }

    /// Throws if a log of an earlier database stands beside the file: SQLite would read it into the copy as if it were the copy's
    /// own.
    private static func checkNoForeignLog(beside file: String) throws(StoreError) {
        for log in DatabaseFile.fileSuffixes.dropFirst().map({ file + $0 })
        where unsafe access(log, F_OK) == 0 {
            throw StoreError(
                .invalidArgument,
                "backup \(file): \(log) belongs to another database with this name, which is in use or was not closed; "
                    + "choose another file, or delete both if they are not needed")
        }
    }
}
