import LeakPlatform
import LeakStore

/// A store that counts how often its readers read each leak, and forwards every call to another store.
struct CountingStore: ForwardingStore {
    /// The numbers of reads by leak.
    final class Reads: Sendable {
        let leaks = Guarded<[LeakID: Int]>([:])
        let samples = Guarded<[LeakID: Int]>([:])
        /// The error of reads of all apps; `nil` for none.
        let summaryError = Guarded<StoreError?>(nil)
    }

    let store: any Store
    let reads = Reads()

    func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader {
        CountingReader(try store.makeReader(known: known), reads)
    }
}

private final class CountingReader: StoreReader {
    private let reader: any StoreReader
    private let reads: CountingStore.Reads

    init(_ reader: any StoreReader, _ reads: CountingStore.Reads) {
        self.reader = reader
        self.reads = reads
    }

    var hasLocalChangeCounter: Bool { reader.hasLocalChangeCounter }

    func apps(in environment: String) throws(StoreError) -> [String] {
        try reader.apps(in: environment)
    }

    func environments(app: String?) throws(StoreError) -> [String] {
        try reader.environments(app: app)
    }

    func appSummaries() throws(StoreError) -> [AppSummary] {
        if let error = reads.summaryError.with({ $0 }) { throw error }
        return try reader.appSummaries()
    }

    func versions(app: AppScope) throws(StoreError) -> [String] {
        try reader.versions(app: app)
    }

    func leaks(_ query: LeakQuery, now: Int64) throws(StoreError) -> LeakPage {
        try reader.leaks(query, now: now)
    }

    func leak(_ id: LeakID, now: Int64) throws(StoreError) -> LeakDetail? {
        reads.leaks.with { $0[id, default: 0] += 1 }
        return try reader.leak(id, now: now)
    }

    func leakClass(_ name: String, app: AppScope, now: Int64) throws(StoreError) -> LeakClass? {
        try reader.leakClass(name, app: app, now: now)
    }

    func reasons(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try reader.reasons(of: leaks, limit: limit)
    }

    func closures(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try reader.closures(of: leaks, limit: limit)
    }

    func retentionCounts(by rule: RetentionRule, now: Int64) throws(StoreError) -> [RetentionCounts] {
        try reader.retentionCounts(by: rule, now: now)
    }
    func forgetCounts(of target: ForgetTarget) throws(StoreError) -> ForgetCounts? {
        try reader.forgetCounts(of: target)
    }

    func manualMerges(app: AppScope) throws(StoreError) -> [ManualMerge] {
        try reader.manualMerges(app: app)
    }

    func manualMerges(into leak: LeakID) throws(StoreError) -> [ManualMerge] {
        try reader.manualMerges(into: leak)
    }

    func manualMerge(_ number: Int64) throws(StoreError) -> ManualMerge? {
        try reader.manualMerge(number)
    }

    func rules(of app: String, limit: Int) throws(StoreError) -> [AppRules] {
        try reader.rules(of: app, limit: limit)
    }
    func currentRules() throws(StoreError) -> [AppRules] { try reader.currentRules() }
    func rulesVersion() throws(StoreError) -> RulesVersion { try reader.rulesVersion() }
    func discardedLeaks(app: AppScope) throws(StoreError) -> [DiscardedLeak] {
        try reader.discardedLeaks(app: app)
    }

    func trend(of id: LeakID, by step: Trend.Step, now: Int64) throws(StoreError) -> Trend? {
        try reader.trend(of: id, by: step, now: now)
    }

    func samples(of id: LeakID) throws(StoreError) -> [SampleReport]? {
        reads.samples.with { $0[id, default: 0] += 1 }
        return try reader.samples(of: id)
    }

    func target(ofMerged id: LeakID) throws(StoreError) -> LeakID? {
        try reader.target(ofMerged: id)
    }

    func symbolsVersion() throws(StoreError) -> SymbolsVersion {
        try reader.symbolsVersion()
    }

    func symbols() throws(StoreError) -> [StoredSymbols] {
        try reader.symbols()
    }

    func symbolTable(_ rowID: Int64) throws(StoreError) -> [UInt8]? {
        try reader.symbolTable(rowID)
    }

    func leaks(withFramesOf images: [String]) throws(StoreError) -> [LeakID] {
        try reader.leaks(withFramesOf: images)
    }

    func outline(of id: LeakID) throws(StoreError) -> LeakOutline? {
        try reader.outline(of: id)
    }

    func outlines(similarTo id: LeakID) throws(StoreError) -> [LeakOutline] {
        try reader.outlines(similarTo: id)
    }

    func overview(app: AppScope, period: Period, now: Int64) throws(StoreError) -> Overview {
        try reader.overview(app: app, period: period, now: now)
    }

    func releases(app: AppKey) throws(StoreError) -> [ReleaseSummary] {
        try reader.releases(app: app)
    }

    func releaseCheck(_ query: ReleaseCheckQuery, now: Int64) throws(StoreError) -> ReleaseCheck? {
        try reader.releaseCheck(query, now: now)
    }

    func credentials(includingEnded: Bool, now: Int64) throws(StoreError) -> [Credential] {
        try reader.credentials(includingEnded: includingEnded, now: now)
    }

    func auditEntries(before id: Int64, limit: Int) throws(StoreError) -> [AuditEntry] {
        try reader.auditEntries(before: id, limit: limit)
    }

    func events(_ query: EventQuery) throws(StoreError) -> [Event] { try reader.events(query) }

    func eventMarks(after appRowID: Int64, limit: Int) throws(StoreError) -> [EventMark] {
        try reader.eventMarks(after: appRowID, limit: limit)
    }

    func overLimitCounts(app: AppScope) throws(StoreError) -> [OverLimitCount] {
        try reader.overLimitCounts(app: app)
    }

    func resolvedLeaks(
        withoutEventOf app: AppKey, after leakRowID: Int64, limit: Int
    ) throws(StoreError) -> [ResolvedLeak] {
        try reader.resolvedLeaks(withoutEventOf: app, after: leakRowID, limit: limit)
    }

    func changeCounter() throws(StoreError) -> Int64 {
        try reader.changeCounter()
    }

    func databaseBytes() throws(StoreError) -> Int { try reader.databaseBytes() }

    func ping() throws(StoreError) {
        try reader.ping()
    }
}
