#if PostgreSQL
    internal import LeakStore

    extension Migration {
        /// Version 13: what an object of each leak keeps, for the order by cost.
        static let schema13 = Migration(
            version: 13,
            statements: [
                // RetainedBytes.median
                "alter table leak add column if not exists retained_bytes bigint not null default 0",
                """
                update leak l set retained_bytes = \(RetainedBytes.median(ofLeak: "l.id"))
                where id in (select leak from leak_value where kind = \(ValueKind.retainedBytes.rawValue))
                """,
            ])
    }
#endif
