/// Where leaks are counted and kept. Writing happens on one thread; each reader belongs to one thread as well.
///
/// Every call blocks until the disk or the database has answered.
public protocol Store: Sendable {
    /// Counts submissions in one transaction: from the first on, as many as it takes without holding others up.
    ///
    /// - Parameters:
    ///   - submissions: in order of arrival; of two with the same idempotency key the first counts.
    ///   - now: milliseconds since 1970.
    /// - Returns: receipts of the first submissions, one at least, in order, once the transaction is on disk. The
    ///   others were not touched; another call takes them.
    /// - Throws: ``StoreError`` when nothing at all was counted.
    func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt]

    /// Keeps what earlier commits have left in a form that is quick to write from growing; short, and often nothing.
    ///
    /// For the thread that counts, once its answers are out: what was counted stays counted whatever comes of this.
    ///
    /// - Throws: ``StoreError`` when nothing was tidied; a later call tries again.
    func tidy(now: Int64) throws(StoreError)

    /// Deletes what is kept for a time only: idempotency keys after 7 days, hours and reports after 90, sign-in links
    /// and sessions that are used, revoked or expired. Keys and tokens stay, to be told apart from unknown ones.
    ///
    /// A clock that is more than a day ahead of the time known before is not followed until it has stayed so for a day
    /// of running time: see ``ClockRule``.
    ///
    /// In steps of a few milliseconds, between which other calls have their turn.
    ///
    /// - Parameter isWanted: asked before each step; what is left once it is not wanted goes with a later call.
    /// - Returns: how far the clock is ahead, and how long rows that seem old are kept because of it; `nil` where the
    ///   clock is followed.
    /// - Throws: ``StoreError`` for the first step that failed; those before it are done.
    @discardableResult
    func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) -> ClockWait?

    /// Forgets an install: the samples that it sent, and its place in exact sets of installs. In steps of a few
    /// milliseconds, between which other calls have their turn; what is erased again changes nothing.
    ///
    /// - Parameters:
    ///   - install: ``Submission/Origin/installHash``.
    ///   - isWanted: asked before each step.
    /// - Returns: `nil` once it was not wanted any more; what the steps before have erased stays so.
    /// - Throws: ``StoreError`` for the first step that failed; those before it are done.
    func erase(install: UInt64, while isWanted: () -> Bool) throws(StoreError) -> Erased?

    /// - Returns: the credential with its id.
    /// - Throws: ``StoreError/Reason/invalidArgument`` when one with its hash is or was there.
    func add(_ credential: Credential) throws(StoreError) -> Credential
    /// Revokes a credential, and the sessions that were opened with it.
    ///
    /// - Returns: whether there was such a credential, not revoked before.
    func revoke(credential id: Int64, now: Int64) throws(StoreError) -> Bool
    /// Marks a sign-in link as used.
    ///
    /// - Returns: whether this call was the one that used it.
    func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool

    /// Writes down what somebody decided about a leak. What it comes to is read from the counts: see ``Standing``.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: the decision as stored; `nil` when there is no such leak.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for a note, a name, a version or a limit that cannot be.
    func decide(_ decision: Decision, about leak: LeakID, now: Int64) throws(StoreError) -> PastDecision?

    /// Merges leaks into another leak of their app: all counts, sets of installs, kept reports, decisions and history. The
    /// most recent decision about any of them holds for the merged leak. Readers find the merged leak by the old ids:
    /// ``StoreReader/target(ofMerged:)``.
    ///
    /// In one transaction, beside whatever else counts. Reports that come later with an old id make a leak of their own.
    ///
    /// - Parameters:
    ///   - sources: those that are not there, and the target itself, are passed over.
    ///   - target: where no leak has its id, the source with the most reports gets that id, class and path.
    ///   - author: names who merges in the history.
    ///   - note: the text of the entry that the history of the merged leak gets.
    /// - Returns: `nil` when no source is there.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for leaks of several apps, and for a note that cannot be.
    func merge(
        _ sources: [LeakID], into target: LeakIdentity, by author: String, now: Int64,
        note: @Sendable (LeakMerge) -> String
    ) throws(StoreError) -> LeakMerge?

    /// Writes down what the frames of a leak are named now: title, class, path and key, for a leak whose id stays.
    ///
    /// - Returns: whether there is such a leak.
    func rewrite(_ identity: LeakIdentity) throws(StoreError) -> Bool

    /// Stores the symbols of an image, in the place of what was uploaded for it before.
    ///
    /// - Parameters:
    ///   - symbols: without number and size.
    ///   - body: the compressed table.
    func put(_ symbols: StoredSymbols, body: [UInt8]) throws(StoreError) -> SymbolsStored
    /// Deletes the symbols of an image.
    ///
    /// - Returns: whether there were any.
    func removeSymbols(_ kind: StoredSymbols.Kind, of image: String) throws(StoreError) -> Bool
    /// Notes that reports needed symbols, so that they are kept: ``Retention/symbolDays``.
    ///
    /// - Parameter rows: ``StoredSymbols/id``.
    func noteUse(ofSymbols rows: [Int64], now: Int64) throws(StoreError)

    /// Gives a credential another name.
    ///
    /// - Returns: whether there is such a one, not revoked.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for a name that is empty, longer than ``Decision/nameBytes``, or has
    ///   control characters.
    func setName(ofCredential id: Int64, to name: String) throws(StoreError) -> Bool

    /// Checks that what is kept can be read, and that every total is the sum of its parts. Reads everything; others may
    /// go on writing meanwhile.
    ///
    /// - Returns: what is wrong, one line each; empty when nothing is.
    func verify() throws(StoreError) -> [String]

    /// The damage, or the sign of it, because of which nothing is written; `nil` when there is none. Cheap; any thread may
    /// ask.
    var damage: StoreError? { get }

    /// The check of the whole database that confirms or dispels a sign of damage; `nil` when none is due. For a thread of
    /// its own: it takes seconds for a large file.
    var examination: (@Sendable () -> Void)? { get }

    /// A view of what is committed, for one thread.
    ///
    /// - Parameter known: leaks that it shows apart.
    func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader
}

extension Store {
    public var damage: StoreError? { nil }
    public var examination: (@Sendable () -> Void)? { nil }

    /// A view in which no leak is known to be the system's.
    public func makeReader() throws(StoreError) -> any StoreReader { try makeReader(known: .none) }
}

extension Store {
    /// Deletes all that has expired.
    @discardableResult
    public func expire(now: Int64) throws(StoreError) -> ClockWait? { try expire(now: now, while: { true }) }

    /// Forgets an install to the end.
    public func erase(install: UInt64) throws(StoreError) -> Erased {
        try erase(install: install, while: { true }) ?? Erased()
    }
}

/// What was erased of one install.
public struct Erased: Hashable, Sendable {
    /// Reports that were kept.
    public var samples = 0
    /// Sets that counted it: of leaks, builds, releases, and of the last day.
    public var sets = 0
    /// Whether the log that commits are written to first still holds what was erased, until it is overwritten: a reader
    /// kept it from being emptied. Erasing again tries again.
    public var isLeftInLog = false

    public init() {}
}

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
    /// Other leaks of the same app that may be close to a leak: of the same class, or with one of the elements of its key. At
    /// most 50, found through indexes; none for a leak that is not there.
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

/// Why the store could not do what was asked.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// The file is not a database of ours.
        case notADatabase
        /// Written by a later version of the collector.
        case newerSchema(found: Int, known: Int)
        case readOnly
        case locked
        case diskFull
        /// As large as ``StoreLimits/databaseBytes`` lets it be.
        case databaseFull
        /// An argument that cannot be: a cursor that no page of ours gave out, a secret that is there already.
        case invalidArgument
        /// A row cannot be read back as written, or SQLite finds the file malformed.
        case corrupt
        /// The file is damaged or is not the one that was opened; nothing is written to it any more.
        case damaged
        /// There is no database where there was one.
        case missing
        /// The database cannot be reached; nothing was counted.
        case unavailable
        /// The connection broke while the transaction was being committed: it is on disk, or nothing of it is. An
        /// idempotency key tells, when the same request comes again.
        case uncertain
        case other
    }

    public var reason: Reason
    /// One line: what is wrong and what to do.
    public var description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
