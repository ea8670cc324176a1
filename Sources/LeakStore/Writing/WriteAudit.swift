extension Writer {
    /// Adds an entry to the audit log, in the transaction of the change. Sometimes deletes the entries beyond
    /// ``AuditEntry/maxCount``.
    ///
    /// - Parameter entry: `nil` adds nothing.
    func record(_ entry: AuditEntry?) throws(StoreError) {
        guard let entry = entry?.storable else { return }
        try connection.run(
            """
            insert into audit (at, actor, token, action, object, details, address) values (?, ?, ?, ?, ?, ?, ?)
            """, entry.at, entry.actor, entry.token, entry.action.rawValue, entry.object, entry.details,
            entry.address)
        guard connection.lastInsertedRowID % AuditEntry.trimInterval == 0 else { return }
        try connection.statement(composed: AuditEntry.trimSQL).run()
    }

    /// Deletes some entries that are older than ``AuditEntry/maxDays``.
    ///
    /// - Returns: `true` if no such entry is left.
    func expireAuditEntries(now: Int64) throws(StoreError) -> Bool {
        try connection.run(
            "delete from audit where id in (select id from audit where at < ? order by at limit ?)",
            Retention.startTime(ofLastDays: AuditEntry.maxDays, now: now), Self.maxRowsPerStep)
        return connection.changes < Self.maxRowsPerStep
    }
}
