extension Migration {
    /// Version 30: notification channels.
    static let schema30 = Migration(
        version: 30,
        script: """
            -- key: a hash of the channel's address. event, hour, messages: ChannelPosition. sender: a number that each process
            -- chooses at random. claimed_until: milliseconds since 1970 until which no other process sends to the channel.
            create table if not exists channel (
              key text primary key,
              event integer not null,
              hour integer not null,
              messages integer not null,
              sender integer not null,
              claimed_until integer not null
            ) without rowid;
            """)
}
