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

    /// Version 26: the order of the first version of a leak after the version was evicted.
    static let schema26 = Migration(
        version: 26,
        script: """
            -- first_order: the order_key of the first release if it was evicted, so that first_release is the release 'other'; else
            -- null.
            alter table leak add column first_order blob;
            """)

    /// Version 27: merges by hand, with what undoing them needs.
    static let schema27 = Migration(
        version: 27,
        script: """
            -- source: the id of the merged leak. module: its module, empty if it is not known. leak: the row ID of the leak that
            -- counts its reports. made_by, made_at, is_shared: those of the merged leak. source_body, target_body:
            -- LeakContents.Leak of both leaks.
            create table if not exists leak_merge (
              id integer primary key autoincrement,
              app integer not null,
              source blob not null unique,
              module text not null,
              title text not null,
              leak integer not null,
              reports integer not null,
              by text not null,
              at integer not null,
              made_by integer,
              made_at integer,
              is_shared integer not null,
              source_body blob not null,
              target_body blob not null
            );
            create index if not exists leak_merge_of_app on leak_merge (app);
            create index if not exists leak_merge_of_leak on leak_merge (leak);
            -- side: 0 for the merged leak, 1 for its target before the merge. body: LeakContents.Release.
            create table if not exists leak_merge_release (
              merge integer not null,
              side integer not null,
              release integer not null,
              body blob not null,
              primary key (merge, side, release)
            );
            create index if not exists leak_merge_release_by_release on leak_merge_release (release);
            -- The samples of both leaks; the other columns are those of sample.
            create table if not exists leak_merge_sample (
              merge integer not null,
              side integer not null,
              slot integer not null,
              ordinal integer not null,
              at integer not null,
              version text not null,
              build text,
              system text,
              model text,
              install_hash integer,
              install text,
              user text,
              body blob not null,
              primary key (merge, side, slot)
            );
            create index if not exists leak_merge_sample_in_time on leak_merge_sample (at);
            """)

    /// Version 28: the grouping rules that people write for an app.
    static let schema28 = Migration(
        version: 28,
        script: """
            -- app: the name of the app in all environments. The other columns: AppRules.
            create table if not exists app_rules (
              id integer primary key autoincrement,
              app text not null,
              version integer not null,
              text text not null,
              by text not null,
              at integer not null,
              unique (app, version)
            );
            """)
}
