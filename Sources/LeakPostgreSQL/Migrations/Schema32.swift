#if PostgreSQL
    extension Migration {
        /// Version 32: notification channels.
        static let schema32 = Migration(
            version: 32,
            statements: [
                // key: a hash of the channel's address. event, hour, messages: ChannelPosition. sender: a number that each process
                // chooses at random. claimed_until: milliseconds since 1970 until which no other process sends to the channel.
                """
                create table if not exists channel (
                  key text collate "C" primary key,
                  event bigint not null,
                  hour bigint not null,
                  messages bigint not null,
                  sender bigint not null,
                  claimed_until bigint not null
                ) with (fillfactor = 50)
                """
            ])
    }
#endif
