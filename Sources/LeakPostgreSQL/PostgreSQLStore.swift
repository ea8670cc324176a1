#if PostgreSQL
    public import LeakStore
    internal import LeakPlatform

    /// A store in a PostgreSQL database, which several collectors may share; every commit is on the server's disk before a call
    /// returns.
    ///
    /// Any thread may call the store; writes happen one after another. While the database cannot be reached, calls fail with
    /// ``StoreError/Reason/unavailable``; they succeed again once it can be reached. A call fails immediately if nothing
    /// listens at the address, and after five seconds if the host does not answer. If the server stops answering during a call,
    /// the call fails after 35 seconds, or after ten seconds if a reader made it.
    public final class PostgreSQLStore: Store {
        /// A function that masks private data in a report's JSON before the report is stored.
        public typealias Redact = @Sendable (ArraySlice<UInt8>) -> [UInt8]

        let address: DatabaseAddress
        /// Makes all changes to the database, one call at a time. Internal instead of private, because tests use it to create
        /// states for which they cannot wait.
        let writer: Guarded<Writer>
        private let pendingCalls = PendingCalls()

        /// Connects, creates missing tables and migrates an older schema.
        ///
        /// - Parameters:
        ///   - seed: decides which reports are kept as samples. Equal seeds keep the same samples of the same reports.
        ///   - limits: the limits on the data that one sender can add to the store.
        ///   - clock: the limits within which the system clock is accepted without a confirmation.
        ///   - retention: the ages from which on ``expire(now:while:)`` deletes data.
        ///   - redact: called inside ``count(_:now:)``, only for reports that are stored as samples.
        /// - Throws: ``StoreError`` with a line that says what is wrong with the database.
        public init(
            address: DatabaseAddress, seed: UInt64 = 0, limits: StoreLimits = StoreLimits(),
            clock: ClockRule = ClockRule(), retention: RetentionRule = RetentionRule(),
            redact: @escaping Redact = { Array($0) }
        ) throws(StoreError) {
            self.address = address
            try Migration.run(on: PostgreSQLConnection(to: address))
            writer = Guarded(
                Writer(
                    connector: DatabaseConnector(to: address, check: Migration.requireKnownSchema),
                    limits: limits,
                    clock: clock, retention: retention,
                    redact: redact,
                    reservoir: Reservoir(seed: seed)))
        }

        public func count(_ submissions: [Submission], now: Int64) throws(StoreError) -> [Receipt] {
            try write { writer throws(StoreError) in try writer.count(submissions, now: now) }
        }

        /// Does nothing: PostgreSQL runs checkpoints and vacuums by itself.
        public func checkpointIfNeeded(now: Int64) {}

        public func expire(now: Int64, while isWanted: () -> Bool) throws(StoreError) -> ClockWait? {
            var expiry = Expiry(now: now)
            repeat {
                pendingCalls.yield()
                guard isWanted() else { return expiry.wait }
            } while try writer.with({ writer throws(StoreError) in try writer.runStep(of: &expiry) })
            try deleteUnseenNames(now: now, while: isWanted)
            try evictNames(now: now, while: isWanted)
            return expiry.wait
        }

        /// Deletes leaks and versions that were not seen for long, and combines counts by day to counts by week:
        /// ``RetentionRule``.
        private func deleteUnseenNames(now: Int64, while isWanted: () -> Bool) throws(StoreError) {
            var run = RetentionRun(now: now)
            repeat {
                pendingCalls.yield()
                guard isWanted() else { return }
            } while try writer.with({ writer throws(StoreError) in try writer.runStep(of: &run) })
        }

        /// Evicts names of apps that are near a limit: ``EvictionRule``.
        private func evictNames(now: Int64, while isWanted: () -> Bool) throws(StoreError) {
            var eviction = Eviction(now: now)
            repeat {
                pendingCalls.yield()
                guard isWanted() else { return }
            } while try writer.with({ writer throws(StoreError) in try writer.runStep(of: &eviction) })
        }

        public func erase(
            install: UInt64, audit entry: AuditEntry?, while isWanted: () -> Bool
        ) throws(StoreError) -> ErasureResult? {
            var erasure = InstallErasure(install: install, audit: entry)
            var isLeft = true
            while isLeft {
                guard isWanted() else { return nil }
                isLeft = try writer.with { writer throws(StoreError) in try writer.runStep(of: &erasure) }
                pendingCalls.yield()
            }
            return erasure.erased
        }

        public func forget(
            _ target: ForgetTarget, audit entry: AuditEntry?, while isWanted: () -> Bool
        ) throws(StoreError) -> ForgetCounts? {
            var run = ForgetRun(target: target, audit: entry)
            var isLeft = true
            while isLeft {
                guard isWanted() else { return nil }
                isLeft = try writer.with { writer throws(StoreError) in try writer.runStep(of: &run) }
                pendingCalls.yield()
            }
            return run.counts
        }

        public func add(_ credential: Credential, audit entry: AuditEntry?) throws(StoreError) -> Credential {
            try write { writer throws(StoreError) in try writer.add(credential, audit: entry) }
        }

        public func revoke(
            credential id: Int64, audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> Bool {
            try write { writer throws(StoreError) in
                try writer.revoke(credential: id, audit: entry, now: now)
            }
        }

        public func pin(
            _ version: String?, of app: AppKey, by author: String, audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> Bool {
            try write { writer throws(StoreError) in
                try writer.pin(version, of: app, by: author, audit: entry, now: now)
            }
        }

        public func setName(
            ofCredential id: Int64, to name: String, audit entry: AuditEntry?
        ) throws(StoreError) -> Bool {
            try write { writer throws(StoreError) in
                try writer.setName(ofCredential: id, to: name, audit: entry)
            }
        }

        public func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool {
            try write { writer throws(StoreError) in try writer.useOnce(hash: hash, now: now) }
        }

        public func decide(
            _ decision: Decision, about leaks: [LeakID], audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> PastDecision? {
            try write { writer throws(StoreError) in
                try writer.decide(decision, about: leaks, audit: entry, now: now)
            }
        }

        public func merge(
            _ sources: [LeakID], into target: LeakIdentity, by author: String, audit entry: AuditEntry?,
            now: Int64,
            note: @Sendable (LeakMerge) -> String
        ) throws(StoreError) -> LeakMerge? {
            try write { writer throws(StoreError) in
                try writer.merge(sources, into: target, by: author, audit: entry, now: now, note: note)
            }
        }

        public func mergeByHand(
            _ source: LeakID, into target: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> ManualMerge? {
            try write { writer throws(StoreError) in
                try writer.mergeByHand(source, into: target, by: author, audit: entry, now: now)
            }
        }

        public func undoMerge(
            _ number: Int64, by author: String, audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> UndoneMerge? {
            try write { writer throws(StoreError) in
                try writer.undoMerge(number, by: author, audit: entry, now: now)
            }
        }

        public func discard(
            _ leak: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
        ) throws(StoreError) -> Bool {
            try write { writer throws(StoreError) in
                try writer.discard(leak, by: author, audit: entry, now: now)
            }
        }

        public func accept(_ leak: LeakID, audit entry: AuditEntry?) throws(StoreError) -> Bool {
            try write { writer throws(StoreError) in try writer.accept(leak, audit: entry) }
        }

        public func saveRules(
            _ text: String, of app: String, basedOn version: Int?, by origin: ChangeOrigin, now: Int64
        ) throws(StoreError) -> RulesOutcome {
            try write { writer throws(StoreError) in
                try writer.saveRules(text, of: app, basedOn: version, by: origin, now: now)
            }
        }

        public func rewrite(_ identity: LeakIdentity) throws(StoreError) -> Bool {
            try write { writer throws(StoreError) in try writer.rewrite(identity) }
        }

        public func put(
            _ symbols: StoredSymbols, body: [UInt8], audit entry: AuditEntry?
        ) throws(StoreError) -> SymbolUploadResult {
            try write { writer throws(StoreError) in try writer.put(symbols, body: body, audit: entry) }
        }

        public func removeSymbols(
            _ kind: StoredSymbols.Kind, of image: String, audit entry: AuditEntry?
        ) throws(StoreError) -> Bool {
            try write { writer throws(StoreError) in
                try writer.removeSymbols(kind, of: image, audit: entry)
            }
        }

        public func recordUse(ofSymbols rowIDs: [Int64], now: Int64) throws(StoreError) {
            try write { writer throws(StoreError) in try writer.recordUse(ofSymbols: rowIDs, now: now) }
        }

        public func record(_ events: [Event], mark: EventMark?) throws(StoreError) -> Int {
            try write { writer throws(StoreError) in try writer.addEvents(events, mark: mark) }
        }

        public func claim(channel: String, by sender: Int64, now: Int64) throws(StoreError)
            -> ChannelPosition?
        {
            try write { writer throws(StoreError) in
                try writer.claimChannel(channel, by: sender, now: now)
            }
        }

        public func move(
            channel: String, to position: ChannelPosition, by sender: Int64
        ) throws(StoreError) -> Bool {
            try write { writer throws(StoreError) in
                try writer.moveChannel(channel, to: position, by: sender)
            }
        }

        public func makeReader(known: KnownLeaks) throws(StoreError) -> any StoreReader {
            var timeouts = address.timeouts
            timeouts.answer = min(timeouts.answer, timeouts.page)
            let connector = DatabaseConnector(to: address.with(timeouts)) { connection throws(StoreError) in
                try Migration.requireKnownSchema(on: connection)
                try connection.run(Query(ConnectionSettings.pageTimeoutSQL))
                try connection.run(Query(ConnectionSettings.pageMemorySQL))
            }
            return PostgreSQLReader(connector: connector, known: known)
        }

        private func write<Result>(
            _ body: (inout sending Writer) throws(StoreError) -> sending Result
        ) throws(StoreError) -> sending Result {
            pendingCalls.enter()
            defer { pendingCalls.leave() }
            return try writer.with(body)
        }
    }
#endif
