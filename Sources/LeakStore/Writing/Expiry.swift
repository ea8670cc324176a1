/// The progress of deleting expired rows, step by step.
struct Expiry {
    /// The kinds of rows that expire. `keys` are idempotency keys, and `answers` are stored responses.
    enum Part {
        case keys, answers, hours, samples, slots, days, recentInstalls, symbols, credentials,
            audit, events
    }

    /// The time of the system clock, in milliseconds since 1970.
    let now: Int64
    /// The ``StoreClock`` of all steps, which the first step reads.
    fileprivate var clock: StoreClock?
    /// The parts that are not done. Responses are deleted after the keys that refer to them.
    fileprivate(set) var remainingParts: [Part] = [
        .keys, .answers, .hours, .samples, .slots, .days, .recentInstalls, .symbols, .credentials, .audit,
        .events,
    ]
    /// The row ID in `leak` up to which the expired counts by hour of all leaks were deleted.
    fileprivate var lastExpiredLeak: Int64 = 0
    /// The row ID in `recent_install_set` up to which the expired installs of all sets were removed.
    fileprivate var lastRecentSet: Int64 = 0

    init(now: Int64) { self.now = now }

    /// Set while the system clock is too far ahead to be accepted. Until it is accepted, rows do not expire by the system
    /// clock. `nil` if the system clock is accepted.
    var wait: ClockWait? { clock?.wait }
}

extension Writer {
    /// Maximum number of small rows that one step deletes, in well under a millisecond.
    static let maxRowsPerStep = 500
    /// Maximum number of wide rows that one step deletes, such as sets of installs and responses: up to 4 KiB each.
    private static let maxWideRowsPerStep = 100

    /// Deletes some expired rows, in a transaction of its own.
    ///
    /// - Returns: `true` if another step is needed.
    func runStep(of expiry: inout Expiry) throws(StoreError) -> Bool {
        guard let part = expiry.remainingParts.first else { return false }
        do throws(StoreError) {
            var next = expiry
            let isDone = try connection.transaction(.immediate) { () throws(StoreError) in
                try clearCachesIfOthersWrote()
                let clock = try clock(of: &next)
                return switch part {
                case .keys: try expireIdempotencyKeys(before: clock.keyStart)
                case .answers: try expireAnswers(before: clock.keyStart)
                case .hours: try expireHours(&next, now: clock.expiryTime)
                case .samples: try expireSamples(now: clock.expiryTime)
                case .slots: try expireTenMinuteSlots(now: clock.expiryTime)
                case .days: try expireDays(now: clock.expiryTime)
                case .recentInstalls: try expireRecentInstalls(&next, clock)
                case .symbols: try expireSymbols(now: clock.expiryTime)
                case .credentials: try expireCredentials(now: clock.expiryTime)
                case .audit: try expireAuditEntries(now: clock.expiryTime)
                case .events: try expireEvents(now: clock.expiryTime)
                }
            }
            if isDone { next.remainingParts.removeFirst() }
            expiry = next
            return !expiry.remainingParts.isEmpty
        } catch {
            clearCaches()
            throw error
        }
    }

    /// Returns the ``StoreClock``, the same for all steps.
    private func clock(of expiry: inout Expiry) throws(StoreError) -> StoreClock {
        if let clock = expiry.clock { return clock }
        // Expired keys may still be in the log.
        try flushLogs()
        let clock = try writeClock(at: expiry.now)
        expiry.clock = clock
        return clock
    }

    /// Deletes some keys of the days before the day of `start`. Keys of that day are not deleted yet, even if they have
    /// expired; lookups ignore expired keys.
    ///
    /// - Returns: `true` if no such key is left.
    private func expireIdempotencyKeys(before start: Int64) throws(StoreError) -> Bool {
        try connection.run(
            """
            delete from idempotency where (day, key_id, key) in
              (select day, key_id, key from idempotency where day < ? limit ?)
            """, Calendar.day(of: start), Self.maxRowsPerStep)
        let isDone = connection.changes < Self.maxRowsPerStep
        if isDone {
            try connection.run(
                "delete from idempotency_use where day < ?", Calendar.day(of: start))
            caches.idempotency.clearCachedDays()
        }
        return isDone
    }

    /// Deletes some stored responses of the days before the day of `start`.
    ///
    /// - Returns: `true` if no such response is left.
    private func expireAnswers(before start: Int64) throws(StoreError) -> Bool {
        try connection.run(
            "delete from answer where id in (select id from answer where day < ? limit ?)",
            Calendar.day(of: start), Self.maxWideRowsPerStep)
        return connection.changes < Self.maxWideRowsPerStep
    }

    /// Deletes some expired counts by hour, leak by leak.
    ///
    /// - Returns: `true` if no expired counts are left.
    private func expireHours(_ expiry: inout Expiry, now: Int64) throws(StoreError) -> Bool {
        let select = try connection.statement(
            "select max(id) from (select id from leak where id > ? order by id limit ?)")
        defer { select.reset() }
        try select.bind(expiry.lastExpiredLeak, Self.maxRowsPerStep)
        guard try select.step(), let last = select.optionalInt64(0) else { return true }
        let first = Calendar.hour(of: Retention.startTime(ofLastDays: Retention.hourDays, now: now))
        // Deletes the oldest hours of a leak first, because the check of its days expects that later days are complete. This
        // order also lets SQLite look up the hours leak by leak.
        try connection.run(
            """
            delete from leak_hour where (leak, hour, release) in
              (select h.leak, h.hour, h.release from leak l join leak_hour h on h.leak = l.id and h.hour < ?
               where l.id > ? and l.id <= ? order by l.id, h.hour limit ?)
            """, first, expiry.lastExpiredLeak, last, Self.maxRowsPerStep)
        if connection.changes < Self.maxRowsPerStep { expiry.lastExpiredLeak = last }
        return false
    }

    /// Deletes some expired samples. A deleted first report of a leak is not replaced, because a later report is not the first.
    ///
    /// - Returns: `true` if no expired sample is left.
    private func expireSamples(now: Int64) throws(StoreError) -> Bool {
        let oldest = RetentionRule.Times(retention, now: now).samplesBefore
        try connection.run(
            "delete from sample where id in (select id from sample where at < ? limit ?)",
            oldest, Self.maxWideRowsPerStep)
        let count = connection.changes
        if count > 0 {
            // The cached entries of leaks contain the sizes of their samples. The flush also removes the entries that the log
            // refers to.
            try flushCountLog()
            caches.leaks.removeAll()
        }
        try connection.run(
            """
            delete from leak_merge_sample where (merge, side, slot) in (
              select merge, side, slot from leak_merge_sample where at < ? limit ?)
            """, oldest, Self.maxWideRowsPerStep)
        return max(count, connection.changes) < Self.maxWideRowsPerStep
    }

    /// Deletes some expired ten-minute slots, after adding their counts to their days.
    ///
    /// - Returns: `true` if no expired slot is left.
    private func expireTenMinuteSlots(now: Int64) throws(StoreError) -> Bool {
        let oldest = SlotWindow.oldestKept(now: now)
        let count = try rollUp(
            slotsBefore: oldest, firstDay: Retention.firstAppDay(now: now), limit: Self.maxWideRowsPerStep)
        // SQLite may reuse the deleted row id for another ten-minute slot, which must not get the cached set.
        if count > 0 { caches.installs.removeAll() }
        return count < Self.maxWideRowsPerStep
    }

    /// Deletes some expired days of apps, with their sets of installs.
    ///
    /// - Returns: `true` if no expired day is left.
    private func expireDays(now: Int64) throws(StoreError) -> Bool {
        let first = Retention.firstAppDay(now: now)
        // Both statements select the same rows, because they have the same order and limit.
        try connection.run(
            """
            delete from install_set where id in
              (select id << 3 | 5 from app_day where day < ? order by day, id limit ?)
            """, first, Self.maxWideRowsPerStep)
        try connection.run(
            "delete from app_day where id in (select id from app_day where day < ? order by day, id limit ?)",
            first, Self.maxWideRowsPerStep)
        // SQLite may reuse the deleted row id for another day, which must not get the cached set.
        if connection.changes > 0 { caches.installs.removeAll() }
        return connection.changes < Self.maxWideRowsPerStep
    }

    /// Removes installs that were not seen in the last ``RecentInstalls/days`` days from some sets, and updates the impact of
    /// their leaks.
    ///
    /// - Returns: `true` if no set is left.
    private func expireRecentInstalls(_ expiry: inout Expiry, _ clock: StoreClock) throws(StoreError) -> Bool
    {
        let today = Calendar.day(of: clock.expiryTime)
        let sets = try connection.recentInstallSets(
            after: expiry.lastRecentSet, expiringOn: today, limit: Self.maxWideRowsPerStep)
        for var set in sets {
            set.installs.removeInstalls(
                notCountedOn: today, lastPossibleDay: RecentInstalls.lastPossibleDay(clock))
            set.day = today
            try connection.put(set)
        }
        guard let last = sets.last else { return true }
        expiry.lastRecentSet = last.leakReleaseRowID
        return sets.count < Self.maxWideRowsPerStep
    }

    /// Deletes at most one expired symbol table, because each table has megabytes.
    ///
    /// - Returns: `true` if no expired table is left.
    private func expireSymbols(now: Int64) throws(StoreError) -> Bool {
        guard let days = retention.symbolDays else { return true }
        try connection.run(
            "delete from symbol_table where id in (select id from symbol_table where used_at < ? limit 1)",
            Retention.startTime(ofLastDays: days, now: now))
        return connection.changes == 0
    }

    /// Deletes some sessions and sign-in links that are revoked or have expired. Keys and tokens stay, revoked or not, so that
    /// the response to a request can say that its key or token was revoked.
    ///
    /// - Returns: `true` if no such credential is left.
    private func expireCredentials(now: Int64) throws(StoreError) -> Bool {
        try connection.run(
            """
            delete from credential where id in (select id from credential
              where purpose in ('sign_in', 'session') and (revoked_at is not null or expires_at <= ?) limit ?)
            """, now, Self.maxRowsPerStep)
        return connection.changes < Self.maxRowsPerStep
    }

    /// Deletes some expired events.
    ///
    /// - Returns: `true` if no expired event is left.
    func expireEvents(now: Int64) throws(StoreError) -> Bool {
        let delete = try connection.statement(
            composed:
                "delete from event where id in (\(Event.expiredSQL(before: "?1", limit: "?2")))")
        defer { delete.reset() }
        try delete.bind(Retention.startTime(ofLastDays: Event.maxDays, now: now), Self.maxRowsPerStep)
        while try delete.step() {}
        return connection.changes < Self.maxRowsPerStep
    }
}

extension Event {
    /// SQL for the ids of expired events `e`: those from before the time `before`, without those of ``neededSQL``.
    package static func expiredSQL(before: String, limit: String) -> String {
        "select e.id from event e where e.at < \(before) and not \(neededSQL) order by e.at limit \(limit)"
    }

    /// SQL for the condition that the next evaluation would add the event `e` again if it were deleted: an event about the current
    /// release of an app, or about the fix of a leak that still exists, perhaps merged into another.
    static let neededSQL = """
        (exists (select 1 from app a join release r on r.id = a.newest_release
            where a.name = e.app and a.environment = e.environment and r.version = e.version)
          or e.kind in ('fixed', 'regressed') and (exists (select 1 from leak l where l.key = e.leak)
            or exists (select 1 from merged_leak m where m.key = e.leak)))
        """
}
