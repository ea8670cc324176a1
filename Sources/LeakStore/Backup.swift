#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A copy of a database that has its name.
public struct Backup: Hashable, Sendable {
    public var bytes: Int
    /// Totals of the copy, and so of the database, that are not the sums of their parts: one line each.
    public var wrongSums: [String]
    /// Which schema it has.
    public var schema: Int
    /// Whether this code knows the sums of that schema.
    public var areSumsChecked: Bool
}

extension SQLiteStore {
    /// Copies a database as it is, of whatever schema, into a file of its own, checks the copy, and only then gives it
    /// its name.
    ///
    /// Writers go on meanwhile: the copy is what was committed when it began. It holds what the database holds, hashes
    /// of keys and samples of reports, and is readable by its owner alone.
    ///
    /// - Parameters:
    ///   - path: of the database.
    ///   - file: stands complete or not at all.
    ///   - overwrites: whether a file of that name may be replaced; one of the database's own, or one with a log beside
    ///     it, never is.
    /// - Throws: ``StoreError`` with what is wrong, damaged structure above all, and nothing is left behind.
    public static func backUp(
        path: String, to file: String, overwrites: Bool
    ) throws(StoreError) -> Backup {
        guard !DatabaseFile.belongs(file, to: path) else {
            throw StoreError(
                .invalidArgument,
                "backup \(file): this is the database itself, or a file beside it; name another")
        }
        let exists = StoreError(
            .invalidArgument, "backup \(file): there is a file of this name; --overwrite replaces it")
        guard unsafe overwrites || access(file, F_OK) != 0 else { throw exists }
        try refuseLog(beside: file)
        PartialFile.removeAbandoned(of: file)
        let partial = PartialFile.path(for: file)
        try DatabaseFile.createNew(at: partial)
        defer { for end in DatabaseFile.sideEnds { unsafe unlink(partial + end) } }
        do {
            let source = try Connection(path: path, access: .readOnly)
            let copy = try Connection(path: partial, access: .readWrite)
            try source.copy(to: copy)
            // One file, without a log beside it.
            try copy.execute("pragma journal_mode = delete")
            // The log holds bodies of reports; an erasure of the restored database does not find those in free pages.
            try copy.execute("pragma secure_delete = on")
            let schema = Int(try copy.number("pragma user_version") ?? 0)
            // What goes wrong here is named by the check below.
            if (12...Migration.newestVersion).contains(schema), (try? copy.canFoldCounts()) == true {
                try? copy.transaction(.immediate) { () throws(StoreError) in try copy.fold(copy.countLog()) }
            }
        }
        let found = try verify(path: partial)
        if let damage = found.damage.first {
            throw StoreError(
                .corrupt,
                "backup \(file): the copy is damaged, as the database is, so it was not kept (\(damage)); run "
                    + "collector verify")
        }
        let folder = DatabaseFile.folder(of: file)
        try DatabaseFile.sync(partial)
        try DatabaseFile.sync(folder)
        try refuseLog(beside: file)
        // `link` never replaces what another has put there meanwhile.
        let isPlaced = overwrites ? unsafe rename(partial, file) == 0 : unsafe link(partial, file) == 0
        guard isPlaced else { throw errno == EEXIST ? exists : DatabaseFile.refusal(of: file, errno) }
        try DatabaseFile.sync(folder)
        return Backup(
            bytes: DatabaseFile.size(of: file), wrongSums: found.wrongSums, schema: found.schema,
            areSumsChecked: found.isOfKnownSchema)
    }

    /// A log of the database that had the name would be read into the copy as if it were the copy's own.
    private static func refuseLog(beside file: String) throws(StoreError) {
        for log in DatabaseFile.sideEnds.dropFirst().map({ file + $0 }) where unsafe access(log, F_OK) == 0 {
            throw StoreError(
                .invalidArgument,
                "backup \(file): \(log) belongs to a database of this name that is in use, or was when its program died; "
                    + "name another file, or delete both if nobody needs them")
        }
    }
}
