#if PostgreSQL
    internal import LeakStore
    internal import LeakPlatform

    /// A database connection that is opened again after a failure, at growing intervals. Only one thread may use it at a time.
    final class DatabaseConnector {
        private static let backoff = Backoff(firstMilliseconds: 100, longestMilliseconds: 5_000)

        private let address: DatabaseAddress
        private let check: (PostgreSQLConnection) throws(StoreError) -> Void
        private var connection: PostgreSQLConnection?
        private var failureCount = 0
        private var retryAt = ContinuousClock.now
        private var lastFailure: StoreError?

        /// - Parameter check: run on each new connection. If `check` throws, the connection is discarded.
        init(to address: DatabaseAddress, check: @escaping (PostgreSQLConnection) throws(StoreError) -> Void)
        {
            self.address = address
            self.check = check
        }

        /// Returns the existing connection, or opens a new connection.
        ///
        /// - Throws: the reason why there is no connection. Until the next attempt is due, each call immediately throws the
        ///   error of the last attempt.
        func open() throws(StoreError) -> PostgreSQLConnection {
            if let connection {
                // A connection that the server has ended meanwhile is replaced before anything is sent.
                if !connection.isLost, !connection.hasUnsolicitedData { return connection }
                self.connection = nil
            }
            if let lastFailure, ContinuousClock.now < retryAt { throw lastFailure }
            do throws(StoreError) {
                let newConnection = try PostgreSQLConnection(to: address)
                try check(newConnection)
                connection = newConnection
                failureCount = 0
                lastFailure = nil
                return newConnection
            } catch {
                failureCount += 1
                lastFailure = error
                let delay = Self.backoff.milliseconds(afterFailures: failureCount)
                retryAt = ContinuousClock.now + .milliseconds(delay)
                throw error
            }
        }

        /// Rolls back a failed transaction, so that the connection can run the next. Drops the connection if that fails.
        func reset() {
            if let connection, !connection.rollBack() { self.connection = nil }
        }
    }
#endif
