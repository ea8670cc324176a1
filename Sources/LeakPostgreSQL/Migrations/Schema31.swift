#if PostgreSQL
    extension Migration {
        /// Version 31: events.
        static let schema31 = Migration(
            version: 31,
            statements: [
                // app and environment: names, so that an event does not change with the rows of apps; empty for an event of the
                // collector itself. version, build: empty without one. leak: the id of a leak, which may not exist any more.
                // is_silent: 1 for an event that is not listed, but keeps an equal event from being added. The other columns:
                // Event.
                """
                create table if not exists event (
                  id bigint generated always as identity primary key,
                  at bigint not null,
                  kind text collate "C" not null,
                  app text collate "C" not null,
                  environment text collate "C" not null,
                  version text collate "C" not null,
                  build text collate "C" not null,
                  key text collate "C" not null,
                  leak uuid,
                  title text collate "C" not null,
                  text text collate "C" not null,
                  details text collate "C" not null,
                  is_silent bigint not null,
                  unique (kind, app, environment, version, build, key)
                )
                """,
                "create index if not exists event_of_app on event (app, environment, id)",
                "create index if not exists event_of_leak on event (leak) where leak is not null",
                "create index if not exists event_at on event (at)",
                // state: EventMark.recordedState. The apps from before this schema have an empty one, so that their leaks are not
                // new.
                """
                create table if not exists event_mark (
                  app bigint primary key,
                  state text collate "C" not null
                ) with (fillfactor = 50)
                """,
                "insert into event_mark (app, state) select id, '' from app on conflict do nothing",
            ])
    }
#endif
