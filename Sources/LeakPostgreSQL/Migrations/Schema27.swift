#if PostgreSQL
    extension Migration {
        /// Version 27: the ingest keys that made apps, versions and leaks, and the leaks whose reports are dropped.
        static let schema27 = Migration(
            version: 27,
            statements: [
                // made_by: the ingest key whose report made the row. made_at: the time then, by the collector's clock. is_shared:
                // 1 once another key has reported the row; a build is deleted only if it is empty. Rows from before this schema
                // have no made_at.
                """
                alter table app add column if not exists made_at bigint,
                  add column if not exists is_shared bigint not null default 0
                """,
                """
                alter table release add column if not exists made_by bigint, add column if not exists made_at bigint,
                  add column if not exists is_shared bigint not null default 0
                """,
                "alter table build add column if not exists made_by bigint, add column if not exists made_at bigint",
                """
                alter table leak add column if not exists made_by bigint, add column if not exists made_at bigint,
                  add column if not exists is_shared bigint not null default 0
                """,
                // key: an id under which reports of the leak may arrive. leak: the id of the deleted leak. The other columns:
                // DiscardedLeak.
                """
                create table if not exists discarded_leak (
                  key uuid primary key,
                  leak uuid not null,
                  app bigint not null,
                  title text collate "C" not null,
                  module text collate "C" not null,
                  by text collate "C" not null,
                  at bigint not null,
                  dropped bigint not null default 0
                ) with (fillfactor = 80)
                """,
                "create index if not exists discarded_leak_of_app on discarded_leak (app)",
            ])
    }
#endif
