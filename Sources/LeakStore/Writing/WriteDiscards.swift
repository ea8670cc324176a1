extension Writer {
    /// Drops the reports of a leak from now on, in a transaction of its own.
    ///
    /// - Returns: `false` if there is no such leak.
    func discard(
        _ id: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try connection.transaction(.immediate) { () throws(StoreError) in
                try clearCachesIfOthersWrote()
                let select = try connection.statement(
                    composed: """
                        select l.id, l.app, a.name, t.title, t.module,
                          (select count(*) from discarded_leak where app = l.app), \(DiscardedLeak.addedIDCountSQL)
                        from leak l join app a on a.id = l.app join leak_text t on t.leak = l.id where l.key = ?
                        """)
                defer { select.reset() }
                try select.bind(id.bytes)
                guard try select.step() else { return false }
                let (leak, app, name) = (select.int64(0), select.int64(1), select.text(2))
                let (title, module) = (select.text(3), select.optionalText(4) ?? "")
                let (idCount, addedCount) = (select.int(5), select.int(6))
                select.reset()
                guard id.high != 0, name != StoreLimits.other else {
                    throw StoreError.collectiveLeakDiscarded
                }
                guard addedCount == 0 || idCount + addedCount <= DiscardedLeak.maxPerApp else {
                    throw .tooManyDiscardedLeaks(of: name)
                }
                try connection.run(
                    """
                    insert into discarded_leak (key, leak, app, title, module, by, at)
                    select key, ?1, ?2, ?3,
                      coalesce((select coalesce(nullif(module, ''), ?8) from leak_merge where source = key), ?4), ?5, ?6
                    from (select ?1 as key union select key from merged_leak where leak = ?7) where true
                    on conflict (key) do nothing
                    """, id.bytes, app, title, module, author, now, leak, MergedIDs.unknownModule)
                try record(entry)
                caches.discardedIDs = nil
                return true
            }
        } catch {
            clearCaches()
            throw error
        }
    }

    /// Counts the reports of a discarded leak again, from now on.
    ///
    /// - Returns: `false` if no such leak is discarded.
    func accept(_ id: LeakID, audit entry: AuditEntry?) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try connection.transaction(.immediate) { () throws(StoreError) in
                try clearCachesIfOthersWrote()
                let select = try connection.statement(
                    "select leak from discarded_leak where key = ?1 or leak = ?1 limit 1")
                defer { select.reset() }
                try select.bind(id.bytes)
                guard try select.step() else { return false }
                let leak = select.bytes(0)
                select.reset()
                try connection.run("delete from discarded_leak where leak = ?", leak)
                try record(entry)
                caches.discardedIDs = nil
                return true
            }
        } catch {
            clearCaches()
            throw error
        }
    }

    /// Returns the ids of the discarded leaks, which the first call reads from the database.
    func discardedIDs() throws(StoreError) -> DiscardedIDs {
        if let cached = caches.discardedIDs { return cached }
        let select = try connection.statement("select key, module from discarded_leak")
        defer { select.reset() }
        var ids = DiscardedIDs()
        while try select.step() {
            guard let id = LeakID(blob: select.bytes(0)) else {
                throw .unreadable("a discarded leak", in: connection.path)
            }
            ids.add(id, module: select.text(1))
        }
        caches.discardedIDs = ids
        return ids
    }

    /// Adds dropped reports to the numbers of their discarded leaks.
    func writeDropped(_ counts: [LeakID: Int]) throws(StoreError) {
        for (id, count) in counts {
            try connection.run(
                "update discarded_leak set dropped = min(dropped + ?, LARGEST_TOTAL) where key = ?", count,
                id.bytes)
        }
    }
}
