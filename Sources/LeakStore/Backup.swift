#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

extension SQLiteStore {
    /// Copies the database into a file of its own, checks the copy, and only then gives it its name.
    ///
    /// Writers go on meanwhile: the copy is what was committed when it began. It holds what the database holds, hashes
    /// of keys and samples of reports, and is readable by its owner alone.
    ///
    /// - Parameters:
    ///   - file: stands complete or not at all.
    ///   - overwrites: whether a file of that name may be replaced.
    /// - Returns: its size in bytes.
    /// - Throws: ``StoreError`` with what is wrong, and nothing is left behind.
    public func backUp(to file: String, overwrites: Bool) throws(StoreError) -> Int {
        let exists = StoreError(
            .invalidArgument, "backup \(file): there is a file of this name; --overwrite yes replaces it")
        guard unsafe overwrites || access(file, F_OK) != 0 else { throw exists }
        let partial = "\(file).partial-\(getpid())"
        unsafe unlink(partial)
        try DatabaseFile.create(at: partial)
        defer { for end in ["", "-journal", "-wal", "-shm"] { unsafe unlink(partial + end) } }
        do {
            let source = try Connection(path: path, access: .readOnly)
            let copy = try Connection(path: partial, access: .readWrite)
            try source.copy(to: copy)
            // One file, without a log beside it.
            try copy.execute("pragma journal_mode = delete")
        }
        let problems = try Self.verify(path: partial)
        guard problems.isEmpty else {
            throw StoreError(
                .corrupt,
                "backup \(file): the copy is not sound, so it was not kept (\(problems[0])); run collector verify"
            )
        }
        try DatabaseFile.sync(partial)
        // `link` never replaces what another has put there meanwhile.
        let isPlaced = overwrites ? unsafe rename(partial, file) == 0 : unsafe link(partial, file) == 0
        guard isPlaced else { throw errno == EEXIST ? exists : DatabaseFile.refusal(of: file, errno) }
        try DatabaseFile.sync(file.lastIndex(of: "/").map { String(file[...$0]) } ?? ".")
        return DatabaseFile.size(of: file)
    }
}
