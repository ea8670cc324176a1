/// Answers questions about what is committed. For one thread at a time.
public protocol StoreReader: AnyObject {
    /// App ids, most recently seen first.
    func apps() throws(StoreError) -> [String]
    /// Every app with its newest version and when it was seen last, in the order of ``apps()``: one look, however many
    /// versions there are.
    func appSummaries() throws(StoreError) -> [AppSummary]
    /// Versions of an app, or of all, newest first.
    func versions(app: String?) throws(StoreError) -> [String]
    func leaks(_ query: LeakQuery, now: Int64) throws(StoreError) -> LeakPage
    func leak(_ id: LeakID, now: Int64) throws(StoreError) -> LeakDetail?
    /// All leaks of a class, whatever their stacks; `nil` when there is none.
    ///
    /// - Parameter app: `nil` for all apps that have the class.
    func leakClass(_ name: String, app: String?, now: Int64) throws(StoreError) -> LeakClass?
    /// The most frequent values of ``Submission/Explanation/reason`` of each leak, by number of explanations.
    ///
    /// - Parameter limit: of reasons per leak.
    func reasons(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]]
    /// The same of ``Submission/Explanation/closures``.
    func closures(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]]
    func trend(of id: LeakID, by step: Trend.Step, now: Int64) throws(StoreError) -> Trend?
    /// First, newest, then a uniform sample, newest first; `nil` when there is no such leak.
    func samples(of id: LeakID) throws(StoreError) -> [SampleReport]?
    /// The leak that another one was merged into; `nil` for a leak that was not merged, or is there again.
    func target(ofMerged id: LeakID) throws(StoreError) -> LeakID?
    /// Changes with every upload and removal of symbols.
    func symbolsVersion() throws(StoreError) -> SymbolsVersion
    /// The symbols of all images, newest upload first.
    func symbols() throws(StoreError) -> [StoredSymbols]
    /// The compressed table of an upload; `nil` for one that is not there any more.
    func symbolTable(_ row: Int64) throws(StoreError) -> [UInt8]?
    /// Leaks in whose path one of the texts occurs, as the UUID of an image does in the place of a frame without a name. Reads
    /// the paths of all leaks.
    func leaks(withPlacesIn images: [String]) throws(StoreError) -> [LeakID]
    /// The identity of a leak, from one row.
    func outline(of id: LeakID) throws(StoreError) -> LeakOutline?
    /// Other leaks of the same app that may be close to a leak: of the same class, with one of the elements of its key, or with
    /// a class or text like its own. None for a leak that is not there.
    ///
    /// At most 62, found through indexes. Of other classes the 1,024 before and after its own are compared, by name; of a leak
    /// without a class the texts of 512 others.
    func outlines(near id: LeakID) throws(StoreError) -> [LeakOutline]
    func overview(app: String?, period: Period, now: Int64) throws(StoreError) -> Overview
    /// Newest version first, at most 200.
    func releases(app: String) throws(StoreError) -> [Release]
    /// What `version` brings, compared with `baseline` and all versions before that.
    ///
    /// - Parameter baseline: `nil` for the version before it.
    /// - Returns: `nil` when nothing of this version was ever reported, nor a session or check in it.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for a baseline that is not older than `version`.
    func check(app: String, version: String, baseline: String?, now: Int64) throws(StoreError)
        -> ReleaseCheck?
    /// Every credential that is neither revoked nor expired; with `all`, the others too.
    func credentials(all: Bool, now: Int64) throws(StoreError) -> [Credential]
    /// Changes whenever another connection has committed.
    func changeCounter() throws(StoreError) -> Int64
    /// Whether ``changeCounter()`` takes microseconds, being no question to a server: whether asking it before each
    /// reading is cheaper than what it spares.
    var hasLocalChangeCounter: Bool { get }
    /// Whether the store answers: reads one row.
    func ping() throws(StoreError)
}

extension StoreReader {
    public func overview(app: String?, now: Int64) throws(StoreError) -> Overview {
        try overview(app: app, period: .day, now: now)
    }
}
