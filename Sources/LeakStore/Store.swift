/// Counts and stores leaks. Writing happens on one thread; each reader belongs to one thread as well.
///
/// Every call blocks until the disk or the database has answered.
public protocol Store: Sendable {
    /// Counts submissions in one transaction: from the first on, as many as it takes without delaying other calls.
    ///
    /// - Parameters:
    ///   - submissions: in order of arrival; of two with the same idempotency key the first counts.
    ///   - now: milliseconds since 1970.
    /// - Returns: receipts of the first submissions, at least one, in order, once the transaction is on disk. The other submissions
    ///   were not processed; pass them to another call.
    /// - Throws: ``StoreError`` if nothing was counted.
    func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt]

    /// Limits the data that earlier commits have left in a form that is quick to write. Takes little time, and often does nothing.
    ///
    /// Called by the thread that counts, after its answers are sent. A failure does not undo what was counted.
    ///
    /// - Throws: ``StoreError`` if nothing was changed; a later call retries.
    func checkpointIfNeeded(now: Int64) throws(StoreError)

    /// Deletes expired data: idempotency keys after 7 days, hours and samples after 90, symbols that were not needed for 100, sign-in
    /// links and sessions that are used, revoked or expired. Keys and tokens stay, so that they can be told from unknown ones.
    ///
    /// A clock that is more than a day ahead of the time known before is not followed until it has stayed so for a day of running
    /// time: see ``ClockRule``.
    ///
    /// Runs in steps of a few milliseconds, between which other calls run.
    ///
    /// - Parameter isWanted: called before each step; if it returns `false`, the rest is left to a later call.
    /// - Returns: the distance of the clock, and the time for which rows that seem old are kept because of it; `nil` if the clock
    ///   is followed.
    /// - Throws: ``StoreError`` for the first step that failed; the steps before it are done.
    @discardableResult
    func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) -> ClockWait?

    /// Erases an install: the samples that it sent, and its place in exact sets of installs. Runs in steps of a few milliseconds,
    /// between which other calls run; erasing again changes nothing.
    ///
    /// - Parameters:
    ///   - install: ``Submission/Origin/installHash``.
    ///   - isWanted: called before each step.
    /// - Returns: `nil` if `isWanted` returned `false`; what the steps before have erased stays erased.
    /// - Throws: ``StoreError`` for the first step that failed; the steps before it are done.
    func erase(install: UInt64, while isWanted: () -> Bool) throws(StoreError) -> ErasureResult?

    /// - Returns: the credential with its id.
    /// - Throws: ``StoreError/Reason/invalidArgument`` if a credential with its hash exists or existed.
    func add(_ credential: Credential) throws(StoreError) -> Credential
    /// Revokes a credential, and the sessions that were opened with it.
    ///
    /// - Returns: `true` if there was such a credential, not revoked before.
    func revoke(credential id: Int64, now: Int64) throws(StoreError) -> Bool
    /// Marks a sign-in link as used.
    ///
    /// - Returns: `true` if this call used it.
    func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool

    /// Stores a decision about a leak, in all environments at once. Its effect is computed from the counts: see
    /// ``DecisionStatus``.
    ///
    /// - Parameters:
    ///   - leaks: the leak in one environment, whose newest version the decision may refer to, then in the others. Of these, leaks
    ///     that do not exist are skipped.
    ///   - now: milliseconds since 1970.
    /// - Returns: the decision as stored; `nil` if the first leak does not exist.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for an invalid note, name, version or limit.
    func decide(_ decision: Decision, about leaks: [LeakID], now: Int64) throws(StoreError) -> PastDecision?

    /// Merges leaks into another leak of their app: all counts, sets of installs, kept reports, decisions and history. The
    /// most recent decision about any of them holds for the merged leak. Readers find the merged leak by the old ids:
    /// ``StoreReader/target(ofMerged:)``.
    ///
    /// Runs in one transaction; reports may be counted meanwhile. A later report with an old id creates a leak again.
    ///
    /// - Parameters:
    ///   - sources: the leaks to merge. Leaks that do not exist, and the target itself, are ignored.
    ///   - target: the leak to merge into. If no leak has its id, the source with the most reports gets its id, class and path.
    ///   - author: the name of the author for the history.
    ///   - note: the text of the entry that the history of the merged leak gets.
    /// - Returns: `nil` if no source exists.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for leaks of several apps, and for an invalid note.
    func merge(
        _ sources: [LeakID], into target: LeakIdentity, by author: String, now: Int64,
        note: @Sendable (LeakMerge) -> String
    ) throws(StoreError) -> LeakMerge?

    /// Stores the current names of a leak's frames: title, class, path and key. The id of the leak stays.
    ///
    /// - Returns: `true` if there is such a leak.
    func rewrite(_ identity: LeakIdentity) throws(StoreError) -> Bool

    /// Stores the symbols of an image, and replaces an earlier upload for it.
    ///
    /// - Parameters:
    ///   - symbols: without number and size.
    ///   - body: the compressed table.
    func put(_ symbols: StoredSymbols, body: [UInt8]) throws(StoreError) -> SymbolsStored
    /// Deletes the symbols of an image.
    ///
    /// - Returns: `true` if there were any.
    func removeSymbols(_ kind: StoredSymbols.Kind, of image: String) throws(StoreError) -> Bool
    /// Records that reports needed symbols, so that they are kept: ``Retention/symbolDays``.
    ///
    /// - Parameter rows: ``StoredSymbols/id``.
    func recordUse(ofSymbols rows: [Int64], now: Int64) throws(StoreError)

    /// Renames a credential.
    ///
    /// - Returns: `true` if there is such a credential, not revoked.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for a name that is empty, longer than ``Decision/nameBytes``, or has control
    ///   characters.
    func setName(ofCredential id: Int64, to name: String) throws(StoreError) -> Bool

    /// Checks that stored data can be read, and that every total is the sum of its parts. Reads everything; other calls may write
    /// meanwhile.
    ///
    /// - Returns: the problems, one line each; empty if there are none.
    func verify() throws(StoreError) -> [String]

    /// The damage, or the sign of damage, because of which nothing is written; `nil` if there is none. Cheap; any thread may call
    /// it.
    var damage: StoreError? { get }

    /// The check of the whole database that confirms or refutes a sign of damage; `nil` if none is due. For a thread of its own:
    /// it takes seconds for a large file.
    var integrityCheck: (@Sendable () -> Void)? { get }

    /// Returns a reader of committed data, for one thread.
    ///
    /// - Parameter known: leaks that it shows separately.
    func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader
}

extension Store {
    public var damage: StoreError? { nil }
    public var integrityCheck: (@Sendable () -> Void)? { nil }

    /// Returns a reader for which no leak is known to be the system's.
    public func makeReader() throws(StoreError) -> any StoreReader { try makeReader(known: .none) }
}

extension Store {
    /// Stores a decision about a leak in one environment.
    public func decide(_ decision: Decision, about leak: LeakID, now: Int64) throws(StoreError)
        -> PastDecision?
    {
        try decide(decision, about: [leak], now: now)
    }

    /// Deletes everything that has expired.
    @discardableResult
    public func expire(now: Int64) throws(StoreError) -> ClockWait? { try expire(now: now, while: { true }) }

    /// Erases an install completely.
    public func erase(install: UInt64) throws(StoreError) -> ErasureResult {
        try erase(install: install, while: { true }) ?? ErasureResult()
    }
}
