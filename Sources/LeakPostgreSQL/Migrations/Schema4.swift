#if PostgreSQL
    extension Migration {
        /// Version 4: the guarded time that everything expires by.
        static let schema4 = Migration(
            version: 4,
            statements: [
                // One row, StoreClock.Stored. Without one the system clock is followed.
                """
                create table if not exists clock (
                  id bigint primary key,
                  wall bigint not null,
                  keys bigint not null,
                  waited bigint not null
                )
                """,
                """
                insert into clock (id, wall, keys, waited)
                select 1, seen, greatest(seen, (select coalesce(max(at), 0) from idempotency)), 0
                from (select max(last_seen) as seen from app) a where seen is not null
                on conflict (id) do nothing
                """,
            ])
    }
#endif
