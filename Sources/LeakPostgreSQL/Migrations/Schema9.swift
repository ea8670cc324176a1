#if PostgreSQL
    extension Migration {
        /// Version 9: leaks that were merged into others.
        static let schema9 = Migration(
            version: 9,
            statements: [
                // key: of a leak that is no more. leak: the one that has its counts. Numbers are given once: readers forget
                // what they remember of leaks when there is a new one.
                """
                create table if not exists merged_leak (
                  id bigint generated always as identity primary key,
                  key uuid not null unique,
                  leak bigint not null,
                  at bigint not null
                )
                """,
                "create index if not exists merged_leak_into on merged_leak (leak)",
            ])
    }
#endif
