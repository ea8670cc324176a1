extension Migration {
    /// Version 2: the numbers that limits are compared with, counts beyond the limits, and indexes for the orders of a list and for classes
    /// with the same innermost name.
    static let schema2 = Migration(
        version: 2,
        script: """
            -- made_by: the ingest key whose report was the first. cells: rows of leak_build. text_bytes: of leak_text.
            alter table app add column made_by integer;
            alter table app add column cells integer not null default 0;
            alter table app add column text_bytes integer not null default 0;
            update app set
              cells = (select count(*) from leak l join leak_build b on b.leak = l.id where l.app = app.id),
              text_bytes = (select coalesce(sum(length(cast(title as blob)) + length(stack) + length(children) + length(cycle)
                  + length(cast(grouped_class as blob)) + length(grouped_stack) + length(cast(search as blob))), 0)
                from leak l join leak_text t on t.leak = l.id where l.app = app.id);
            create index app_made_by on app (made_by) where made_by is not null;

            -- name: OverLimitCount.Name.
            create table beyond (
              app integer not null references app,
              name text not null,
              count integer not null,
              primary key (app, name)
            ) without rowid;

            -- How many rows of idempotency and answer a day has; they go with it.
            create table idempotency_use (
              day integer not null,
              key_id integer not null,
              keys integer not null,
              answers integer not null,
              primary key (day, key_id)
            ) without rowid;
            insert into idempotency_use (day, key_id, keys, answers)
              select day, key_id, count(*), count(distinct answer) from idempotency group by day, key_id;

            -- impact: installs in the app's newest release. moving: its numbers changed lately, and no index of an order has
            -- it until they rest; rank_…: the numbers at its last rest, for the indexes alone (Movement).
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
            -- One index for each order, so that a page is read from its place on, however many leaks there are.
            create index leak_by_impact on leak (app, rank_impact, rank_reports) where moving = 0;
            create index leak_by_reports on leak (app, rank_reports) where moving = 0;
            create index leak_by_installs on leak (app, rank_installs, rank_reports) where moving = 0;
            create index leak_by_last_seen on leak (app, rank_last_seen) where moving = 0;
            create index leak_by_first_seen on leak (app, first_seen) where moving = 0;
            drop index leak_first_release;
            create index leak_by_first_release on leak (first_release, rank_reports) where moving = 0;
            create index leak_moving on leak (app) where moving = 1;
            create index sample_in_time on sample (at);
            -- By what follows the last point of the class: Inner of Outer.Inner.
            create index leak_by_innermost_class
              on leak (app, substr(class, length(rtrim(class, replace(class, '.', ''))) + 1));

            -- Rows of leak_release, and of leak that have it as first_release.
            alter table release add column leaks integer not null default 0;
            alter table release add column new_leaks integer not null default 0;
            update release set leaks = (select count(*) from leak_release c where c.release = release.id),
              new_leaks = (select count(*) from leak where first_release = release.id);
            """)
}
