extension Migration {
    /// Version 5: the guarded time that everything expires by.
    static let schema5 = Migration(
        version: 5,
        script: """
            -- One row, StoreClock.Stored. Without one the system clock is followed.
            create table if not exists clock (
              id integer primary key,
              wall integer not null,
              keys integer not null,
              waited integer not null
            );
            insert or ignore into clock (id, wall, keys, waited)
              select 1, seen, max(seen, (select coalesce(max(at), 0) from idempotency)), 0
              from (select max(last_seen) as seen from app) where seen is not null;
            """)
}
