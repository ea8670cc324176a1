extension SQLiteReader {
    func target(ofMerged id: LeakID) throws(StoreError) -> LeakID? {
        let select = try connection.statement(
            """
            select l.key from merged_leak m join leak l on l.id = m.leak
            where m.key = ?1 and not exists (select 1 from leak where key = ?1)
            """)
        defer { select.reset() }
        try select.bind(id.bytes)
        return try select.step() ? LeakID(blob: select.blob(0)) : nil
    }

    func outline(of id: LeakID) throws(StoreError) -> LeakOutline? {
        let select = try connection.statement(
            """
            select l.key, t.title, l.class, t.stack, t.children, t.cycle, t.grouped_version, t.grouped_class,
              t.grouped_stack, l.reports
            from leak l join leak_text t on t.leak = l.id where l.key = ?
            """)
        defer { select.reset() }
        try select.bind(id.bytes)
        return try select.step() ? outline(select) : nil
    }

    func outline(_ row: Statement) throws(StoreError) -> LeakOutline {
        guard
            let outline = LeakOutline(
                key: row.blob(0), title: row.text(1), className: row.optionalText(2), stack: row.blob(3),
                children: row.blob(4), cycle: row.blob(5), groupedVersion: row.int(6),
                groupedClass: row.text(7), groupedStack: row.blob(8), reports: row.int(9))
        else { throw .unreadable("a leak", in: connection.path) }
        return outline
    }

    /// Forgets what is remembered of leaks when some have been merged: their rows may be given to others, and versions
    /// have fewer leaks.
    func forgetMergedLeaks() throws(StoreError) {
        let last = try connection.number("select coalesce(max(id), 0) from merged_leak") ?? 0
        guard last != lastMerge else { return }
        lastMerge = last
        knownCache = KnownCache()
        standingCache = StandingCache()
        goneCache = GoneCache()
    }
}
