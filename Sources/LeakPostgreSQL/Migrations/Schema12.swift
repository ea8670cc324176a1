#if PostgreSQL
    extension Migration {
        /// Version 12: reports before each period in each release, and how long such reports hold; the message of a leak's
        /// newest report beside the other texts that a search reads.
        static let schema12 = Migration(
            version: 12,
            statements: PeriodColumns.creation + PeriodColumns.rebuild() + [
                "alter table leak_text add column if not exists message text",
                "alter table leak_text set (fillfactor = 90)",
            ] + Query.allMessages + [
                "alter table sample drop column if exists message",
                "analyze leak", "analyze leak_release",
            ])
    }
#endif
