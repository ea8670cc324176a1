#if PostgreSQL
    extension Migration {
        /// The tables of leaks in version 1.
        static let leaks1 = [
            // builds: number of rows in leak_build. impact: installs in the app's newest release; since version 20, recent
            // installs in the current release. *_sample: see SampleChoice.
            """
            create table leak (
              id bigint generated always as identity primary key,
              key uuid not null unique,
              app bigint not null,
              kind text not null,
              class text collate "C",
              quality text not null,
              builds bigint not null default 0,
              impact bigint not null default 0,
              reports bigint not null default 0,
              freed bigint not null default 0,
              installs bigint not null default 0,
              sightings bigint not null default 0,
              alive_at_most bigint,
              first_seen bigint not null,
              last_seen bigint not null,
              first_release bigint not null,
              last_release bigint not null,
              first_sample bigint,
              newest_sample bigint,
              newest_kept bigint
            ) with (fillfactor = 80)
            """,
            "create index leak_of_class on leak (app, class)",
            // Finds leaks by the part of the class after the last dot: Inner of Outer.Inner.
            "create index leak_by_innermost_class on leak (app, (substring(class from '[^.]*$')))",
            "create index leak_by_first_release on leak (first_release, reports)",
            // One index for each order, so that a page is read from its first row on, however many leaks there are.
            "create index leak_by_impact on leak (app, impact, reports, id)",
            "create index leak_by_reports on leak (app, reports, id)",
            "create index leak_by_installs on leak (app, installs, reports, id)",
            "create index leak_by_last_seen on leak (app, last_seen, id)",
            "create index leak_by_first_seen on leak (app, first_seen, id)",
            """
            create table leak_text (
              leak bigint primary key,
              title text not null,
              module text,
              stack bytea not null,
              children bytea not null,
              cycle bytea not null,
              grouped_version bigint not null,
              grouped_class text not null,
              grouped_stack bytea not null,
              search text not null
            )
            """,
            """
            create table leak_release (
              leak bigint not null,
              release bigint not null,
              reports bigint not null,
              freed bigint not null,
              installs bigint not null,
              primary key (leak, release)
            ) with (fillfactor = 80)
            """,
            "create index leak_release_by_release on leak_release (release)",
            """
            create table leak_build (
              leak bigint not null,
              build bigint not null,
              reports bigint not null,
              freed bigint not null,
              installs bigint not null,
              primary key (leak, build)
            ) with (fillfactor = 80)
            """,
            """
            create table leak_hour (
              leak bigint not null,
              hour bigint not null,
              release bigint not null,
              reports bigint not null,
              primary key (leak, hour, release)
            ) with (fillfactor = 90)
            """,
            """
            create table leak_day (
              leak bigint not null,
              day bigint not null,
              release bigint not null,
              reports bigint not null,
              primary key (leak, day, release)
            ) with (fillfactor = 90)
            """,
            // kind: a raw value of ValueKind. value '': all values beyond the limit.
            """
            create table leak_value (
              leak bigint not null,
              kind bigint not null,
              value text collate "C" not null,
              reports bigint not null,
              primary key (leak, kind, value)
            ) with (fillfactor = 80)
            """,
            // For how long reported objects of a leak stayed in memory until they were freed: a DurationHistogram.
            "create table leak_lived (leak bigint primary key, histogram bytea not null)",
            // slot: see SampleSlot. message: only in the newest sample, for searches.
            """
            create table sample (
              leak bigint not null,
              slot bigint not null,
              ordinal bigint not null,
              at bigint not null,
              version text not null,
              build text,
              system text,
              model text,
              install_hash bigint,
              install text,
              "user" text,
              body bytea not null,
              message text,
              primary key (leak, slot)
            )
            """,
            "create index sample_in_time on sample (at)",
            // Used to find the samples of an install when the install is erased.
            "create index sample_of_install on sample (install_hash) where install_hash is not null",
            // scope, owner and part: see InstallScope.
            """
            create table install_set (
              scope bigint not null,
              owner bigint not null,
              part bigint not null,
              members bytea not null,
              primary key (scope, owner, part)
            ) with (fillfactor = 80)
            """,
            """
            create table app_slot (
              app bigint not null,
              slot bigint not null,
              reports bigint not null,
              primary key (app, slot)
            ) with (fillfactor = 50)
            """,
            """
            create table dropped (
              app bigint not null,
              reason text collate "C" not null,
              count bigint not null,
              primary key (app, reason)
            ) with (fillfactor = 50)
            """,
        ]
    }
#endif
