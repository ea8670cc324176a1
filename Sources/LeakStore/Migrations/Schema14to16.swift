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

    /// Version 16: sessions and reports of the last 24 hours by release, and the pinned release of an app.
    static let schema16 = Migration(
        version: 16,
        // This SQL keeps the rule of this schema, even if `CurrentRelease` changes later.
        script: """
            alter table app add column pinned_release integer;
            create table if not exists release_hour (
              app integer not null,
              hour integer not null,
              release integer not null,
              sessions integer not null,
              reports integer not null,
              primary key (app, hour, release)
            ) without rowid;
            -- Sessions from before this schema are estimated from the reports of the hour. If counts in the log are not in the tables
            -- yet, the stored release stays until the next report.
            insert or ignore into release_hour (app, hour, release, sessions, reports)
              select a.id, h.hour, r.id, cast(sum(h.reports) * (1.0 * r.sessions / max(r.reports, 1)) as integer), sum(h.reports)
              from leak_hour h join release r on r.id = h.release join app a on a.id = r.app
              where h.hour > a.last_seen / 3600000 - 24 and h.hour <= a.last_seen / 3600000 and h.reports > 0
                and not exists (select 1 from count_log)
              group by a.id, h.hour, r.id;
            create temp table chosen as select a.id as app, a.newest_release as stored, (
              select id from (
                select id, order_key, used, sum(used) over () as total from (
                  select id, order_key, case when sum(sessions) over () * 10 >= sum(reports) over () then sessions else reports end
                    as used
                  from (
                    select r.id, r.order_key, sum(h.sessions * 1.0) as sessions, sum(h.reports * 1.0) as reports
                    from release_hour h join release r on r.id = h.release where h.app = a.id group by r.id, r.order_key)))
              order by case when used < 100 or used * 20 < total then used else total + 1 end desc, order_key desc limit 1)
              as release from app a;
            delete from chosen where release is null or release is stored;
            update app set newest_release = c.release from chosen c where c.app = app.id;
            update leak as l set impact = i.installs
              from (select l.id as leak, coalesce(r.installs, 0) as installs from chosen c join leak l on l.app = c.app
                left join leak_release r on r.leak = l.id and r.release = c.release) i
              where i.leak = l.id and l.impact <> i.installs;
            update leak set rank_impact = impact where moving = 0 and rank_impact <> impact;
            drop table chosen;
            """)
}
