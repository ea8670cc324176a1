#if PostgreSQL
    extension Migration {
        /// Version 1. Released: a change needs version 2.
        ///
        /// The tables are those of SQLite's schema, but for what SQLite does by row numbers. Everything of an app is
        /// changed by whoever holds the lock of its row in `app`; `idempotency` and `credential` belong to no app.
        ///
        /// There are no foreign keys: a row that refers to another is written in the transaction that made sure of it,
        /// nothing that is referred to is deleted, and each reference would lock the row it names, which several
        /// collectors name all the time. `verify` looks for orphans.
        ///
        /// Texts are compared by their bytes (`collate "C"`), as everywhere else. Counters are updated in place where
        /// their page has room (`fillfactor`), without touching an index.
        static let schema1 = Migration(
            version: 1,
            statements: [
                "create table schema_version (version bigint not null)",
                """
                create table app (
                  id bigint generated always as identity primary key,
                  name text collate "C" not null unique,
                  last_seen bigint not null,
                  leaks bigint not null default 0,
                  reports bigint not null default 0,
                  freed bigint not null default 0
                ) with (fillfactor = 50)
                """,
                """
                create table release (
                  id bigint generated always as identity primary key,
                  app bigint not null,
                  version text collate "C" not null,
                  order_key bytea not null,
                  first_seen bigint not null,
                  last_seen bigint not null,
                  reports bigint not null default 0,
                  freed bigint not null default 0,
                  installs bigint not null default 0,
                  sessions bigint not null default 0,
                  leaky_sessions bigint not null default 0,
                  checks bigint not null default 0,
                  unique (app, version)
                ) with (fillfactor = 50)
                """,
                "create index release_in_order on release (app, order_key)",
                """
                create table build (
                  id bigint generated always as identity primary key,
                  release bigint not null,
                  name text collate "C" not null,
                  order_key bytea not null,
                  unique (release, name)
                )
                """,
                """
                create table release_check (
                  release bigint not null,
                  class text collate "C" not null,
                  checks bigint not null,
                  primary key (release, class)
                ) with (fillfactor = 80)
                """,
                // first_order, last_order: the order keys of the two releases. *_sample: SampleChoice.
                """
                create table leak (
                  id bigint generated always as identity primary key,
                  key uuid not null unique,
                  app bigint not null,
                  kind text not null,
                  class text collate "C",
                  quality text not null,
                  reports bigint not null default 0,
                  freed bigint not null default 0,
                  installs bigint not null default 0,
                  sightings bigint not null default 0,
                  alive_at_most bigint,
                  first_seen bigint not null,
                  last_seen bigint not null,
                  first_release bigint not null,
                  last_release bigint not null,
                  first_sample bigint,
                  newest_sample bigint,
                  newest_kept bigint
                ) with (fillfactor = 80)
                """,
                "create index leak_of_class on leak (app, class)",
                "create index leak_first_release on leak (first_release)",
                """
                create table leak_text (
                  leak bigint primary key,
                  title text not null,
                  module text,
                  stack bytea not null,
                  children bytea not null,
                  cycle bytea not null,
                  grouped_version bigint not null,
                  grouped_class text not null,
                  grouped_stack bytea not null,
                  search text not null
                )
                """,
                """
                create table leak_release (
                  leak bigint not null,
                  release bigint not null,
                  reports bigint not null,
                  freed bigint not null,
                  installs bigint not null,
                  primary key (leak, release)
                ) with (fillfactor = 80)
                """,
                "create index leak_release_by_release on leak_release (release)",
                """
                create table leak_build (
                  leak bigint not null,
                  build bigint not null,
                  reports bigint not null,
                  freed bigint not null,
                  installs bigint not null,
                  primary key (leak, build)
                ) with (fillfactor = 80)
                """,
                """
                create table leak_hour (
                  leak bigint not null,
                  hour bigint not null,
                  release bigint not null,
                  reports bigint not null,
                  primary key (leak, hour, release)
                ) with (fillfactor = 90)
                """,
                """
                create table leak_day (
                  leak bigint not null,
                  day bigint not null,
                  release bigint not null,
                  reports bigint not null,
                  primary key (leak, day, release)
                ) with (fillfactor = 90)
                """,
                // kind: ValueKind. value '': every value beyond the limit.
                """
                create table leak_value (
                  leak bigint not null,
                  kind bigint not null,
                  value text collate "C" not null,
                  reports bigint not null,
                  primary key (leak, kind, value)
                ) with (fillfactor = 80)
                """,
                "create table leak_lived (leak bigint primary key, histogram bytea not null)",
                // slot: SampleSlot. message: of the newest alone, where a search looks.
                """
                create table sample (
                  leak bigint not null,
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
                  message text,
                  primary key (leak, slot)
                )
                """,
                // scope, owner and part: InstallScope.
                """
                create table install_set (
                  scope bigint not null,
                  owner bigint not null,
                  part bigint not null,
                  members bytea not null,
                  primary key (scope, owner, part)
                ) with (fillfactor = 80)
                """,
                """
                create table app_slot (
                  app bigint not null,
                  slot bigint not null,
                  reports bigint not null,
                  primary key (app, slot)
                ) with (fillfactor = 50)
                """,
                """
                create table dropped (
                  app bigint not null,
                  reason text collate "C" not null,
                  count bigint not null,
                  primary key (app, reason)
                ) with (fillfactor = 50)
                """,
                """
                create table idempotency (
                  key_id bigint not null,
                  key bytea not null,
                  hash bytea not null,
                  at bigint not null,
                  answer bytea not null,
                  primary key (key_id, key)
                )
                """,
                // How often members were taken from sets: Erasing.
                "create table erasure (count bigint not null)",
                "insert into erasure (count) values (0)",
                "create index idempotency_in_time on idempotency (at)",
                // The last transaction of each collector that runs or has run: Witness.
                """
                create table witness (
                  writer uuid primary key,
                  transaction bigint not null,
                  at bigint not null
                ) with (fillfactor = 50)
                """,
                """
                create table credential (
                  id bigint generated always as identity primary key,
                  purpose text not null,
                  name text not null,
                  hash bytea not null unique,
                  app text,
                  created_at bigint not null,
                  expires_at bigint,
                  revoked_at bigint,
                  opened_by bigint
                )
                """,
                "create index credential_opened_by on credential (opened_by) where opened_by is not null",
                // PostgreSQL 15 cannot ask whether a text is JSON.
                """
                create function message_of(report bytea) returns text language plpgsql immutable strict as $$
                begin
                  return lower(convert_from(report, 'UTF8')::json ->> 'message');
                exception when others then
                  return null;
                end $$
                """,
            ])
    }
#endif
