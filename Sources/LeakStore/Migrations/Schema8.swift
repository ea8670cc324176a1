extension Migration {
    /// Version 8: leaks that were merged into others.
    static let schema8 = Migration(
        version: 8,
        script: """
            -- key: of a leak that is no more. leak: the one that has its counts. Numbers are given once: readers forget what
            -- they remember of leaks when there is a new one.
            create table if not exists merged_leak (
              id integer primary key autoincrement,
              key blob not null unique,
              leak integer not null references leak on delete cascade,
              at integer not null
            );
            create index if not exists merged_leak_into on merged_leak (leak);
            """)
}
