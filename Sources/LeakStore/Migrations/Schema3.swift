extension Migration {
    /// Version 3: decisions about leaks, and counts of apps by day.
    static let schema3 = Migration(
        version: 3,
        script: """
            -- The column state of leak is the id of the decision in force, or 0. Reading the leak computes from its counts whether
            -- a fix has regressed or an ignored leak is open again. kind: a value of DecisionKind. fix_from: order_key of the lowest
            -- version in which a report means that the fix has regressed. reports_then: reports of the leak when it was ignored.
            -- An id is never used again, because readers cache results by id.
            create table decision (
              id integer primary key autoincrement,
              leak integer not null references leak on delete cascade,
              at integer not null,
              by text not null,
              kind text not null,
              version text,
              is_after integer,
              fix_from blob,
              reports_then integer,
              until_at integer,
              until_reports integer,
              note text
            );
            create index decision_of_leak on decision (leak);
            create index leak_decided on leak (app) where state <> 0;

            -- Reports that a resolved leak already had in versions from fix_from on when it was resolved. Only decisions in force
            -- have rows.
            create table decision_release (
              decision integer not null references decision on delete cascade,
              release integer not null references release,
              reports integer not null,
              primary key (decision, release)
            ) without rowid;

            -- Counts of days that app_slot no longer has, at most 91 days. The installs of a day are a set with InstallScope.day; days
            -- before this schema have no set.
            create table app_day (
              id integer primary key,
              app integer not null references app,
              day integer not null,
              reports integer not null default 0,
              unique (app, day)
            );
            create index app_day_in_time on app_day (day);
            insert into app_day (app, day, reports)
              select app, day, reports - in_slots from (
                select l.app as app, d.day as day, cast(min(total(d.reports), LARGEST_TOTAL) as integer) as reports,
                  (select coalesce(sum(s.reports), 0) from app_slot s
                   where s.app = l.app and s.slot between d.day * 144 and d.day * 144 + 143) as in_slots
                from leak_day d join leak l on l.id = d.leak
                where d.day >= (select max(last_seen) from app) / 86400000 - 90 group by l.app, d.day)
              where reports > in_slots;
            """)
}
