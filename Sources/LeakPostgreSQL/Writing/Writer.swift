#if PostgreSQL
    internal import LeakStore

    #if canImport(Darwin)
        internal import Darwin
    #else
        internal import Glibc
    #endif

    /// A writer to one database that several collectors may share, for one thread at a time.
    ///
    /// Each call runs one transaction, in four round trips to the server: the idempotency keys; the locks, with the stored apps and
    /// leaks; the sets and histograms that change; all writes, and the commit. New names need one or two more round trips, and
    /// names that may be beyond a limit need a few more.
    ///
    /// Transactions do not deadlock, because each takes its locks in the same order: the row of its ``CommitMarker``; new
    /// answers, by their bytes; its idempotency keys, by ingest key and key; the locks of ingest keys that create apps; new
    /// apps, by name; its apps, by row ID. All other rows that it changes belong to an app that it has locked, except the
    /// counts of idempotency keys and bytes of each ingest key, which it locks last.
    ///
    /// Cached row IDs of names and members of sets stay true while other collectors write. Cached ids of discarded and merged leaks
    /// are compared with the database in each transaction. Counts are not cached, except those of ``IdempotencyCache``, which may
    /// be outdated.
    final class Writer {
        typealias Redact = @Sendable (ArraySlice<UInt8>) -> [UInt8]

        let connector: DatabaseConnector
        let redact: Redact
        let limits: StoreLimits
        let retention: RetentionRule
        /// The counts by day before this day are combined to weeks; `nil` if this writer has not searched them yet.
        var combinedDaysBefore: Int?
        let reservoir: Reservoir
        var newestSampleLimit = NewestSampleLimit()
        private let clockRule: ClockRule
        /// `nil` until it has been read.
        private var clock: StoreClock?
        var nameCache = NameCache()
        /// `nil` until it has been read.
        var leakIDs: CachedLeakIDs?
        var installSetCache = InstallSetCache()
        var idempotencyCache = IdempotencyCache()
        var commitMarker = CommitMarker()
        /// Makes batches smaller after a transaction that took too long.
        private var batchSizeLimiter = BatchSizeLimiter()
        /// The reason why the last transaction failed, if the server gave one.
        private var serverErrorKind: ServerErrorKind?
        /// Time for which the writer tries to find out whether a commit succeeded; senders of reports wait no longer than half a
        /// minute.
        private static let outcomeTimeout = Duration.seconds(5)

        init(
            connector: DatabaseConnector, limits: StoreLimits, clock: ClockRule, retention: RetentionRule,
            redact: @escaping Redact, reservoir: Reservoir
        ) {
            clockRule = clock
            self.limits = limits
            self.retention = retention
            self.connector = connector
            self.redact = redact
            self.reservoir = reservoir
        }

        func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
            let batch = Array(submissions.prefix(batchSizeLimiter.limit))
            do throws(StoreError) {
                let receipts = try attempt(batch, now: now)
                batchSizeLimiter.recordSuccess()
                return receipts
            } catch {
                switch serverErrorKind {
                case .tooSlow:
                    // A retry would take as long, so waiting senders get an error and retry later.
                    batchSizeLimiter.recordTimeout(of: batch.count)
                    throw error
                case .conflict: break
                case nil: guard error.reason == .unavailable || error.reason == .locked else { throw error }
                case .other: throw error
                }
                // Nothing was counted, and a retry may succeed immediately: a connection broke while it was idle, or two
                // collectors conflicted.
                return try attempt(batch, now: now)
            }
        }

        private func attempt(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
            serverErrorKind = nil
            let connection = try connector.open()
            let clock = try clock(at: now, on: connection)
            var transaction = SubmissionTransaction(connection: connection)
            do throws(StoreError) {
                let receipts = try transaction.run(submissions, now: now, clock, by: self)
                return receipts
            } catch {
                serverErrorKind = connection.serverErrorKind
                // Cached row IDs may belong to rows that were not committed.
                nameCache = NameCache()
                leakIDs = nil
                installSetCache = InstallSetCache()
                idempotencyCache = IdempotencyCache()
                connector.reset()
                guard transaction.isInDoubt else { throw error }
                switch isCommitted(now: now) {
                case true?: return transaction.receipts
                case false?: throw error
                case nil:
                    throw StoreError(
                        .uncertain, "\(error); it is not known whether the last reports were counted")
                }
            }
        }

        /// Returns the ``StoreClock``, which the first call reads from the database.
        func clock(at now: Int64, on connection: PostgreSQLConnection) throws(StoreError)
            -> StoreClock
        {
            var clock: StoreClock
            if let cachedClock = self.clock {
                clock = cachedClock
            } else {
                // A new database has no clock yet. The clock is stored before the first idempotency keys, because it determines
                // their times.
                guard let stored = Self.storedClock(try connection.run(Self.clockQuery)) else {
                    return try writeClock(at: now)
                }
                clock = StoreClock(stored, now: now, rule: clockRule)
            }
            clock.advance(to: now)
            self.clock = clock
            return clock
        }

        /// Advances the clock from the stored time, and stores the result. Runs in a transaction of its own, so that other
        /// collectors wait for the lock of its row only as long as this transaction takes.
        func writeClock(at now: Int64) throws(StoreError) -> StoreClock {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let rows = try connection.run([
                    Migration.sharedLockQuery, Migration.versionQuery, Self.clockQuery,
                ])
                try Migration.requireKnownVersion(rows[1], connection)
                let stored = Self.storedClock(rows[2])
                var clock = self.clock ?? StoreClock(stored, now: now, rule: clockRule)
                clock.advance(to: now, adopting: stored)
                _ = try connection.run([
                    Query(
                        """
                        insert into clock as known (id, wall, keys, waited) values (1, $1::bigint, $2::bigint, $3::bigint)
                        on conflict (id) do update set wall = excluded.wall, keys = greatest(known.keys, excluded.keys),
                          waited = excluded.waited
                        """, .integer(clock.state.acceptedTime), .integer(clock.state.keyTime),
                        .integer(clock.state.waitedMilliseconds)), Query("commit"),
                ])
                self.clock = clock
                return clock
            } catch {
                connector.reset()
                throw error
            }
        }

        private static let clockQuery = Query("select wall, keys, waited from clock where id = 1")

        private static func storedClock(_ rows: Rows) -> StoreClock.Stored? {
            rows.first.map {
                StoreClock.Stored(
                    acceptedTime: $0.int64(0), keyTime: $0.int64(1), waitedMilliseconds: $0.int64(2))
            }
        }

        /// Returns `true` if the transaction whose commit was not answered was committed, as the server reports once it is back;
        /// `nil` if it is not back within ``outcomeTimeout``.
        private func isCommitted(now: Int64) -> Bool? {
            let deadline = ContinuousClock.now + Self.outcomeTimeout
            repeat {
                do throws(StoreError) {
                    return try commitMarker.isLastCommitted(on: connector.open(), now: now)
                } catch {
                    connector.reset()
                    pause()
                }
            } while ContinuousClock.now < deadline
            return nil
        }

        private func pause() { _ = usleep(50_000) }

        /// Runs one statement that is a transaction by itself.
        func run(_ query: Query) throws(StoreError) -> Rows { try run([query])[0] }

        /// Runs statements in one transaction.
        func run(_ queries: [Query]) throws(StoreError) -> [Rows] {
            let connection = try connector.open()
            do throws(StoreError) {
                // The statements of one pipeline are one transaction, because the pipeline has one sync.
                return try connection.run(queries)
            } catch {
                connector.reset()
                throw error
            }
        }
    }
#endif
