extension Migration {
    /// Version 29: events.
    static let schema29 = Migration(
        version: 29,
        script: """
            -- Ids are never reused, so that a higher id is a later event. app and environment: names, so that an event does not
            -- change with the rows of apps; empty for an event of the collector itself. version, build: empty without one. leak:
            -- the id of a leak, which may not exist any more. is_silent: 1 for an event that is not listed, but keeps an equal
            -- event from being added. The other columns: Event.
            create table if not exists event (
              id integer primary key autoincrement,
              at integer not null,
              kind text not null,
              app text not null,
              environment text not null,
              version text not null,
              build text not null,
              key text not null,
              leak blob,
              title text not null,
              text text not null,
              details text not null,
              is_silent integer not null,
              unique (kind, app, environment, version, build, key)
            );
            create index if not exists event_of_app on event (app, environment, id);
            create index if not exists event_of_leak on event (leak) where leak is not null;
            create index if not exists event_at on event (at);
            -- state: EventMark.recordedState. The apps from before this schema have an empty one, so that their leaks are not new.
            create table if not exists event_mark (
              app integer primary key,
              state text not null
            );
            insert or ignore into event_mark (app, state) select id, '' from app;
            """)
}
