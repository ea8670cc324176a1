#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        func reasons(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
            try values(.reason, of: leaks, limit: limit)
        }

        func closures(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]]
        {
            try values(.closures, of: leaks, limit: limit)
        }

        private func values(
            _ kind: ValueKind, of leaks: [LeakID], limit: Int
        ) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
            try snapshot { connection throws(StoreError) in
                let rows = try connection.run(
                    Query(
                        """
                        select l.key, v.value, v.reports from leak l cross join lateral (
                          select value, reports from leak_value
                          where leak = l.id and kind = $2::bigint and value <> ''
                          order by reports desc, value limit $3::bigint) v
                        where l.key = any($1::uuid[]) order by l.id, v.reports desc, v.value
                        """, .uuids(leaks), .integer(kind.rawValue), .integer(limit)))
                var values: [LeakID: [LeakDetail.ValueCount]] = [:]
                for row in rows {
                    guard let leak = LeakID(blob: row.bytes(0)) else {
                        throw .unreadable("a leak", in: connection.name)
                    }
                    values[leak, default: []].append(
                        LeakDetail.ValueCount(value: row.text(1), reports: row.int(2)))
                }
                return values
            }
        }
    }
#endif
