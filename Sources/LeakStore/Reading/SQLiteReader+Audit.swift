extension AuditEntry {
    /// Columns of `audit`.
    package enum Column: Int32, StoredColumn {
        case id, at, actor, token, action, object, details, address

        package var sql: String {
            switch self {
            case .id: "id"
            case .at: "at"
            case .actor: "actor"
            case .token: "token"
            case .action: "action"
            case .object: "object"
            case .details: "details"
            case .address: "address"
            }
        }
    }

    package init(_ storedRow: some StoredRow) {
        let row = NamedRow(storedRow, of: Column.self)
        self.init(
            id: row.int64(.id), at: row.time(.at), actor: row.text(.actor), token: row.optionalInt64(.token),
            action: Action(rawValue: row.text(.action)), object: row.text(.object),
            details: row.text(.details), address: row.optionalText(.address))
    }
}

extension SQLiteReader {
    func auditEntries(before id: Int64, limit: Int) throws(StoreError) -> [AuditEntry] {
        let select = try connection.statement(
            composed: """
                select \(AuditEntry.Column.columnsSQL) from audit where id < ? order by id desc limit ?
                """)
        defer { select.reset() }
        try select.bind(id, limit)
        var entries: [AuditEntry] = []
        while try select.step() { entries.append(AuditEntry(select)) }
        return entries
    }
}
