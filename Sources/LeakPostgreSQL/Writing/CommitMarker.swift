#if PostgreSQL
    internal import LeakStore

    /// A marker that shows whether a transaction whose commit was not answered is in the database.
    ///
    /// Each transaction of a writer stores its number in the writer's row, so that the row shows the last transaction.
    /// PostgreSQL's own transaction ids would not work: after a crash, PostgreSQL may give the id of an undone transaction to
    /// another transaction, and `pg_xact_status` then refers to that transaction.
    struct CommitMarker {
        /// The id of this writer, which differs from that of every other writer in any process.
        private let writer = LeakID(high: .random(in: 0...UInt64.max), low: .random(in: 0...UInt64.max))
        private var lastNumber: Int64 = 0

        /// Returns a query for the beginning of the next transaction, which locks the writer's row until the transaction ends.
        mutating func nextQuery(now: Int64) -> Query {
            lastNumber += 1
            return Query(
                """
                insert into commit_marker as w (writer, transaction, at)
                select unnest($1::uuid[]), $2::bigint, $3::bigint
                on conflict (writer) do update set transaction = excluded.transaction, at = excluded.at
                """, .uuids([writer]), .integer(lastNumber), .integer(now))
        }

        /// Returns `true` if the last transaction was committed. Waits while the server may still be committing it.
        func isLastCommitted(on connection: PostgreSQLConnection, now: Int64) throws(StoreError) -> Bool {
            let rows = try connection.run(
                [
                    Query("select set_config('lock_timeout', '4s', true)"),
                    Query(
                        """
                        insert into commit_marker as w (writer, transaction, at) select unnest($1::uuid[]), 0, $2::bigint
                        on conflict (writer) do update set at = excluded.at returning w.transaction
                        """, .uuids([writer]), .integer(now)),
                ], within: connection.timeouts.probe)
            return rows[1].first?.int64(0) == lastNumber
        }
    }
#endif
