#if PostgreSQL
    extension Migration {
        /// Version 16: sessions, checks and reports by bucket of installs, in each build.
        static let schema16 = Migration(
            version: 16,
            statements: [
                // Columns with buckets: BucketNumber. Sessions and reports from before this schema are in no bucket.
                """
                alter table build
                  add column if not exists session_buckets numeric not null default 0,
                  add column if not exists leaky_buckets numeric not null default 0
                """,
                "alter table leak_build add column if not exists buckets numeric not null default 0",
                """
                create table if not exists build_check (
                  build bigint not null,
                  class text collate "C" not null,
                  checks bigint not null,
                  buckets numeric not null default 0,
                  primary key (build, class)
                ) with (fillfactor = 80)
                """,
                // Checks from before this schema count in the first build of their version, in no bucket.
                #"""
                insert into build (release, name, order_key)
                select distinct release, '', '\x01'::bytea from release_check c
                where not exists (select 1 from build b where b.release = c.release)
                """#,
                """
                insert into build_check (build, class, checks)
                select (select min(id) from build where release = c.release), class, checks from release_check c
                """,
                "drop table release_check",
                "update beyond set name = 'check_classes_per_build' where name = 'check_classes_per_release'",
                "analyze build_check",
            ])

        /// Version 17: environments of apps and of ingest keys.
        static let schema17 = Migration(
            version: 17,
            statements: [
                // A row of app is an app in one environment. Reports from before this schema are of production.
                """
                alter table app add column if not exists environment text collate "C" not null default 'production',
                  drop constraint if exists app_name_key
                """,
                // environments: Credential.environmentList.
                "alter table credential add column if not exists environments text collate \"C\"",
                "create unique index if not exists app_in_environment on app (name, environment)",
            ])
    }
#endif
