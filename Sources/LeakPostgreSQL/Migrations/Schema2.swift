#if PostgreSQL
    extension Migration {
        /// Version 2: decisions about leaks, and an app's days.
        static let schema2 = Migration(
            version: 2,
            statements: [
                // state: the row ID of the decision in force; 0 if there is none.
                "alter table leak add column state bigint not null default 0",
                "create index leak_decided on leak (app) where state <> 0",
                // kind: a raw value of DecisionKind. fix_from: the least order_key of a version in which a report contradicts
                // the fix. reports_then: reports of the leak when it was resolved or ignored. An id is never reused, because
                // readers cache decisions by id.
                """
                create table decision (
                  id bigint generated always as identity primary key,
                  leak bigint not null,
                  at bigint not null,
                  by text not null,
                  kind text not null,
                  version text collate "C",
                  is_after bigint,
                  fix_from bytea,
                  reports_then bigint,
                  until_at bigint,
                  until_reports bigint,
                  note text
                )
                """,
                "create index decision_of_leak on decision (leak, id)",
                // Reports that a leak had when it was resolved, in the versions in which a report contradicts the fix. Only
                // decisions in force have rows.
                """
                create table decision_release (
                  decision bigint not null,
                  release bigint not null,
                  reports bigint not null,
                  primary key (decision, release)
                )
                """,
                // Reports by day, without those that are still in app_slot; at most 91 days. The set of installs is
                // InstallScope.day; days before this schema have no set.
                """
                create table app_day (
                  app bigint not null,
                  day bigint not null,
                  reports bigint not null,
                  primary key (app, day)
                ) with (fillfactor = 50)
                """,
                """
                insert into app_day (app, day, reports)
                select app, day, reports - in_slots from (
                  select d.app, d.day, d.reports, (select coalesce(sum(s.reports), 0)::bigint from app_slot s
                    where s.app = d.app and s.slot between d.day * 144 and d.day * 144 + 143) as in_slots
                  from (select l.app, d.day, least(sum(d.reports), LARGEST_TOTAL)::bigint as reports
                    from leak_day d join leak l on l.id = d.leak
                    where d.day >= (select max(last_seen) from app) / 86400000 - 90 group by l.app, d.day) d) d
                where reports > in_slots
                """,
            ])
    }
#endif
