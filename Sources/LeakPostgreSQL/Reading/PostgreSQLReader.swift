#if PostgreSQL
    internal import LeakStore

    /// A reader of committed data with a connection of its own, for one thread at a time.
    final class PostgreSQLReader: StoreReader {
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

        /// Runs a quick query with a short time limit, ``Timeouts/probe``, so that an unresponsive server is detected soon.
        func probe(_ query: Query) throws(StoreError) -> Rows {
            try withRetry { connection throws(StoreError) in
                try connection.run([query], within: connection.timeouts.probe)[0]
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

        func apps(in environment: String) throws(StoreError) -> [String] {
            try snapshot { connection throws(StoreError) in
                try connection.run(
                    Query(
                        "select name from app where environment = $1::text order by last_seen desc, id desc",
                        .text(environment))
                ).map { $0.text(0) }
            }
        }

        func environments(app: String?) throws(StoreError) -> [String] {
            try snapshot { connection throws(StoreError) in
                try connection.run(
                    Query(
                        """
                        select distinct environment from app where $1::text is null or name = $1::text
                        order by environment
                        """, .text(app))
                ).map { $0.text(0) }
            }
        }

        func appSummaries() throws(StoreError) -> [AppSummary] {
            try snapshot { connection throws(StoreError) in
                try connection.run(
                    Query(
                        """
                        select a.name, r.version, a.last_seen, a.environment
                        from app a left join release r on r.id = a.newest_release
                        order by a.last_seen desc, a.id desc
                        """)
                ).map { row in
                    AppSummary(
                        id: row.text(0), environment: row.text(3), newestVersion: row.optionalText(1),
                        lastSeen: row.int64(2))
                }
            }
        }

        func versions(app: AppScope) throws(StoreError) -> [String] {
            try snapshot { connection throws(StoreError) in
                guard let name = app.app else {
                    // The version determines the order key, so grouping by both is the same as grouping by the version.
                    return try connection.run(
                        Query(
                            """
                            select r.version from app a join release r on r.app = a.id where a.environment = $1::text
                            group by r.version, r.order_key order by r.order_key desc
                            """, .text(app.environment))
                    ).map { $0.text(0) }
                }
                return try connection.run(
                    Query(
                        """
                        select r.version from app a join release r on r.app = a.id where a.name = $1::text
                          and a.environment = $2::text
                        order by r.order_key desc
                        """, .text(name), .text(app.environment))
                ).map { $0.text(0) }
            }
        }

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
            try probe(Query("select hashtextextended(pg_current_snapshot()::text, 0)")).first?.int64(0) ?? 0
        }

        var hasLocalChangeCounter: Bool { false }

        func ping() throws(StoreError) { _ = try probe(Query("select 1 from app limit 1")) }
    }
#endif
