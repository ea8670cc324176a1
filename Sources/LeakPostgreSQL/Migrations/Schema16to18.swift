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

        /// Version 18: sessions and reports of the last 24 hours by release, and the pinned release of an app.
        static let schema18 = Migration(
            version: 18,
            statements: [
                "alter table app add column if not exists pinned_release bigint",
                """
                create table if not exists release_hour (
                  app bigint not null,
                  hour bigint not null,
                  release bigint not null,
                  sessions bigint not null,
                  reports bigint not null,
                  primary key (app, hour, release)
                ) with (fillfactor = 80)
                """,
                // Sessions from before this schema are estimated from the reports of the hour.
                """
                insert into release_hour (app, hour, release, sessions, reports)
                select a.id, h.hour, r.id, floor(sum(h.reports) * r.sessions / greatest(r.reports, 1)), sum(h.reports)
                from leak_hour h join release r on r.id = h.release join app a on a.id = r.app
                where h.hour > a.last_seen / 3600000 - 24 and h.hour <= a.last_seen / 3600000 and h.reports > 0
                group by a.id, h.hour, r.id on conflict (app, hour, release) do nothing
                """,
                // This is the rule of version 18, even if CurrentRelease has changed since.
                """
                update app a set newest_release = coalesce((
                  select id from (
                    select id, order_key, used, sum(used) over () as total from (
                      select id, order_key, case when sum(sessions) over () * 10 >= sum(reports) over ()
                        then sessions else reports end as used
                      from (
                        select r.id, r.order_key, sum(h.sessions) as sessions, sum(h.reports) as reports
                        from release_hour h join release r on r.id = h.release where h.app = a.id
                        group by r.id, r.order_key) as summed) as counted) as shares
                  order by case when used < 100 or used * 20 < total then used else total + 1 end desc, order_key desc limit 1),
                  newest_release)
                """,
                """
                update leak l set impact = i.installs
                from (select l.id as leak, coalesce(c.installs, 0) as installs from app a join leak l on l.app = a.id
                  left join leak_release c on c.leak = l.id and c.release = a.newest_release) i
                where i.leak = l.id and l.impact <> i.installs
                """,
                "analyze release_hour",
            ])
    }
#endif
