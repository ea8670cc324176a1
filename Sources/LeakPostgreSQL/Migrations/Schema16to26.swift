#if PostgreSQL
    internal import LeakStore

    extension Migration {
        /// Version 16: sessions, checks and reports by bucket of installs, in each build.
        static let schema16 = Migration(
            version: 16,
            statements: [
                // Columns with buckets are explained at BucketCountsNumeric. Sessions and reports from before this schema are in no
                // bucket.
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
                // A row of `app` is an app in one environment. Reports from before this schema are of production.
                """
                alter table app add column if not exists environment text collate "C" not null default 'production',
                  drop constraint if exists app_name_key
                """,
                // environments: the value of Credential.environmentList.
                "alter table credential add column if not exists environments text collate \"C\"",
                "create unique index if not exists app_in_environment on app (name, environment)",
            ])

        /// Version 18: sessions and reports of the last hours by release, and the pinned release of an app.
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
                // The last 24 hours before this schema are estimated, as if each version had been used at the same rate from
                // its first to its last report.
                """
                insert into release_hour (app, hour, release, sessions, reports)
                select a.id, least(r.last_seen, a.last_seen) / 3600000, r.id,
                  floor(r.sessions * 86400000.0 / greatest(86400000, r.last_seen - r.first_seen)),
                  floor(r.reports * 86400000.0 / greatest(86400000, r.last_seen - r.first_seen))
                from release r join app a on a.id = r.app
                where r.last_seen > a.last_seen - 86400000 and (r.sessions > 0 or r.reports > 0)
                on conflict (app, hour, release) do nothing
                """,
            ])

        /// Version 19: the buckets of installs of a release in an hour, and the author and time of a pin.
        static let schema19 = Migration(
            version: 19,
            statements: [
                """
                alter table app add column if not exists pinned_by text collate "C",
                  add column if not exists pinned_at bigint
                """,
                // bucket: the bucket of the installs; -1 if the installs are in several buckets or the row is from before this
                // schema, -2 if no install is named.
                "alter table release_hour add column if not exists bucket bigint not null default -1",
                // Chooses the current releases by the rule of the running code. If a later rule needs other columns, the
                // migration that adds them must choose the releases, and this statement is removed.
                "update app a set newest_release = (\(CurrentRelease.rowIDSQL))",
                """
                update leak l set impact = i.installs
                from (select l.id as leak, coalesce(c.installs, 0) as installs from app a join leak l on l.app = a.id
                  left join leak_release c on c.leak = l.id and c.release = a.newest_release) i
                where i.leak = l.id and l.impact <> i.installs
                """,
                "analyze release_hour",
            ])

        /// Version 20: the installs that leaks had in their releases in the last days, and plain names for two tables.
        static let schema20 = Migration(
            version: 20,
            statements: [
                "alter table beyond rename to over_limit",
                "alter table witness rename to commit_marker",
                // members: the bytes of RecentInstalls. installs: the number of members that count on the day `day`. The
                // installs of days before this schema are not known, so the impact of each leak, the number of its recent
                // installs in the current release, starts again at 0.
                """
                create table if not exists recent_install_set (
                  leak bigint not null,
                  release bigint not null,
                  installs bigint not null,
                  day bigint not null,
                  members bytea not null,
                  primary key (leak, release)
                ) with (fillfactor = 80)
                """,
                "update leak set impact = 0 where impact <> 0",
                // known_release: the newest row of `release` when the decision was made; null for decisions from before this
                // schema.
                "alter table decision add column if not exists known_release bigint",
            ])

        /// Version 21: reports since the hour of a decision.
        static let schema21 = Migration(
            version: 21,
            statements: [
                // hour_reports: number of the reports in `reports` that were made on the day of the decision, since the start of
                // the decision's hour. For a decision from before this schema: only those made in that hour.
                "alter table decision_release add column if not exists hour_reports bigint not null default 0",
                """
                update decision_release s set hour_reports = least(s.reports, coalesce((
                  select sum(h.reports) from decision d join leak_hour h on h.leak = d.leak and h.hour = d.at / 3600000
                  where d.id = s.decision and h.release = s.release), 0))
                """,
            ])

        /// Version 22: the build of a version from which on a leak should be fixed.
        static let schema22 = Migration(
            version: 22,
            statements: [
                // build: the build that should have the fix; null for all builds of the version. build_from: the least order_key
                // of a build in which a report contradicts the fix.
                """
                alter table decision add column if not exists build text collate "C",
                  add column if not exists build_from bytea
                """
            ])

        /// Version 23: the builds that were in use when a decision was made.
        static let schema23 = Migration(
            version: 23,
            statements: [
                // known_build: the newest row of `build` when the decision was made; null for decisions from before this schema.
                "alter table decision add column if not exists known_build bigint"
            ])

        /// Version 24: the build in which a leak was first seen.
        static let schema24 = Migration(
            version: 24,
            statements: [
                // has_lower: 1 if both the build and a lower build of its version, which was in use before, begin with a number.
                "alter table build add column if not exists has_lower bigint not null default 0",
                #"""
                update build b set has_lower = 1 where order_key >= '\x02'::bytea and exists (
                  select 1 from build o where o.release = b.release and o.id < b.id and o.order_key >= '\x02'::bytea
                    and o.order_key < b.order_key)
                """#,
                // first_build: the lowest build of first_release in which the leak was seen.
                "alter table leak add column if not exists first_build bigint",
                """
                update leak l set first_build = (select b.id from leak_build p join build b on b.id = p.build
                  where p.leak = l.id and b.release = l.first_release order by b.order_key limit 1)
                """,
            ])

        /// Version 25: the roles of access tokens.
        static let schema25 = Migration(
            version: 25,
            statements: [
                // role: Credential.Role. Tokens from before this schema could do everything, or only run release checks.
                "alter table credential add column if not exists role text collate \"C\"",
                "update credential set role = 'admin' where purpose in ('access', 'sign_in', 'session')",
                "update credential set role = 'check', purpose = 'access' where purpose = 'check'",
            ])

        /// Version 26: the audit log.
        static let schema26 = Migration(
            version: 26,
            statements: [
                // token: the id of a credential, which may not exist any more. The other columns: AuditEntry.
                """
                create table if not exists audit (
                  id bigint generated always as identity primary key,
                  at bigint not null,
                  actor text collate "C" not null,
                  token bigint,
                  action text collate "C" not null,
                  object text collate "C" not null,
                  details text collate "C" not null,
                  address text collate "C"
                )
                """,
                "create index if not exists audit_at on audit (at)",
            ])
    }
#endif
