#if PostgreSQL
    extension Migration {
        /// Version 8: reports of each leak before each period, so that an index limits its reports of a period; the leaks
        /// of each app by their last hours.
        static let schema8 = Migration(
            version: 8,
            statements: [LastHours.creation] + LastHours.rebuild + [
                """
                alter table leak
                  add column if not exists before_24h bigint not null default 0,
                  add column if not exists before_7d bigint not null default 0,
                  add column if not exists before_14d bigint not null default 0,
                  add column if not exists before_30d bigint not null default 0,
                  add column if not exists before_90d bigint not null default 0
                """,
                "drop index if exists leak_by_last_seen",
                """
                create index leak_by_last_seen on leak (app, last_seen, id)
                  include (last_hour, first_seen, reports, impact, installs,
                    before_24h, before_7d, before_14d, before_30d, before_90d)
                """,
                "analyze leak",
            ])
    }
#endif
