@testable import LeakStore

/// A store that forwards every call to another store unless it implements the call itself.
protocol ForwardingStore: Store {
    var store: any Store { get }
}

extension ForwardingStore {
    func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
        try store.count(submissions, now: now)
    }
    func checkpointIfNeeded(now: Int64) throws(StoreError) { try store.checkpointIfNeeded(now: now) }
    func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) -> ClockWait? {
        try store.expire(now: now, while: isWanted)
    }
    func erase(
        install: UInt64, audit entry: AuditEntry?, while isWanted: () -> Bool
    ) throws(StoreError) -> ErasureResult? {
        try store.erase(install: install, audit: entry, while: isWanted)
    }
    func forget(
        _ target: ForgetTarget, audit entry: AuditEntry?, while isWanted: () -> Bool
    ) throws(StoreError) -> ForgetCounts? {
        try store.forget(target, audit: entry, while: isWanted)
    }
    func add(_ credential: Credential, audit entry: AuditEntry?) throws(StoreError) -> Credential {
        try store.add(credential, audit: entry)
    }
    func revoke(credential id: Int64, audit entry: AuditEntry?, now: Int64) throws(StoreError) -> Bool {
        try store.revoke(credential: id, audit: entry, now: now)
    }
    func pin(
        _ version: String?, of app: AppKey, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> Bool {
        try store.pin(version, of: app, by: author, audit: entry, now: now)
    }
    func setName(
        ofCredential id: Int64, to name: String, audit entry: AuditEntry?
    ) throws(StoreError) -> Bool {
        try store.setName(ofCredential: id, to: name, audit: entry)
    }
    func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool {
        try store.useOnce(hash: hash, now: now)
    }
    func decide(
        _ decision: Decision, about leaks: [LeakID], audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> PastDecision? {
        try store.decide(decision, about: leaks, audit: entry, now: now)
    }
    func discard(
        _ leak: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> Bool {
        try store.discard(leak, by: author, audit: entry, now: now)
    }
    func accept(_ leak: LeakID, audit entry: AuditEntry?) throws(StoreError) -> Bool {
        try store.accept(leak, audit: entry)
    }
    func rewrite(_ identity: LeakIdentity) throws(StoreError) -> Bool { try store.rewrite(identity) }
    func put(
        _ symbols: StoredSymbols, body: [UInt8], audit entry: AuditEntry?
    ) throws(StoreError) -> SymbolUploadResult {
        try store.put(symbols, body: body, audit: entry)
    }
    func removeSymbols(
        _ kind: StoredSymbols.Kind, of image: String, audit entry: AuditEntry?
    ) throws(StoreError) -> Bool {
        try store.removeSymbols(kind, of: image, audit: entry)
    }
    func recordUse(ofSymbols rows: [Int64], now: Int64) throws(StoreError) {
        try store.recordUse(ofSymbols: rows, now: now)
    }
    func merge(
        _ sources: [LeakID], into target: LeakIdentity, by author: String, audit entry: AuditEntry?,
        now: Int64,
        note: @Sendable (LeakMerge) -> String
    ) throws(StoreError) -> LeakMerge? {
        try store.merge(sources, into: target, by: author, audit: entry, now: now, note: note)
    }
    func mergeByHand(
        _ source: LeakID, into target: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> ManualMerge? {
        try store.mergeByHand(source, into: target, by: author, audit: entry, now: now)
    }
    func undoMerge(
        _ number: Int64, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> UndoneMerge? {
        try store.undoMerge(number, by: author, audit: entry, now: now)
    }
    func saveRules(
        _ text: String, of app: String, basedOn version: Int?, by origin: ChangeOrigin, now: Int64
    ) throws(StoreError) -> RulesOutcome {
        try store.saveRules(text, of: app, basedOn: version, by: origin, now: now)
    }
    func record(_ events: [Event], mark: EventMark?) throws(StoreError) -> Int {
        try store.record(events, mark: mark)
    }
    func claim(channel: String, by sender: Int64, now: Int64) throws(StoreError) -> ChannelPosition? {
        try store.claim(channel: channel, by: sender, now: now)
    }
    func move(
        channel: String, to position: ChannelPosition, by sender: Int64
    ) throws(StoreError) -> Bool {
        try store.move(channel: channel, to: position, by: sender)
    }
    var damage: StoreError? { store.damage }
    var integrityCheck: (@Sendable () -> Void)? { store.integrityCheck }
    func verify() throws(StoreError) -> [String] { try store.verify() }
    func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader {
        try store.makeReader(known: known)
    }
}
