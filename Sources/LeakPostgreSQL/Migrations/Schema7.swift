#if PostgreSQL
    extension Migration {
        /// Version 7: the hour of each leak's last report, so that an index alone counts the leaks of a period.
        static let schema7 = Migration(
            version: 7,
            statements: [
                // Null for a leak that has freed reports only. Hours that were deleted count as the first of their day.
                "alter table leak add column if not exists last_hour bigint",
                """
                update leak l set last_hour = seen.hour
                from (select leak, max(hour) as hour from (
                    select leak, hour from leak_hour where reports > 0
                    union all select leak, day * 24 from leak_day where reports > 0) as reported group by leak) as seen
                where l.id = seen.leak
                """,
                "drop index if exists leak_by_last_seen",
                // Lists of a period read all leaks of the period from it alone.
                """
                create index leak_by_last_seen on leak (app, last_seen, id)
                  include (last_hour, first_seen, reports, impact, installs)
                """,
                "analyze leak",
            ])
    }
#endif
