#if PostgreSQL
    extension Migration {
        /// Version 27: the ingest keys that made apps, versions and leaks, and the leaks whose reports are dropped.
        static let schema27 = Migration(
            version: 27,
            statements: [
                // made_by: the ingest key whose report made the row. made_at: the time then, by the collector's clock. is_shared:
                // 1 once another key has reported the row. A build has no is_shared, because undoing a key deletes only empty
                // builds. Rows from before this schema have no made_at.
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

        /// Version 28: the order of the first version of a leak after the version was evicted.
        static let schema28 = Migration(
            version: 28,
            statements: [
                // first_order: the order_key of the first release if it was evicted, so that first_release is the release 'other';
                // else null.
                "alter table leak add column if not exists first_order bytea"
            ])

        /// Version 29: merges by hand, with what undoing them needs.
        static let schema29 = Migration(
            version: 29,
            statements: [
                // source: the id of the merged leak. module: its module, empty if it is not known. leak: the row ID of the leak
                // that counts its reports. made_by, made_at, is_shared: those of the merged leak. source_body, target_body:
                // LeakContents.Leak of both leaks.
                """
                create table if not exists leak_merge (
                  id bigint generated always as identity primary key,
                  app bigint not null,
                  source uuid not null unique,
                  module text collate "C" not null,
                  title text collate "C" not null,
                  leak bigint not null,
                  reports bigint not null,
                  by text collate "C" not null,
                  at bigint not null,
                  made_by bigint,
                  made_at bigint,
                  is_shared bigint not null,
                  source_body bytea not null,
                  target_body bytea not null
                )
                """,
                "create index if not exists leak_merge_of_app on leak_merge (app)",
                "create index if not exists leak_merge_of_leak on leak_merge (leak)",
                // side: 0 for the merged leak, 1 for its target before the merge. body: LeakContents.Release.
                """
                create table if not exists leak_merge_release (
                  merge bigint not null,
                  side bigint not null,
                  release bigint not null,
                  body bytea not null,
                  primary key (merge, side, release)
                )
                """,
                "create index if not exists leak_merge_release_by_release on leak_merge_release (release)",
                // The samples of both leaks; the other columns are those of sample.
                """
                create table if not exists leak_merge_sample (
                  merge bigint not null,
                  side bigint not null,
                  slot bigint not null,
                  ordinal bigint not null,
                  at bigint not null,
                  version text not null,
                  build text,
                  system text,
                  model text,
                  install_hash bigint,
                  install text,
                  "user" text,
                  body bytea not null,
                  primary key (merge, side, slot)
                )
                """,
                "create index if not exists leak_merge_sample_in_time on leak_merge_sample (at)",
            ])

        /// Version 30: the grouping rules that people write for an app.
        static let schema30 = Migration(
            version: 30,
            statements: [
                // app: the name of the app in all environments. The other columns: AppRules.
                """
                create table if not exists app_rules (
                  id bigint generated always as identity primary key,
                  app text collate "C" not null,
                  version bigint not null,
                  text text collate "C" not null,
                  by text collate "C" not null,
                  at bigint not null,
                  unique (app, version)
                )
                """
            ])
    }
#endif
