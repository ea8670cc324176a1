#if PostgreSQL
    internal import LeakStore

    extension Writer {
        func put(
            _ symbols: StoredSymbols, body: [UInt8], audit entry: AuditEntry?
        ) throws(StoreError) -> SymbolUploadResult {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let answers = try connection.run([
                    Migration.sharedLockQuery, Migration.versionQuery,
                    // Uploads run one at a time, because each counts the bytes of earlier uploads.
                    Query("lock table symbol_table in share row exclusive mode"),
                    Query(
                        """
                        select coalesce(sum(bytes) filter (where kind <> $1::text or image <> $2::text), 0)::bigint,
                          count(*) filter (where kind = $1::text and image = $2::text) from symbol_table
                        """, .text(symbols.kind.rawValue), .text(symbols.image)),
                ])
                try Migration.requireKnownVersion(answers[1], connection)
                let otherBytes = answers[3].first?.int(0) ?? 0
                guard otherBytes + body.count <= limits.symbolBytes else {
                    try connection.run(Query("commit"))
                    return .full(bytes: otherBytes)
                }
                _ = try connection.run(
                    [
                        Query(
                            "delete from symbol_table where kind = $1::text and image = $2::text",
                            .text(symbols.kind.rawValue), .text(symbols.image)),
                        Query(
                            """
                            insert into symbol_table (kind, image, name, uploaded_at, used_at, bytes, body)
                            values ($1::text, $2::text, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::bytea)
                            """, .text(symbols.kind.rawValue), .text(symbols.image), .text(symbols.name),
                            .integer(symbols.uploadedAt), .integer(symbols.usedAt), .integer(body.count),
                            .bytes(body)),
                    ] + (entry?.queries ?? []) + [Query("commit")])
                return answers[3].first?.int(1) == 0 ? .stored : .replaced
            } catch {
                connector.reset()
                throw error
            }
        }

        func removeSymbols(
            _ kind: StoredSymbols.Kind, of image: String, audit entry: AuditEntry?
        ) throws(StoreError) -> Bool {
            try run(
                AuditEntry.query(
                    "delete from symbol_table where kind = $1::text and image = $2::text returning id",
                    [.text(kind.rawValue), .text(image)], audit: entry)
            ).first != nil
        }

        func recordUse(ofSymbols rowIDs: [Int64], now: Int64) throws(StoreError) {
            _ = try run(
                Query(
                    """
                    update symbol_table set used_at = greatest(used_at, $1::bigint) where id in
                      (select id from symbol_table where id = any($2::bigint[]) order by id for update)
                    """, .integer(now), .integers(rowIDs.map(Optional.some))))
        }

        /// Replaces the class and the path of a leak, and keeps its id. Returns `false` if there is no such leak.
        func rewrite(_ identity: LeakIdentity) throws(StoreError) -> Bool {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let answers = try connection.run([
                    Migration.sharedLockQuery, Migration.versionQuery,
                    identity.appKey.lockQuery,
                    Query("select id from leak where key = any($1::uuid[])", .uuids([identity.id])),
                ])
                try Migration.requireKnownVersion(answers[1], connection)
                let row = answers[3].first?.int64(0)
                _ = try connection.run(
                    (row.map { Self.renamingQueries($0, to: identity) } ?? []) + [Query("commit")])
                return row != nil
            } catch {
                connector.reset()
                throw error
            }
        }
    }
#endif
