extension QueryReader {
    package func auditEntries(before id: Int64, limit: Int) throws(StoreError) -> [AuditEntry] {
        try read(StoreQueries.auditEntries(before: id, limit: limit))
    }
}

extension StoreQueries {
    fileprivate static func auditEntries(before id: Int64, limit: Int) -> StoreRead<[AuditEntry]> {
        enum Column: Int32, QueryColumn { case id, at, actor, token, action, object, details, address }
        return StoreRead(
            """
            select id, at, actor, token, action, object, details, address from audit
            where id < $1::bigint order by id desc limit $2::bigint
            """, .integer(id), .int(limit)
        ) { (row: NamedRow<Column>) in
            AuditEntry(
                id: row.int64(.id), at: row.time(.at), actor: row.text(.actor),
                token: row.optionalInt64(.token), action: AuditEntry.Action(rawValue: row.text(.action)),
                object: row.text(.object), details: row.text(.details), address: row.optionalText(.address))
        }
    }
}
