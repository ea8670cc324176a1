internal import LeakStore

/// A reader for a token that is limited to one app: it returns nothing of other apps, as if the store had only this app.
///
/// Pages and JSON need no check of their own, because they read through this reader.
final class AppLimitedReader: StoreReader {
    private let reader: any StoreReader
    private let app: String
    private let now: Int64
    /// Leaks of the app that were read before, so that their app need not be read again.
    private var visibleLeaks: Set<LeakID> = []

    /// - Parameter now: milliseconds since 1970.
    init(_ reader: any StoreReader, app: String, now: Int64) {
        self.reader = reader
        self.app = app
        self.now = now
    }

    // MARK: Apps

    private func isVisible(app name: String) -> Bool { ByteText(name) == ByteText(app) }

    /// Returns the scope with the app in place of all apps. An app that is not visible is replaced by an empty name, which no
    /// app has.
    private func limited(_ scope: AppScope) -> AppScope {
        AppScope(limited(scope.app), environment: scope.environment)
    }

    private func limited(_ name: String?) -> String { isVisible(app: name ?? app) ? app : "" }

    func apps(in environment: String) throws(StoreError) -> [String] {
        try reader.apps(in: environment).filter(isVisible(app:))
    }

    func environments(app: String?) throws(StoreError) -> [String] {
        try reader.environments(app: limited(app))
    }

    func appSummaries() throws(StoreError) -> [AppSummary] {
        try reader.appSummaries().filter { isVisible(app: $0.key.name) }
    }

    func versions(app: AppScope) throws(StoreError) -> [String] { try reader.versions(app: limited(app)) }

    func overview(app: AppScope, period: Period, now: Int64) throws(StoreError) -> Overview {
        try reader.overview(app: limited(app), period: period, now: now)
    }

    func releases(app: AppKey) throws(StoreError) -> [ReleaseSummary] {
        isVisible(app: app.name) ? try reader.releases(app: app) : []
    }

    func releaseCheck(_ query: ReleaseCheckQuery, now: Int64) throws(StoreError) -> ReleaseCheck? {
        isVisible(app: query.app) ? try reader.releaseCheck(query, now: now) : nil
    }

    // MARK: Leaks

    private func isVisible(_ id: LeakID) throws(StoreError) -> Bool {
        if visibleLeaks.contains(id) { return true }
        guard let leak = try reader.leak(id, now: now), isVisible(app: leak.row.identity.app) else {
            return false
        }
        visibleLeaks.insert(id)
        return true
    }

    private func visible(_ ids: [LeakID]) throws(StoreError) -> [LeakID] {
        var visible: [LeakID] = []
        for id in ids where try isVisible(id) { visible.append(id) }
        return visible
    }

    func leaks(_ query: LeakQuery, now: Int64) throws(StoreError) -> LeakPage {
        var query = query
        query.scope = limited(query.scope)
        let page = try reader.leaks(query, now: now)
        visibleLeaks.formUnion(page.leaks.map(\.identity.id))
        return page
    }

    func leak(_ id: LeakID, now: Int64) throws(StoreError) -> LeakDetail? {
        guard let leak = try reader.leak(id, now: now), isVisible(app: leak.row.identity.app) else {
            return nil
        }
        visibleLeaks.insert(id)
        return leak
    }

    func leakClass(_ name: String, app: AppScope, now: Int64) throws(StoreError) -> LeakClass? {
        try reader.leakClass(name, app: limited(app), now: now)
    }

    func reasons(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try reader.reasons(of: visible(leaks), limit: limit)
    }

    func closures(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try reader.closures(of: visible(leaks), limit: limit)
    }

    func trend(of id: LeakID, by step: Trend.Step, now: Int64) throws(StoreError) -> Trend? {
        try isVisible(id) ? try reader.trend(of: id, by: step, now: now) : nil
    }

    func samples(of id: LeakID) throws(StoreError) -> [SampleReport]? {
        try isVisible(id) ? try reader.samples(of: id) : nil
    }

    func target(ofMerged id: LeakID) throws(StoreError) -> LeakID? {
        guard let target = try reader.target(ofMerged: id), try isVisible(target) else { return nil }
        return target
    }

    func leaks(withFramesOf images: [String]) throws(StoreError) -> [LeakID] {
        try visible(reader.leaks(withFramesOf: images))
    }

    func outline(of id: LeakID) throws(StoreError) -> LeakOutline? {
        try isVisible(id) ? try reader.outline(of: id) : nil
    }

    func outlines(similarTo id: LeakID) throws(StoreError) -> [LeakOutline] {
        try isVisible(id) ? try reader.outlines(similarTo: id) : []
    }

    func manualMerges(app: AppScope) throws(StoreError) -> [ManualMerge] {
        try reader.manualMerges(app: limited(app))
    }

    func manualMerges(into leak: LeakID) throws(StoreError) -> [ManualMerge] {
        try isVisible(leak) ? try reader.manualMerges(into: leak) : []
    }

    func manualMerge(_ number: Int64) throws(StoreError) -> ManualMerge? {
        guard let merge = try reader.manualMerge(number), isVisible(app: merge.app.name) else { return nil }
        return merge
    }

    func discardedLeaks(app: AppScope) throws(StoreError) -> [DiscardedLeak] {
        try reader.discardedLeaks(app: limited(app))
    }

    func rules(of app: String, limit: Int) throws(StoreError) -> [AppRules] {
        isVisible(app: app) ? try reader.rules(of: app, limit: limit) : []
    }

    func currentRules() throws(StoreError) -> [AppRules] {
        try reader.currentRules().filter { isVisible(app: $0.app) }
    }

    func rulesVersion() throws(StoreError) -> RulesVersion { try reader.rulesVersion() }

    func resolvedLeaks(
        withoutEventOf app: AppKey, after leakRowID: Int64, limit: Int
    ) throws(StoreError) -> [ResolvedLeak] {
        guard isVisible(app: app.name) else { return [] }
        return try reader.resolvedLeaks(withoutEventOf: app, after: leakRowID, limit: limit)
    }

    // MARK: Events and limits

    /// Returns events of the app, without those of the collector itself, which belong to no app.
    func events(_ query: EventQuery) throws(StoreError) -> [Event] {
        var query = query
        query.filter.app = limited(query.filter.app)
        // The empty name stands for the collector itself.
        return query.filter.app == "" ? [] : try reader.events(query)
    }

    func overLimitCounts(app: AppScope) throws(StoreError) -> [OverLimitCount] {
        try reader.overLimitCounts(app: limited(app))
    }

    // MARK: Symbols, which belong to no app

    func symbolsVersion() throws(StoreError) -> SymbolsVersion { try reader.symbolsVersion() }

    /// Returns the symbols of all apps, because they name the closures of the app's leaks. The address that lists them requires
    /// ``Permission/listSymbols``.
    func symbols() throws(StoreError) -> [StoredSymbols] { try reader.symbols() }

    func symbolTable(_ rowID: Int64) throws(StoreError) -> [UInt8]? { try reader.symbolTable(rowID) }

    // MARK: The store

    /// Returns nothing: only an admin, whose token has no limit, may read credentials.
    func credentials(includingEnded: Bool, now: Int64) throws(StoreError) -> [Credential] { [] }

    /// Returns `nil`: only an admin, whose token has no limit, may delete.
    func forgetCounts(of target: ForgetTarget) throws(StoreError) -> ForgetCounts? { nil }

    /// Returns nothing: only an admin, whose token has no limit, may read what is deleted.
    func retentionCounts(by rule: RetentionRule, now: Int64) throws(StoreError) -> [RetentionCounts] { [] }

    /// Returns nothing: only an admin, whose token has no limit, may read the audit log.
    func auditEntries(before id: Int64, limit: Int) throws(StoreError) -> [AuditEntry] { [] }

    /// Returns nothing: only the collector reads which data it has to search for events.
    func eventMarks(after appRowID: Int64, limit: Int) throws(StoreError) -> [EventMark] { [] }

    func changeCounter() throws(StoreError) -> Int64 { try reader.changeCounter() }

    var hasLocalChangeCounter: Bool { reader.hasLocalChangeCounter }

    /// Returns 0: the size tells about other apps.
    func databaseBytes() throws(StoreError) -> Int { 0 }

    func ping() throws(StoreError) { try reader.ping() }
}

extension Credential {
    /// Returns a reader of what the credential may see.
    ///
    /// - Parameter now: milliseconds since 1970.
    func limited(_ reader: any StoreReader, now: Int64) -> any StoreReader {
        app.map { AppLimitedReader(reader, app: $0, now: now) } ?? reader
    }
}
