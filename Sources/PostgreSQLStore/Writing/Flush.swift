#if PostgreSQL
    internal import LeakStore

    /// One transaction that counts.
    struct Flush {
        let connection: Connection
        private(set) var receipts: [Receipt] = []
        /// Whether the commit may have been sent.
        private(set) var isCommitting = false

        init(connection: Connection) { self.connection = connection }

        mutating func take(
            _ submissions: [Submission], now: Int64, by writer: Writer
        ) throws(StoreError) -> [Receipt] {
            connection.begin("begin")
            receipts = try claimKeys(of: submissions, writer.witness.next(now: now), now: now)
            var tally = Tally()
            for (number, receipt) in receipts.enumerated() where receipt == .counted {
                tally.add(submissions[number], number: number)
            }
            let places = try Places(of: tally, in: self, names: &writer.names)
            var changes = Changes(of: tally, in: places, submissions, now: now, by: writer)
            try changes.readAndMerge(on: connection, knowing: &writer.members)
            isCommitting = true
            _ = try connection.run(changes.writes + [Query("commit")])
            writer.members.learn(changes.sets)
            return receipts
        }
    }
#endif
