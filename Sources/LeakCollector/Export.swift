internal import LeakMessage
public import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Writes the pages and their JSON as plain files with relative links, for any static host.
public struct Export {
    private let reader: any StoreReader
    private let publicFolder: PublicFolder
    private let now: Int64

    /// Leaks on one page of the listing that is walked through.
    private static let step = 200

    public init(
        store: any Store, publicFolder: PublicFolder, now: Int64 = WallClock.milliseconds()
    ) throws(StoreError) {
        reader = try store.makeReader(known: publicFolder.known)
        self.publicFolder = publicFolder
        self.now = now
    }

    /// - Parameters:
    ///   - folder: made where it is missing; files of an earlier export are written over.
    ///   - app: only this one; `nil`: all.
    ///   - progress: told after each leak how many are written.
    /// - Returns: how many files were written.
    /// - Throws: ``Failure`` naming the file that could not be written, or ``StoreError``.
    public func write(to folder: String, app: String?, progress: (Int) -> Void = { _ in }) throws -> Int {
        let known = try reader.apps()
        if let app, !known.contains(app) { throw NoSuchApp(app: app, known: known) }
        var files = Files(folder: folder)
        for name in publicFolder.names {
            try files.put(try Self.contents(of: "\(publicFolder.path)/\(name)"), to: name)
        }
        let apps = app.map { [$0] } ?? known
        // The folder's own pages show every app, or the one that was asked for.
        try writeSummary(of: app, at: .summary(app: nil), &files)
        try writeReleases(of: app ?? apps.first, at: .releases(app: nil), &files)
        for app in apps {
            try writeSummary(of: app, at: .summary(app: app), &files)
            try writeReleases(of: app, at: .releases(app: app), &files)
        }
        var written = 0
        try forEachLeak(app) { row in
            try writeLeak(row.identity.id, &files)
            written += 1
            progress(written)
        }
        return files.count
    }

    private func writeSummary(of app: String?, at place: Place, _ files: inout Files) throws {
        var query = LeakQuery()
        query.app = app
        query.limit = Self.step
        let pages = PageSource(reader: reader, now: now)
        let page = try reader.leaks(query, now: now)
        let html = SummaryPage(
            context: try context(place, app), overview: try reader.overview(app: app, now: now), page: page,
            known: try pages.known(besides: page, query),
            example: try pages.example(for: query, reader.apps())
        ).html
        try files.put(html.bytes, to: Links.file(of: place))
        // The page has the known ones too, folded.
        query.state = .any
        let everything = try reader.leaks(query, now: now)
        try files.put(json { $0.fields(of: everything) }, to: Links.jsonFile(of: place))
    }

    private func writeReleases(of app: String?, at place: Place, _ files: inout Files) throws {
        let releases = try app.map { try reader.releases(app: $0) } ?? []
        let html = ReleasesPage(context: try context(place, app), app: app, releases: releases).html
        try files.put(html.bytes, to: Links.file(of: place))
        try files.put(json { $0.fields(of: releases, app: app) }, to: Links.jsonFile(of: place))
    }

    private func writeLeak(_ id: LeakID, _ files: inout Files) throws {
        let pages = PageSource(reader: reader, now: now)
        guard let detail = try reader.leak(id, now: now) else { return }
        let samples = try reader.samples(of: id) ?? []
        if let html = try pages.leak(id, links: Links(mode: .files(page: .leak(id)))) {
            try files.put(html.bytes, to: Links.file(of: .leak(id)))
        }
        if let html = try pages.reports(id, links: Links(mode: .files(page: .reports(id)))) {
            try files.put(html.bytes, to: Links.file(of: .reports(id)))
        }
        try files.put(json { $0.fields(of: detail) }, to: Links.jsonFile(of: .leak(id)))
        try files.put(json { $0.fields(of: samples) }, to: Links.jsonFile(of: .reports(id)))
    }

    private func forEachLeak(_ app: String?, _ body: (LeakRow) throws -> Void) throws {
        var query = LeakQuery()
        query.app = app
        query.state = .any
        query.sort = .firstSeen
        query.limit = Self.step
        repeat {
            let page = try reader.leaks(query, now: now)
            for row in page.leaks { try body(row) }
            query.cursor = page.next
        } while query.cursor != nil
    }

    private func context(_ place: Place, _ app: String?) throws -> PageContext {
        var query = LeakQuery()
        query.app = app
        return PageContext(
            links: Links(mode: .files(page: place)), now: now, apps: try reader.apps(),
            versions: try reader.versions(app: app), query: query)
    }

    private func json(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(body)
        return writer.bytes
    }

    struct NoSuchApp: Error, CustomStringConvertible {
        let app: String
        let known: [String]

        var description: String {
            "there is no app \(app)"
                + (known.isEmpty ? "" : "; there are \(known.prefix(10).joined(separator: ", "))")
        }
    }

    /// What could not be read or written.
    public struct Failure: Error, CustomStringConvertible {
        let path: String
        let doing: String
        let code: Int32

        public var description: String {
            "cannot \(doing) \(path): \(unsafe String(cString: strerror(code)))"
        }
    }

    static func contents(of path: String) throws(Failure) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(path: path, doing: "read", code: errno) }
        defer { close(file) }
        var contents: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe read(file, &block, block.count)
            guard count >= 0 else { throw Failure(path: path, doing: "read", code: errno) }
            guard count > 0 else { return contents }
            contents += block[..<count]
        }
    }
}

/// A folder being filled.
private struct Files {
    let folder: String
    private(set) var count = 0
    private var made: Set<String> = []

    init(folder: String) { self.folder = folder }

    mutating func put(_ bytes: [UInt8], to name: String) throws(Export.Failure) {
        try makeFolder(folder)
        if let slash = name.lastIndex(of: "/") { try makeFolder("\(folder)/\(name[..<slash])") }
        let path = "\(folder)/\(name)"
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Export.Failure(path: path, doing: "write", code: errno) }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
            guard written > 0 else { throw Export.Failure(path: path, doing: "write", code: errno) }
            rest = rest.dropFirst(written)
        }
        count += 1
    }

    private mutating func makeFolder(_ path: String) throws(Export.Failure) {
        guard made.insert(path).inserted else { return }
        guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw Export.Failure(path: path, doing: "make", code: errno)
        }
    }
}
