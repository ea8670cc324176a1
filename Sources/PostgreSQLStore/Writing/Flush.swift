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
            let submissions = try Self.first(of: submissions, weighing: writer.limits.weightPerCommit)
            connection.begin("begin")
            receipts = try claimKeys(of: submissions, writer.witness.next(now: now), now: now)
            var tally = Tally()
            let names = EveryName()
            for (number, receipt) in receipts.enumerated() where receipt == .counted {
                try tally.add(submissions[number], number: number, by: names)
            }
            let places = try Places(of: tally, in: self, names: &writer.names)
            writer.members.forget(before: places.erasures)
            var changes = Changes(of: tally, in: places, submissions, now: now, by: writer)
            try changes.readAndMerge(on: connection, knowing: &writer.members)
            isCommitting = true
            _ = try connection.run(changes.writes + [Query("commit")])
            writer.members.learn(changes.sets)
            return receipts
        }

        /// As many submissions as one transaction takes, one at least; those that turn out to be repeats weigh too.
        private static func first(
            of submissions: [Submission], weighing limit: Int
        ) throws(StoreError) -> [Submission] {
            guard submissions.count > 1 else { return submissions }
            var tally = Tally()
            let names = EveryName()
            for (number, submission) in submissions.enumerated() {
                guard number == 0 || tally.weight < limit else { return Array(submissions[..<number]) }
                try tally.add(submission, number: number, by: names)
            }
            return submissions
        }
    }
#endif
