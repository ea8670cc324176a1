/// A database that counts and stores leaks. Any thread may call it, and each reader is used by one thread.
///
/// Every call blocks until the disk or the database has answered.
public protocol Store: Sendable {
    /// Counts some or all of the submissions in one transaction, from the first on: as many as one transaction can count
    /// without delaying other calls.
    ///
    /// - Parameters:
    ///   - submissions: submissions in order of arrival. If two have the same idempotency key, only the first counts.
    ///   - now: milliseconds since 1970.
    /// - Returns: receipts of the first submissions, at least one, in order, once the transaction is on disk. The other
    ///   submissions were not processed; pass them to another call.
    /// - Throws: ``StoreError`` if nothing was counted, or if that is unknown: ``StoreError/Reason/uncertain``.
    func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt]

    /// Limits the size of data that earlier commits have written in a temporary form, such as a write-ahead log. Takes little
    /// time, and often does nothing.
    ///
    /// Called by the thread that counts, after it has sent its responses. A failure does not undo counts.
    ///
    /// - Throws: ``StoreError`` if the call failed. Then nothing was changed, and a later call tries again.
    func checkpointIfNeeded(now: Int64) throws(StoreError)

    /// Deletes expired data:
    /// - idempotency keys and recent installs after 7 days;
    /// - counts by hour, and counts of apps by day, after 90 days;
    /// - samples after ``RetentionRule/sampleDays``, and symbols that no report needed for ``RetentionRule/symbolDays``;
    /// - leaks and versions that were not seen for ``RetentionRule/unseenDays``;
    /// - sign-in links and sessions that are used, revoked or expired;
    /// - entries of the audit log after two years, and events after ``Event/maxDays``.
    ///
    /// Revoked keys and tokens stay, to distinguish them from unknown secrets. Adds the counts of ten-minute slots that are older
    /// than a day to the counts of their apps by day, and combines counts of leaks by day that are older than
    /// ``RetentionRule/dailyDays`` to counts by week. Then evicts names of apps that are near a limit: ``EvictionRule``.
    ///
    /// A system clock that is more than a day ahead of the last known time is not accepted until it has been ahead for a day of
    /// running time: see ``ClockRule``.
    ///
    /// Runs in steps of a few milliseconds, between which other calls run.
    ///
    /// - Parameter isWanted: called before each step; if it returns `false`, the function returns without the remaining steps.
    /// - Returns: the wait for a confirmation of the system clock; `nil` if the system clock is accepted.
    /// - Throws: ``StoreError`` for the first step that failed. The steps before it are not undone.
    @discardableResult
    func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) -> ClockWait?

    /// Erases an install: deletes the samples that it sent, and removes it from exact sets of installs. Runs in steps of a few
    /// milliseconds, between which other calls run; erasing again changes nothing.
    ///
    /// - Parameters:
    ///   - install: ``Submission/Origin/installHash``.
    ///   - entry: the entry for the audit log, which the first step writes.
    ///   - isWanted: called before each step.
    /// - Returns: `nil` if `isWanted` returned `false`. Earlier steps are not undone.
    /// - Throws: ``StoreError`` for the first step that failed. The steps before it are not undone.
    func erase(install: UInt64, audit entry: AuditEntry?, while isWanted: () -> Bool) throws(StoreError)
        -> ErasureResult?

    /// Deletes a leak, a version, an environment, an app, or the data that an ingest key made, together with their reports in all
    /// counts, their sets of installs, samples and decisions. Runs in steps of a few milliseconds, between which other calls run.
    /// After each step, every total is the sum of its parts; a repeated call deletes what an interrupted call has left.
    ///
    /// A leak or version that is reported again afterwards is a new one. A leak that was also seen in other versions stays, with
    /// its decisions. The counts of such a leak that are not stored by version are reduced in proportion to its reports: its
    /// reports by system and by model, the times for which its objects stayed, and the number of received reports. Counts of its
    /// explanations stay. So do the installs of the ten-minute slots and days of the app, which are not stored by leak or
    /// version: the numbers of devices of the last 24 hours and 90 days may be too high for this time.
    ///
    /// - Parameters:
    ///   - entry: the entry for the audit log, which the first step that deletes something writes.
    ///   - isWanted: called before each step.
    /// - Returns: the deleted data, empty if the target does not exist; `nil` if `isWanted` returned `false`. Earlier steps are
    ///   not undone.
    /// - Throws: ``StoreError`` for the first step that failed. The steps before it are not undone.
    func forget(
        _ target: ForgetTarget, audit entry: AuditEntry?, while isWanted: () -> Bool
    ) throws(StoreError) -> ForgetCounts?

    /// Drops the later reports of a leak, and the later reports of the leaks that were merged into it. They are counted only as
    /// dropped reports of their app, with the reason ``DiscardedLeak/reason``. The leak itself stays until it is deleted.
    ///
    /// - Parameter author: ``DiscardedLeak/by``
    /// - Returns: `false` if there is no such leak.
    /// - Throws: ``StoreError/Reason/invalidArgument`` if too many leaks of the app are discarded, and for a leak that counts
    ///   reports beyond a limit.
    func discard(
        _ leak: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> Bool
    /// Counts the later reports of a discarded leak again.
    ///
    /// - Parameter leak: an id of the discarded leak.
    /// - Returns: `false` if no such leak is discarded.
    func accept(_ leak: LeakID, audit entry: AuditEntry?) throws(StoreError) -> Bool

    /// Stores a credential.
    ///
    /// - Parameter entry: the entry for the audit log, which is written in the same transaction, here and in the functions below,
    ///   if anything is changed. A space and the id of the credential are appended to ``AuditEntry/object``.
    /// - Returns: the credential with its id.
    /// - Throws: ``StoreError/Reason/invalidArgument`` if a credential with its hash exists or existed.
    func add(_ credential: Credential, audit entry: AuditEntry?) throws(StoreError) -> Credential
    /// Revokes a credential, and the sessions that were opened with it.
    ///
    /// - Returns: `true` if there was such a credential and it was not revoked already.
    func revoke(credential id: Int64, audit entry: AuditEntry?, now: Int64) throws(StoreError) -> Bool
    /// Marks a sign-in link as used.
    ///
    /// - Returns: `true` if this call marked it; `false` if it was used before, has expired or does not exist.
    func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool

    /// Stores a decision about a leak for all environments of its app. The effect of the decision is computed from the counts
    /// when it is read: see ``DecisionStatus``.
    ///
    /// - Parameters:
    ///   - leaks: the leak in one environment, whose ``LeakDetail/referenceVersion`` the decision may refer to, then the same
    ///     leak in the other environments. Environments in which the leak does not exist are skipped.
    ///   - now: milliseconds since 1970.
    /// - Returns: the decision as stored; `nil` if the first leak does not exist.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for an invalid note, name, version or limit.
    func decide(
        _ decision: Decision, about leaks: [LeakID], audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> PastDecision?

    /// Merges leaks into another leak of their app: all counts, sets of installs, samples and decisions. The most recent
    /// decision about any of the leaks applies to the merged leak. Readers find the merged leak by the old ids:
    /// ``StoreReader/target(ofMerged:)``.
    ///
    /// Runs in one transaction; reports may be counted meanwhile. A later report with an old id creates a leak again.
    ///
    /// - Parameters:
    ///   - sources: the leaks to merge. Leaks that do not exist, and the target itself, are ignored.
    ///   - target: the leak to merge into. If no leak has its id, the source with the most reports gets its id, class and path.
    ///   - author: the name of the author for the history.
    ///   - note: returns the text of the note that is added to the history of the merged leak.
    /// - Returns: `nil` if no source exists, and if the target is discarded: its reports would be dropped.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for leaks of several apps or environments, and for an invalid note or
    ///   name.
    func merge(
        _ sources: [LeakID], into target: LeakIdentity, by author: String, audit entry: AuditEntry?,
        now: Int64,
        note: @Sendable (LeakMerge) -> String
    ) throws(StoreError) -> LeakMerge?

    /// Merges a leak into another leak of its app by the choice of a person. Later reports of the merged leak count for the
    /// target, also in other collectors. Keeps a copy of both leaks, so that the merge can be undone:
    /// ``undoMerge(_:by:audit:now:)``.
    ///
    /// Runs in one transaction; reports may be counted meanwhile. As in a merge by rule, the most recent decision about one of
    /// the leaks is in force, and the old id leads to the target. A leak that was merged without a module gets no reports that
    /// name one: they belong to a leak of their module.
    ///
    /// - Parameters:
    ///   - target: the id of the leak to merge into, or of a leak that was merged into it.
    ///   - author: the name of the author for the history.
    /// - Returns: `nil` if there is no leak `source`.
    /// - Throws: ``StoreError/Reason/invalidArgument`` if the target does not exist or is the same leak, for leaks of different
    ///   apps or environments, for a discarded leak, for a leak that counts reports beyond a limit, and if
    ///   ``ManualMerge/maxPerApp`` leaks of the app are merged already.
    func mergeByHand(
        _ source: LeakID, into target: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> ManualMerge?

    /// Undoes a merge by hand. The merged leak gets its id, class, path, counts, sets of installs, samples and decisions back,
    /// as they were before the merge, without what was deleted or has expired since. Reports since the merge stay with the
    /// target. An install that had the merged leak, and that reported either leak since, may be missing in the installs of the
    /// target until its next report. The merged leak is counted by itself from then on.
    ///
    /// - Parameter number: ``ManualMerge/number``.
    /// - Returns: `nil` if there is no such merge.
    /// - Throws: ``StoreError/Reason/invalidArgument`` if a newer merge into the same leak must be undone first, which the text
    ///   names; if the target is discarded; and if the target has no reports of its own.
    func undoMerge(
        _ number: Int64, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> UndoneMerge?

    /// Saves a version of the grouping rules of an app. The store does not read the rules: reports come with the group that they
    /// have by them.
    ///
    /// - Parameters:
    ///   - text: the rules, a line each; empty for no rules.
    ///   - version: the version that the text replaces; `nil` replaces any.
    ///   - origin: the author, for the version and for the entry in the audit log.
    func saveRules(
        _ text: String, of app: String, basedOn version: Int?, by origin: ChangeOrigin, now: Int64
    ) throws(StoreError) -> RulesOutcome

    /// Replaces the title, class, path and key of a leak, for example after its frames were symbolicated. The id of the leak
    /// stays.
    ///
    /// - Returns: `true` if there is such a leak.
    func rewrite(_ identity: LeakIdentity) throws(StoreError) -> Bool

    /// Stores the symbols of an image, and replaces an earlier upload for it.
    ///
    /// - Parameters:
    ///   - symbols: ``StoredSymbols/id`` and ``StoredSymbols/bytes`` are ignored.
    ///   - body: the compressed table.
    func put(
        _ symbols: StoredSymbols, body: [UInt8], audit entry: AuditEntry?
    ) throws(StoreError) -> SymbolUploadResult
    /// Deletes the symbols of an image.
    ///
    /// - Returns: `true` if there were any.
    func removeSymbols(
        _ kind: StoredSymbols.Kind, of image: String, audit entry: AuditEntry?
    ) throws(StoreError) -> Bool
    /// Records that reports needed symbols, so that the symbols are kept for ``RetentionRule/symbolDays`` from now on.
    ///
    /// - Parameter rowIDs: ``StoredSymbols/id``.
    func recordUse(ofSymbols rowIDs: [Int64], now: Int64) throws(StoreError)

    /// Pins the current release of an app in an environment, or removes the pin: ``CurrentRelease``.
    ///
    /// - Parameters:
    ///   - version: `nil` removes the pin.
    ///   - author: ``ReleaseSummary/Pin/by``
    ///   - now: milliseconds since 1970.
    /// - Returns: `false` if there is no such app or version.
    func pin(
        _ version: String?, of app: AppKey, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> Bool

    /// Renames a credential.
    ///
    /// - Returns: `true` if there is such a credential and it is not revoked.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for a name that is empty, longer than ``Decision/maxNameBytes``, or has
    ///   control characters.
    func setName(
        ofCredential id: Int64, to name: String, audit entry: AuditEntry?
    ) throws(StoreError) -> Bool

    /// Adds events. An event that equals a stored event in kind, app, version, build and key is left out; so is an event of a leak
    /// of whose merged leaks one has an event of the same kind and version. Readers never see an event before an event with a
    /// lower id.
    ///
    /// - Parameter mark: the data from which the events follow, of one app; nothing is added if the app does not exist any more.
    ///   The events of an app with an empty ``EventMark/recordedState`` are not listed. `nil` for events that do not follow from
    ///   stored data.
    /// - Returns: the number of events that were added.
    func record(_ events: [Event], mark: EventMark?) throws(StoreError) -> Int

    /// Claims a notification channel, so that no other process sends to it for ``ChannelPosition/claimMilliseconds``. A channel that
    /// is claimed for the first time begins after the newest event.
    ///
    /// - Parameters:
    ///   - channel: the key of the channel.
    ///   - sender: a number that distinguishes this process from others.
    ///   - now: milliseconds since 1970.
    /// - Returns: the position of the channel; `nil` if another process has claimed it.
    func claim(channel: String, by sender: Int64, now: Int64) throws(StoreError) -> ChannelPosition?
    /// Stores the position of a channel after its message was accepted.
    ///
    /// - Returns: `false` if another process has claimed the channel since. Then nothing was changed.
    func move(channel: String, to position: ChannelPosition, by sender: Int64) throws(StoreError) -> Bool

    /// Checks that stored data can be read, and that every total is the sum of its parts. Reads the whole database; other calls
    /// may write meanwhile.
    ///
    /// - Returns: the problems, one line each; empty if there are none.
    func verify() throws(StoreError) -> [String]

    /// The damage, or the sign of damage, because of which the store does not write; `nil` if there is no such sign. Fast, and
    /// can be read on any thread.
    var damage: StoreError? { get }

    /// A check of the whole database that confirms or refutes a sign of damage; `nil` if none is due. Takes seconds for a large
    /// file, so run it on a thread of its own.
    var integrityCheck: (@Sendable () -> Void)? { get }

    /// Returns a reader of committed data, for one thread.
    ///
    /// - Parameter known: the rules for known leaks, which lists show separately.
    func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader
}

extension Store {
    public var damage: StoreError? { nil }
    public var integrityCheck: (@Sendable () -> Void)? { nil }

    /// Returns a reader without rules for known leaks.
    public func makeReader() throws(StoreError) -> any StoreReader { try makeReader(known: .none) }
}

extension Store {
    /// Stores a decision about a leak in one environment.
    public func decide(_ decision: Decision, about leak: LeakID, now: Int64) throws(StoreError)
        -> PastDecision?
    {
        try decide(decision, about: [leak], audit: nil, now: now)
    }

    /// Deletes everything that has expired.
    @discardableResult
    public func expire(now: Int64) throws(StoreError) -> ClockWait? { try expire(now: now, while: { true }) }

    /// Deletes the data of a target completely.
    public func forget(_ target: ForgetTarget) throws(StoreError) -> ForgetCounts {
        try forget(target, audit: nil, while: { true }) ?? ForgetCounts()
    }

    /// Erases an install completely.
    public func erase(install: UInt64) throws(StoreError) -> ErasureResult {
        try erase(install: install, audit: nil, while: { true }) ?? ErasureResult()
    }
}

/// Changes without an entry in the audit log, for tests and changes that no person made.
extension Store {
    package func add(_ credential: Credential) throws(StoreError) -> Credential {
        try add(credential, audit: nil)
    }

    package func revoke(credential id: Int64, now: Int64) throws(StoreError) -> Bool {
        try revoke(credential: id, audit: nil, now: now)
    }

    package func setName(ofCredential id: Int64, to name: String) throws(StoreError) -> Bool {
        try setName(ofCredential: id, to: name, audit: nil)
    }

    package func decide(
        _ decision: Decision, about leaks: [LeakID], now: Int64
    ) throws(StoreError) -> PastDecision? {
        try decide(decision, about: leaks, audit: nil, now: now)
    }

    package func merge(
        _ sources: [LeakID], into target: LeakIdentity, by author: String, now: Int64,
        note: @Sendable (LeakMerge) -> String
    ) throws(StoreError) -> LeakMerge? {
        try merge(sources, into: target, by: author, audit: nil, now: now, note: note)
    }

    package func put(_ symbols: StoredSymbols, body: [UInt8]) throws(StoreError) -> SymbolUploadResult {
        try put(symbols, body: body, audit: nil)
    }

    package func removeSymbols(_ kind: StoredSymbols.Kind, of image: String) throws(StoreError) -> Bool {
        try removeSymbols(kind, of: image, audit: nil)
    }

    package func pin(
        _ version: String?, of app: AppKey, by author: String, now: Int64
    ) throws(StoreError) -> Bool {
        try pin(version, of: app, by: author, audit: nil, now: now)
    }

    package func erase(install: UInt64, while isWanted: () -> Bool) throws(StoreError) -> ErasureResult? {
        try erase(install: install, audit: nil, while: isWanted)
    }
}
