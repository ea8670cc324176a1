#if PostgreSQL
    internal import LeakStore

    /// How long what is kept for a time only is kept.
    enum Retention {
        /// How long a repeat is recognised. WIRE: 7 days, one more than a reporter keeps a batch.
        static let idempotencyDays = 7
        /// How long hours are kept; days are kept for good.
        static let hourDays = 90
    }

    /// What is left to delete, one step after another.
    struct Expiry {
        enum Part {
            case keys, answers, hours, slots, witnesses, credentials
        }

        let now: Int64
        /// Answers come after the keys that refer to them.
        fileprivate(set) var rest: [Part] = [.keys, .answers, .hours, .slots, .witnesses, .credentials]
        /// Rows of `leak` up to this one have no hours to delete.
        fileprivate var leaksDone: Int64 = 0

        init(now: Int64) { self.now = now }
    }

    extension Writer {
        /// Rows that one step deletes, or of `leak` that it looks at.
        private static let rowsPerStep = 500

        /// Deletes some rows, in a transaction of its own. Several collectors may be at it at once: each passes over
        /// what another holds.
        ///
        /// - Returns: whether anything is left.
        func take(stepOf expiry: inout Expiry) throws(StoreError) -> Bool {
            guard let part = expiry.rest.first else { return false }
            let isDone =
                switch part {
                case .keys: try expireKeys(now: expiry.now)
                case .answers: try expireAnswers(now: expiry.now)
                case .hours: try expireHours(&expiry)
                case .slots: try expireSlots(now: expiry.now)
                case .witnesses: try expireWitnesses(now: expiry.now)
                case .credentials: try expireCredentials(now: expiry.now)
                }
            if isDone { expiry.rest.removeFirst() }
            return !expiry.rest.isEmpty
        }

        private func expireKeys(now: Int64) throws(StoreError) -> Bool {
            try run(
                Query(
                    """
                    delete from idempotency where (key_id, key) in
                      (select key_id, key from idempotency where at <= $1::bigint order by at limit $2::bigint
                       for update skip locked)
                    """, .integer(now - Int64(Retention.idempotencyDays) * Calendar.dayMilliseconds),
                    .integer(Self.rowsPerStep))
            ).changes < Self.rowsPerStep
        }

        /// Those of whole days whose keys are all gone.
        private func expireAnswers(now: Int64) throws(StoreError) -> Bool {
            let day = Calendar.day(of: now - Int64(Retention.idempotencyDays) * Calendar.dayMilliseconds)
            return try run([
                Query(
                    """
                    delete from answer where id in (select id from answer where day < $1::bigint
                      limit $2::bigint for update skip locked)
                    """, .integer(day), .integer(Self.rowsPerStep)),
                Query(
                    """
                    delete from idempotency_use where (day, key_id) in (select day, key_id from idempotency_use
                      where day < $1::bigint limit $2::bigint for update skip locked)
                    """, .integer(day), .integer(Self.rowsPerStep)),
            ]).allSatisfy { $0.changes < Self.rowsPerStep }
        }

        private func expireHours(_ expiry: inout Expiry) throws(StoreError) -> Bool {
            let first = Calendar.hour(
                of: expiry.now - Int64(Retention.hourDays) * Calendar.dayMilliseconds)
            let rows = try run(
                Query(
                    """
                    with part as (select id from leak where id > $1::bigint order by id limit $2::bigint),
                      gone as (delete from leak_hour h using part where h.leak = part.id and h.hour < $3::bigint)
                    select max(id) from part
                    """, .integer(expiry.leaksDone), .integer(Self.rowsPerStep), .integer(first)))
            guard let last = rows.first?.optionalInt64(0) else { return true }
            expiry.leaksDone = last
            return false
        }

        private func expireSlots(now: Int64) throws(StoreError) -> Bool {
            try run(
                Query(
                    """
                    with gone as (
                      delete from app_slot where (app, slot) in
                        (select app, slot from app_slot where slot < $1::bigint limit $2::bigint for update skip locked)
                      returning app, slot
                    ), sets as (
                      delete from install_set i using gone
                      where i.scope = $3::bigint and i.owner = gone.app and i.part = gone.slot
                    )
                    select 1 from gone
                    """, .integer(SlotWindow.oldestKept(now: now)), .integer(Self.rowsPerStep),
                    .integer(InstallScope.slot(app: 0, slot: 0).row.scope))
            ).count < Self.rowsPerStep
        }

        /// Those of collectors that have not written for long; one that does after all makes its row again.
        private func expireWitnesses(now: Int64) throws(StoreError) -> Bool {
            try run(
                Query(
                    """
                    delete from witness where writer in (select writer from witness where at < $1::bigint
                      limit $2::bigint for update skip locked)
                    """, .integer(now - Int64(Retention.idempotencyDays) * Calendar.dayMilliseconds),
                    .integer(Self.rowsPerStep))
            ).changes < Self.rowsPerStep
        }

        /// Keys and tokens stay, revoked or not: a request that brings one is told what became of it.
        private func expireCredentials(now: Int64) throws(StoreError) -> Bool {
            try run(
                Query(
                    """
                    delete from credential where id in (select id from credential
                      where purpose in ('sign_in', 'session') and (revoked_at is not null or expires_at <= $1::bigint)
                      limit $2::bigint for update skip locked)
                    """, .integer(now), .integer(Self.rowsPerStep))
            ).changes < Self.rowsPerStep
        }
    }
#endif
