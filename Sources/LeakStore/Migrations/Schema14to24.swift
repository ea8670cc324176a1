extension Migration {
    /// Version 14: sessions, checks and reports of each build, by bucket of installs.
    static let schema14 = Migration(
        version: 14,
        script: """
            -- Columns named buckets: BucketCounts. Sessions and reports from before this schema are in no bucket.
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
            -- A row of app is an app in one environment. Reports from before this schema count in the environment production.
            -- SQLite cannot change a unique constraint, so the table is copied.
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

    /// Version 16: sessions and reports of the last hours by release, and the pinned release of an app.
    static let schema16 = Migration(
        version: 16,
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
            -- The last 24 hours before this schema are estimated, as if each version had been used evenly. If the log has
            -- counts that are not in the tables yet, nothing is estimated, and the current release stays the same until the
            -- next report.
            insert into release_hour (app, hour, release, sessions, reports)
              select a.id, min(r.last_seen, a.last_seen) / 3600000, r.id,
                cast(r.sessions * (86400000.0 / max(86400000, r.last_seen - r.first_seen)) as integer),
                cast(r.reports * (86400000.0 / max(86400000, r.last_seen - r.first_seen)) as integer)
              from release r join app a on a.id = r.app
              where r.last_seen > a.last_seen - 86400000 and (r.sessions > 0 or r.reports > 0)
                and not exists (select 1 from count_log);
            """)

    /// Version 17: for each release and hour the bucket of its installs, and the author and time of a pin.
    static let schema17 = Migration(
        version: 17,
        // Chooses the current releases by the current rule. If a later rule needs columns that do not exist yet, its own
        // migration must choose the releases, and this statement must be removed.
        script: """
            alter table app add column pinned_by text;
            alter table app add column pinned_at integer;
            -- bucket: the bucket of the installs; -1 if the installs are in several buckets, or the row is from before this
            -- schema; -2 if no report names an install.
            alter table release_hour add column bucket integer not null default -1;
            create temp table chosen as select a.id as app, a.newest_release as stored,
              (\(CurrentRelease.rowIDSQL)) as release from app a where not exists (select 1 from count_log);
            delete from chosen where release is null or release is stored;
            update app set newest_release = c.release from chosen c where c.app = app.id;
            update leak as l set impact = i.installs
              from (select l.id as leak, coalesce(r.installs, 0) as installs from chosen c join leak l on l.app = c.app
                left join leak_release r on r.leak = l.id and r.release = c.release) i
              where i.leak = l.id and l.impact <> i.installs;
            update leak set rank_impact = impact where moving = 0 and rank_impact <> impact;
            drop table chosen;
            """)

    /// Version 18: the installs that leaks had in their releases in the last days, and new names for a table, a column and an
    /// index.
    static let schema18 = Migration(
        version: 18,
        script: """
            alter table beyond rename to over_limit;
            -- is_unindexed: 1 while the counts of the leak change often.
            alter table leak rename column moving to is_unindexed;
            drop index leak_moving;
            create index leak_unindexed on leak (app) where is_unindexed = 1;
            -- id: the id of the row of leak_release. members: RecentInstalls. installs: the number of members that count on the
            -- day `day`. The members of the days before this schema are not known, so the impact of each leak, which is the
            -- number of installs in the current release, starts at 0.
            create table recent_install_set (
              id integer primary key references leak_release,
              installs integer not null,
              day integer not null,
              members blob not null
            );
            update leak set impact = 0, rank_impact = 0 where impact <> 0 or rank_impact <> 0;
            -- known_release: the newest row of release when the decision was made; null for decisions from before this schema.
            alter table decision add column known_release integer;
            """)

    /// Version 19: the number of reports, made in the hour of the decision or later, that a leak already had when it was
    /// resolved.
    static let schema19 = Migration(
        version: 19,
        script: """
            -- hour_reports: the part of the column reports that was made on the day of the decision, in the hour of the
            -- decision or later. For decisions from before this schema, all reports of the hour of the decision.
            alter table decision_release add column hour_reports integer not null default 0;
            update decision_release as s set hour_reports = min(s.reports, coalesce((
              select sum(h.reports) from decision d join leak_hour h on h.leak = d.leak and h.hour = d.at / 3600000
              where d.id = s.decision and h.release = s.release), 0));
            """)

    /// Version 20: the build of a version from which on a leak should be fixed.
    static let schema20 = Migration(
        version: 20,
        script: """
            -- build: the build that should have the fix; null for all builds of the version. build_from: the lowest order_key of
            -- a build in which a report contradicts the fix.
            alter table decision add column build text;
            alter table decision add column build_from blob;
            """)

    /// Version 21: the builds that were in use when a decision was made.
    static let schema21 = Migration(
        version: 21,
        script: """
            -- known_build: the newest row of build when the decision was made; null for decisions from before this schema.
            alter table decision add column known_build integer;
            """)

    /// Version 22: the build in which a leak was first seen.
    static let schema22 = Migration(
        version: 22,
        script: """
            -- has_lower: 1 if both the build and a lower build of its version, which was in use before, begin with a number.
            alter table build add column has_lower integer not null default 0;
            update build as b set has_lower = 1 where order_key >= x'02' and exists (
              select 1 from build where release = b.release and id < b.id and order_key >= x'02' and order_key < b.order_key);
            -- first_build: the lowest build of first_release in which the leak was seen.
            alter table leak add column first_build integer;
            update leak as l set first_build = (select b.id from leak_build p join build b on b.id = p.build
              where p.leak = l.id and b.release = l.first_release order by b.order_key limit 1);
            """)

    /// Version 23: the roles of access tokens.
    static let schema23 = Migration(
        version: 23,
        script: """
            -- role: Credential.Role. Tokens from before this schema could do everything, or only run release checks.
            alter table credential add column role text;
            update credential set role = 'admin' where purpose in ('access', 'sign_in', 'session');
            update credential set role = 'check', purpose = 'access' where purpose = 'check';
            """)

    /// Version 24: the audit log.
    static let schema24 = Migration(
        version: 24,
        script: """
            -- Ids are never reused, so that a higher id is a later entry. token: the id of a credential, which may not exist any
            -- more. The other columns: AuditEntry.
            create table if not exists audit (
              id integer primary key autoincrement,
              at integer not null,
              actor text not null,
              token integer,
              action text not null,
              object text not null,
              details text not null,
              address text
            );
            create index if not exists audit_at on audit (at);
            """)
}
