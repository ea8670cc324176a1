#if PostgreSQL
    internal import LeakStore

    extension Migration {
        /// Version 6: texts are stored once, and the bytes that an ingest key brings on a day are counted.
        static let schema6 = Migration(
            version: 6,
            statements: [
                "alter table idempotency_use add column if not exists text_bytes bigint not null default 0"
            ],
            convert: { connection throws(StoreError) in
                let most = 100
                var last: Int64 = 0
                var isLeft = true
                while isLeft {
                    let rows = try connection.run(
                        Query(
                            """
                            select t.leak, t.title, l.class, t.module, t.stack, t.children, t.cycle, t.grouped_stack
                            from leak_text t join leak l on l.id = t.leak where t.leak > $1::bigint
                            order by t.leak limit $2::bigint
                            """, .integer(last), .integer(most)))
                    let texts = rows.compactMap { row in
                        StoredTexts(
                            row: row.int64(0), title: row.text(1), className: row.optionalText(2),
                            module: row.optionalText(3), stack: row.bytes(4), children: row.bytes(5),
                            cycle: row.bytes(6), groupedStack: row.bytes(7))
                    }
                    for row in rows { last = row.int64(0) }
                    isLeft = rows.count == most
                    try connection.run(
                        Query(
                            """
                            update leak_text t set grouped_stack = d.grouped_stack, search = d.search
                            from unnest($1::bigint[], $2::bytea[], $3::text[]) as d (leak, grouped_stack, search)
                            where t.leak = d.leak
                            """, .integers(texts.map { $0.row }), .byteArrays(texts.map(\.groupedStack)),
                            .texts(texts.map(\.search))))
                }
                try connection.run(
                    Query(
                        """
                        update app a set text_bytes = (select coalesce(sum(octet_length(title) + octet_length(stack)
                            + octet_length(children) + octet_length(cycle) + octet_length(grouped_class)
                            + octet_length(grouped_stack) + octet_length(search)), 0)
                          from leak l join leak_text t on t.leak = l.id where l.app = a.id)
                        """))
            })
    }
#endif
