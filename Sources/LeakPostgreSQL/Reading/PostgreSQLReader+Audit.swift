#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        func auditEntries(before id: Int64, limit: Int) throws(StoreError) -> [AuditEntry] {
            try snapshot { connection throws(StoreError) in
                try connection.run(
                    Query(
                        """
                        select \(AuditEntry.Column.columnsSQL) from audit where id < $1::bigint
                        order by id desc limit $2::bigint
                        """, .integer(id), .integer(limit))
                ).map { AuditEntry($0) }
            }
        }
    }
#endif
