extension Writer {
    /// How long hours are kept; days are kept for good.
    static let hourDays = 90

    func expire(now: Int64) throws(StoreError) {
        do throws(StoreError) {
            try connection.transaction(.immediate) { () throws(StoreError) in
                try expireKeys(now: now)
                let firstHour = Calendar.hour(of: now - Int64(Self.hourDays) * Calendar.dayMilliseconds)
                try connection.run(
                    """
                    delete from leak_hour where (leak, hour, release) in
                      (select h.leak, h.hour, h.release from leak l join leak_hour h on h.leak = l.id and h.hour < ?)
                    """, firstHour)
                try expireSlots(now: now)
                try connection.run("delete from credential where expires_at <= ?", now)
            }
        } catch {
            caches.removeAll()
            throw error
        }
    }

    private func expireKeys(now: Int64) throws(StoreError) {
        let start = Self.idempotencyStart(now)
        try connection.run(
            "delete from idempotency where day <= ? and at <= ?", Calendar.day(of: start), start)
        guard connection.changes > 0 else { return }
        try connection.run("delete from answer where id not in (select answer from idempotency)")
    }

    private func expireSlots(now: Int64) throws(StoreError) {
        let oldest = SlotWindow.oldestKept(now: now)
        try connection.run(
            """
            delete from install_set where id in (select id << 3 | 3 from app_slot where slot < ?)
            """, oldest)
        try connection.run("delete from app_slot where slot < ?", oldest)
        // A row of `app_slot` may be given to another slot, whose set must not be the remembered one.
        if connection.changes > 0 { caches.installs.removeAll() }
    }
}
