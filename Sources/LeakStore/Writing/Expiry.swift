/// The progress of deleting expired rows, step by step.
struct Expiry {
    enum Part {
        case keys, answers, hours, samples, slots, days, symbols, credentials
    }

    /// The time of the system clock.
    let now: Int64
    /// The guarded times for all steps, read by the first one.
    fileprivate var clock: StoreClock?
    /// The parts that are left. Answers come after the keys that refer to them.
    fileprivate(set) var rest: [Part] = [
        .keys, .answers, .hours, .samples, .slots, .days, .symbols, .credentials,
    ]
    /// Rows of `leak` up to this one have no hours to delete.
    fileprivate var leaksDone: Int64 = 0

    init(now: Int64) { self.now = now }

    /// The reason why rows that seem expired stay.
    var wait: ClockWait? { clock?.wait }
}

extension Writer {
    /// Rows that one step deletes, in well under a millisecond if they are small.
    static let rowsPerStep = 500
    /// Wide rows that one step deletes, such as sets of installs and answers: up to 4 KiB each.
    private static let wideRowsPerStep = 100

    /// Deletes some rows, in a transaction of its own.
    ///
    /// - Returns: `true` if anything is left.
    func runStep(of expiry: inout Expiry) throws(StoreError) -> Bool {
        guard let part = expiry.rest.first else { return false }
        do throws(StoreError) {
            var next = expiry
            let isDone = try connection.transaction(.immediate) { () throws(StoreError) in
                try dropCachedIfOthersWrote()
                let clock = try clock(of: &next)
                return switch part {
                case .keys: try expireKeys(before: clock.keyStart)
                case .answers: try expireAnswers(before: clock.keyStart)
                case .hours: try expireHours(&next, now: clock.expiryTime)
                case .samples: try expireSamples(now: clock.expiryTime)
                case .slots: try expireSlots(now: clock.expiryTime)
                case .days: try expireDays(now: clock.expiryTime)
                case .symbols: try expireSymbols(now: clock.expiryTime)
                case .credentials: try expireCredentials(now: clock.expiryTime)
                }
            }
            if isDone { next.rest.removeFirst() }
            expiry = next
            return !expiry.rest.isEmpty
        } catch {
            dropCached()
            throw error
        }
    }

    /// Returns the guarded times, which are the same for all steps.
    private func clock(of expiry: inout Expiry) throws(StoreError) -> StoreClock {
        if let known = expiry.clock { return known }
        // Keys in the log may be old as well.
        try flushLogs()
        let clock = try writeClock(at: expiry.now)
        expiry.clock = clock
        return clock
    }

    /// Deletes the keys of all days before that of `start`. Expired keys of that day stay, and lookups ignore them.
    private func expireKeys(before start: Int64) throws(StoreError) -> Bool {
        try connection.run(
            """
            delete from idempotency where (day, key_id, key) in
              (select day, key_id, key from idempotency where day < ? limit ?)
            """, Calendar.day(of: start), Self.rowsPerStep)
        let isDone = connection.changes < Self.rowsPerStep
        if isDone {
            try connection.run(
                "delete from idempotency_use where day < ?", Calendar.day(of: start))
            caches.idempotency.dropCachedDays()
        }
        return isDone
    }

    private func expireAnswers(before start: Int64) throws(StoreError) -> Bool {
        try connection.run(
            "delete from answer where id in (select id from answer where day < ? limit ?)",
            Calendar.day(of: start), Self.wideRowsPerStep)
        return connection.changes < Self.wideRowsPerStep
    }

    private func expireHours(_ expiry: inout Expiry, now: Int64) throws(StoreError) -> Bool {
        let select = try connection.statement(
            "select max(id) from (select id from leak where id > ? order by id limit ?)")
        defer { select.reset() }
        try select.bind(expiry.leaksDone, Self.rowsPerStep)
        guard try select.step(), let last = select.optionalInt64(0) else { return true }
        let first = Calendar.hour(of: Retention.start(Retention.hourDays, now: now))
        // The oldest hours of a leak first, as the check of its days expects; in this order SQLite looks them up leak by leak.
        try connection.run(
            """
            delete from leak_hour where (leak, hour, release) in
              (select h.leak, h.hour, h.release from leak l join leak_hour h on h.leak = l.id and h.hour < ?
               where l.id > ? and l.id <= ? order by l.id, h.hour limit ?)
            """, first, expiry.leaksDone, last, Self.rowsPerStep)
        if connection.changes < Self.rowsPerStep { expiry.leaksDone = last }
        return false
    }

    /// Deletes old samples. The first report of a leak is not replaced: a later report was not the first.
    private func expireSamples(now: Int64) throws(StoreError) -> Bool {
        try connection.run(
            "delete from sample where id in (select id from sample where at < ? limit ?)",
            Retention.start(Retention.sampleDays, now: now), Self.wideRowsPerStep)
        let count = connection.changes
        if count > 0 {
            // The entries of leaks cache the bytes of their samples. Those of leaks in the log are kept until it is flushed.
            try flushCountLog()
            caches.leaks.removeAll()
        }
        return count < Self.wideRowsPerStep
    }

    private func expireSlots(now: Int64) throws(StoreError) -> Bool {
        let oldest = SlotWindow.oldestKept(now: now)
        let count = try rollUp(
            slotsBefore: oldest, firstDay: Retention.firstAppDay(now: now), limit: Self.wideRowsPerStep)
        // A row of `app_slot` may be given to another slot, whose set must not be the cached one.
        if count > 0 { caches.installs.removeAll() }
        return count < Self.wideRowsPerStep
    }

    private func expireDays(now: Int64) throws(StoreError) -> Bool {
        let first = Retention.firstAppDay(now: now)
        // Both statements choose the same rows: the index returns them in one order.
        try connection.run(
            """
            delete from install_set where id in
              (select id << 3 | 5 from app_day where day < ? order by day, id limit ?)
            """, first, Self.wideRowsPerStep)
        try connection.run(
            "delete from app_day where id in (select id from app_day where day < ? order by day, id limit ?)",
            first, Self.wideRowsPerStep)
        // A row of `app_day` may be given to another day, too.
        if connection.changes > 0 { caches.installs.removeAll() }
        return connection.changes < Self.wideRowsPerStep
    }

    /// Deletes one table of symbols, because each has megabytes.
    private func expireSymbols(now: Int64) throws(StoreError) -> Bool {
        try connection.run(
            "delete from symbol_table where id in (select id from symbol_table where used_at < ? limit 1)",
            Retention.start(Retention.symbolDays, now: now))
        return connection.changes == 0
    }

    /// Deletes revoked and expired sessions and sign-in links. Keys and tokens stay, revoked or not, so that the response to a
    /// request can say that its key or token was revoked.
    private func expireCredentials(now: Int64) throws(StoreError) -> Bool {
        try connection.run(
            """
            delete from credential where id in (select id from credential
              where purpose in ('sign_in', 'session') and (revoked_at is not null or expires_at <= ?) limit ?)
            """, now, Self.rowsPerStep)
        return connection.changes < Self.rowsPerStep
    }
}
