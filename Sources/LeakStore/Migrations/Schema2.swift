extension Migration {
    /// Version 2: the numbers that limits are compared with, counts beyond the limits, and indexes for the orders of a list and
    /// for classes with the same innermost name.
    static let schema2 = Migration(
        version: 2,
        script: """
            -- made_by: the ingest key that sent the first report. cells: number of the app's rows in leak_build. text_bytes: bytes of
            -- its rows in leak_text.
            alter table app add column made_by integer;
            alter table app add column cells integer not null default 0;
            alter table app add column text_bytes integer not null default 0;
            update app set
              cells = (select count(*) from leak l join leak_build b on b.leak = l.id where l.app = app.id),
              text_bytes = (select coalesce(sum(length(cast(title as blob)) + length(stack) + length(children) + length(cycle)
                  + length(cast(grouped_class as blob)) + length(grouped_stack) + length(cast(search as blob))), 0)
                from leak l join leak_text t on t.leak = l.id where l.app = app.id);
            create index app_made_by on app (made_by) where made_by is not null;

            -- Counts beyond a limit. name: a value of OverLimitCount.Name.
            create table beyond (
              app integer not null references app,
              name text not null,
              count integer not null,
              primary key (app, name)
            ) without rowid;

            -- Number of rows in idempotency and answer by day and ingest key. The rows are deleted together with their day.
            create table idempotency_use (
              day integer not null,
              key_id integer not null,
              keys integer not null,
              answers integer not null,
              primary key (day, key_id)
            ) without rowid;
            insert into idempotency_use (day, key_id, keys, answers)
              select day, key_id, count(*), count(distinct answer) from idempotency group by day, key_id;

            -- impact: installs in the app's newest release. moving: 1 while the counts of the leak change often; the indexes below
            -- leave such leaks out. rank_…: copies of the counts that only these indexes use (DeferredIndexing).
            alter table leak add column impact integer not null default 0;
            alter table leak add column moving integer not null default 0;
            alter table leak add column rank_impact integer not null default 0;
            alter table leak add column rank_reports integer not null default 0;
            alter table leak add column rank_installs integer not null default 0;
            alter table leak add column rank_last_seen integer not null default 0;
            update leak set impact = coalesce((select c.installs from leak_release c
              where c.leak = leak.id and c.release = (select newest_release from app where id = leak.app)), 0);
            update leak set rank_impact = impact, rank_reports = reports, rank_installs = installs,
              rank_last_seen = last_seen;
            -- One index for each sort order: a page of the list then reads its own rows only.
            create index leak_by_impact on leak (app, rank_impact, rank_reports) where moving = 0;
            create index leak_by_reports on leak (app, rank_reports) where moving = 0;
            create index leak_by_installs on leak (app, rank_installs, rank_reports) where moving = 0;
            create index leak_by_last_seen on leak (app, rank_last_seen) where moving = 0;
            create index leak_by_first_seen on leak (app, first_seen) where moving = 0;
            drop index leak_first_release;
            create index leak_by_first_release on leak (first_release, rank_reports) where moving = 0;
            create index leak_moving on leak (app) where moving = 1;
            create index sample_in_time on sample (at);
            -- By the part of the class name after its last dot: Inner of Outer.Inner.
            create index leak_by_innermost_class
              on leak (app, substr(class, length(rtrim(class, replace(class, '.', ''))) + 1));

            -- leaks: number of rows in leak_release with this release. new_leaks: number of rows in leak with it as first_release.
            alter table release add column leaks integer not null default 0;
            alter table release add column new_leaks integer not null default 0;
            update release set leaks = (select count(*) from leak_release c where c.release = release.id),
              new_leaks = (select count(*) from leak where first_release = release.id);
            """)
}
