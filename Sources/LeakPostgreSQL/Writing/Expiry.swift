#if PostgreSQL
    internal import LeakStore

    /// The progress of deleting expired rows, step by step.
    struct Expiry {
        enum Part {
            case keys, answers, hours, samples, slots, days, recentInstalls, lastHours, commitMarkers,
                symbols, credentials, audit, events
        }

        /// The time of the system clock.
        let now: Int64
        /// The ``StoreClock`` of all steps, which the first step reads.
        fileprivate var clock: StoreClock?
        /// The kinds of rows that are still to be deleted, in order. Answers are deleted after the keys that refer to them.
        fileprivate(set) var remainingParts: [Part] = [
            .keys, .answers, .hours, .samples, .slots, .days, .recentInstalls, .lastHours, .commitMarkers,
            .symbols, .credentials, .audit, .events,
        ]
        /// The row ID of the last leak that was searched. Leaks up to this row have no hours to delete.
        fileprivate var lastSearchedLeak: Int64 = 0
        /// The row ID of the last row of `recent_install_set` whose expired installs were removed.
        fileprivate var lastRecentSet = RecentInstallSet.Key(leak: -1, release: 0)

        init(now: Int64) { self.now = now }

        /// The remaining wait if the system clock is too far ahead of the stored clock to be accepted; `nil` if it is accepted.
        /// During the wait, rows that seem expired are kept.
        var wait: ClockWait? { clock?.wait }
    }

    extension Writer {
        /// Maximum number of rows that one step deletes. A step that deletes rows of `leak_hour` searches at most this number of
        /// leaks.
        static let maxRowsPerStep = 500
        /// Maximum number of rows of `leak_hour` that one step deletes.
        static let maxHoursPerStep = 2_000

        /// Deletes some rows, in a transaction of its own. Several collectors may do so at the same time: each skips rows that
        /// another collector has locked.
        ///
        /// - Returns: `true` if anything is left to delete.
        func runStep(of expiry: inout Expiry) throws(StoreError) -> Bool {
            guard let part = expiry.remainingParts.first else { return false }
            let clock = try clock(of: &expiry)
            let isDone =
                switch part {
                case .keys: try expireIdempotencyKeys(before: clock.keyStart)
                case .answers: try expireAnswers(before: clock.keyStart)
                case .hours: try expireHours(&expiry, now: clock.expiryTime)
                case .samples:
                    try expireSamples(now: clock.expiryTime)
                        ? expireSamplesOfMerges(now: clock.expiryTime) : false
                case .slots: try expireTenMinuteSlots(now: clock.expiryTime)
                case .days: try expireDays(now: clock.expiryTime)
                case .recentInstalls: try expireRecentInstalls(&expiry, clock)
                case .lastHours: try expireLastHours()
                case .commitMarkers: try expireCommitMarkers(now: clock.expiryTime)
                case .symbols: try expireSymbols(now: clock.expiryTime)
                case .credentials: try expireCredentials(now: clock.expiryTime)
                case .audit: try expireAuditEntries(now: clock.expiryTime)
                case .events: try expireEvents(now: clock.expiryTime)
                }
            if isDone { expiry.remainingParts.removeFirst() }
            return !expiry.remainingParts.isEmpty
        }

        /// Runs queries in one transaction, during which no migration can run.
        ///
        /// - Returns: the answer to the last query.
        private func delete(_ queries: Query...) throws(StoreError) -> Rows {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                try Migration.requireKnownVersion(
                    connection.run([Migration.sharedLockQuery, Migration.versionQuery])[1], connection)
                return try connection.run(queries + [Query("commit")])[queries.count - 1]
            } catch {
                connector.reset()
                throw error
            }
        }

        /// Returns the ``StoreClock``, which is the same for all steps.
        private func clock(of expiry: inout Expiry) throws(StoreError) -> StoreClock {
            if let clock = expiry.clock { return clock }
            let clock = try writeClock(at: expiry.now)
            expiry.clock = clock
            return clock
        }

        // MARK: Parts; each function returns `true` if no row of the part is left to delete

        /// Deletes one expired symbol table per step, because each has megabytes.
        private func expireSymbols(now: Int64) throws(StoreError) -> Bool {
            guard let days = retention.symbolDays else { return true }
            return try delete(
                Query(
                    """
                    delete from symbol_table where id in (select id from symbol_table where used_at < $1::bigint
                      limit 1 for update skip locked)
                    """, .integer(Retention.startTime(ofLastDays: days, now: now)))
            ).changedRowCount == 0
        }

        private func expireIdempotencyKeys(before start: Int64) throws(StoreError) -> Bool {
            try delete(
                Query(
                    """
                    delete from idempotency where (key_id, key) in
                      (select key_id, key from idempotency where at <= $1::bigint order by at limit $2::bigint
                       for update skip locked)
                    """, .integer(start),
                    .integer(Self.maxRowsPerStep))
            ).changedRowCount < Self.maxRowsPerStep
        }

        /// Deletes the answers of whole days whose keys are all deleted: only keys of the same day refer to an answer.
        private func expireAnswers(before start: Int64) throws(StoreError) -> Bool {
            let day = Calendar.day(of: start)
            let answers = try delete(
                Query(
                    """
                    delete from answer where id in (select id from answer a where day < $1::bigint
                      and not exists (select 1 from idempotency i
                        where i.at >= a.day * $3::bigint and i.at < (a.day + 1) * $3::bigint)
                      limit $2::bigint for update skip locked)
                    """, .integer(day), .integer(Self.maxRowsPerStep), .integer(Calendar.dayMilliseconds)))
            let uses = try delete(
                Query(
                    """
                    delete from idempotency_use where (day, key_id) in (select day, key_id from idempotency_use
                      where day < $1::bigint limit $2::bigint for update skip locked)
                    """, .integer(day), .integer(Self.maxRowsPerStep)))
            return answers.changedRowCount < Self.maxRowsPerStep && uses.changedRowCount < Self.maxRowsPerStep
        }

        private func expireHours(_ expiry: inout Expiry, now: Int64) throws(StoreError) -> Bool {
            let first = Calendar.hour(of: Retention.startTime(ofLastDays: Retention.hourDays, now: now))
            let rows = try delete(
                Query(
                    """
                    with part as (select id from leak where id > $1::bigint order by id limit $2::bigint),
                      doomed as (
                        select h.leak, h.hour, h.release from part join leak_hour h on h.leak = part.id
                        where h.hour < $3::bigint
                        order by h.leak, h.hour, h.release limit $4::bigint for update of h skip locked),
                      gone as (
                        delete from leak_hour h using doomed d
                        where h.leak = d.leak and h.hour = d.hour and h.release = d.release returning 1)
                    select (select max(id) from part), (select count(*) from gone)
                    """, .integer(expiry.lastSearchedLeak), .integer(Self.maxRowsPerStep), .integer(first),
                    .integer(Self.maxHoursPerStep)))
            guard let row = rows.first, let last = row.optionalInt64(0) else { return true }
            // Searches the same leaks again if they may have more hours.
            if row.int(1) < Self.maxHoursPerStep { expiry.lastSearchedLeak = last }
            return false
        }

        /// Deletes old samples. No later report takes the sample slot of a leak's first report.
        private func expireSamples(now: Int64) throws(StoreError) -> Bool {
            try delete(
                Query(
                    """
                    with gone as (
                        delete from sample where (leak, slot) in (select leak, slot from sample
                          where at < $1::bigint limit $2::bigint for update skip locked)
                        returning leak, slot),
                      unsaid as (
                        update leak_text t set message = null from gone where t.leak = gone.leak and gone.slot = $3::bigint)
                    select count(*) from gone
                    """, .integer(RetentionRule.Times(retention, now: now).samplesBefore),
                    .integer(Self.maxRowsPerStep), .integer(SampleSlot.newest))
            ).first?.int(0) ?? 0 < Self.maxRowsPerStep
        }

        /// Deletes old samples from the copies of leaks that merges by hand keep.
        private func expireSamplesOfMerges(now: Int64) throws(StoreError) -> Bool {
            try delete(
                Query(
                    """
                    delete from leak_merge_sample where (merge, side, slot) in (select merge, side, slot
                      from leak_merge_sample where at < $1::bigint limit $2::bigint for update skip locked)
                    """, .integer(RetentionRule.Times(retention, now: now).samplesBefore),
                    .integer(Self.maxRowsPerStep))
            ).changedRowCount < Self.maxRowsPerStep
        }

        private func expireRecentInstalls(_ expiry: inout Expiry, _ clock: StoreClock) throws(StoreError)
            -> Bool
        {
            guard let last = try expireRecentInstalls(after: expiry.lastRecentSet, clock) else {
                return true
            }
            expiry.lastRecentSet = last
            return false
        }

        /// Deletes the rows of hours that are no longer the last hour of any leak.
        private func expireLastHours() throws(StoreError) -> Bool {
            try delete(
                Query(
                    """
                    delete from app_last_hour where (app, hour) in (select app, hour from app_last_hour
                      where seen = 0 and reported = 0 limit $1::bigint for update skip locked)
                    """, .integer(Self.maxRowsPerStep))
            ).changedRowCount < Self.maxRowsPerStep
        }

        /// Deletes the rows of collectors that have not written for a long time; a collector that writes again makes its row again.
        private func expireCommitMarkers(now: Int64) throws(StoreError) -> Bool {
            try delete(
                Query(
                    """
                    delete from commit_marker where writer in (select writer from commit_marker where at < $1::bigint
                      limit $2::bigint for update skip locked)
                    """, .integer(Retention.startTime(ofLastDays: Retention.idempotencyDays, now: now)),
                    .integer(Self.maxRowsPerStep))
            ).changedRowCount < Self.maxRowsPerStep
        }

        /// Deletes entries of the audit log that are older than ``AuditEntry/maxDays``.
        private func expireAuditEntries(now: Int64) throws(StoreError) -> Bool {
            try delete(
                Query(
                    """
                    delete from audit where id in (select id from audit where at < $1::bigint order by at
                      limit $2::bigint for update skip locked)
                    """, .integer(Retention.startTime(ofLastDays: AuditEntry.maxDays, now: now)),
                    .integer(Self.maxRowsPerStep))
            ).changedRowCount < Self.maxRowsPerStep
        }

        /// Deletes expired events: ``Event/expiredSQL(before:limit:)``.
        private func expireEvents(now: Int64) throws(StoreError) -> Bool {
            let expired = Event.expiredSQL(before: "$1::bigint", limit: "$2::bigint")
            return try delete(
                Query(
                    "delete from event where id in (\(expired) for update of e skip locked)",
                    .integer(Retention.startTime(ofLastDays: Event.maxDays, now: now)),
                    .integer(Self.maxRowsPerStep))
            ).changedRowCount < Self.maxRowsPerStep
        }

        /// Deletes revoked and expired sessions and sign-in links. Keys and tokens stay, revoked or not, so that the response to a
        /// request can say that its key or token was revoked.
        private func expireCredentials(now: Int64) throws(StoreError) -> Bool {
            try delete(
                Query(
                    """
                    delete from credential where id in (select id from credential
                      where purpose in ('sign_in', 'session') and (revoked_at is not null or expires_at <= $1::bigint)
                      limit $2::bigint for update skip locked)
                    """, .integer(now), .integer(Self.maxRowsPerStep))
            ).changedRowCount < Self.maxRowsPerStep
        }
    }
#endif
