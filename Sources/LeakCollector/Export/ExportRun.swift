internal import LeakMessage
internal import LeakStore

/// One running export: the files written so far, and the leaks and classes whose pages are written.
struct ExportRun {
    private struct ClassOfApp: Hashable {
        var name: String
        var app: AppScope
    }

    let reader: any StoreReader
    let symbolTables: SymbolTableCache
    /// Milliseconds since 1970.
    let now: Int64
    /// The apps to export, and their environment.
    let scope: AppScope
    /// Apps whose pages are written.
    private(set) var apps: [String]
    var folder: ExportFolder
    /// Leaks whose pages are written.
    private var leaks: Set<LeakID> = []
    /// Classes whose pages are written.
    private var classes: Set<ClassOfApp> = []

    /// Number of leaks per page of a list, and per read of the store.
    private static let leaksPerPage = 200

    init(
        reader: any StoreReader, symbolTables: SymbolTableCache, now: Int64, scope: AppScope, apps: [String],
        folder: ExportFolder
    ) {
        self.reader = reader
        self.symbolTables = symbolTables
        self.now = now
        self.scope = scope
        self.apps = apps
        self.folder = folder
    }

    mutating func write(_ progress: (Export.Progress) -> Void) throws {
        // The pages at the top of the folder show all apps, or the only app to export.
        let all = AppScope(nil, environment: scope.environment)
        try writeSummary(of: scope, at: .summary(app: all))
        try writeCauses(of: scope, at: .causes(app: all))
        try writeReleases(of: scope.orFirst(of: apps), at: .releases(app: all))
        for app in apps { try writePages(of: AppScope(app, environment: scope.environment)) }
        // A server may count new leaks meanwhile, and pages link to them, so the list is read again until it has no new leak.
        while try writeNewLeaks(progress) {}
    }

    private mutating func writePages(of app: AppScope) throws {
        try writeSummary(of: app, at: .summary(app: app))
        try writeCauses(of: app, at: .causes(app: app))
        try writeReleases(of: app, at: .releases(app: app))
    }

    /// Writes the pages of leaks that have no page yet, then the pages of their classes.
    ///
    /// - Returns: `true` if there were leaks without pages.
    private mutating func writeNewLeaks(_ progress: (Export.Progress) -> Void) throws -> Bool {
        var query = LeakQuery()
        query.scope = scope
        query.state = .any
        query.sort = .firstSeen
        query.limit = Self.leaksPerPage
        var foundClasses: [ClassOfApp] = []
        let earlierLeakCount = leaks.count
        repeat {
            let page = try reader.leaks(query, now: now)
            for leak in page.leaks.map(\.identity) where leaks.insert(leak.id).inserted {
                if !apps.contains(leak.app) {
                    apps.append(leak.app)
                    try writePages(of: leak.appKey.scope)
                }
                try writeLeak(leak.id)
                if let name = leak.className {
                    foundClasses.append(ClassOfApp(name: name, app: leak.appKey.scope))
                }
                progress(
                    Export.Progress(
                        writtenLeakCount: leaks.count, totalLeakCount: max(page.total, leaks.count)))
            }
            query.cursor = page.next
        } while query.cursor != nil
        for foundClass in foundClasses where classes.insert(foundClass).inserted {
            try writeClass(foundClass)
        }
        return leaks.count > earlierLeakCount
    }

    /// Writes the list of leaks to fix, page by page, and the JSON of all leaks in steps of the same size; then the
    /// lists of leaks that are set aside.
    private mutating func writeSummary(of app: AppScope, at target: LinkTarget) throws {
        // The pages after the first are the same for the summary at the top of the folder and for the summary of the
        // only exported app, so they are written once.
        let writesAllPages = target == .summary(app: app)
        var query = LeakQuery()
        query.scope = app
        query.limit = Self.leaksPerPage
        let overview = try OverviewResource.overview(app: app, nil, from: view(target))
        let firstPage = try writeList(of: query, from: target, writesAllPages: writesAllPages, overview)
        query.state = .any
        try writeListJSON(of: query, from: target, writesAllPages: writesAllPages) {
            .list(app: app, page: $0)
        }
        guard writesAllPages else { return }
        // Only lists that a page links to are written. The summary itself shows the first leaks that are freed late or known,
        // and links to a list only if there are more.
        let setAside: [(LeakQuery.StateFilter, isLinked: Bool)] = [
            (.resolved, firstPage.resolved.leaks > 0), (.ignored, firstPage.ignored.leaks > 0),
            (.known, firstPage.known.leaks > SummaryResource.maxSetAsideLeaks),
            (.slow, firstPage.slow.leaks > SummaryResource.maxSetAsideLeaks),
        ]
        for (state, isLinked) in setAside where isLinked {
            query.state = state
            let pageTarget = LinkTarget.list(app: app, state: state, page: 1)
            _ = try writeList(of: query, from: pageTarget, writesAllPages: true, overview)
            try writeListJSON(of: query, from: pageTarget, writesAllPages: true) {
                .list(app: app, state: state, page: $0)
            }
        }
    }

    /// Writes a list of leaks, page by page.
    ///
    /// - Parameter writesAllPages: true to write the pages after the first page, too.
    /// - Returns: the leaks and totals of the first page.
    private mutating func writeList(
        of query: LeakQuery, from target: LinkTarget, writesAllPages: Bool, _ overview: Overview
    ) throws -> LeakPage {
        let overviews = try OverviewResource.overviews(app: query.scope, of: apps, nil, from: view(target))
        let firstPage = try reader.leaks(query, now: now)
        var (query, page, number) = (query, firstPage, 1)
        while true {
            let pageTarget = number == 1 ? target : .list(app: query.scope, state: query.state, page: number)
            var context = try context(pageTarget, query.scope)
            context.query.state = query.state
            let html = SummaryPage(
                context: context, overview: overview, page: page,
                resolvedSeenLeaks: try SummaryResource.setAsideLeaks(
                    .resolved, totals: page.resolvedSeen, of: query, from: view(pageTarget)),
                freedLateLeaks: try SummaryResource.setAsideLeaks(
                    .slow, totals: page.slow, of: query, from: view(pageTarget)),
                knownLeaks: try SummaryResource.setAsideLeaks(
                    .known, totals: page.known, of: query, from: view(pageTarget)),
                apps: overviews,
                exportedPageNumber: number
            ).html
            try folder.put(html.bytes, to: Links.file(of: pageTarget))
            query.cursor = page.next
            guard writesAllPages, query.cursor != nil else { return firstPage }
            page = try reader.leaks(query, now: now)
            number += 1
        }
    }

    /// Writes the JSON of a list of leaks, page by page.
    ///
    /// - Parameter targetOfPage: returns the link target of a page after the first, by its number.
    private mutating func writeListJSON(
        of query: LeakQuery, from target: LinkTarget, writesAllPages: Bool, targetOfPage: (Int) -> LinkTarget
    ) throws {
        var (query, number) = (query, 1)
        repeat {
            var page = try reader.leaks(query, now: now)
            query.cursor = page.next
            let pageTarget = number == 1 ? target : targetOfPage(number)
            number += 1
            // A cursor needs a server. In an export it is replaced by a link to the next file.
            let nextFile = Links(mode: .files(page: pageTarget)).json(of: targetOfPage(number))
            page.next = page.next.map { _ in nextFile }
            try folder.put(json { $0.fields(of: page) }, to: Links.jsonFile(of: pageTarget))
        } while query.cursor != nil && writesAllPages
    }

    private mutating func writeCauses(of app: AppScope, at target: LinkTarget) throws {
        let sharedCauses = try SharedCauses(app: app, from: reader, symbolTables: symbolTables, now: now)
        let html = CausesPage(context: try context(target, app), sharedCauses: sharedCauses).html
        try folder.put(html.bytes, to: Links.file(of: target))
        try folder.put(json { $0.fields(of: sharedCauses, app: app) }, to: Links.jsonFile(of: target))
    }

    private mutating func writeReleases(of app: AppScope, at target: LinkTarget) throws {
        let releases = try app.key.map { try reader.releases(app: $0) } ?? []
        let comparisons = try ReleaseComparisons(of: app, releases, from: reader, now: now)
        let html = ReleasesPage(
            context: try context(target, app), app: app, releases: releases, comparisons: comparisons
        ).html
        try folder.put(html.bytes, to: Links.file(of: target))
        try folder.put(
            json { $0.fields(of: releases, comparisons, app: app) }, to: Links.jsonFile(of: target))
    }

    private mutating func writeLeak(_ id: LeakID) throws {
        guard let content = try LeakContent(id, from: view(.leak(id))) else { return }
        try folder.put(content.page(from: view(.leak(id))).bytes, to: Links.file(of: .leak(id)))
        try folder.put(content.reportsPage(from: view(.reports(id))).bytes, to: Links.file(of: .reports(id)))
        try folder.put(
            json { $0.fields(of: content.detail, content.relatedLeaks) }, to: Links.jsonFile(of: .leak(id)))
        try folder.put(json { $0.fields(of: content.samples) }, to: Links.jsonFile(of: .reports(id)))
    }

    private mutating func writeClass(_ classOfApp: ClassOfApp) throws {
        let target = LinkTarget.leakClass(classOfApp.name, app: classOfApp.app)
        guard let leakClass = try reader.leakClass(classOfApp.name, app: classOfApp.app, now: now) else {
            return
        }
        let page = ClassPage(context: view(target).context(app: classOfApp.app), leakClass: leakClass)
        try folder.put(page.html.bytes, to: Links.file(of: target))
        try folder.put(json { $0.fields(of: leakClass, app: classOfApp.app) }, to: Links.jsonFile(of: target))
    }

    /// Returns the view of the store for the page at `target`.
    private func view(_ target: LinkTarget) -> StoreView {
        StoreView(
            reader: reader, now: now, symbolTables: symbolTables, links: Links(mode: .files(page: target)))
    }

    private func context(_ target: LinkTarget, _ app: AppScope) throws -> PageContext {
        var query = LeakQuery()
        query.scope = app
        return PageContext(
            links: Links(mode: .files(page: target)), now: now, apps: apps,
            versions: try reader.versions(app: app), query: query)
    }

    /// Writes all entries of the audit log to `audit.json`, newest first.
    mutating func writeAuditLog() throws {
        var entries: [AuditEntry] = []
        while true {
            let more = try reader.auditEntries(
                before: entries.last?.id ?? .max, limit: AuditResource.maxLimit)
            guard !more.isEmpty else { break }
            entries += more
        }
        try folder.put(json { $0.fields(of: entries) }, to: Links.jsonFile(of: .audit(cursor: nil)))
    }

    private func json(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(body)
        return writer.bytes
    }
}
