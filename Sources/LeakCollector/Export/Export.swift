public import LeakStore

/// Writes the pages and their JSON as plain files with relative links, for any static host or a build's artifacts.
///
/// The same data, moment and program write the same bytes. While a server runs on the data, each page is of the moment
/// that it was read at; whatever a page links to is written.
public struct Export {
    /// What the pages say so far.
    public struct Progress: Hashable, Sendable {
        public var leaks: Int
        public var allLeaks: Int
    }

    public struct Result: Hashable, Sendable {
        public var files: Int
        /// Of an earlier export, which nothing leads to any more.
        public var removed: Int
    }

    private let reader: any StoreReader
    private let symbols: SymbolTables
    private let publicFolder: PublicFolder
    private let at: Int64?

    /// - Parameter at: the moment that the pages speak of, milliseconds since 1970; `nil`: when the app, or any, was seen
    ///   last. Where none was ever seen, nothing on them has a moment.
    public init(store: any Store, publicFolder: PublicFolder, at: Int64? = nil) throws(StoreError) {
        reader = try store.makeReader(known: publicFolder.known)
        symbols = SymbolTables(store: store)
        try symbols.refresh(from: reader)
        self.publicFolder = publicFolder
        self.at = at
    }

    /// - Parameters:
    ///   - folder: made where it is missing; no link, and empty or that of an earlier export. Files of the earlier export are
    ///     written over, and those that this one does not write are removed. Other files stay, and where one is in the way,
    ///     the export ends.
    ///   - app: only this one; `nil`: all.
    ///   - progress: told after each leak.
    /// - Throws: ``ExportFolder/Failure`` naming the file that could not be written, or ``StoreError``.
    @discardableResult
    public func write(to folder: String, app: String?, progress: (Progress) -> Void = { _ in }) throws
        -> Result
    {
        let known = try reader.appSummaries()
        let chosen = known.filter { app == nil || $0.id == app }
        if let app, chosen.isEmpty { throw NoSuchApp(app: app, known: known.map(\.id)) }
        let apps = chosen.map(\.id)
        // The clock of the machine would make another export of every run.
        let now = at ?? chosen.map(\.lastSeen).max() ?? PageContext.noMoment
        var run = ExportRun(
            reader: reader, symbols: symbols, now: now, app: app, apps: apps, folder: try ExportFolder(folder)
        )
        let first = [Place.summary(app: nil), .causes(app: nil), .releases(app: nil)].flatMap {
            [Links.file(of: $0), Links.jsonFile(of: $0)]
        }
        try run.folder.check(publicFolder.names + first)
        for name in publicFolder.names {
            try run.folder.put(try ExportFolder.contents(of: "\(publicFolder.path)/\(name)"), to: name)
        }
        try run.write(progress)
        return Result(files: run.folder.written.count, removed: try run.folder.finish())
    }

    struct NoSuchApp: Error, CustomStringConvertible {
        let app: String
        let known: [String]

        var description: String {
            "there is no app \(app)"
                + (known.isEmpty ? "" : "; there are \(known.prefix(10).joined(separator: ", "))")
        }
    }
}
