internal import LeakPlatform
public import LeakStore

/// Export of the pages and their JSON as plain files with relative links, for any static host or a build's artifacts.
///
/// The same data, time and program produce the same bytes. If a server runs on the data, each page shows the data of
/// the time at which it was read. Every page to which another page links is written.
public struct Export {
    /// Progress of an export: leaks written so far, and all leaks.
    public struct Progress: Hashable, Sendable {
        public var writtenLeakCount: Int
        public var totalLeakCount: Int
    }

    public struct Result: Hashable, Sendable {
        /// Number of files of the export.
        public var fileCount: Int
        /// Number of files of an earlier export that were removed because this export does not have them.
        public var removedFileCount: Int
    }

    private let reader: any StoreReader
    private let environment: String
    private let symbolTables: SymbolTableCache
    private let publicFolder: PublicFolder
    /// The time that the pages refer to, in milliseconds since 1970; `nil` for the latest time at which an app was seen.
    private let time: Int64?

    /// - Parameters:
    ///   - environment: the environment whose leaks and releases the pages show.
    ///   - time: the time that the pages refer to, in milliseconds since 1970; `nil` for the latest time at which
    ///     one of the exported apps was seen. If no app was ever seen, the pages contain no time.
    public init(
        store: any Store, publicFolder: PublicFolder, environment: String = AppKey.production,
        at time: Int64? = nil
    ) throws(StoreError) {
        self.environment = environment
        reader = try store.makeReader(known: publicFolder.knownLeaks)
        symbolTables = SymbolTableCache(store: store)
        try symbolTables.refresh(from: reader)
        self.publicFolder = publicFolder
        self.time = time
    }

    /// Writes the export.
    ///
    /// - Parameters:
    ///   - folder: created if it is missing. It must not be a link, and must be empty or from an earlier export. Files
    ///     of the earlier export are overwritten, and those that this export does not write are removed. Other files
    ///     stay; if such a file is in the way, the export ends with an error.
    ///   - app: the only app to export; `nil` for all apps.
    ///   - includesAuditLog: `true` to write the audit log, too. It names people and the addresses of their machines.
    ///   - progress: called after each leak.
    /// - Throws: ``ExportFolder/Failure`` naming the file that could not be written, ``NoSuchApp``, ``NoSuchEnvironment``,
    ///   ``EarlyTime``, or ``StoreError``.
    @discardableResult
    public func write(
        to folder: String, app: String?, includesAuditLog: Bool = false,
        progress: (Progress) -> Void = { _ in }
    ) throws
        -> Result
    {
        let summaries = try reader.appSummaries().filter { $0.environment == environment }
        let chosenApps = summaries.filter { app == nil || $0.id == app }
        let scope = AppScope(app, environment: environment)
        if let app, chosenApps.isEmpty { throw NoSuchApp(app: app, knownApps: summaries.map(\.id)) }
        let environments = try reader.environments(app: nil)
        guard !summaries.isEmpty || environments.isEmpty else {
            throw NoSuchEnvironment(environment: environment, knownEnvironments: environments)
        }
        let apps = chosenApps.map(\.id)
        // The machine's clock is not used, because it would make the result of every run different.
        let lastSeen = chosenApps.map(\.lastSeen).max()
        if let time, let lastSeen, time < lastSeen { throw EarlyTime(lastSeen: lastSeen) }
        let now = time ?? lastSeen ?? PageContext.noTime
        var run = ExportRun(
            reader: reader, symbolTables: symbolTables, now: now, scope: scope, apps: apps,
            folder: try ExportFolder(folder)
        )
        let topLevelFiles = [LinkTarget.summary(app: nil), .causes(app: nil), .releases(app: nil)].flatMap {
            [Links.file(of: $0), Links.jsonFile(of: $0)]
        }
        try run.folder.validate(names: publicFolder.names + topLevelFiles)
        for name in publicFolder.names {
            try run.folder.put(try ExportFolder.contents(of: "\(publicFolder.path)/\(name)"), to: name)
        }
        if includesAuditLog { try run.writeAuditLog() }
        try run.write(progress)
        return Result(fileCount: run.folder.writtenFiles.count, removedFileCount: try run.folder.finish())
    }

    /// Error for an export time before the last report, because an export cannot leave out later reports.
    struct EarlyTime: Error, CustomStringConvertible {
        /// Milliseconds since 1970.
        let lastSeen: Int64

        var description: String {
            // Rounded up to a whole second, so that the text is a time that is accepted.
            let time = CivilTime(milliseconds: (lastSeen + 999) / 1_000 * 1_000).rfc3339
            return "the time of the export is before the last report, and an export contains all reports: "
                + "use \(time) or later, or leave out --at"
        }
    }

    struct NoSuchEnvironment: Error, CustomStringConvertible {
        let environment: String
        let knownEnvironments: [String]

        var description: String {
            "there are no reports of the environment \(environment); the environments are "
                + TerminalText.text(Export.list(knownEnvironments, limit: 20))
        }
    }

    struct NoSuchApp: Error, CustomStringConvertible {
        let app: String
        let knownApps: [String]

        var description: String {
            TerminalText.text(
                "there is no app \(app)"
                    + (knownApps.isEmpty ? "" : "; the apps are \(Export.list(knownApps, limit: 10))"))
        }
    }

    /// Returns the first names, separated by commas, and the number of the others, such as `a, b and 15 more`.
    private static func list(_ names: [String], limit: Int) -> String {
        names.prefix(limit).joined(separator: ", ")
            + (names.count > limit ? " and \(names.count - limit) more" : "")
    }
}
