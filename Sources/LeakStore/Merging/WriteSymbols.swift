extension Writer {
    func put(
        _ symbols: StoredSymbols, body: [UInt8], audit entry: AuditEntry?
    ) throws(StoreError) -> SymbolUploadResult {
        try connection.transaction(.immediate) { () throws(StoreError) -> SymbolUploadResult in
            let select = try connection.statement(
                """
                select coalesce(sum(bytes) filter (where kind <> ?1 or image <> ?2), 0),
                  count(*) filter (where kind = ?1 and image = ?2) from symbol_table
                """)
            try select.bind(symbols.kind.rawValue, symbols.image)
            _ = try select.step()
            let (otherBytes, replacedCount) = (select.int(0), select.int(1))
            select.reset()
            guard otherBytes + body.count <= limits.symbolBytes else { return .full(bytes: otherBytes) }
            try connection.run(
                "delete from symbol_table where kind = ? and image = ?", symbols.kind.rawValue, symbols.image)
            try connection.run(
                """
                insert into symbol_table (kind, image, name, uploaded_at, used_at, bytes, body)
                values (?, ?, ?, ?, ?, ?, ?)
                """, symbols.kind.rawValue, symbols.image, symbols.name, symbols.uploadedAt, symbols.usedAt,
                body.count, body)
            try record(entry)
            return replacedCount > 0 ? .replaced : .stored
        }
    }

    func removeSymbols(
        _ kind: StoredSymbols.Kind, of image: String, audit entry: AuditEntry?
    ) throws(StoreError) -> Bool {
        try connection.transaction(.immediate) { () throws(StoreError) in
            try connection.run(
                "delete from symbol_table where kind = ? and image = ?", kind.rawValue, image)
            guard connection.changes == 1 else { return false }
            try record(entry)
            return true
        }
    }

    func recordUse(ofSymbols rowIDs: [Int64], now: Int64) throws(StoreError) {
        try connection.transaction(.immediate) { () throws(StoreError) in
            for rowID in rowIDs {
                try connection.run(
                    "update symbol_table set used_at = max(used_at, ?) where id = ?", now, rowID)
            }
        }
    }

    /// Replaces the class and the path of a leak, but not its id. Returns `false` if there is no such leak.
    func rewrite(_ identity: LeakIdentity) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try connection.transaction(.immediate) { () throws(StoreError) in
                try clearCachesIfOthersWrote()
                let select = try connection.statement("select id from leak where key = ?")
                try select.bind(identity.id.bytes)
                let row = try select.step() ? select.int64(0) : nil
                select.reset()
                guard let row else { return false }
                try rename(row, to: identity)
                caches.removeAll()
                return true
            }
        } catch {
            clearCaches()
            throw error
        }
    }
}
