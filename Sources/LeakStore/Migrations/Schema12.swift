extension Migration {
    /// Version 12: a log of the counts of leaks.
    static let schema12 = Migration(
        version: 12,
        script: """
            -- Counts that rows of leak, leak_release, leak_build, leak_hour, leak_day and sample lack so far: CountLog.
            create table if not exists count_log (
              id integer primary key,
              counts blob not null
            );
            """)
}
