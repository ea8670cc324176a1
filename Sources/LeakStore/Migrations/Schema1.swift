extension Migration {
    /// Version 1. It is released, so do not change it: a change of the schema needs a new migration.
    ///
    /// Short rows that are counted and listed (`leak`) are separate from long rows that are only shown (`leak_text`), so that a
    /// list reads few pages. Times are milliseconds since 1970; hours and days are also numbered from 1970. Each column
    /// `installs` is the size of a set in `install_set`.
    static let schema1 = Migration(
        version: 1,
        script: """
            create table app (
              id integer primary key,
              name text not null unique,
              last_seen integer not null,
              newest_release integer,
              leaks integer not null default 0,
              reports integer not null default 0,
              freed integer not null default 0
            );

            -- order_key sorts as the versions do: VersionOrder.
            create table release (
              id integer primary key,
              app integer not null references app,
              version text not null,
              order_key blob not null,
              first_seen integer not null,
              last_seen integer not null,
              reports integer not null default 0,
              freed integer not null default 0,
              installs integer not null default 0,
              sessions integer not null default 0,
              leaky_sessions integer not null default 0,
              checks integer not null default 0,
              unique (app, version)
            );
            create index release_in_order on release (app, order_key);

            -- Reports without a build count in a build with the name ''.
            create table build (
              id integer primary key,
              release integer not null references release,
              name text not null,
              order_key blob not null,
              unique (release, name)
            );

            create table release_check (
              release integer not null references release,
              class text not null,
              checks integer not null,
              primary key (release, class)
            ) without rowid;

            -- state: 0 if the counts alone determine the state.
            create table leak (
              id integer primary key,
              key blob not null unique,
              app integer not null references app,
              kind text not null,
              class text,
              quality text not null,
              state integer not null default 0,
              reports integer not null default 0,
              freed integer not null default 0,
              installs integer not null default 0,
              sightings integer not null default 0,
              alive_at_most integer,
              first_seen integer not null,
              last_seen integer not null,
              first_release integer not null references release,
              last_release integer not null references release
            );
            create index leak_of_class on leak (app, class);
            create index leak_first_release on leak (first_release);

            -- stack, children, cycle, grouped_stack: PackedWriter. search: folded title, class and path.
            create table leak_text (
              leak integer primary key references leak on delete cascade,
              title text not null,
              module text,
              stack blob not null,
              children blob not null,
              cycle blob not null,
              grouped_version integer not null,
              grouped_class text not null,
              grouped_stack blob not null,
              search text not null
            );

            create table leak_release (
              id integer primary key,
              leak integer not null references leak on delete cascade,
              release integer not null references release,
              reports integer not null default 0,
              freed integer not null default 0,
              installs integer not null default 0,
              unique (leak, release)
            );
            create index leak_release_by_release on leak_release (release);

            create table leak_build (
              id integer primary key,
              leak integer not null references leak on delete cascade,
              build integer not null references build,
              reports integer not null default 0,
              freed integer not null default 0,
              installs integer not null default 0,
              unique (leak, build)
            );

            create table leak_hour (
              leak integer not null references leak on delete cascade,
              hour integer not null,
              release integer not null references release,
              reports integer not null,
              primary key (leak, hour, release)
            ) without rowid;
            create table leak_day (
              leak integer not null references leak on delete cascade,
              day integer not null,
              release integer not null references release,
              reports integer not null,
              primary key (leak, day, release)
            ) without rowid;

            -- kind 0: system, 1: model. value '': all values beyond ValueKind.limit.
            create table leak_value (
              leak integer not null references leak on delete cascade,
              kind integer not null,
              value text not null,
              reports integer not null,
              primary key (leak, kind, value)
            ) without rowid;

            -- For how long reported objects of a leak stayed in memory until they were freed: a DurationHistogram.
            create table leak_lived (
              leak integer primary key references leak on delete cascade,
              histogram blob not null
            );

            -- id: SampleSlot.rowID. ordinal: the number of the report among the reports of its leak, from 1.
            create table sample (
              id integer primary key,
              ordinal integer not null,
              at integer not null,
              version text not null,
              build text,
              system text,
              model text,
              install_hash integer,
              install text,
              user text,
              body blob not null
            );

            -- id: InstallScope.rowID. members: InstallSet. A row of leak or leak_release with reports of only one build has no
            -- set of its own: it uses the set of the row of leak_build.
            create table install_set (
              id integer primary key,
              members blob not null
            );

            -- Members that are not yet in the rows of install_set: InstallLog.
            create table install_log (
              id integer primary key,
              members blob not null
            );

            -- Counts of one app in ten minutes; kept while the period of the last 24 hours needs them.
            create table app_slot (
              id integer primary key,
              app integer not null references app,
              slot integer not null,
              reports integer not null default 0,
              unique (app, slot)
            );
            create index app_slot_in_time on app_slot (slot);

            create table dropped (
              app integer not null references app,
              reason text not null,
              count integer not null,
              primary key (app, reason)
            ) without rowid;

            -- day is the first column of the key, so that old rows are deleted as one range. hash: a hash of the request's
            -- body, to notice a key that is used again with another body. A row of answer is deleted after the rows of its day
            -- that refer to it; with a foreign key, SQLite would search the whole table for such rows.
            create table idempotency (
              day integer not null,
              key_id integer not null,
              key blob not null,
              hash blob not null,
              at integer not null,
              answer integer not null,
              primary key (day, key_id, key)
            ) without rowid;
            create table answer (
              id integer primary key,
              day integer not null,
              body blob not null,
              unique (day, body)
            );

            -- opened_by: the id of the credential that opened a session; its row may be deleted.
            create table credential (
              id integer primary key autoincrement,
              purpose text not null,
              name text not null,
              hash blob not null unique,
              app text,
              created_at integer not null,
              expires_at integer,
              revoked_at integer,
              opened_by integer
            );
            create index credential_opened_by on credential (opened_by) where opened_by is not null;
            """)
}
