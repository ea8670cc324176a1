extension ChannelPosition {
    private enum Column: Int32, QueryColumn { case event, hour, messages }

    private static func stored(of channel: String, sender: Int64) -> StoreRead<[ChannelPosition]> {
        StoreRead(
            "select event, hour, messages from channel where key = $1::text and sender = $2::bigint",
            .text(channel), .integer(sender)
        ) { (row: NamedRow<Column>) in
            ChannelPosition(
                lastEvent: row.int64(.event), hour: row.int64(.hour), messageCount: row.int(.messages))
        }
    }

    /// Claims a channel in the current transaction: ``Store/claim(channel:by:now:)``.
    package static func claim(
        _ channel: String, by sender: Int64, now: Int64, on connection: some ChangeConnection
    ) throws(StoreError) -> ChannelPosition? {
        try connection.change(
            """
            insert into channel (key, event, hour, messages, sender, claimed_until)
            select $1::text, coalesce((select max(id) from event), 0), 0, 0, $2::bigint, $3::bigint where true
            on conflict (key) do update set sender = excluded.sender, claimed_until = excluded.claimed_until
            where channel.sender = excluded.sender or channel.claimed_until < $4::bigint
              or channel.claimed_until > $5::bigint
            """, .text(channel), .integer(sender), .integer(now + claimMilliseconds), .integer(now),
            .integer(now + 2 * claimMilliseconds))
        try connection.change(
            "delete from channel where claimed_until < $1::bigint", .integer(now - maxDays * 86_400_000))
        return try connection.read(stored(of: channel, sender: sender)).first
    }

    /// Stores the position in the current transaction: ``Store/move(channel:to:by:)``.
    package func store(
        of channel: String, by sender: Int64, on connection: some ChangeConnection
    ) throws(StoreError) -> Bool {
        try connection.change(
            """
            update channel set event = $1::bigint, hour = $2::bigint, messages = $3::bigint
            where key = $4::text and sender = $5::bigint
            """, .integer(lastEvent), .integer(hour), .int(messageCount), .text(channel), .integer(sender))
            > 0
    }
}

extension Writer {
    func claimChannel(_ channel: String, by sender: Int64, now: Int64) throws(StoreError) -> ChannelPosition?
    {
        try connection.transaction(.immediate) { () throws(StoreError) -> ChannelPosition? in
            try ChannelPosition.claim(channel, by: sender, now: now, on: connection)
        }
    }

    func moveChannel(_ channel: String, to position: ChannelPosition, by sender: Int64) throws(StoreError)
        -> Bool
    {
        try connection.transaction(.immediate) { () throws(StoreError) -> Bool in
            try position.store(of: channel, by: sender, on: connection)
        }
    }
}
