#if PostgreSQL
    internal import LeakStore

    extension Migration {
        /// Version 10: leaks by the elements of their keys.
        static let schema10 = Migration(
            version: 10,
            statements: [
                // element: KeyElements.
                """
                create table if not exists leak_element (
                  app bigint not null,
                  element bigint not null,
                  leak bigint not null,
                  primary key (app, element, leak)
                )
                """
            ],
            convert: { connection throws(StoreError) in
                let most = 500
                var last: Int64 = 0
                var isLeft = true
                while isLeft {
                    let rows = try connection.run(
                        Query(
                            """
                            select t.leak, l.app, t.grouped_version, t.grouped_class, t.grouped_stack, t.stack, t.children,
                              t.cycle
                            from leak_text t join leak l on l.id = t.leak where t.leak > $1::bigint
                            order by t.leak limit $2::bigint
                            """, .integer(last), .integer(most)))
                    let leaks = rows.compactMap { row in
                        GroupedBy(
                            version: row.int(2), className: row.text(3), packed: row.bytes(4),
                            stack: row.bytes(5), children: row.bytes(6), cycle: row.bytes(7)
                        ).map { (leak: row.int64(0), app: row.int64(1), key: $0) }
                    }
                    for row in rows { last = row.int64(0) }
                    isLeft = rows.count == most
                    try connection.run(.elements(leaks))
                }
            })
    }

    extension Query {
        /// Writes the elements of leaks' keys.
        static func elements(_ leaks: [(leak: Int64, app: Int64, key: GroupedBy)]) -> Query {
            let rows = leaks.flatMap { leak in
                KeyElements.hashes(of: leak.key).map { (leak.app, $0, leak.leak) }
            }
            return Query(
                """
                insert into leak_element (app, element, leak)
                select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) order by 1, 2, 3 on conflict do nothing
                """, .integers(rows.map { $0.0 }), .integers(rows.map { $0.1 }),
                .integers(rows.map { $0.2 }))
        }
    }
#endif
