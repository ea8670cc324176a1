extension Migration {
    /// Version 25: the ingest keys that made apps, versions and leaks, and the leaks whose reports are dropped.
    static let schema25 = Migration(
        version: 25,
        script: """
            -- made_by: the ingest key whose report made the row. made_at: the time then, by the collector's clock. is_shared: 1
            -- once another key has reported the row; a build is deleted only if it is empty. Rows from before this schema have no
            -- made_at.
            alter table app add column made_at integer;
            alter table app add column is_shared integer not null default 0;
            alter table release add column made_by integer;
            alter table release add column made_at integer;
            alter table release add column is_shared integer not null default 0;
            alter table build add column made_by integer;
            alter table build add column made_at integer;
            alter table leak add column made_by integer;
            alter table leak add column made_at integer;
            alter table leak add column is_shared integer not null default 0;
            -- key: an id under which reports of the leak may arrive. leak: the id of the deleted leak. The other columns:
            -- DiscardedLeak.
            create table if not exists discarded_leak (
              key blob primary key,
              leak blob not null,
              app integer not null,
              title text not null,
              module text not null,
              by text not null,
              at integer not null,
              dropped integer not null default 0
            ) without rowid;
            create index if not exists discarded_leak_of_app on discarded_leak (app);
            """)
}
