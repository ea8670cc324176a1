extension SQLiteReader {
    func symbolsVersion() throws(StoreError) -> SymbolsVersion {
        let select = try connection.statement("select coalesce(max(id), 0), count(*) from symbol_table")
        defer { select.reset() }
        _ = try select.step()
        return SymbolsVersion(lastRowID: select.int64(0), tableCount: select.int(1))
    }

    func symbols() throws(StoreError) -> [StoredSymbols] {
        let select = try connection.statement(
            composed: "select \(StoredSymbols.Column.columnsSQL) from symbol_table order by id desc")
        defer { select.reset() }
        var symbols: [StoredSymbols] = []
        while try select.step() {
            symbols.append(try StoredSymbols(select, in: connection.path))
        }
        return symbols
    }

    func symbolTable(_ rowID: Int64) throws(StoreError) -> [UInt8]? {
        let select = try connection.statement("select body from symbol_table where id = ?")
        defer { select.reset() }
        try select.bind(rowID)
        return try select.step() ? select.bytes(0) : nil
    }

    func leaks(withFramesOf images: [String]) throws(StoreError) -> [LeakID] {
        var leaks: Set<LeakID> = []
        for image in images {
            let select = try connection.statement(
                "select l.key from leak_text t join leak l on l.id = t.leak where instr(t.stack, ?) > 0")
            defer { select.reset() }
            try select.bind(Array(image.utf8))
            while try select.step() {
                if let id = LeakID(blob: select.bytes(0)) { leaks.insert(id) }
            }
        }
        return leaks.sorted()
    }
}
