extension Migration {
    /// Version 14: sessions, checks and reports of each build, by bucket of installs.
    static let schema14 = Migration(
        version: 14,
        script: """
            -- …buckets: BucketCounts. Sessions and reports from before this schema are in no bucket.
            alter table build add column session_buckets blob not null default x'';
            alter table build add column leaky_buckets blob not null default x'';
            alter table leak_build add column buckets blob not null default x'';

            create table if not exists build_check (
              build integer not null references build,
              class text not null,
              checks integer not null,
              buckets blob not null,
              primary key (build, class)
            ) without rowid;
            -- Checks from before this schema count in the first build of their version, in no bucket.
            insert into build (release, name, order_key)
              select distinct release, '', x'01' from release_check c
              where not exists (select 1 from build b where b.release = c.release);
            insert into build_check (build, class, checks, buckets)
              select (select min(id) from build where release = c.release), class, checks, x'' from release_check c;
            drop table release_check;
            update beyond set name = 'check_classes_per_build' where name = 'check_classes_per_release';
            """)

    /// Version 15: environments of apps and of ingest keys, and an index of the leaks that are nearly always freed later.
    static let schema15 = Migration(
        version: 15,
        script: """
            -- A row of app is an app in one environment. Reports from before this schema are of production. SQLite cannot change
            -- what is unique in a table, so the table is written anew.
            create table app_in_environment (
              id integer primary key,
              name text not null,
              environment text not null,
              last_seen integer not null,
              newest_release integer,
              leaks integer not null default 0,
              reports integer not null default 0,
              freed integer not null default 0,
              made_by integer,
              cells integer not null default 0,
              text_bytes integer not null default 0,
              unique (name, environment)
            );
            insert into app_in_environment
              select id, name, 'production', last_seen, newest_release, leaks, reports, freed, made_by, cells, text_bytes
              from app;
            drop table app;
            alter table app_in_environment rename to app;
            create index if not exists leak_slow on leak (app) where freed >= 1 and freed * 10 >= reports * 9;
            -- environments: Credential.environmentList.
            alter table credential add column environments text;
            create index app_made_by on app (made_by) where made_by is not null;
            """)
}
