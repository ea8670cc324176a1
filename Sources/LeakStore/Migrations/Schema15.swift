extension Migration {
    /// Version 15: environments of apps and of ingest keys.
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
            -- environments: Credential.environmentList.
            alter table credential add column environments text;
            create index app_made_by on app (made_by) where made_by is not null;
            """)
}
