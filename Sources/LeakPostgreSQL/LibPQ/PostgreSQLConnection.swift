#if PostgreSQL
    // This folder is the only caller of libpq: https://www.postgresql.org/docs/15/libpq.html
    internal import CLeakPostgreSQL
    internal import LeakStore

    /// One connection to one server, for one thread at a time. It keeps every statement that it has prepared.
    @safe
    final class PostgreSQLConnection {
        private let handle: OpaquePointer
        /// `host:port/database`.
        let name: String
        let timeouts: Timeouts
        /// `true` if a round trip did not complete; no further answer can be interpreted.
        private var isBroken = false
        /// Names of prepared statements by their SQL.
        private var statementNames: [String: String] = [:]
        private var preparedStatementCount = 0
        /// The reason why the last queries failed; `nil` if they succeeded, or if the connection broke before the time limit.
        private(set) var serverErrorKind: ServerErrorKind?
        /// Queries that are sent together with the next queries, before them.
        private var pendingQueries: [Query] = []

        /// Connects, within ``ConnectionSettings/connectSeconds``.
        init(to address: DatabaseAddress) throws(StoreError) {
            let settings = ConnectionSettings.all(for: address)
            let handle = unsafe settings.keywords.withCStrings { keywords in
                unsafe settings.values.withCStrings { values in
                    unsafe PQconnectdbParams(keywords, values, 1)
                }
            }
            guard let handle = unsafe handle else {
                throw StoreError(.other, "no memory is left for a connection to the database")
            }
            guard unsafe PQstatus(handle) == CONNECTION_OK else {
                let message = unsafe Self.singleLine(PQerrorMessage(handle))
                unsafe PQfinish(handle)
                throw StoreError(.unavailable, "database \(address): cannot connect: \(message)")
            }
            unsafe self.handle = handle
            timeouts = address.timeouts
            let parts = unsafe [PQhost(handle), PQport(handle), PQdb(handle)].map { part in
                unsafe part.map { unsafe String(cString: $0) } ?? ""
            }
            name = "\(parts[0]):\(parts[1])/\(parts[2])"
            unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
            guard unsafe PQsetnonblocking(handle, 1) == 0, unsafe PQenterPipelineMode(handle) == 1 else {
                throw failure()
            }
            try prepareSession()
        }

        deinit { unsafe PQfinish(handle) }

        /// `true` once the connection has broken. The value never becomes `false` again.
        var isLost: Bool { isBroken || hasEnded }

        /// `true` if the server has sent a message without a request, for example that it ends the session, or that a setting
        /// has changed. Checked only between two transactions.
        var hasUnsolicitedData: Bool { unsafe Socket.isReadable(PQsocket(handle)) }

        private var hasEnded: Bool { unsafe PQstatus(handle) == CONNECTION_BAD }

        private func prepareSession() throws(StoreError) {
            let encoding = try run(Query("select current_setting('server_encoding')")).first?.text(0)
            guard encoding == "UTF8" else {
                throw StoreError(
                    .notADatabase,
                    "database \(name): its encoding is \(encoding ?? "unknown"), must be UTF8 "
                        + "(create database … encoding 'UTF8' template template0)")
            }
            for setting in ConnectionSettings.sessionStatements { try run(Query(setting)) }
        }

        /// Begins a transaction: the statement is sent in front of the next queries.
        func begin(_ sql: String) { pendingQueries = [Query(sql)] }

        /// Runs one query in the open transaction, or else in a transaction of its own.
        @discardableResult
        func run(_ query: Query) throws(StoreError) -> Rows { try run([query])[0] }

        /// Sends all queries together and waits for their answers: one round trip to the server. Queries after a query that
        /// fails are not run.
        ///
        /// - Parameter timeLimit: the time limit; `nil` for ``Timeouts/answer``.
        /// - Returns: one answer per query.
        /// - Throws: the error of the first query that failed.
        func run(_ queries: [Query], within timeLimit: Duration? = nil) throws(StoreError) -> [Rows] {
            let openingQueries = pendingQueries
            pendingQueries = []
            var answers = Answers()
            do throws(StoreError) {
                try exchange(openingQueries + queries, within: timeLimit ?? timeouts.answer, &answers)
            } catch {
                throw answers.problem ?? error
            }
            if let problem = answers.problem { throw problem }
            return Array(answers.rows.dropFirst(openingQueries.count))
        }

        /// The answers of one round trip, as far as they arrived.
        struct Answers {
            /// Answers to the queries before the first query that failed.
            var rows: [Rows] = []
            /// The error of the first query that the server rejected.
            var problem: StoreError?
        }

        /// Sends queries, and adds their answers to `answers`.
        ///
        /// - Throws: the error that broke the connection.
        func exchange(
            _ queries: [Query], within timeLimit: Duration, _ answers: inout Answers
        ) throws(StoreError) {
            serverErrorKind = nil
            let deadline = ContinuousClock.now + timeLimit
            do throws(StoreError) {
                // A statement is prepared just before its first use, because the statement that begins a transaction must come
                // first, even before any preparation.
                var newStatementNames: [String?] = []
                for query in queries {
                    let isPrepared = statementNames[query.sql] != nil
                    newStatementNames.append(isPrepared ? nil : try prepare(query))
                    try send(query, as: statementNames[query.sql] ?? "")
                }
                guard unsafe PQpipelineSync(handle) == 1 else { throw failure() }
                for (query, name) in zip(queries, newStatementNames) {
                    if name != nil, try receive(of: query.sql, until: deadline, &answers) == nil {
                        statementNames[query.sql] = nil
                    }
                    if let rows = try receive(of: query.sql, until: deadline, &answers) {
                        answers.rows.append(rows)
                    }
                }
                try receiveSync(until: deadline)
            } catch {
                isBroken = true
                throw error
            }
        }

        private func prepare(_ query: Query) throws(StoreError) -> String {
            preparedStatementCount += 1
            let name = "s\(preparedStatementCount)"
            let types = query.values.map { $0.type.rawValue }
            guard
                unsafe PQsendPrepare(
                    handle, name, SQLDialect.postgreSQL.sql(query.sql), Int32(types.count), types) == 1
            else {
                throw failure()
            }
            statementNames[query.sql] = name
            return name
        }

        private func send(_ query: Query, as name: String) throws(StoreError) {
            let count = query.values.count
            let lengths = query.values.map { Int32(clamping: $0.bytes?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: count)
            // One buffer holds all values, so that their addresses stay valid during the call of libpq.
            var buffer: [UInt8] = []
            buffer.reserveCapacity(query.values.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
            var offsets: [Int?] = []
            for value in query.values {
                offsets.append(value.bytes.map { _ in buffer.count })
                if let bytes = value.bytes { buffer.append(contentsOf: bytes) }
            }
            buffer.append(0)
            let isSent = unsafe buffer.withUnsafeBufferPointer { bytes in
                let base = unsafe UnsafeRawPointer(bytes.baseAddress)
                let starts: [UnsafePointer<CChar>?] = unsafe offsets.map { offset in
                    unsafe offset.flatMap { offset in
                        unsafe base.map { unsafe ($0 + offset).assumingMemoryBound(to: CChar.self) }
                    }
                }
                return unsafe PQsendQueryPrepared(handle, name, Int32(count), starts, lengths, formats, 1)
            }
            guard isSent == 1 else { throw failure() }
        }

        /// Reads the whole answer to one query. Returns `nil` if the query failed or was skipped.
        private func receive(
            of sql: String, until deadline: ContinuousClock.Instant, _ answers: inout Answers
        ) throws(StoreError) -> Rows? {
            var rows: Rows?
            var isAnswered = false
            while let result = unsafe try result(until: deadline) {
                isAnswered = true
                switch unsafe PQresultStatus(result) {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows = unsafe Rows(result, from: name)
                case PGRES_PIPELINE_ABORTED: unsafe PQclear(result)
                default:
                    defer { unsafe PQclear(result) }
                    // An error without an `SQLSTATE` comes from libpq: the connection broke.
                    guard let state = unsafe PQresultErrorField(result, Int32(0x43)) else { throw failure() }
                    guard answers.problem == nil else { continue }
                    let text = unsafe String(cString: state)
                    answers.problem = unsafe .postgreSQL(
                        state: text,
                        message: Self.singleLine(PQresultErrorField(result, Int32(0x4D))),
                        database: name, sql: sql)
                    serverErrorKind = ServerErrorKind(state: text)
                }
            }
            guard isAnswered else { throw failure() }
            return rows
        }

        private func receiveSync(until deadline: ContinuousClock.Instant) throws(StoreError) {
            guard let result = unsafe try result(until: deadline) else { throw failure() }
            defer { unsafe PQclear(result) }
            guard unsafe PQresultStatus(result) == PGRES_PIPELINE_SYNC else { throw failure() }
        }

        /// Returns the next result of libpq, once it has arrived; `nil` at the end of an answer.
        private func result(until deadline: ContinuousClock.Instant) throws(StoreError) -> OpaquePointer? {
            while unsafe PQisBusy(handle) == 1, !hasEnded {
                // Also reads data that TLS has already received, which the socket does not report. A connection that ends here may
                // have delivered an answer before.
                _ = unsafe PQconsumeInput(handle)
                guard unsafe PQisBusy(handle) == 1, !hasEnded else { break }
                let hasUnsent = unsafe PQflush(handle) == 1
                guard unsafe Socket.wait(for: PQsocket(handle), orToSend: hasUnsent, until: deadline) else {
                    serverErrorKind = .tooSlow
                    throw StoreError(
                        .unavailable, "database \(name): no answer for too long; the request was given up")
                }
            }
            return unsafe PQgetResult(handle)
        }

        /// Rolls back a transaction that failed. A connection that cannot roll back is no longer usable.
        ///
        /// - Returns: `true` if the connection is still usable.
        func rollBack() -> Bool {
            pendingQueries = []
            guard !isLost else { return false }
            switch unsafe PQtransactionStatus(handle) {
            case PQTRANS_IDLE: return true
            case PQTRANS_INTRANS, PQTRANS_INERROR:
                do {
                    _ = try run([Query("rollback")], within: timeouts.probe)
                    return true
                } catch {
                    return false
                }
            default: return false
            }
        }

        private func failure() -> StoreError {
            unsafe StoreError(
                .unavailable,
                "database \(name): the connection broke: \(Self.singleLine(PQerrorMessage(handle)))")
        }

        /// Returns a message of libpq in one line.
        private static func singleLine(_ message: UnsafePointer<CChar>?) -> String {
            let text = unsafe message.map { unsafe String(cString: $0) } ?? "no reason given"
            let words = text.split { $0.isWhitespace }.joined(separator: " ")
            return words.isEmpty ? "no reason given" : words
        }
    }
#endif
