#if PostgreSQL
    extension Migration {
        /// Version 1.
        ///
        /// The tables are those of SQLite's schema, except where SQLite relies on row numbers. Rows of an app are changed only by
        /// the transaction that holds the lock of its row in `app`; `idempotency` and `credential` belong to no app.
        ///
        /// There are no foreign keys: a row that refers to another is written in the transaction that checked the other row,
        /// a row is deleted only with the rows that refer to it, and each foreign key would lock the referenced row, which several
        /// collectors refer to all the time. `verify` looks for orphans.
        ///
        /// Texts are compared by their bytes (`collate "C"`), as everywhere else. Counters are updated in place if their page has
        /// room (`fillfactor`), without touching an index. The counters of leaks are an exception, because the
        /// indexes that sort a list contain them.
        static let schema1 = Migration(version: 1, statements: apps1 + leaks1 + otherTables1)

        /// The tables of apps, releases and builds in version 1.
        private static let apps1 = [
            "create table schema_version (version bigint not null)",
            // made_by: the ingest key that created the app. text_bytes: bytes in leak_text. cells: number of rows in leak_build.
            """
            create table app (
              id bigint generated always as identity primary key,
              name text collate "C" not null unique,
              last_seen bigint not null,
              made_by bigint,
              newest_release bigint,
              leaks bigint not null default 0,
              text_bytes bigint not null default 0,
              cells bigint not null default 0,
              reports bigint not null default 0,
              freed bigint not null default 0
            ) with (fillfactor = 50)
            """,
            "create index app_made_by on app (made_by) where made_by is not null",
            // name: a raw value of OverLimitCount.Name.
            """
            create table beyond (
              app bigint not null,
              name text collate "C" not null,
              count bigint not null,
              primary key (app, name)
            ) with (fillfactor = 50)
            """,
            // leaks: number of rows in leak_release. new_leaks: number of rows in leak with this first_release.
            """
            create table release (
              id bigint generated always as identity primary key,
              app bigint not null,
              version text collate "C" not null,
              order_key bytea not null,
              first_seen bigint not null,
              last_seen bigint not null,
              leaks bigint not null default 0,
              new_leaks bigint not null default 0,
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
        ]

        /// The other tables of version 1, which belong to no app and no leak, and a function that reads the message of a report.
        private static let otherTables1 = [
            """
            create table idempotency (
              key_id bigint not null,
              key bytea not null,
              hash bytea not null,
              at bigint not null,
              answer bigint not null,
              primary key (key_id, key)
            )
            """,
            // Most batches share a few answers. The answers of a day are deleted after the keys of that day.
            """
            create table answer (
              id bigint generated always as identity primary key,
              day bigint not null,
              body bytea not null,
              unique (day, body)
            )
            """,
            // Number of rows in `idempotency` and in `answer` that an ingest key has added on a day.
            """
            create table idempotency_use (
              day bigint not null,
              key_id bigint not null,
              keys bigint not null,
              answers bigint not null,
              primary key (day, key_id)
            ) with (fillfactor = 50)
            """,
            // count: the generation of the caches of all collectors. Each change that makes them outdated, not only an erasure of an
            // install, increments it: ExistingRows.cacheGeneration.
            "create table erasure (count bigint not null)",
            "insert into erasure (count) values (0)",
            "create index idempotency_in_time on idempotency (at)",
            // The last transaction of each collector that runs or has run, see CommitMarker.
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
            // PostgreSQL 15 has no function that tests whether a text is JSON, so an error means that it is not.
            """
            create function message_of(report bytea) returns text language plpgsql immutable strict as $$
            begin
              return lower(convert_from(report, 'UTF8')::json ->> 'message');
            exception when others then
              return null;
            end $$
            """,
        ]
    }
#endif
