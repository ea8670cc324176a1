internal import LeakMessage
internal import LeakStore

/// Gathers from the store what each page shows. The one place where pages and store meet.
struct PageSource {
    let reader: any StoreReader
    /// Milliseconds since 1970.
    let now: Int64
    /// Names closures that had no names when their reports came; `nil` leaves them so.
    var symbols: SymbolTables?

    func summary(_ query: LeakQuery, links: Links, address: String) throws -> HTML {
        let context = try context(links, query)
        let overview = try overview(app: query.app, query.period)
        if overview.leaks == 0, overview.newest == nil, query == LeakQuery() {
            return FirstReportPage(context: context, address: address).html
        }
        let page = try reader.leaks(query, now: now)
        return SummaryPage(
            context: context, overview: overview, page: page, known: try known(besides: page, query),
            apps: try overviews(app: query.app, of: context.apps, query.period)
        ).html
    }

    func overview(app: String?, _ period: Period?) throws(StoreError) -> Overview {
        try reader.overview(app: app, period: period ?? .day, now: now)
    }

    /// Known system leaks under the first page of a list.
    static let knownShown = 20

    /// The first of those that a list leaves out for being known.
    func known(besides page: LeakPage, _ query: LeakQuery) throws -> [LeakRow] {
        guard page.known.leaks > 0, query.cursor == nil else { return [] }
        var query = query
        query.state = .known
        query.limit = Self.knownShown
        return try reader.leaks(query, now: now).leaks
    }

    /// Each of the apps seen last, where none was chosen and there are several.
    func overviews(app: String?, of apps: [String], _ period: Period?) throws -> [AppOverview] {
        guard app == nil, apps.count > 1 else { return [] }
        return try apps.prefix(AppOverview.told).map { app in
            AppOverview(app: app, overview: try overview(app: app, period))
        }
    }

    /// On a leak's page: two days, so that each hour can be told from its neighbours.
    private static let hoursShown = 48

    /// - Returns: `nil` when there is no such leak.
    func leak(_ id: LeakID, links: Links) throws -> HTML? {
        guard let detail = try detail(of: id) else { return nil }
        let samples = try reader.samples(of: id) ?? []
        let newest = Self.newest(of: samples)
        let first = newest?.place == .first ? nil : samples.first { $0.place == .first }
        var context = context(links, about: detail.row.identity)
        context.versions = try reader.versions(app: detail.row.identity.app)
        let hours = try reader.trend(of: id, by: .hour, now: now)
        let kept = samples.map(KeptReport.init)
        return LeakDetailPage(
            context: context, detail: detail, hours: hours?.lastHours(Self.hoursShown, now: now),
            newest: newest.map(KeptReport.init), first: first.map(KeptReport.init),
            surroundings: try LeakSurroundings(of: detail.row, newest: { newest }, reader: reader),
            reports: kept.compactMap(\.report),
            newestVersion: try reader.appSummaries().first { $0.id == detail.row.identity.app }?.newestVersion
        ).html
    }

    /// Everything about a leak, with names for the closures that symbols name now.
    func detail(of id: LeakID) throws(StoreError) -> LeakDetail? {
        guard var detail = try reader.leak(id, now: now) else { return nil }
        var naming = FrameNaming(tables: symbols, reader: reader)
        for (index, value) in detail.closures.enumerated() {
            guard let stored = StoredClosures(text: value.value) else { continue }
            detail.closures[index].value = stored.named(by: &naming).text
        }
        return detail
    }

    private static func newest(of samples: [SampleReport]) -> SampleReport? {
        samples.first { $0.place == .newest } ?? samples.first
    }

    /// The other leaks that the JSON of a leak names.
    func surroundings(of leak: LeakRow) throws -> LeakSurroundings {
        let newest = { () throws(StoreError) in
            Self.newest(of: try reader.samples(of: leak.identity.id) ?? [])
        }
        return try LeakSurroundings(of: leak, newest: newest, reader: reader)
    }

    /// - Returns: `nil` when no leak has the class.
    func leakClass(_ name: String, app: String?, links: Links) throws -> HTML? {
        guard let found = try reader.leakClass(name, app: app, now: now) else { return nil }
        var query = LeakQuery()
        query.app = app
        return ClassPage(context: PageContext(links: links, now: now, query: query), found: found).html
    }

    /// - Returns: `nil` when there is no such leak.
    func reports(_ id: LeakID, links: Links) throws -> HTML? {
        guard let detail = try reader.leak(id, now: now) else { return nil }
        let samples = try reader.samples(of: id) ?? []
        return ReportsPage(
            context: context(links, about: detail.row.identity), leak: detail.row.identity,
            reports: samples.map(KeptReport.init)
        ).html
    }

    /// - Parameter app: `nil` for all apps.
    func causes(_ app: String?, first: String?, links: Links) throws -> HTML {
        var query = LeakQuery()
        query.app = app
        return CausesPage(
            context: PageContext(links: links, now: now, query: query),
            found: try sharedCauses(app, first: first), first: first
        ).html
    }

    /// - Parameter app: `nil` for all apps.
    func sharedCauses(_ app: String?, first: String? = nil) throws(StoreError) -> SharedCauses {
        try SharedCauses(app: app, first: first, from: reader, symbols: symbols, now: now)
    }

    /// - Parameter app: `nil` shows the app that was seen last.
    func releases(_ app: String?, links: Links) throws -> HTML {
        var query = LeakQuery()
        query.app = app
        let context = try context(links, query)
        let shown = app ?? context.apps.first
        let releases = try shown.map { try reader.releases(app: $0) } ?? []
        return ReleasesPage(context: context, app: shown, releases: releases).html
    }

    private func context(_ links: Links, _ query: LeakQuery) throws -> PageContext {
        PageContext(
            links: links, now: now, apps: try reader.apps(), versions: try reader.versions(app: query.app),
            query: query)
    }

    private func context(_ links: Links, about leak: LeakIdentity) -> PageContext {
        var query = LeakQuery()
        query.app = leak.app
        return PageContext(links: links, now: now, query: query)
    }
}
