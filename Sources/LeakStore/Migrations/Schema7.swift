extension Migration {
    /// Version 7: logs of systems and models, and of idempotency keys.
    static let schema7 = Migration(
        version: 7,
        script: """
            -- Reports by system and by model that rows of leak_value lack so far: ValueLog.
            create table value_log (
              id integer primary key,
              counts blob not null
            );
            -- Keys that rows of idempotency lack so far: KeyLog.
            create table key_log (
              id integer primary key,
              keys blob not null
            );
            """)
}
