internal import LeakStore
internal import LeakPlatform

/// Periodic maintenance: loads new credentials, symbol tables and grouping rules, deletes and evicts old data, records events, and
/// watches the data folder and the database.
final class MaintenanceLoop: Sendable {
    /// Interval of the maintenance. The server knows a key that the command line created or revoked after about this time.
    static let interval: Duration = .seconds(1)
    /// Number of intervals between two deletions of old data: one hour.
    static let intervalsBetweenExpirations = 3600
    /// Number of intervals between two steps of ``EventEvaluator``. A step reads as much as a page, and a read makes the next commits
    /// of an SQLite store slower for half a second.
    private static let intervalsBetweenEventSteps = 5

    private let store: any Store
    private let authenticator: Authenticator
    private let symbolTables: SymbolTableCache
    private let rules: RulesCache
    /// `nil` if the database is PostgreSQL.
    private let folder: DataFolder?
    private let health: StoreHealth
    private let events: EventQueue
    private let knownLeaks: KnownLeaks
    private let leakFreeSessionsPercent: Double?
    private let log: Log
    private let now: @Sendable () -> Int64
    private let isStopping = Guarded(false)

    init(
        store: any Store, authenticator: Authenticator, symbolTables: SymbolTableCache, rules: RulesCache,
        folder: DataFolder?, health: StoreHealth, events: EventQueue, knownLeaks: KnownLeaks,
        leakFreeSessionsPercent: Double?,
        log: Log,
        now: @escaping @Sendable () -> Int64
    ) {
        self.store = store
        self.authenticator = authenticator
        self.symbolTables = symbolTables
        self.rules = rules
        self.folder = folder
        self.health = health
        self.events = events
        self.knownLeaks = knownLeaks
        self.leakFreeSessionsPercent = leakFreeSessionsPercent
        self.log = log
        self.now = now
    }

    func start() throws(StoreError) -> WorkerThread {
        // The reader is created here, but used only on the thread.
        nonisolated(unsafe) let reader = try store.makeReader(known: knownLeaks)
        return WorkerThread(name: "housekeeping") { [self] in
            var intervalCount = 0
            var counter: Int64?
            var damage: StoreError?
            let evaluator = unsafe EventEvaluator(
                store: store, reader: reader, leakFreeSessionsPercent: leakFreeSessionsPercent)
            repeat {
                if let folder { checkDataFolder(folder) }
                damage = logDamage(changedFrom: damage)
                counter = unsafe refreshCaches(reader, since: counter)
                if intervalCount % Self.intervalsBetweenExpirations == 0 { expire() }
                intervalCount += 1
                if !health.blocksReads, damage == nil {
                    recordEvents(
                        intervalCount % Self.intervalsBetweenEventSteps == 0 ? evaluator : nil)
                }
            } while !sleep()
            storeSymbolUse()
        }
    }

    func stop() {
        isStopping.with { $0 = true }
        isStopping.wakeAll()
    }

    /// Waits for one interval, or until the loop stops.
    ///
    /// - Returns: `true` if it is time to stop.
    private func sleep() -> Bool {
        isStopping.wait(timeout: Self.interval) { $0 ? true : nil } ?? false
    }

    /// Stores the time at which each symbol table was last used. The method runs before rows expire, because symbols that
    /// reports needed recently must not expire.
    private func storeSymbolUse() {
        do throws(StoreError) {
            try symbolTables.storeUse(now: now())
        } catch {
            log.warning(
                "the times when symbols were last used could not be stored; the collector will try again: \(error)"
            )
        }
    }

    private func expire() {
        storeSymbolUse()
        do {
            guard let wait = try store.expire(now: now(), while: { isStopping.with { !$0 } }) else { return }
            log.warning(Self.warning(of: wait))
        } catch {
            log.warning("expired data could not be deleted; the collector will try again: \(error)")
        }
    }

    /// Stores the events in the queue, and evaluates a part of an app.
    ///
    /// - Parameter evaluator: `nil` to evaluate nothing.
    private func recordEvents(_ evaluator: EventEvaluator?) {
        do throws(StoreError) {
            try events.store(in: store)
            _ = try evaluator?.runStep(now: now())
        } catch {
            // `refreshCaches` logs that the database is unreachable. Counts that cannot be read now are read in the next round.
            guard evaluator != nil, error.reason != .unavailable, error.reason != .locked else { return }
            log.warning("events could not be recorded; the collector will try again: \(error)")
        }
    }

    /// Returns the warning that nothing expires, because the clock is far ahead of the last known time.
    static func warning(of wait: ClockWait) -> String {
        "the clock is \(durationText(wait.aheadMilliseconds)) ahead of the last known time ("
            + "\(CivilTime(milliseconds: wait.lastKnownTime).full)), so "
            + "nothing expires by it. If the clock is wrong, set it. If it is right, data expires again after the collector "
            + "has run for \(durationText(wait.remainingMilliseconds)) more"
    }

    /// Returns a duration in hours, rounded up; from two days on, in whole days, rounded down.
    private static func durationText(_ milliseconds: Int64) -> String {
        let hours = (milliseconds + 3_599_999) / 3_600_000
        return hours < 48 ? "\(hours) h" : "\(hours / 24) days"
    }

    /// Reads the credentials, the list of symbols and the grouping rules again if another connection has committed, such as that of this
    /// process's writer or of the command line.
    ///
    /// - Parameter previousCounter: the result of the last call.
    /// - Returns: the change counter of the database; `previousCounter` if the caches could not be refreshed.
    private func refreshCaches(_ reader: any StoreReader, since previousCounter: Int64?) -> Int64? {
        do {
            let counter = try reader.changeCounter()
            if health.record(.databaseUnreachable, isPresent: false) {
                log.info("the database is back: accepting reports again")
            }
            guard counter != previousCounter else { return counter }
            try symbolTables.refresh(from: reader)
            try rules.refresh(from: reader)
            let editCount = authenticator.editCount
            return authenticator.replace(
                try reader.credentials(includingEnded: true, now: now()), since: editCount)
                ? counter : previousCounter
        } catch {
            guard error.reason == .unavailable else {
                log.warning(
                    "keys and tokens could not be read again, so recent changes are not in effect yet: \(error)"
                )
                return previousCounter
            }
            if health.record(.databaseUnreachable, isPresent: true) {
                log.error("\(error): rejecting reports until the database is back")
            }
            return previousCounter
        }
    }

    /// Logs when the database becomes damaged and when it is sound again, and starts an integrity check if one is due.
    ///
    /// - Parameter previousDamage: the damage that was logged already.
    /// - Returns: the damage that is logged now.
    private func logDamage(changedFrom previousDamage: StoreError?) -> StoreError? {
        let damage = store.damage
        health.record(.damaged, isPresent: damage != nil)
        if let integrityCheck = store.integrityCheck {
            _ = WorkerThread.start(name: "damage check", body: integrityCheck)
        }
        guard damage != previousDamage else { return damage }
        if let damage {
            log.error("rejecting reports: \(damage)")
        } else {
            log.info("the database is sound: accepting reports again")
        }
        return damage
    }

    private func checkDataFolder(_ folder: DataFolder) {
        let isGone = !folder.hasSameDatabase
        if health.record(.dataFolderReplaced, isPresent: isGone) {
            if isGone {
                log.error(
                    "the data folder \(folder.path) was removed or replaced: rejecting reports; restart the collector"
                )
            } else {
                log.info("the data folder \(folder.path) is back: accepting reports again")
            }
        }
        guard let freeBytes = folder.freeBytes else { return }
        let isNearlyFull = freeBytes < DataFolder.minFreeBytes
        guard health.record(.diskNearlyFull, isPresent: isNearlyFull) else { return }
        if isNearlyFull {
            events.add(
                Event(
                    .diskLow, title: "Disk",
                    text:
                        "Only \(freeBytes >> 20) MiB are free on the disk of the data folder: reports are rejected",
                    at: now()))
            log.error(
                "only \(freeBytes >> 20) MiB are free in \(folder.path): rejecting reports until at least "
                    + "\(DataFolder.minFreeBytes >> 20) MiB are free")
        } else {
            log.info("the disk has enough free space again: accepting reports again")
        }
    }
}
