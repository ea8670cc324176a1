/// A reader of committed data, for one thread at a time.
public protocol StoreReader: AnyObject {
    /// Returns the ids of all apps that were seen in an environment, most recently seen first.
    func apps(in environment: String) throws(StoreError) -> [String]
    /// Returns the environments of an app, or of all apps, in the order of their names.
    func environments(app: String?) throws(StoreError) -> [String]
    /// Returns every app in each of its environments, with its current release and the time when it was last seen, most
    /// recently seen first. Needs only one query, for any number of versions.
    func appSummaries() throws(StoreError) -> [AppSummary]
    /// Returns the versions of an app, or of all apps, newest first.
    func versions(app: AppScope) throws(StoreError) -> [String]
    /// Returns one page of a list of leaks.
    func leaks(_ query: LeakQuery, now: Int64) throws(StoreError) -> LeakPage
    /// Returns the data of one leak; `nil` if there is no such leak.
    func leak(_ id: LeakID, now: Int64) throws(StoreError) -> LeakDetail?
    /// Returns all leaks of a class, with any stack; `nil` if there are none.
    func leakClass(_ name: String, app: AppScope, now: Int64) throws(StoreError) -> LeakClass?
    /// Returns the most frequent values of ``Submission/Explanation/reason`` of each leak, by number of explanations.
    ///
    /// - Parameter limit: maximum number of reasons per leak.
    func reasons(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]]
    /// Returns the most frequent values of ``Submission/Explanation/closures``, as ``reasons(of:limit:)`` does.
    func closures(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]]
    /// Returns the reports of a leak by hour or by day; `nil` if there is no such leak.
    func trend(of id: LeakID, by step: Trend.Step, now: Int64) throws(StoreError) -> Trend?
    /// Returns the samples of a leak: the first report, the newest report, then random reports, newest first. Returns `nil` if
    /// there is no such leak.
    func samples(of id: LeakID) throws(StoreError) -> [SampleReport]?
    /// Returns the leak that the leak `id` was merged into; `nil` if it was not merged, or if a leak with this id exists again.
    func target(ofMerged id: LeakID) throws(StoreError) -> LeakID?
    /// Returns the merges by hand of an app, or of all apps, in an environment, newest first.
    func manualMerges(app: AppScope) throws(StoreError) -> [ManualMerge]
    /// Returns the merges by hand whose reports a leak counts, newest first.
    func manualMerges(into leak: LeakID) throws(StoreError) -> [ManualMerge]
    /// Returns a merge by hand; `nil` if there is no such merge, for example because it was undone.
    func manualMerge(_ number: Int64) throws(StoreError) -> ManualMerge?
    /// Returns the data that ``Store/forget(_:audit:while:)`` would delete; `nil` if the target does not exist.
    func forgetCounts(of target: ForgetTarget) throws(StoreError) -> ForgetCounts?
    /// Returns the data that ``Store/expire(now:while:)`` would delete or combine by a rule, for each app that has any.
    func retentionCounts(by rule: RetentionRule, now: Int64) throws(StoreError) -> [RetentionCounts]
    /// Returns the discarded leaks of an app, or of all apps, in an environment, most recently discarded first.
    func discardedLeaks(app: AppScope) throws(StoreError) -> [DiscardedLeak]
    /// Returns the versions of the grouping rules of an app, newest first; empty if it never had any.
    func rules(of app: String, limit: Int) throws(StoreError) -> [AppRules]
    /// Returns the newest version of the rules of each app that has any.
    func currentRules() throws(StoreError) -> [AppRules]
    /// Returns a value that changes with every change of the rules of any app.
    func rulesVersion() throws(StoreError) -> RulesVersion
    /// Returns a value that changes with every upload and removal of symbols.
    func symbolsVersion() throws(StoreError) -> SymbolsVersion
    /// Returns the symbols of all images, newest upload first.
    func symbols() throws(StoreError) -> [StoredSymbols]
    /// Returns the compressed table of an upload; `nil` if it does not exist any more.
    func symbolTable(_ rowID: Int64) throws(StoreError) -> [UInt8]?
    /// Returns the ids of leaks whose path contains one of the texts. A frame without symbols contains the UUID of its image.
    /// Reads the paths of all leaks.
    func leaks(withFramesOf images: [String]) throws(StoreError) -> [LeakID]
    /// Returns the identity of a leak; `nil` if there is no such leak. Reads one row.
    func outline(of id: LeakID) throws(StoreError) -> LeakOutline?
    /// Returns other leaks of the same app that may be similar to a leak: of the same class, with one of the elements of its
    /// key, or with a class or text like its own. Empty for a leak that does not exist.
    ///
    /// Returns at most 62 leaks, found through indexes. Compares the classes of the 1,024 leaks before and the 1,024 leaks after
    /// the leak, in the order of class names. For a leak without a class, compares the texts of 512 other leaks.
    func outlines(similarTo id: LeakID) throws(StoreError) -> [LeakOutline]
    /// Returns the numbers at the top of the summary page.
    func overview(app: AppScope, period: Period, now: Int64) throws(StoreError) -> Overview
    /// Returns the releases of an app, newest version first: ``ReleaseSummary/maxListed``, then the current release and the release
    /// ``StoreLimits/other`` if they are not among them.
    func releases(app: AppKey) throws(StoreError) -> [ReleaseSummary]
    /// Compares the rates of a version's leaks with those of an earlier version.
    ///
    /// - Returns: `nil` if no report, session or check of the version, or of its build, was ever received.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for a baseline that is not older than the version, and for a build of
    ///   the baseline without reports.
    func releaseCheck(_ query: ReleaseCheckQuery, now: Int64) throws(StoreError) -> ReleaseCheck?
    /// Returns every credential that is neither revoked nor expired; with `includingEnded`, returns revoked and expired
    /// credentials too.
    func credentials(includingEnded: Bool, now: Int64) throws(StoreError) -> [Credential]
    /// Returns the entries of the audit log with a lower id than `id`, newest first.
    func auditEntries(before id: Int64, limit: Int) throws(StoreError) -> [AuditEntry]
    /// Returns listed events.
    func events(_ query: EventQuery) throws(StoreError) -> [Event]
    /// Returns apps in the order of their row IDs, with the state of their data.
    func eventMarks(after appRowID: Int64, limit: Int) throws(StoreError) -> [EventMark]
    /// Returns the numbers of items beyond each limit that was reached.
    func overLimitCounts(app: AppScope) throws(StoreError) -> [OverLimitCount]
    /// Returns the resolved leaks of an app for which no event was recorded since the decision: ``Event/Kind/regressed`` for a
    /// leak that regressed, ``Event/Kind/fixed`` for all others. In the order of their row IDs.
    func resolvedLeaks(
        withoutEventOf app: AppKey, after leakRowID: Int64, limit: Int
    ) throws(StoreError) -> [ResolvedLeak]
    /// Returns a number that changes whenever another connection commits.
    func changeCounter() throws(StoreError) -> Int64
    /// `true` if ``changeCounter()`` takes only microseconds, because it does not query a server. It may then be called before
    /// each read, to reuse cached results while the number stays the same.
    var hasLocalChangeCounter: Bool { get }
    /// Returns the size of the database in bytes, with all its tables and indexes.
    func databaseBytes() throws(StoreError) -> Int
    /// Checks that the store answers, by reading one row.
    func ping() throws(StoreError)
}

extension StoreReader {
    /// Returns the numbers at the top of the summary page, with those of the last 24 hours.
    public func overview(app: AppScope, now: Int64) throws(StoreError) -> Overview {
        try overview(app: app, period: .day, now: now)
    }
}

extension StoreReader {
    /// Returns the count of reports beyond the limit of apps (``StoreLimits/appsPerKey``), if they may include reports of this
    /// app. An app that was never stored may have been beyond the limit: its reports then count as the app
    /// ``StoreLimits/other``.
    ///
    /// - Returns: `nil` for all apps, for an app that was stored, and if the limit was not reached in the environment.
    package func reachedAppLimit(hiding app: AppScope, now: Int64) throws(StoreError) -> OverLimitCount? {
        guard let key = app.key, key.name != StoreLimits.other,
            try !apps(in: app.environment).contains(where: { AppKey($0, environment: app.environment) == key }
            )
        else { return nil }
        let other = AppScope(StoreLimits.other, environment: app.environment)
        return try overview(app: other, now: now).overLimit.first { $0.limit == .apps }
    }
}
