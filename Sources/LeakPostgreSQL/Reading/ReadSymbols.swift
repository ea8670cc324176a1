#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        func symbolsVersion() throws(StoreError) -> SymbolsVersion {
            let row = try probe(Query("select coalesce(max(id), 0), count(*) from symbol_table")).first
            return SymbolsVersion(lastRowID: row?.int64(0) ?? 0, tableCount: row?.int(1) ?? 0)
        }

        func symbols() throws(StoreError) -> [StoredSymbols] {
            try snapshot { connection throws(StoreError) in
                let rows = try connection.run(
                    Query(
                        """
                        select \(StoredSymbols.Column.columnsSQL) from symbol_table order by id desc
                        """))
                var symbols: [StoredSymbols] = []
                for row in rows {
                    symbols.append(try StoredSymbols(row, in: connection.name))
                }
                return symbols
            }
        }

        func symbolTable(_ rowID: Int64) throws(StoreError) -> [UInt8]? {
            try snapshot { connection throws(StoreError) in
                try connection.run(
                    Query("select body from symbol_table where id = $1::bigint", .integer(rowID))
                ).first?.bytes(0)
            }
        }

        func leaks(withFramesOf images: [String]) throws(StoreError) -> [LeakID] {
            try snapshot { connection throws(StoreError) in
                let rows = try connection.run(
                    Query(
                        """
                        select l.key from leak_text t join leak l on l.id = t.leak
                        where exists (select 1 from unnest($1::bytea[]) as image (bytes)
                          where position(image.bytes in t.stack) > 0)
                        """, .byteArrays(images.map { Array($0.utf8) })))
                return rows.compactMap { LeakID(blob: $0.bytes(0)) }.sorted()
            }
        }
    }
#endif
