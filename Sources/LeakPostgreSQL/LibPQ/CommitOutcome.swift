#if PostgreSQL
    internal import LeakStore

    /// The outcome of committing a transaction.
    enum CommitOutcome {
        /// The transaction is on disk. Holds the answers to the queries, and to the commit.
        case done([Rows])
        /// Nothing of the transaction is in the database.
        case rolledBack(StoreError)
        /// The commit was sent, and its answer did not arrive. Either the whole transaction is on disk, or nothing of it:
        /// ``CommitMarker`` determines which.
        case inDoubt(StoreError)
    }

    extension PostgreSQLConnection {
        /// Runs queries and commits, in one round trip.
        func commit(_ queries: [Query]) -> CommitOutcome {
            var answers = Answers()
            do throws(StoreError) {
                try exchange(queries + [Query("commit")], within: timeouts.answer, &answers)
                if let problem = answers.problem { return .rolledBack(problem) }
            } catch {
                // If the commit was answered, the transaction is on disk, and the error concerns the connection alone.
                if answers.rows.count <= queries.count {
                    // Only an error in a statement before the commit proves that the commit did not run.
                    guard let problem = answers.problem, answers.rows.count < queries.count else {
                        return .inDoubt(answers.problem ?? error)
                    }
                    return .rolledBack(problem)
                }
            }
            return .done(answers.rows)
        }
    }
#endif
