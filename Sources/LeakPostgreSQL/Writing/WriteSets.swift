#if PostgreSQL
    internal import LeakStore

    extension WriteBatch {
        func setsUpsert() -> Query? {
            guard !sets.isEmpty else { return nil }
            return .setsUpsert(sets.map { (row: $0.key.row, members: $0.value.bytes) })
        }

        func lifetimesUpsert() -> Query? {
            guard !histograms.isEmpty else { return nil }
            return Query(
                """
                insert into leak_lived (leak, histogram)
                select * from unnest($1::bigint[], $2::bytea[]) order by 1
                on conflict (leak) do update set histogram = excluded.histogram
                """, .integers(histograms.map { $0.leak }),
                .byteArrays(histograms.map { $0.histogram.bytes }))
        }
    }

    extension Query {
        /// Returns the query that inserts or replaces sets of installs.
        static func setsUpsert(_ rows: [(row: (scope: Int64, owner: Int64, part: Int64), members: [UInt8])])
            -> Query
        {
            Query(
                """
                insert into install_set (scope, owner, part, members)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[]) order by 1, 2, 3
                on conflict (scope, owner, part) do update set members = excluded.members
                """, .integers(rows.map { $0.row.scope }), .integers(rows.map { $0.row.owner }),
                .integers(rows.map { $0.row.part }), .byteArrays(rows.map(\.members)))
        }
    }
#endif
