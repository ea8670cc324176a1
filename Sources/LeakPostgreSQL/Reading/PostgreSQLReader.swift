#if PostgreSQL
    internal import LeakStore

    /// A reader of committed data with a connection of its own, for one thread at a time.
    final class PostgreSQLReader: QueryReader {
        private let connector: DatabaseConnector
        let knownLeaks: KnownLeaks
        var knownCache = KnownLeakCache()
        var decisionCache = DecisionCache()
        /// The kind of error of the last failed queries, if the server gave one.
        private var serverErrorKind: ServerErrorKind?

        init(connector: DatabaseConnector, known: KnownLeaks = .none) {
            self.connector = connector
            knownLeaks = known
        }

        /// Runs `body` on one state of the database, so that all its numbers agree.
        ///
        /// A connection that turns out to be broken is replaced once: the database may have been unreachable for a moment.
        /// After a time-out, `body` is not run again, because the call has already taken long enough.
        func snapshot<Result>(
            _ body: (PostgreSQLConnection) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            try withRetry { connection throws(StoreError) in
                connection.begin("begin isolation level repeatable read read only")
                let result = try body(connection)
                try connection.run(Query("commit"))
                return result
            }
        }

        func read<Result>(_ read: StoreRead<Result>) throws(StoreError) -> Result {
            try withRetry { connection throws(StoreError) in try connection.read(read) }
        }

        /// Runs a quick query with a short time limit, ``Timeouts/probe``, so that an unresponsive server is detected soon.
        func probe<Result>(_ read: StoreRead<Result>) throws(StoreError) -> Result {
            try withRetry { connection throws(StoreError) in
                try connection.run([Query(read)], within: connection.timeouts.probe)[0].result(of: read)
            }
        }

        private func withRetry<Result>(
            _ body: (PostgreSQLConnection) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            do throws(StoreError) {
                return try runOnce(body)
            } catch {
                guard error.reason == .unavailable, serverErrorKind != .tooSlow else { throw error }
                return try runOnce(body)
            }
        }

        private func runOnce<Result>(
            _ body: (PostgreSQLConnection) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            serverErrorKind = nil
            let connection = try connector.open()
            do throws(StoreError) {
                return try body(connection)
            } catch {
                serverErrorKind = connection.serverErrorKind
                connector.reset()
                throw error
            }
        }

        /// Does nothing: a row ID is never used again.
        func clearOutdatedCaches() {}

        func credentials(includingEnded: Bool, now: Int64) throws(StoreError) -> [Credential] {
            try snapshot { connection throws(StoreError) in
                let rows = try connection.run(
                    Query(
                        """
                        select \(Credential.Column.columnsSQL)
                        from credential
                        where $1::bool or (revoked_at is null and (expires_at is null or expires_at > $2::bigint))
                        order by id
                        """, .boolean(includingEnded), .integer(now)))
                var credentials: [Credential] = []
                for row in rows {
                    credentials.append(try Credential(row, in: connection.name))
                }
                return credentials
            }
        }

        /// Returns a hash of the transactions that this transaction sees. Unrelated transactions on the same server change it
        /// as well, so that the reader sometimes reads more than necessary. A counter that each collector writes would slow
        /// down every commit.
        func changeCounter() throws(StoreError) -> Int64 {
            try probe(
                StoreRead<[Int64]>.numbers("select hashtextextended(pg_current_snapshot()::text, 0)")
            ).first ?? 0
        }

        func databaseBytes() throws(StoreError) -> Int {
            let bytes = try probe(
                StoreRead<[Int64]>.numbers("select pg_database_size(current_database())"))
            return Int(bytes.first ?? 0)
        }

        var hasLocalChangeCounter: Bool { false }

        func leaks(withFramesOf images: [String]) throws(StoreError) -> [LeakID] {
            try snapshot { connection throws(StoreError) in
                let rows = try connection.run(
                    Query(
                        """
                        select l.key from leak_text t join leak l on l.id = t.leak
                        where exists (select 1 from unnest($1::bytea[]) as image (bytes)
                          where position(image.bytes in t.stack) > 0)
                        """, .byteArrays(images.map { Array($0.utf8) })))
                return rows.compactMap { LeakID(blob: $0.bytes(0)) }.sorted()
            }
        }

        func reasons(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
            try values(.reason, of: leaks, limit: limit)
        }

        func closures(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]]
        {
            try values(.closures, of: leaks, limit: limit)
        }

        private func values(
            _ kind: ValueKind, of leaks: [LeakID], limit: Int
        ) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
            let read = StoreQueries.valueCounts(
                """
                select l.key, v.value, v.reports from leak l cross join lateral (
                  select value, reports from leak_value
                  where leak = l.id and kind = $2::bigint and value <> ''
                  order by reports desc, value limit $3::bigint) v
                where l.key = any($1::uuid[]) order by l.id, v.reports desc, v.value
                """)
            return try withRetry { connection throws(StoreError) in
                try connection.run(
                    Query(read.sql.text, .uuids(leaks), .integer(kind.rawValue), .integer(limit))
                ).result(of: read)
            }
        }
    }
#endif
