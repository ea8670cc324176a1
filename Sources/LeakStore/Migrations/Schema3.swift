extension Migration {
    /// Version 3: decisions about leaks, and an app's days.
    static let schema3 = Migration(
        version: 3,
        script: """
            -- A leak's state is the decision that holds, 0 when none does: what it comes to is read from the counts.
            -- kind: DecisionKind. fix_from: the least order_key of a version that speaks against the fix. reports_then: of
            -- the leak, when it was ignored. A number is never given again: readers remember what they made of it.
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

            -- Reports that a resolved leak had in versions that speak against its fix, when it was resolved; of decisions
            -- that hold alone.
            create table decision_release (
              decision integer not null references decision on delete cascade,
              release integer not null references release,
              reports integer not null,
              primary key (decision, release)
            ) without rowid;

            -- What app_slot has no more, 91 days at most. Its set of installs is InstallScope.day; of days before this
            -- schema there is none.
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
